import { expect, test } from 'vitest';
import {
  throttle,
  formatInstant,
  formatRelativeTime,
  formatRoundedSpan,
  formatSpan,
  formatMoment,
} from '../../../src/cli/terminal/time-text.js';

const NOW = Date.parse('2026-01-01T00:01:01.000Z');

test.each([
  [0, '0ms'],
  [250, '250ms'],
  [1_000, '1s'],
  [299_999, '4m 59s'],
  [300_000, '5m'],
  [3_600_000, '1h'],
  [129_600_000, '1d 12h'],
  [160_560_000, '1d 20h'],
  [86_400_000 + 59_000, '1d'],
])('formats %i ms as %s', (ms, expected) => {
  expect(formatSpan(ms)).toBe(expected);
});

test.each([
  [499, '499ms'],
  [160_199_999, '1d 20h'],
  [161_999_999, '1d 21h'],
  [162_000_001, '1d 21h'],
])('formats %i ms between two readings as %s', (ms, expected) => {
  expect(formatRoundedSpan(ms)).toBe(expected);
});

test('formats a time relative to now', () => {
  expect(formatRelativeTime('2026-01-01T00:06:00.000Z', NOW)).toBe('in 4m 59s');
  expect(formatRelativeTime('2026-01-01T00:00:00.500Z', NOW)).toBe('1m ago');
  expect(formatRelativeTime('2026-01-01T00:01:01.000Z', NOW)).toBe('now');
});

test('formats an absolute time', () => {
  expect(formatMoment('2026-01-01T00:06:00.000Z', NOW)).toBe('in 4m 59s (2026-01-01T00:06:00Z)');
  expect(formatInstant('2026-01-01T00:06:00.025Z')).toBe('2026-01-01T00:06:00.025Z');
});

test('passes on at most one report per interval', () => {
  let now = 0;
  const shown: number[] = [];
  const report = throttle<number>(
    1_000,
    () => now,
    (value) => shown.push(value),
  );
  for (now = 0; now < 3_500; now += 100) report(now);
  expect(shown).toEqual([1_000, 2_000, 3_000]);
});
