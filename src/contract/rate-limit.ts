import { DURATION_PATTERN, formatDuration, parseDuration } from './time.js';

/** A token bucket: at most `calls` requests immediately, refilled evenly within `perMs` milliseconds. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

const COUNT_PATTERN = /^([1-9]\d{0,8})\//;

/** Source of a pattern that matches every text `parseRateLimit` accepts. */
export const RATE_SOURCE = COUNT_PATTERN.source + DURATION_PATTERN.source.slice(1);

export const RATE_FORM = 'requests per duration such as 100/1m';

/** Formats a rate limit for `parseRateLimit`. */
export function formatRateLimit({ calls, perMs }: RateLimit): string {
  return `${calls}/${formatDuration(perMs)}`;
}

/** Parses `100/1m`. Returns undefined for other texts and a duration of zero. */
export function parseRateLimit(text: string): RateLimit | undefined {
  const [prefix = '', calls] = COUNT_PATTERN.exec(text) ?? [];
  const perMs = parseDuration(text.slice(prefix.length)) ?? 0;
  return calls !== undefined && perMs > 0 ? { calls: Number(calls), perMs } : undefined;
}
