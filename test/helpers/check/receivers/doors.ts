import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Shop, ShopAnswer } from './shop.js';
import type { Verify } from './webhook-verifier.js';
import { Refusal } from './webhook-verifier.js';

/** The shop behind a fetch handler. */
export function fetchHandler(shop: Shop) {
  return {
    fetch: async (request: Request): Promise<Response> => {
      const body = new Uint8Array(await request.arrayBuffer());
      const { method } = request;
      const headers = Object.fromEntries(request.headers);
      const answer = await shop.receive({ method, headers, body, isGone: () => request.signal.aborted });
      return new Response(answer.text, { status: answer.status, headers: headersOf(answer) });
    },
  };
}

/** The shop behind Node's HTTP server, at a free port. */
export async function serve(shop: Shop): Promise<AsyncDisposable & { readonly url: URL }> {
  const server = createServer((request, response) => {
    void answerOver(shop, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/webhooks`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answerOver(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return; // The sender hung up.
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const isGone = () => response.destroyed;
  const answer = await shop.receive({
    method: request.method ?? '',
    headers,
    body: Buffer.concat(chunks),
    isGone,
  });
  response.writeHead(answer.status, headersOf(answer)).end(answer.text);
}

function headersOf({ location }: ShopAnswer): Record<string, string> {
  return { 'content-type': 'text/plain', ...(location === undefined ? {} : { location }) };
}

/** npm's `standardwebhooks` as the verifier. */
export function standardVerifier(secret: string): Verify {
  const webhook = new Webhook(secret);
  return ({ headers, body }) => {
    const present = Object.entries(headers).filter(
      (header): header is [string, string] => header[1] !== undefined,
    );
    try {
      webhook.verify(Buffer.from(body), Object.fromEntries(present));
    } catch {
      throw new Refusal(400, 'The signature does not hold.');
    }
  };
}
