import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';

/** A port before the sandbox, whose connections can be cut. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Ends every connection, and the new ones at once, until `mend`. */
  readonly cut: () => void;
  readonly mend: () => void;
}

export async function openCuttingProxy(port: number): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const target = connect({ port, host: '127.0.0.1' });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(socket);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.on('error', () => other.destroy());
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      end();
    },
    mend: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      end();
      server.close();
      await once(server, 'close');
    },
  };
}
