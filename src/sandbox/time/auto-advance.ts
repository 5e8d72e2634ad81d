import { clearInterval, setInterval } from 'node:timers';
import type { Sandbox } from '../sandbox.js';

/** Real time between two looks at a frozen sandbox, and at one whose waits are skipped. */
const FROZEN_POLL_MS = 20;
const POLL_MS = 10;

/** True if the clock is frozen before the next due attempt, with none in flight. */
export function isAwaitingAttempt(sandbox: Sandbox): boolean {
  return sandbox.clock.rate === 0 && sandbox.isAttemptNext && sandbox.isAtRest;
}

/** Moves a frozen clock from attempt to attempt until disposed. */
export function advanceWhenIdle(sandbox: Sandbox): Disposable {
  return polling(FROZEN_POLL_MS, () => {
    if (isAwaitingAttempt(sandbox)) sandbox.advanceToNextAttempt();
  });
}

/**
 * Skips waits between attempts until disposed: immediately while a caller waits for idleness, otherwise after
 * two checks without a change.
 */
export function skipWaits(sandbox: Sandbox): Disposable {
  const { ring } = sandbox.timeline;
  let { newest } = ring;
  sandbox.skipsWaits = true;
  const looks = polling(POLL_MS, () => {
    if (ring.newest === newest) sandbox.advanceToNextAttempt();
    ({ newest } = ring);
  });
  return {
    [Symbol.dispose]: () => {
      sandbox.skipsWaits = false;
      looks[Symbol.dispose]();
    },
  };
}

/** Looks at intervals until disposed. It does not keep the process alive. */
function polling(everyMs: number, look: () => void): Disposable {
  const timer = setInterval(look, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
