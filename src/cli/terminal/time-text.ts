import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../contract/time.js';

/** Forwards at most one report per interval, and none during the first interval. */
export function throttle<Report>(
  intervalMs: number,
  nowMs: () => number,
  show: (report: Report) => void,
): (report: Report) => void {
  let latest = nowMs();
  return (report) => {
    const now = nowMs();
    if (now - latest < intervalMs) return;
    latest = now;
    show(report);
  };
}

const UNITS: readonly (readonly [name: string, sizeMs: number])[] = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
];

/**
 * Formats a duration in its two largest units, e.g. `1d 12h` or `4m 59s`. Formats durations under a second in
 * milliseconds.
 */
export function formatSpan(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)}ms`;
  const first = UNITS.findIndex(([, sizeMs]) => ms >= sizeMs);
  let rest = ms;
  const parts = UNITS.slice(first, first + 2).map(([name, sizeMs]) => {
    const count = Math.floor(rest / sizeMs);
    rest -= count * sizeMs;
    return count === 0 ? '' : `${count}${name}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

/**
 * Formats the duration between two clock readings. Rounds durations of at least half a second to whole
 * seconds.
 */
export function formatRoundedSpan(ms: number): string {
  return formatSpan(ms < SECOND_MS / 2 ? ms : Math.round(ms / SECOND_MS) * SECOND_MS);
}

/** Formats an instant relative to now, e.g. `in 4m 59s`, `3m ago` or `now`. */
export function formatRelativeTime(instant: string, nowMs: number): string {
  const aheadMs = Date.parse(instant) - nowMs;
  if (aheadMs === 0) return 'now';
  return aheadMs > 0 ? `in ${formatSpan(aheadMs)}` : `${formatSpan(-aheadMs)} ago`;
}

/** Formats the age of an instant, e.g. `4m 59s`. */
export function formatAge(instant: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(instant);
  return ageMs === 0 ? 'now' : formatSpan(ageMs);
}

/** Formats an instant, omitting zero milliseconds. */
export function formatInstant(instant: string): string {
  return instant.replace('.000Z', 'Z');
}

/** Formats an instant as relative and absolute time, e.g. `in 4m 59s (2026-01-01T00:06:00Z)`. */
export function formatMoment(instant: string, nowMs: number): string {
  return `${formatRelativeTime(instant, nowMs)} (${formatInstant(instant)})`;
}
