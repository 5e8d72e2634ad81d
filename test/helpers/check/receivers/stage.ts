import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { CheckOptions } from '../../../../src/check/check.js';
import { ControlClient, createFetchTransport } from '../../../../src/client/control.js';
import type { SandboxServer } from '../../../../src/http/server/start.js';
import { startServer } from '../../../../src/http/server/start.js';
import type { EnvironmentBlock } from '../../../../src/public-types.js';
import { signRequest } from '../../../../src/signing/index.js';
import type { ShopAnswer, ShopOptions, Verify } from './shop.js';
import { Refusal, Shop } from './shop.js';

const PATH = '/api/public/v1/pix';
/** The price of everything in a shop. */
const AMOUNT = '49.90';

/** The payments service, without a socket. */
interface Service {
  readonly env: EnvironmentBlock;
  readonly fetch: (path: string, init: RequestInit) => Promise<Pick<Response, 'status' | 'text'>>;
}

/** Creates a charge as an application does: by a signed request. */
export async function createCharge({ env, fetch }: Service, code: string, amount = AMOUNT): Promise<void> {
  const body = JSON.stringify({ code, account_id: env.SANDBOX_ACCOUNT_ID, amount });
  const timestampS = Math.floor(Date.now() / 1000);
  const { headers } = signRequest({
    method: 'POST',
    target: PATH,
    body: Buffer.from(body),
    secret: env.SANDBOX_SIGNING_SECRET,
    timestampS,
    nonce: randomUUID(),
  });
  const authorization = `Bearer ${env.SANDBOX_TOKEN}`;
  const init = {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body,
  };
  const answer = await fetch(PATH, init);
  if (answer.status !== 201)
    throw new Error(`Expected a charge; got ${answer.status} ${await answer.text()}`);
}

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

/** A sandbox in this process, and shops that are its customers. */
export class Stage implements AsyncDisposable {
  readonly control: ControlClient;
  readonly #server: SandboxServer;
  readonly #fetch: (target: string, init?: RequestInit) => Promise<Response>;

  private constructor(server: SandboxServer) {
    this.#server = server;
    this.#fetch = async (target, init) => server.fetch(new Request(server.url + target, init), {});
    this.control = new ControlClient(createFetchTransport(server.url, this.#fetch));
  }

  static async open(): Promise<Stage> {
    return new Stage(await startServer({ port: undefined }));
  }

  get secret(): string {
    return this.#server.env.SANDBOX_WEBHOOK_SECRET;
  }

  /** A shop with these mistakes. */
  shop(options: Partial<ShopOptions> = {}): Shop {
    const service = { env: this.#server.env, fetch: this.#fetch };
    return new Shop({
      secret: this.secret,
      createCharge: (code, amount) => createCharge(service, code, amount),
      ...options,
    });
  }

  /** How a shop is checked in this process, with everything that can be given. */
  checkOptions(shop: Shop): CheckOptions {
    return {
      to: fetchHandler(shop),
      secret: this.secret,
      probe: (subject) => shop.probe(subject),
      order: (order) => shop.order(order),
      takesAmount: true,
      restart: () => shop.restart(),
      sandbox: { control: this.control, settles: true },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }
}
