import { clearTimeout, setTimeout } from 'node:timers';
import { performance } from 'node:perf_hooks';

/** Thrown into what runs when the time is over. */
class BudgetSpent extends Error {}

/** Real time for a run, which can be extended while it lasts. */
export class Budget {
  readonly #controller = new AbortController();
  readonly #startedMs = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.allow(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isSpent(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Allows this much time from the start of the run. */
  allow(ms: number): void {
    clearTimeout(this.#timer);
    const leftMs = Math.max(ms - (performance.now() - this.#startedMs), 0);
    const spend = () => this.#controller.abort(new BudgetSpent('The time for the checks is over.'));
    this.#timer = setTimeout(spend, leftMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
