import { DURATION_PATTERN, formatDuration, parseDuration } from './time.js';

/** A fixed delay in milliseconds, or a log-normal distribution given by its median and 99th percentile. */
export type Delay = number | { readonly medianMs: number; readonly p99Ms: number };

/**
 * Named distributions. `spi` is the time of Pix payments between banks published by Banco do Brasil in
 * November 2023; Banco Central's targets are 6 s and 10 s.
 */
const NAMED_DELAYS: Readonly<Record<string, Delay>> = { spi: { medianMs: 1_600, p99Ms: 3_890 } };

const NAMES = Object.keys(NAMED_DELAYS);
const PARTS = DURATION_PATTERN.source.slice(1, -1);

/** Matches every text that `parseDelay` accepts. */
export const DELAY_PATTERN = new RegExp(`^(?:${PARTS}(?:~${PARTS})?|${NAMES.join('|')})$`);

/** Forms of a delay, for messages. */
export const DELAY_FORMS =
  'a duration such as 5s, a median and a larger 99th percentile such as 2.8s~4.6s, ' +
  `or ${NAMES.join(', ')}`;

/**
 * Parses a duration, a distribution such as `2.8s~4.6s` (median~99th percentile) or the name of one. Returns
 * undefined for other texts, and unless 0 < median < 99th percentile.
 */
export function parseDelay(text: string): Delay | undefined {
  if (Object.hasOwn(NAMED_DELAYS, text)) return NAMED_DELAYS[text];
  const [medianMs, p99Ms, ...more] = text.split('~').map(parseDuration);
  if (!text.includes('~')) return medianMs;
  if (medianMs === undefined || p99Ms === undefined || more.length > 0) return undefined;
  return medianMs > 0 && medianMs < p99Ms ? { medianMs, p99Ms } : undefined;
}

/** Formats a delay for `parseDelay`. */
export function formatDelay(delay: Delay): string {
  if (typeof delay === 'number') return formatDuration(delay);
  return `${formatDuration(delay.medianMs)}~${formatDuration(delay.p99Ms)}`;
}

/** Returns the delay in milliseconds that 99 % of draws do not exceed. */
export function getLongDelay(delay: Delay): number {
  return typeof delay === 'number' ? delay : delay.p99Ms;
}
