import { clearInterval, setInterval } from 'node:timers';
import { dueNext } from '../../core/due.js';
import type { Sandbox } from '../sandbox.js';

/** Real time between two looks at the sandbox. */
const POLL_MS = 20;

/**
 * Whether the clock is frozen before an attempt that is due next, with nothing in flight. An attempt behind something else, such
 * as the expiry of a charge, does not count: nothing expires because of it.
 */
export function awaitsAttempt(sandbox: Sandbox): boolean {
  const { world, clock, travel } = sandbox;
  if (clock.rate !== 0 || travel.isUnderWay || world.deliveriesPaused || !sandbox.isIdle()) return false;
  return dueNext(world)?.kind === 'delivery.attempt';
}

/** Moves a frozen clock to the attempt that is due next, if the sandbox is idle. */
export function advanceToAttempt(sandbox: Sandbox): void {
  if (!awaitsAttempt(sandbox)) return;
  const { at } = dueNext(sandbox.world) ?? {};
  if (at === undefined) return;
  // One step of a journey; a journey would refuse the advances of others as long as the attempt takes.
  sandbox.travel.jumpTo(at);
}

/** Does so again and again, until disposed. */
export function advanceWhenIdle(sandbox: Sandbox): Disposable {
  const timer = setInterval(() => advanceToAttempt(sandbox), POLL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
