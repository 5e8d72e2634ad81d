import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import type { Clock } from '../../clock.js';
import { LAST_INSTANT_MS } from '../../contract/time.js';
import { dueNext, nextDue } from '../../core/due.js';
import type { Sandbox } from '../sandbox.js';

const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls back when the clock reaches an instant, never while it is frozen. It does not keep the process alive. */
export class WakeUp {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #isOver = false;

  constructor(call: () => void) {
    this.#call = call;
  }

  /** Sets it to an instant of sandbox time (ms), replacing the previous one. */
  set(clock: Clock, instant: number): void {
    const dueAt = clock.rate === 0 || clock.isHeld || instant > LAST_INSTANT_MS ? Infinity : instant;
    if (dueAt === this.#dueAt || this.#isOver) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    if (dueAt === Infinity) return;
    const waitMs = Math.min(Math.max(dueAt - clock.now(), 0) / clock.rate, LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.forget();
      this.#call();
    }, Math.ceil(waitMs));
    this.#timer.unref();
  }

  /** Schedules the next instant again, even if it is the same, because the clock or its rate has changed. */
  forget(): void {
    this.#dueAt = Infinity;
    clearTimeout(this.#timer);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

/** Real time between two looks at a frozen sandbox, and at one whose waits are skipped. */
const FROZEN_POLL_MS = 20;
const POLL_MS = 10;

/** Nothing is in flight and nothing is due now. */
export function isAtRest({ world, clock, epoch }: Sandbox): boolean {
  const due = nextDue(world);
  return epoch.openAttempts === 0 && (due === undefined || due.at > clock.now());
}

/** Whether nothing happens before an attempt that is due later, such as the expiry of a charge. */
export function isAttemptNext({ world, travel }: Sandbox): boolean {
  return dueNext(world)?.kind === 'delivery.attempt' && !world.deliveriesPaused && !travel.isUnderWay;
}

/** Moves the clock, frozen or not, to the attempt that is due next, if nothing is in flight. */
export function advanceToNextAttempt(sandbox: Sandbox): void {
  const at = dueNext(sandbox.world)?.at;
  if (at !== undefined && isAttemptNext(sandbox) && isAtRest(sandbox)) sandbox.travel.jumpTo(at);
}

/** Whether the clock is frozen before an attempt that is due next, with nothing in flight. */
export function awaitsAttempt(sandbox: Sandbox): boolean {
  return sandbox.clock.rate === 0 && isAttemptNext(sandbox) && isAtRest(sandbox);
}

/** Moves a frozen clock from attempt to attempt until disposed. */
export function advanceWhenIdle(sandbox: Sandbox): Disposable {
  const look = () => {
    if (awaitsAttempt(sandbox)) advanceToNextAttempt(sandbox);
  };
  const timer = setInterval(look, FROZEN_POLL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Resolves when the sandbox is idle; does what is due now, and skips the waits that may be skipped. */
export async function untilIdle(sandbox: Sandbox): Promise<void> {
  while (!sandbox.isIdle()) {
    if (sandbox.skipsWaits) advanceToNextAttempt(sandbox);
    sandbox.dispatch({ type: 'clock.tick' });
    await sandbox.attemptsEnded();
  }
}

/**
 * Skips the waits between attempts until disposed: at once where someone waits for idleness, and otherwise
 * when nothing has happened between two looks.
 */
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
