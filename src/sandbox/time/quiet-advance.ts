import { clearInterval, setInterval } from 'node:timers';
import { dueNext } from '../../core/due.js';
import type { Sandbox } from '../sandbox.js';

/** Real time between two looks at the sandbox. */
const POLL_MS = 10;

/** Whether nothing happens before an attempt that is due later, such as the expiry of a charge. */
export function isAttemptNext({ world, travel }: Sandbox): boolean {
  return dueNext(world)?.kind === 'delivery.attempt' && !world.deliveriesPaused && !travel.isUnderWay;
}

/** Moves the clock, frozen or not, to the attempt that is due next, if nothing is in flight. */
export function advanceToNextAttempt(sandbox: Sandbox): void {
  const at = dueNext(sandbox.world)?.at;
  if (at !== undefined && isAttemptNext(sandbox) && sandbox.isAtRest()) sandbox.travel.jumpTo(at);
}

/** Skips the waits between attempts until disposed: at once where someone waits for idleness, and otherwise when nothing has happened between two looks. */
export function skipWaits(sandbox: Sandbox): Disposable {
  const { ring } = sandbox.timeline;
  let { newest } = ring;
  const look = () => {
    if (ring.newest === newest) advanceToNextAttempt(sandbox);
    ({ newest } = ring);
  };
  sandbox.skipsWaits = true;
  const timer = setInterval(look, POLL_MS);
  timer.unref();
  return {
    [Symbol.dispose]: () => {
      sandbox.skipsWaits = false;
      clearInterval(timer);
    },
  };
}
