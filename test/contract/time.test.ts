import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  formatDuration,
  HOUR_MS,
  formatIsoTime,
  LAST_INSTANT_MS,
  MINUTE_MS,
  parseDuration,
  parseInstant,
} from '../../src/contract/time.js';

describe('formatIsoTime', () => {
  test('formats every time up to the year 9999 as Date does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST_INSTANT_MS }), (ms) => {
        expect(formatIsoTime(ms)).toBe(new Date(ms).toISOString());
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '1970-01-01T00:00:00.000Z',
    '1999-12-31T23:59:59.999Z',
    '2000-02-29T12:00:00.001Z',
    '2100-02-28T23:59:59.999Z',
    '2100-03-01T00:00:00.000Z',
    '2024-02-29T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  ])('formats %s correctly, even after another day', (text) => {
    formatIsoTime(Date.parse(text) - DAY_MS / 2);
    expect(formatIsoTime(Date.parse(text))).toBe(text);
  });

  test('formats the last possible time', () => {
    expect(LAST_INSTANT_MS).toBe(Date.UTC(10_000, 0, 1) - 1);
  });
});

test.each([
  ['1970-01-01T00:00:01Z', 1_000],
  ['1970-01-01T01:00+01:00', 0],
  ['1970-01-01T00:00:00.123456789Z', 123],
  ['2026-02-30T00:00:00Z', undefined],
  ['2025-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-01-31T25:00:00Z', undefined],
  ['2026-01-31T12:00:00+25:00', undefined],
  ['2026-01-31T12:00:00', undefined],
  ['2026-01-31', undefined],
  ['1969-12-31T23:59:59Z', undefined],
  ['10000-01-01T00:00:00Z', undefined],
  ['tomorrow', undefined],
])('the time %s is %s', (text, ms) => {
  expect(parseInstant(text)).toBe(ms);
});

describe('parseDuration', () => {
  test.each([
    ['0s', 0],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['90s', 90_000],
    ['5m', 5 * MINUTE_MS],
    ['2h', 2 * HOUR_MS],
    ['1d', DAY_MS],
    ['1d12h', DAY_MS + 12 * HOUR_MS],
    ['1h1m1s1ms', HOUR_MS + MINUTE_MS + 1_001],
  ])('parses %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '5', 's', '-1s', '1 s', '1s ', '1.s', '.5s', '1e3s', '1w', '1S', '1s,', '٥s', '99999999d'])(
    'rejects %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [1, '1ms'],
    [1_500, '1s500ms'],
    [129_600_000, '1d12h'],
    [HOUR_MS, '1h'],
  ])('formats %d as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('a formatted duration is parsed as the same duration', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST_INSTANT_MS }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
