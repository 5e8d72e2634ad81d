import { startAttempt } from './deliveries.js';
import type { Step } from '../effects.js';
import { obstacleTo } from './obstacles.js';
import type { Delivery, World } from '../world.js';

/** The deliveries whose attempt has fallen due while deliveries are paused, in the order in which they fell due. */
export function heldBack(world: World): Delivery[] {
  if (!world.deliveriesPaused) return [];
  return world.deliveries.rows
    .filter((delivery) => obstacleTo(world, delivery) === 'paused')
    .sort((a, b) => dueAt(a) - dueAt(b) || a.ordinal - b.ordinal);
}

function dueAt({ nextAttemptAt }: Delivery): number {
  return nextAttemptAt ?? 0;
}

/** Starts a due attempt, or holds it back while deliveries are paused. */
export function attemptDue(step: Step, delivery: Delivery): void {
  if (!step.world.deliveriesPaused) startAttempt(step, delivery);
}

/** Pauses deliveries: due attempts are held back. Attempts in flight go on. */
export function pauseDeliveries({ world }: Step): void {
  world.deliveriesPaused = true;
}

/** Resumes deliveries: held-back attempts start now, in the order in which they fell due. Returns their deliveries. */
export function resumeDeliveries(step: Step): Delivery[] {
  const held = heldBack(step.world);
  step.world.deliveriesPaused = false;
  for (const delivery of held) startAttempt(step, delivery);
  return held;
}
