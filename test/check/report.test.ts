import { expect, test } from 'vitest';
import { resolveExitPolicy } from '../../src/check/judge.js';
import { checkHtml, checkJunit, createReport, toReportJson } from '../../src/check/report.js';
import { reportWith, resultWith } from '../helpers/check/report.js';

const HOSTILE = '<script>alert(1)</script>"&\u0007';
const REPORT = reportWith([
  resultWith('refuse.prefix', 'fails', { got: HOSTILE }),
  resultWith('refuse.body', 'holds'),
  resultWith('accept.skew', 'fails'),
  resultWith('dup.again', 'unknown', { reason: 'There is no probe.' }),
]);

test('JUnit has a case for each check, and a failure only for what decides the exit code', () => {
  const lenient = checkJunit(REPORT, resolveExitPolicy({}));
  expect(lenient).toContain('tests="4" failures="2" errors="0" skipped="1" time="1.234"');
  expect(lenient).toContain('<skipped message="warn: 200"/>');
  expect(lenient).toContain('<failure message="There is no probe." type="not-observed">');
  expect(lenient).toContain('message="&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;"');
  expect(checkJunit(REPORT, resolveExitPolicy({ strict: true }, new Set(['accept.skew'])))).toContain(
    'failures="2"',
  );
  expect(checkJunit(REPORT, resolveExitPolicy({ allowUnobserved: ['dup.again'] }))).toContain(
    '<skipped message="unknown: There is no probe."/>',
  );
  const wire = reportWith([resultWith('refuse.body', 'holds')], { scope: 'wire' });
  expect(checkJunit(wire, resolveExitPolicy({ requireEffects: true }))).toContain('type="not-observed"');
});

test('names the option that accepts the unobserved checks, if only they decide the exit code', () => {
  const run = reportWith([
    resultWith('refuse.body', 'holds'),
    resultWith('accept.skew', 'fails'),
    resultWith('effect.amount', 'unknown', { reason: 'The probe shows no amount.' }),
    resultWith('dup.again', 'unknown', { reason: 'There is no probe.' }),
  ]);
  const notes = (options: Parameters<typeof resolveExitPolicy>[0], more: Partial<typeof run> = {}) =>
    createReport({ ...run, ...more }, resolveExitPolicy(options)).notes.join(' ');
  const ids = run.checks.slice(2).map(({ id }) => id);
  expect(notes({})).toContain(
    `exit code is 1 only because of unobserved checks. To accept them: --allow-unobserved ${ids.join(',')}.`,
  );
  expect(notes({}).match(/only because/g)).toHaveLength(1);
  expect(notes({ allowUnobserved: ids })).toBe('');
  expect(notes({ strict: true })).toBe('');
  expect(notes({}, { isBudgetSpent: true })).toBe('');
});

test('renders the page without a network or a script, and escapes received text', () => {
  const page = checkHtml(REPORT, '2026-01-31T12:00:00.000Z');
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
  expect(page).toContain(`default-src 'none'`);
  expect(page.match(/<details open>/g)).toHaveLength(2);
});

test('JSON has the fields of each check, and marks known failures', () => {
  const json = toReportJson(REPORT, { known: new Set(['refuse.prefix']), stale: ['An entry expired.'] });
  expect(Object.keys(json.checks[0] ?? {})).toEqual(
    expect.arrayContaining([
      'id',
      'level',
      'verdict',
      'clause',
      'sent',
      'got',
      'likely',
      'fix',
      'duration_ms',
    ]),
  );
  expect(json).toMatchObject({
    summary: { pass: 1, fail: 1, warn: 1, unknown: 1, gated: 0 },
    notes: ['An entry expired.'],
  });
  expect(json.checks.map(({ known }) => known)).toEqual([true, false, false, false]);
});
