import { startAttempt } from './deliveries.js';
import type { Step } from '../effects.js';
import type { Delivery, World } from '../world.js';

/** The deliveries whose attempt has fallen due while deliveries are paused, in the order in which they fell due. */
export function heldBack({ deliveries, deliveriesPaused, now }: World): Delivery[] {
  if (!deliveriesPaused) return [];
  return deliveries.rows
    .filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= now)
    .sort((a, b) => dueAt(a) - dueAt(b) || a.ordinal - b.ordinal);
}

function dueAt({ nextAttemptAt }: Delivery): number {
  return nextAttemptAt ?? 0;
}

/** An attempt is due: it starts, or is held back while deliveries are paused. One that nobody can take fails at once all the same. */
export function attemptDue(step: Step, delivery: Delivery): void {
  const { deliveriesPaused, endpoints } = step.world;
  const canBeTaken = endpoints.get(delivery.endpointId)?.status === 'ACTIVE';
  if (!deliveriesPaused || !canBeTaken) startAttempt(step, delivery);
}

/** From here on no attempt starts: what falls due is held back. Attempts that have started go on. */
export function pauseDeliveries({ world }: Step): void {
  world.deliveriesPaused = true;
}

/** Starts what was held back, now and in the order in which it fell due; answers these deliveries. */
export function resumeDeliveries(step: Step): Delivery[] {
  const held = heldBack(step.world);
  step.world.deliveriesPaused = false;
  for (const delivery of held) startAttempt(step, delivery);
  return held;
}
