import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import TunnelCluster from 'localtunnel/lib/TunnelCluster.js';
import type { Grant } from './grant.js';

/** One connection to the relay, which carries one public connection at a time. */
export interface Link {
  /** Resolves when the connection has ended, for any reason. */
  readonly ended: Promise<LinkEnd>;
  readonly destroy: () => void;
}

export interface LinkEnd {
  /** Whether it received anything. */
  readonly carried: boolean;
  /** The system's error; undefined after a normal end. */
  readonly problem: string | undefined;
}

/**
 * Connects the relay to the local server through localtunnel's own client, as `localhost`, because with another host the client
 * rewrites requests. The caller retries, because the client would retry forever without a count.
 */
export function openLink({ host, ip, port }: Grant, localPort: number, connectTimeoutMs: number): Link {
  const cluster = new TunnelCluster({
    remote_host: host,
    remote_ip: ip,
    remote_port: port,
    local_port: localPort,
  });
  // It emits the errors of the socket, and would throw without a listener.
  cluster.on('error', () => undefined);
  const remote = socketMadeBy(() => cluster.open());
  const timer = setTimeout(() => {
    remote.destroy(Object.assign(new Error('The connection took too long.'), { code: 'ETIMEDOUT' }));
  }, connectTimeoutMs);
  remote.once('connect', () => clearTimeout(timer));
  let problem: string | undefined;
  remote.on('error', (error: NodeJS.ErrnoException) => {
    problem = error.code ?? error.message;
  });
  const ended = new Promise<LinkEnd>((resolve) => {
    remote.once('close', () => {
      clearTimeout(timer);
      resolve({ carried: remote.bytesRead > 0, problem });
    });
  });
  return { ended, destroy: () => void remote.destroy() };
}

/** The socket that localtunnel creates and does not expose until it is connected. */
function socketMadeBy(work: () => void): Socket {
  const made: Socket[] = [];
  const note = (message: unknown) => made.push((message as { readonly socket: Socket }).socket);
  subscribe('net.client.socket', note);
  try {
    work();
  } finally {
    unsubscribe('net.client.socket', note);
  }
  const [socket] = made;
  if (socket === undefined) throw new Error('Expected localtunnel to connect to its relay.');
  return socket;
}
