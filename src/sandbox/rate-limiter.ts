import type { RateLimit } from '../contract/rate-limit.js';

/**
 * A token bucket for each caller. Every instant is of one clock; while the clock stands still or moves
 * backward, nothing is refilled.
 */
export class RateLimiter {
  readonly limit: RateLimit | undefined;
  /** Missing tokens in units of 1/perMs token, which makes every sum of a realistic limit exact. */
  readonly #buckets = new Map<string, { readonly at: number; readonly missing: number }>();

  /** Without a limit, every request passes. */
  constructor(limit: RateLimit | undefined) {
    this.limit = limit;
  }

  /** Takes a token at `now` (ms). Returns the whole seconds until there is one if the bucket is empty. */
  take(caller: string, now: number): number | undefined {
    if (this.limit === undefined) return undefined;
    const { calls, perMs } = this.limit;
    const { at, missing } = this.#buckets.get(caller) ?? { at: now, missing: 0 };
    const left = Math.max(missing - Math.max(now - at, 0) * calls, 0);
    const lacking = left + perMs - calls * perMs;
    this.#buckets.set(caller, { at: now, missing: lacking > 0 ? left : left + perMs });
    return lacking > 0 ? Math.ceil(lacking / (calls * 1_000)) : undefined;
  }
}
