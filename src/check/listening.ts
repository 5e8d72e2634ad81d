import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { pause } from '../delivery/pause.js';
import type { CheckOptions } from './check.js';

const GAP_MS = 100;

/** Thrown when nothing accepts connections at the receiver's address in time. */
export class NotListeningError extends Error {}

/** Waits for `waitMs`, where it is set, until something accepts connections at the receiver's address. Rejects with NotListeningError. */
export async function awaitListening(
  { to, waitMs }: Pick<CheckOptions, 'to' | 'waitMs'>,
  signal: AbortSignal,
): Promise<void> {
  if (!(to instanceof URL) || waitMs === undefined) return;
  const startedMs = performance.now();
  while (!(await accepts(to, signal))) {
    if (performance.now() - startedMs >= waitMs)
      throw new NotListeningError(`Nothing listens at ${to.host}; waited ${Math.round(waitMs / 1000)} s.`);
    await pause(GAP_MS, signal);
  }
}

async function accepts({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port || defaultPort) });
  try {
    await once(socket, 'connect', { signal });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    socket.destroy();
  }
}
