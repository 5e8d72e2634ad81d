import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import TunnelCluster from 'localtunnel/lib/TunnelCluster.js';
import type { Grant } from './grant.js';

/** One connection to the relay, over which it sends one public connection at a time. */
export interface Link {
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<LinkEnd>;
  readonly destroy: () => void;
}

export interface LinkEnd {
  /** Whether anything came over it. */
  readonly carried: boolean;
  /** What the system says, where it did not end by itself. */
  readonly problem: string | undefined;
}

/**
 * Connects the relay with the local server by localtunnel's own client, as `localhost`: given a host, it would rewrite what
 * passes. What it does about retries is left to the caller, because it would go on for ever and keep no count.
 */
export function openLink({ host, ip, port }: Grant, localPort: number, connectTimeoutMs: number): Link {
  const cluster = new TunnelCluster({
    remote_host: host,
    remote_ip: ip,
    remote_port: port,
    local_port: localPort,
  });
  // It repeats what the socket says, and would throw if nobody listened.
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

/** The socket that localtunnel makes and keeps to itself until it is connected. */
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
