import { clearTimeout, setTimeout } from 'node:timers';
import type { Effect } from '../../core/effects.js';
import type { Delivery } from '../../core/world.js';
import { countEndedAttempts, findBlocker } from '../../core/webhooks/deliveries.js';
import { acceptDuration } from '../../core/input/kinds.js';
import { DAY_MS, SECOND_MS } from '../../contract/time.js';
import { isPending } from '../../contract/transitions.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

/** Maximum wait per request (real time), because no client stays connected longer than a day. */
export const WAIT_TIMEOUT = acceptDuration({ maxMs: DAY_MS, example: '30s' });
export const DEFAULT_TIMEOUT_MS = 30 * SECOND_MS;

/** Milestones to wait for: the first attempt or the end of each delivery. */
export const MILESTONES = ['attempted', 'ended'] as const;
type Milestone = (typeof MILESTONES)[number];

interface WaitOptions {
  /** Measured in real time. */
  readonly timeoutMs: number;
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** Called on reset; if omitted, a reset ends the wait. */
  readonly onReset?: () => void;
}

/**
 * Calls `check` with the effects of each change and resolves to the first boolean result. Resolves to false
 * on timeout (real time), abort, close or reset.
 */
export function waitForEffect(
  sandbox: Sandbox,
  { timeoutMs, signal, onReset }: WaitOptions,
  check: (effects: readonly Effect[]) => boolean | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isReached: boolean) => {
      clearTimeout(timer);
      for (const end of ends) end();
      resolve(isReached);
    };
    const giveUp = () => finish(false);
    const timer = setTimeout(giveUp, timeoutMs);
    const ends = [
      sandbox.onReset(onReset ?? giveUp),
      sandbox.onClose(giveUp),
      sandbox.subscribe((effects) => {
        const isReached = check(effects);
        if (isReached !== undefined) finish(isReached);
      }),
    ];
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
  });
}

/**
 * Resolves to true when all deliveries have reached the milestone. Resolves to false on timeout (real time)
 * or reset, or if the remaining deliveries are paused, held by a fault or their listener is disconnected.
 */
export async function waitForMilestone(
  sandbox: Sandbox,
  deliveries: readonly Delivery[],
  milestone: Milestone,
  timeoutMs: number,
): Promise<boolean> {
  const hasReached = (delivery: Delivery) =>
    !isPending(delivery.status) || (milestone === 'attempted' && countEndedAttempts(delivery) > 0);
  const isHeldBack = (delivery: Delivery) => {
    const obstacle = findBlocker(sandbox.world, delivery);
    const isHeld = obstacle === 'paused' || (obstacle === 'fault' && !sandbox.skipsWaits);
    return obstacle === 'away' || (milestone === 'attempted' && isHeld);
  };
  const open = new Set(deliveries.filter((delivery) => !hasReached(delivery)));
  const check = () => {
    if (open.size === 0) return true;
    return Array.from(open).every(isHeldBack) ? false : undefined;
  };
  const update = (effects: readonly Effect[]) => {
    for (const effect of effects) {
      if (effect.type === 'delivery' && hasReached(effect.delivery)) open.delete(effect.delivery);
    }
    return check();
  };
  return check() ?? waitForEffect(sandbox, { timeoutMs }, update);
}
