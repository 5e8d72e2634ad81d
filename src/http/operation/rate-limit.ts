import { Refusal } from '../../contract/refusals.js';

/** The most calls in a window of real time. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

/** Counts calls in windows that begin with a caller's first call. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #windows = new Map<string, { readonly endsAt: number; calls: number }>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Counts a call at `now` (real ms). Returns the seconds to wait when it is over the limit, else undefined. */
  count(caller: string, now: number): number | undefined {
    const { calls, perMs } = this.#limit;
    let window = this.#windows.get(caller);
    if (window === undefined || now >= window.endsAt) {
      window = { endsAt: now + perMs, calls: 0 };
      this.#windows.set(caller, window);
    }
    window.calls += 1;
    return window.calls <= calls ? undefined : Math.ceil((window.endsAt - now) / 1000);
  }

  clear(): void {
    this.#windows.clear();
  }
}

export function rateLimited(afterS: number): Refusal {
  return new Refusal('RATE_LIMITED', 'The rate limit of the identity API is exceeded.', {
    hint: `Call again in ${afterS} s, as Retry-After says.`,
  });
}
