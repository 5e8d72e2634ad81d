import { clearInterval, setInterval } from 'node:timers';
import { dueNext } from '../../core/due.js';
import type { Sandbox } from '../sandbox.js';

/** Real time between two looks at the sandbox. */
const POLL_MS = 10;

/**
 * Moves the clock, frozen or not, to the attempt that is due next, unless something is in flight or another thing is due before it,
 * such as the expiry of a charge. Returns whether it did.
 */
export function advanceToNextAttempt(sandbox: Sandbox): boolean {
  const { world, travel } = sandbox;
  const due = dueNext(world);
  if (due?.kind !== 'delivery.attempt' || world.deliveriesPaused) return false;
  if (travel.isUnderWay || !sandbox.isIdle()) return false;
  travel.jumpTo(due.at);
  return true;
}

/** Does so whenever nothing has happened between two looks, until disposed. */
export function advanceWhenQuiet(sandbox: Sandbox): Disposable {
  const { timeline } = sandbox;
  let newest = timeline.ring.newest;
  const look = () => {
    const isQuiet = timeline.ring.newest === newest;
    if (isQuiet) advanceToNextAttempt(sandbox);
    ({ newest } = timeline.ring);
  };
  const timer = setInterval(look, POLL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
