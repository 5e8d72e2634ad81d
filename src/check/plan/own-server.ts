import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Kit } from '../bench.js';
import { socketTarget } from '../send.js';

const NOTHING = new Uint8Array();
const MOST_MS = 30_000;

/** A server of our own that answers at once: how long it takes shows how busy the machine is. */
export interface OwnServer extends AsyncDisposable {
  /** The time of the slowest of that many requests at once. */
  readonly slowestMs: (count: number) => Promise<number>;
}

/** For a receiver in this process, whose work would hold up the server, one that is never slow. */
export async function ownServer({ target: { hasSocket }, signal }: Kit): Promise<OwnServer> {
  if (!hasSocket) return { slowestMs: async () => 0, [Symbol.asyncDispose]: async () => undefined };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = socketTarget(new URL(`http://127.0.0.1:${port}/`), MOST_MS);
  const message = { method: 'POST', headers: {}, body: NOTHING } as const;
  return {
    slowestMs: async (count) => {
      const answers = Array.from({ length: count }, () => target.send(message, signal));
      return Math.max(...(await Promise.all(answers)).map(({ ms }) => ms));
    },
    [Symbol.asyncDispose]: async () => {
      target.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
