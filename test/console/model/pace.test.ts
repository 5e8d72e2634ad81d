import { expect, test } from 'vitest';
import { paceOf } from '../../../src/console/model/console.js';
import { EN, PT } from '../../../src/console/words/words.js';

const REAL = '2026-01-31T12:00:00.000Z';
const HOUR_MS = 3_600_000;

function clock(offsetMs: number, rate = 1) {
  const now = new Date(Date.parse(REAL) + offsetMs).toISOString();
  return { now, real_now: REAL, rate, frozen: rate === 0, advancing: false };
}

test.for([
  [0, 'real time'],
  [29_000, 'real time'],
  [45 * HOUR_MS, 'real time +45h'],
  [45 * HOUR_MS + 36 * 60_000 + 2, 'real time +45h36m'],
  [90_000, 'real time +2m'],
  [-9 * 60_000, 'real time −9m'],
  [-297.4 * 24 * HOUR_MS, 'real time −297d'],
] as const)('a clock that is %d ms ahead runs in %s', ([offsetMs, text]) => {
  expect(paceOf(EN, clock(offsetMs))).toBe(text);
});

test('says how far ahead it is in Portuguese, and nothing of it while it stands or hurries', () => {
  expect(paceOf(PT, clock(45 * HOUR_MS))).toBe('tempo real +45h');
  expect(paceOf(EN, clock(45 * HOUR_MS, 0))).toBe('frozen');
  expect(paceOf(EN, clock(45 * HOUR_MS, 60))).toBe('60 times as fast');
  expect(paceOf(EN, { ...clock(0), advancing: true })).toBe('moving');
  expect(paceOf(EN, undefined)).toBe('');
});
