import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fetch behind a port of 127.0.0.1; requests are handed on with their method, headers and body. */
export async function served(fetch: (request: Request) => Response | Promise<Response>) {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const headers = new Headers(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      );
      const request = new Request(`http://shop.localhost${incoming.url}`, {
        method: 'POST',
        headers,
        body: Buffer.concat(chunks),
      });
      Object.defineProperty(request, 'method', { value: incoming.method });
      void Promise.resolve(fetch(request)).then(async (response) => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
      });
    });
    incoming.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
