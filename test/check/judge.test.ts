import { describe, expect, test } from 'vitest';
import { CHECK_CATALOG } from '../../src/check/catalog.js';
import type { ReceiverResponse, DeliveryExchange, CheckFinding, CheckItem } from '../../src/check/check.js';
import {
  createCheckBaseline,
  findCause,
  compareWithBaseline,
  filterDecisive,
  gateResults,
  hasPassed,
  resolveExitPolicy,
  getTone,
} from '../../src/check/judge.js';
import { reportWith, resultWith } from '../helpers/check/report.js';

const PASSED = resultWith('refuse.body', 'holds');
const UNOBSERVED = resultWith('dup.again', 'unknown', { reason: 'The probe printed nothing.' });
const UNAPPLIED: CheckItem = { ...resultWith('dup.restart', 'unknown'), applies: false };

function decisive(checks: readonly CheckItem[], ...policy: Parameters<typeof resolveExitPolicy>): string[] {
  return filterDecisive(checks, resolveExitPolicy(...policy)).map(({ id }) => id);
}

describe('the exit code', () => {
  test('fails for a must that failed or was not observed, and strictly for a should', () => {
    const checks = [
      PASSED,
      UNOBSERVED,
      UNAPPLIED,
      resultWith('refuse.id', 'fails'),
      resultWith('accept.skew', 'fails'),
      resultWith('dup.evicted', 'unknown'),
    ];
    expect(decisive(checks, {})).toEqual(['dup.again', 'refuse.id']);
    expect(decisive(checks, { strict: true })).toEqual([
      'dup.again',
      'refuse.id',
      'accept.skew',
      'dup.evicted',
    ]);
    expect(decisive(checks, { strict: true, allowUnobserved: ['dup', 'refuse.id'] })).toEqual([
      'refuse.id',
      'accept.skew',
    ]);
    expect(decisive(checks, {}, new Set(['dup.again', 'refuse.id']))).toEqual([]);
  });

  test('leaves a gated must to its gating failure, even through another gated check', () => {
    const results = ['accept.two-good-first', 'accept.two-good-last', 'accept.other-version'].map((id) =>
      resultWith(id, 'fails'),
    );
    const checks = gateResults(results);
    expect(checks.map(({ verdict }) => verdict)).toEqual(['fail', 'gated', 'gated']);
    expect(decisive(checks, {})).toEqual(['accept.two-good-first']);
    expect(decisive(checks, {}, new Set(['accept.two-good-first']))).toEqual([]);
  });

  test('fails for a must gated by a warning or by no check', () => {
    const warning = resultWith('refuse.garbage', 'fails');
    const byWarning = resultWith('refuse.prefix', 'gated', { gatedBy: 'refuse.garbage' });
    const byNone = resultWith('time.limit', 'gated', { reason: 'Not all of them were accepted.' });
    expect(decisive([warning, byWarning, byNone], {})).toEqual(['refuse.prefix', 'time.limit']);
  });

  test('fails for a run without any applicable check', () => {
    const run = { scope: 'wire', missing: ['probe', 'order'] } as const;
    const { ok, headline } = reportWith([UNAPPLIED], run);
    expect([ok, headline]).toEqual([false, 'Effects not checked: add --probe and --order (1 check).']);
    expect(reportWith([])).toMatchObject({ ok: false, headline: 'Nothing was checked.' });
  });

  test('fails for a missing probe or order if effects are required', () => {
    const run = { scope: 'wire', missing: ['order'] } as const;
    const required = resolveExitPolicy({ requireEffects: true });
    expect(reportWith([PASSED, UNAPPLIED], run).ok).toBe(true);
    expect(reportWith([PASSED, UNAPPLIED], run, required)).toMatchObject({
      ok: false,
      headline:
        'Signatures and transport: 1 passed, 0 failed. Effects are required, but were not checked: add --order (1 check).',
    });
    expect(reportWith([PASSED], run, required)).toMatchObject({
      ok: false,
      headline: expect.stringMatching(/Effects are required, but were not checked: add --order\.$/),
    });
    expect(reportWith([PASSED], {}, required)).toMatchObject({
      ok: false,
      headline: expect.stringMatching(/Effects are required, but no effect check was selected\.$/),
    });
    expect(reportWith([PASSED, resultWith('dup.again', 'holds')], {}, required).ok).toBe(true);
  });
});

describe('the headline', () => {
  test('counts signatures and effects separately, and names what was not observed', () => {
    const checks = [PASSED, resultWith('accept.skew', 'fails'), resultWith('dup.again', 'fails'), UNOBSERVED];
    const { headline, isComplete, summary } = reportWith(checks);
    expect(headline).toBe(
      'Signatures and transport: 1 passed, 0 failed, 1 warning. Effects: 0 passed, 1 failed, 1 not observed: dup.again.',
    );
    expect([isComplete, summary]).toEqual([false, { pass: 1, fail: 1, warn: 1, unknown: 1, gated: 0 }]);
  });

  test('names missing, known and allowed unobserved checks', () => {
    const policy = resolveExitPolicy({ allowUnobserved: ['dup.again'] }, new Set(['refuse.id']));
    const checks = [resultWith('refuse.id', 'fails'), UNOBSERVED, UNAPPLIED];
    const report = reportWith(checks, { missing: ['restart'], isBudgetSpent: true }, policy);
    expect(report.headline).toBe(
      'Signatures and transport: 0 passed, 1 failed, 1 of them known. Effects: 0 passed, 0 failed, 1 not observed: dup.again. Effects not checked: add --restart (1 check). Allowed to be unobserved: dup.again. The time budget ran out.',
    );
  });

  test('the headline is green only if every chosen check ran and passed', () => {
    const tones = [
      [PASSED],
      [PASSED, UNAPPLIED],
      [PASSED, resultWith('accept.skew', 'fails')],
      [PASSED, UNOBSERVED],
    ].map((checks) => getTone(reportWith(checks)));
    expect(tones).toEqual(['pass', 'warn', 'warn', 'fail']);
  });
});

test('never allows every check, a pattern over groups or an unknown name to be unobserved', () => {
  const groups = [...new Set(CHECK_CATALOG.map(({ id }) => id.split('.')[0] ?? ''))];
  for (const names of [['*'], ['*.*'], ['d*'], groups, groups.map((group) => `${group}.*`), ['dup.agian']]) {
    expect(() => resolveExitPolicy({ allowUnobserved: names })).toThrow(TypeError);
  }
  expect([...resolveExitPolicy({ allowUnobserved: ['dup.*', 'order.returned'] }).allowed]).toEqual([
    ...resolveExitPolicy({ allowUnobserved: ['dup'] }).allowed,
    'order.returned',
  ]);
});

test('gates a failure explained by another and reports it, and leaves passed checks unchanged', () => {
  const results = [
    resultWith('refuse.secret', 'fails'),
    resultWith('refuse.body', 'fails'),
    resultWith('refuse.id', 'holds'),
    resultWith('refuse.old', 'holds'),
    resultWith('refuse.future', 'fails'),
  ];
  const found = gateResults(results);
  expect(found.map(({ verdict }) => verdict)).toEqual(['fail', 'gated', 'pass', 'pass', 'fail']);
  expect(found[1]?.reason).toBe('refuse.secret failed: signatures are not verified at all');
});

const FAILED: CheckFinding = { outcome: 'fails', sent: 'an event', got: '401' };

function exchangeWith(response: Partial<ReceiverResponse>): DeliveryExchange {
  const body = new Uint8Array();
  return {
    method: 'POST',
    url: 'http://localhost:3000/webhooks',
    headers: [],
    body,
    response: { status: null, error: null, headers: [], body, ms: 1, ...response },
  };
}

function causeAfter(id: string, ...responses: readonly Partial<ReceiverResponse>[]) {
  return findCause({ id }, FAILED, responses.map(exchangeWith));
}

const OK = { status: 200 };

test.each([
  ['dup.retimed', { status: 409 }, /rejected as a conflict/, /2xx to duplicates/],
  [
    'dup.again',
    { error: 'TIMEOUT: No response within 10000 ms.' },
    /takes too long/,
    /respond, then process it/,
  ],
  ['dup.again', { error: 'CONNECTION_RESET: closed' }, /closes the connection/, /log/],
  ['new.same-charge', { status: 409 }, /payment after the expiry/, /mark the expired order as paid/],
  ['order.returned', { status: 422 }, /return of a settled withdrawal/, /mark the withdrawal as failed/],
  [
    'order.expired-late',
    { status: 409 },
    /rejects an event that does not match the order state/,
    /leave the order/,
  ],
  ['order.before-response', { status: 404 }, /unknown order/, /store the order before/],
  ['mix.orders', { status: 401 }, /shared a variable/, /inside the handler/],
  ['accept.types', { status: 401 }, /bytes other than the received ones/, /raw body/],
  ['accept.skew', { status: 429 }, /rate limit/, /exempt/],
])('chooses the cause of %s by the response %o', (id, response, likely, fix) => {
  const found = causeAfter(id, OK, response, OK);
  expect(found).toEqual({ likely: expect.stringMatching(likely), fix: expect.stringMatching(fix) });
});

test.each([
  ['accept.types', { status: 400 }],
  ['accept.raw', { status: 401 }],
  ['refuse.secret', { status: 500 }],
  ['time.limit', { status: 500 }],
])('leaves the cause of %s after %o to the catalog', (id, response) => {
  expect(causeAfter(id, OK, response)).toBeUndefined();
});

test('does not count 2xx responses and connections cut by the check as rejections', () => {
  expect(causeAfter('dup.cut', { error: 'CUT' }, OK)).toBeUndefined();
});

test('prefers the cause that the check itself found, and a crash of the verification', () => {
  const own = { likely: 'the tolerance is an hour', fix: 'use 300 s' };
  const exchanges = [exchangeWith({ status: 401 })];
  expect(findCause({ id: 'dup.again' }, { ...FAILED, ...own }, exchanges)).toEqual(own);
  expect(findCause({ id: 'refuse.empty' }, { ...FAILED, hasCrashed: true }, exchanges)?.likely).toContain(
    'throws',
  );
});

test('gives no cause without a failure', () => {
  expect(
    findCause({ id: 'dup.again' }, { ...FAILED, outcome: 'holds' }, [exchangeWith({ status: 409 })]),
  ).toBeUndefined();
});

const NOW_MS = Date.parse('2026-06-30T12:00:00Z');
const REPORT = reportWith([
  resultWith('refuse.prefix', 'fails'),
  resultWith('refuse.body', 'holds'),
  resultWith('accept.skew', 'fails'),
]);

function entry(id: string, expires = '2026-12-31') {
  return { id, reason: 'ticket 12', expires };
}

test('a baseline of known failures makes the run pass for 90 days', () => {
  const baseline = createCheckBaseline(REPORT, NOW_MS);
  expect(baseline.checks.map(({ id, expires }) => [id, expires])).toEqual([
    ['refuse.prefix', '2026-09-28'],
    ['accept.skew', '2026-09-28'],
  ]);
  const { known, stale } = compareWithBaseline(REPORT, baseline, NOW_MS);
  expect(stale).toEqual([]);
  expect(hasPassed(REPORT, resolveExitPolicy({ strict: true }, known))).toBe(true);
  expect(hasPassed(REPORT, resolveExitPolicy({}))).toBe(false);
});

test('reports an entry as stale if it expired or its check passes', () => {
  const checks = [entry('refuse.prefix', '2026-06-29'), entry('refuse.body'), entry('time.limit')];
  const { known, stale } = compareWithBaseline(REPORT, { checks }, NOW_MS);
  expect(stale).toEqual([
    'The baseline entry for refuse.prefix expired on 2026-06-29.',
    'refuse.body passes; remove its baseline entry.',
  ]);
  expect([...known]).toEqual(['time.limit']);
  expect(
    compareWithBaseline(REPORT, { checks: [entry('refuse.prefix', '2026-06-30')] }, NOW_MS).stale,
  ).toEqual([]);
});
