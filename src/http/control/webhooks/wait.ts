import { clearTimeout, setTimeout } from 'node:timers';
import type { Delivery } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';

export interface Awaited {
  readonly matches: (delivery: Delivery) => boolean;
  readonly count: number;
  /** Real time. */
  readonly timeoutMs: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/**
 * Resolves as soon as enough deliveries match, or with the current matches when the time is up, the sandbox closes, or the
 * signal aborts. Checks all deliveries once, and then only those that change.
 */
export function waitForDeliveries(
  sandbox: Sandbox,
  { matches, count, timeoutMs, signal }: Awaited,
): Promise<{ satisfied: boolean; deliveries: Delivery[] }> {
  return new Promise((resolve) => {
    const found = new Set(sandbox.world.deliveries.rows.filter(matches));
    const finish = () => {
      clearTimeout(timer);
      for (const end of ends) end();
      const deliveries = [...found].sort((a, b) => a.ordinal - b.ordinal);
      resolve({ satisfied: found.size >= count, deliveries });
    };
    const timer = setTimeout(finish, timeoutMs);
    const ends = [
      sandbox.subscribe((effects) => {
        for (const effect of effects) {
          if (effect.type !== 'delivery') continue;
          if (matches(effect.delivery)) found.add(effect.delivery);
          else found.delete(effect.delivery);
        }
        if (found.size >= count) finish();
      }),
      sandbox.onReset(() => found.clear()),
      sandbox.onClose(finish),
    ];
    signal.addEventListener('abort', finish, { once: true });
    if (found.size >= count || signal.aborted) finish();
  });
}
