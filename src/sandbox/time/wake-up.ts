import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock } from '../../clock.js';
import { LAST_INSTANT_MS } from '../../contract/time.js';

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
