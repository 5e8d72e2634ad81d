import { Refusal } from '../../contract/refusals.js';

/** The most calls that one organization may make in a window of real time. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

interface Window {
  readonly endsAt: number;
  calls: number;
}

/** Counts calls in windows that begin with an organization's first call. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #windows = new Map<string, Window>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Counts a call at `now` (real ms). Returns the seconds to wait when it is over the limit, else undefined. */
  count(organizationId: string, now: number): number | undefined {
    const window = this.#windowOf(organizationId, now);
    window.calls += 1;
    return window.calls <= this.#limit.calls ? undefined : Math.ceil((window.endsAt - now) / 1000);
  }

  clear(): void {
    this.#windows.clear();
  }

  #windowOf(organizationId: string, now: number): Window {
    const current = this.#windows.get(organizationId);
    if (current !== undefined && now < current.endsAt) return current;
    const window = { endsAt: now + this.#limit.perMs, calls: 0 };
    this.#windows.set(organizationId, window);
    return window;
  }
}

export function rateLimited(afterS: number): Refusal {
  return new Refusal('RATE_LIMITED', 'The rate limit of the identity API is exceeded.', {
    hint: `Call again in ${afterS} s, as Retry-After says.`,
  });
}
