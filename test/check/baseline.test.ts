import { expect, test } from 'vitest';
import { baselineOf, compared, decisiveIn, isOk, policyOf } from '../../src/check/judge.js';
import { reportWith, resultWith } from '../helpers/check/report.js';

const NOW_MS = Date.parse('2026-06-30T12:00:00Z');
const REPORT = reportWith([
  resultWith('refuse.prefix', 'fails'),
  resultWith('refuse.body', 'holds'),
  resultWith('accept.skew', 'fails'),
]);

function entry(id: string, expires = '2026-12-31') {
  return { id, reason: 'ticket 12', expires };
}

test('a baseline of what fails now lets the run be right for 90 days', () => {
  const baseline = baselineOf(REPORT, NOW_MS);
  expect(baseline.checks.map(({ id, expires }) => [id, expires])).toEqual([
    ['refuse.prefix', '2026-09-28'],
    ['accept.skew', '2026-09-28'],
  ]);
  const { known, stale } = compared(REPORT, baseline, NOW_MS);
  expect(stale).toEqual([]);
  expect(isOk(REPORT, policyOf({ strict: true }, known))).toBe(true);
  expect(isOk(REPORT, policyOf({}))).toBe(false);
});

test('an entry that expired, or whose check passes, is stale', () => {
  const checks = [entry('refuse.prefix', '2026-06-29'), entry('refuse.body'), entry('time.limit')];
  const { known, stale } = compared(REPORT, { checks }, NOW_MS);
  expect(stale).toEqual([
    'The entry of refuse.prefix expired on 2026-06-29.',
    'refuse.body passes; take its entry out.',
  ]);
  expect([...known]).toEqual(['time.limit']);
  expect(compared(REPORT, { checks: [entry('refuse.prefix', '2026-06-30')] }, NOW_MS).stale).toEqual([]);
});

test('warnings count only where the run is strict', () => {
  const warning = resultWith('accept.skew', 'fails');
  expect(warning.verdict).toBe('warn');
  expect([false, true].map((strict) => decisiveIn([warning], policyOf({ strict })).length)).toEqual([0, 1]);
});
