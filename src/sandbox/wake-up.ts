import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock } from '../clock.js';

const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls when the clock comes to an instant, and never while time stands still. It keeps no process alive. */
export class WakeUp {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #isOver = false;

  constructor(call: () => void) {
    this.#call = call;
  }

  /** Sets it to an instant of sandbox time (ms), in the place of the one before. */
  set(clock: Clock, instant: number): void {
    const dueAt = clock.rate === 0 ? Infinity : instant;
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

  /** The next instant is set anew, even if it is the same: the clock is another, or runs at another rate. */
  forget(): void {
    this.#dueAt = Infinity;
    clearTimeout(this.#timer);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
