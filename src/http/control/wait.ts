import { clearTimeout, setTimeout } from 'node:timers';
import type { Delivery } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

export interface Awaited {
  readonly matches: (delivery: Delivery) => boolean;
  readonly count: number;
  /** Real time. */
  readonly timeoutMs: number;
}

/** Resolves as soon as so many deliveries match, or when the time is up with those that do. */
export function waitForDeliveries(
  sandbox: Sandbox,
  { matches, count, timeoutMs }: Awaited,
): Promise<{ satisfied: boolean; deliveries: Delivery[] }> {
  return new Promise((resolve) => {
    const look = () => sandbox.world.deliveries.rows.filter(matches);
    const finish = (found: Delivery[]) => {
      clearTimeout(timer);
      unsubscribe();
      resolve({ satisfied: found.length >= count, deliveries: found });
    };
    const check = () => {
      const found = look();
      if (found.length >= count) finish(found);
    };
    const timer = setTimeout(() => finish(look()), timeoutMs);
    const unsubscribe = sandbox.subscribe((effects) => {
      if (effects.some(({ type }) => type === 'delivery')) check();
    });
    check();
  });
}
