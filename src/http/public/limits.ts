import type { RateLimit } from '../identity/rate-limit.js';

/** How often the doors may be called through a tunnel, in real time. */
export interface PublicLimits {
  /** One application or organization; all calls without a known credential count as one. */
  readonly each: RateLimit;
  readonly total: RateLimit;
  /** How long a request may take to arrive completely, in milliseconds. */
  readonly bodyMs: number;
}

export const PUBLIC_LIMITS: PublicLimits = {
  each: { calls: 120, perMs: 10_000 },
  total: { calls: 300, perMs: 10_000 },
  bodyMs: 30_000,
};
