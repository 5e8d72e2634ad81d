import { INCIDENTS } from '../../src/contract/incidents.js';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PlannedFault, FaultPoint } from '../../src/explore/explore.js';
import { type RunFacts, getPointKey, getKindName } from '../../src/explore/kinds.js';
import { planPairs, rankPairs, planSingles } from '../../src/explore/plan.js';
import { CALL, SETTLED } from '../helpers/explore/fake-runner.js';

const byCode = (point: FaultPoint, code: string): FaultPoint => ({ ...point, code, resource: null });
const LIST: FaultPoint = {
  on: 'call',
  api: 'api',
  method: 'GET',
  route: '/api/public/v1/accounts/:id/transactions',
  code: null,
  resource: null,
  nth: 1,
};
const FACTS: RunFacts = {
  points: [byCode(CALL, 'a'), byCode(SETTLED, 'a'), byCode(CALL, 'b'), byCode(SETTLED, 'b'), LIST],
  settled: new Set(['a']),
  hasLateWindow: true,
  paged: new Set([getPointKey(LIST)]),
};
const ranked = (seed: string, failed: readonly PlannedFault[] = []) =>
  rankPairs(planPairs(FACTS, 'promised'), {
    seed,
    failed: new Set(failed.map((fault) => JSON.stringify(fault))),
  });

describe('fault pairs', () => {
  test('fault pairs have one order for the same points and seed, and another for another seed', () => {
    const order = (seed: string) => ranked(seed).map(({ faults }) => JSON.stringify(faults));
    expect(order('7')).toEqual(order('7'));
    expect(order('8')).not.toEqual(order('7'));
    expect(order('8').toSorted()).toEqual(order('7').toSorted());
  });

  test('fault pairs start with each combination once, first a repeat with a change', () => {
    const pairs = ranked('7');
    const combinations = pairs.map(({ kinds, relation }) => `${kinds.join('+')} ${relation}`);
    const distinct = new Set(combinations).size;
    expect(new Set(combinations.slice(0, distinct)).size).toBe(distinct);
    const ranks = pairs.slice(0, distinct).map(({ rank }) => rank);
    expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
    expect([ranks[0], ranks.at(-1)]).toEqual([0, 3]);
    expect(combinations.slice(0, ranks.lastIndexOf(0))).toContain('lose-answer+stale-expired same point');
  });

  test('fault pairs end with those of which one fault alone breaks the code', () => {
    const failed = planSingles(FACTS, 'promised').find(({ kinds }) => kinds[0] === 'duplicate')?.faults ?? [];
    const hasFailed = ranked('7', failed).map(({ faults }) =>
      faults.some((one) => isDeepStrictEqual(one, failed[0])),
    );
    expect(hasFailed.indexOf(true)).toBeGreaterThan(0);
    expect(hasFailed.slice(hasFailed.indexOf(true))).not.toContain(false);
  });
});

test('aims promises of the contract at each matching point', () => {
  const plan = planSingles(FACTS, 'promised');
  const codesOf = (kind: string) =>
    plan.filter(({ kinds }) => kinds[0] === kind).map(({ faults }) => faults[0]?.code ?? null);
  expect(codesOf('duplicate')).toEqual(['a', 'b']);
  // Only a charge that the runs without faults settled can be settled early, and expire late.
  expect(codesOf('event-first')).toEqual(['a']);
  expect(codesOf('stale-expired')).toEqual(['a']);
  expect(codesOf('late-payment')).toEqual(['a']);
  const strict = planSingles({ ...FACTS, hasLateWindow: false }, 'promised');
  expect(strict.flatMap(({ kinds }) => kinds)).not.toContain('late-payment');
  expect(codesOf('reserialized-body')).toEqual(['a']);
  expect(codesOf('insert-between-pages')).toEqual([null]);
  // One forgery for each endpoint is enough.
  expect(codesOf('wrong-signature')).toEqual(['a']);
  expect(plan.every((planned) => planned.class === 'promised')).toBe(true);
});

test('aims outages at API requests only if all faults are requested', () => {
  const outages = planSingles(FACTS, 'all').filter((planned) => planned.class === 'outage');
  const [incidents, others] = [true, false].map((is) =>
    outages.filter(({ faults }) => (faults[0]?.incident !== undefined) === is),
  );
  expect(new Set(others?.flatMap(({ faults }) => faults.map(({ on }) => on)))).toEqual(new Set(['call']));
  expect(others).toHaveLength(8 * 3);
  expect(incidents?.map(({ kinds }) => kinds)).toEqual(Object.keys(INCIDENTS).map((name) => [name]));
});

test('plans an incident only if one of its faults can fire', () => {
  const planned = planSingles({ ...FACTS, points: [SETTLED] }, 'all').flatMap(({ kinds }) => kinds);
  const incidents = planned.filter((kind) => Object.hasOwn(INCIDENTS, kind));
  expect(incidents).toEqual(['webhooks-delayed', 'sent-twice']);
});

test('preserves the aim of a fault', () => {
  const [first] = planSingles(
    { ...FACTS, points: [{ ...SETTLED, code: null, endpoint: '*/hook' }] },
    'promised',
  );
  expect(first?.faults).toEqual([
    {
      on: 'delivery',
      action: 'duplicate',
      copies: 1,
      event: 'pix.settled',
      resource: 1,
      endpoint: '*/hook',
      attempt: 1,
      nth: 1,
    },
  ]);
  const [listed] = planSingles({ ...FACTS, points: [LIST] }, 'promised');
  expect(listed?.faults).toEqual([
    {
      on: 'call',
      action: 'insert-between-pages',
      api: 'api',
      method: 'GET',
      path: '/api/public/v1/accounts/*/transactions',
      nth: 1,
    },
  ]);
});

test('pairs faults of one resource, and knows the kind of every fault', () => {
  const pairs = planPairs(FACTS, 'all');
  expect(pairs.length).toBeGreaterThan(100);
  for (const { faults, kinds } of pairs) {
    expect(new Set(faults.map(({ code }) => code)).size).toBe(1);
    expect(faults.map(getKindName)).toEqual(kinds);
  }
});

test('combines nothing with a replaced attempt, except at the following attempt', () => {
  const pairs = planPairs(FACTS, 'promised').filter(({ kinds }) => kinds[0] === 'answer');
  const others = pairs.map(({ faults }) => faults[1]).filter((fault) => fault?.on === 'delivery');
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) expect(other).toMatchObject({ event: 'pix.settled', attempt: 2, nth: 1 });
});
