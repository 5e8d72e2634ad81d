import { once } from 'node:events';
import { createServer } from 'node:http';
import { raceAbort } from '../delivery/abort.js';
import type { ReceivedWebhook } from './implementation.js';

/** A receiver of webhooks on this machine. The first attempt fails, so that it is retried. */
export interface ProbeReceiver extends AsyncDisposable {
  readonly port: number;
  /** Returns the next attempt that `isWanted`. Rejects on abort. */
  readonly next: (
    signal: AbortSignal,
    isWanted?: (webhook: ReceivedWebhook) => boolean,
  ) => Promise<ReceivedWebhook>;
}

/** Opens a receiver on 127.0.0.1. Rejects with the system error, e.g. EADDRINUSE. */
export async function openProbeReceiver(port: number): Promise<ProbeReceiver> {
  const received: ReceivedWebhook[] = [];
  let notify: () => void = () => undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString('utf8');
      const isFirst = received.length === 0;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      if (request.method === 'POST') received.push({ headers, body, atMs: Date.now() });
      response.writeHead(isFirst ? 500 : 200).end();
      notify();
    })().catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  let seen = 0;
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    next: async (signal, isWanted = () => true) => {
      for (;;) {
        for (; seen < received.length; seen += 1) {
          const webhook = received[seen];
          if (webhook === undefined || !isWanted(webhook)) continue;
          seen += 1;
          return webhook;
        }
        await raceAbort(new Promise<void>((resolve) => (notify = resolve)), signal);
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
