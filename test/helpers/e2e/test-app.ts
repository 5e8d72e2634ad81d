import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook as the application under test got it. */
export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The event's type. */
  readonly type: string;
}

/** An application that receives webhooks. */
export interface TestApp extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly received: Received[];
}

/** Starts one that answers with 200, or with what `status` says; `ordinal` counts from 1. */
export async function startApp(
  status: (received: Received, ordinal: number) => number = () => 200,
  port = 0,
): Promise<TestApp> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { type } = JSON.parse(body) as { type: string };
      const webhook = { url: request.url ?? '', headers: request.headers, body, type };
      received.push(webhook);
      response.writeHead(status(webhook, received.length)).end('ok');
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${taken}`,
    port: taken,
    received,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
