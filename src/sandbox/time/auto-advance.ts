import { clearInterval, setInterval } from 'node:timers';
import type { Sandbox } from '../sandbox.js';

/** Real-time polling intervals for a frozen clock and for skipped waits. */
const FROZEN_POLL_MS = 20;
const POLL_MS = 10;

/**
 * Returns true if the clock is frozen, an attempt is the next scheduled item, and no attempt is in flight.
 */
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
 * Skips waits between attempts until disposed: immediately while a caller awaits `idle`, otherwise after two
 * polls without a new timeline entry.
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

/** Calls `look` at this interval until disposed. Does not keep the process alive. */
function polling(everyMs: number, look: () => void): Disposable {
  const timer = setInterval(look, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
