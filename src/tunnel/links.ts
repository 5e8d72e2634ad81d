import type { Grant } from './grant.js';
import type { TunnelLimits } from './limits.js';
import { openLink } from './link.js';
import { TunnelTrouble } from './trouble.js';

/** Waits in real time; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export interface LinksOptions {
  readonly grant: Grant;
  readonly localPort: number;
  readonly limits: TunnelLimits;
  readonly pause: Pause;
  /** Monotonic real time in milliseconds. */
  readonly now: () => number;
  /** Closes all of them at once. */
  readonly signal: AbortSignal;
}

/**
 * Keeps the number of connections that the relay asked for waiting there: replaces a used connection at once, and a refused one
 * after a wait. Rejects with TunnelTrouble when the relay does not accept them, and when the signal aborts.
 */
export function keepLinks({ grant, localPort, limits, pause, now, signal }: LinksOptions): Promise<never> {
  const most = grant.connections * limits.linkFailures;
  let failures = 0;
  const keepOne = async (): Promise<never> => {
    for (;;) {
      signal.throwIfAborted();
      const startedAt = now();
      const link = openLink(grant, localPort, limits.relayMs);
      signal.addEventListener('abort', link.destroy, { once: true });
      const { carried, problem } = await link.ended;
      signal.removeEventListener('abort', link.destroy);
      if (carried || (problem === undefined && now() - startedAt >= limits.idleLinkMs)) {
        failures = 0;
        continue;
      }
      failures += 1;
      if (failures >= most) {
        const reason = problem === undefined ? 'it closes them' : problem;
        throw new TunnelTrouble(
          `The relay ${grant.host} does not accept connections on port ${grant.port}: ${reason}.`,
        );
      }
      await pause(limits.linkWaitMs, signal);
    }
  };
  return Promise.race(Array.from({ length: grant.connections }, keepOne));
}
