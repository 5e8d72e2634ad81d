import { expect, test } from 'vitest';
import type { Point } from '../../src/explore/explore.js';
import type { Facts } from '../../src/explore/kinds.js';
import { kindName } from '../../src/explore/kinds.js';
import { planOf } from '../../src/explore/plan.js';
import { keyOf } from '../../src/explore/points.js';
import { CALL, SETTLED } from '../helpers/explore/fake-runner.js';

const byCode = (point: Point, code: string): Point => ({ ...point, code, resource: null });
const LIST: Point = {
  on: 'call',
  door: 'api',
  method: 'GET',
  route: '/api/public/v1/accounts/:id/transactions',
  code: null,
  resource: null,
  nth: 1,
};
const FACTS: Facts = {
  points: [byCode(CALL, 'a'), byCode(SETTLED, 'a'), byCode(CALL, 'b'), byCode(SETTLED, 'b'), LIST],
  settled: new Set(['a']),
  hasLateWindow: true,
  paged: new Set([keyOf(LIST)]),
};
const PLANNING = { faults: 'promised', pairs: 0, seed: '7' } as const;

test('the same points and seed give the same plan, byte for byte, and another seed other pairs', () => {
  const plan = (seed: string) => JSON.stringify(planOf(FACTS, { ...PLANNING, pairs: 30, seed }));
  expect(plan('7')).toBe(plan('7'));
  expect(plan('8')).not.toBe(plan('7'));
  expect(JSON.parse(plan('8')).length).toBe(JSON.parse(plan('7')).length);
});

test('what the contract promises is aimed at each point that it fits', () => {
  const plan = planOf(FACTS, PLANNING);
  const codesOf = (kind: string) =>
    plan.filter(({ kinds }) => kinds[0] === kind).map(({ faults }) => faults[0]?.code ?? null);
  expect(codesOf('duplicate')).toEqual(['a', 'b']);
  // Only a charge that the runs without faults settled can be settled early, and expire late.
  expect(codesOf('event-first')).toEqual(['a']);
  expect(codesOf('stale-expired')).toEqual(['a']);
  expect(codesOf('late-payment')).toEqual(['a']);
  const strict = planOf({ ...FACTS, hasLateWindow: false }, PLANNING);
  expect(strict.flatMap(({ kinds }) => kinds)).not.toContain('late-payment');
  expect(codesOf('reserialized-body')).toEqual(['a']);
  expect(codesOf('insert-between-pages')).toEqual([null]);
  // One forgery for each endpoint is enough.
  expect(codesOf('wrong-signature')).toEqual(['a']);
  expect(plan.every((planned) => planned.class === 'promised')).toBe(true);
});

test('outages are aimed at calls only when all faults are wanted', () => {
  const outages = planOf(FACTS, { ...PLANNING, faults: 'all' }).filter(
    (planned) => planned.class === 'outage',
  );
  expect(new Set(outages.flatMap(({ faults }) => faults.map(({ on }) => on)))).toEqual(new Set(['call']));
  expect(outages).toHaveLength(8 * 3);
});

test('a fault carries its aim', () => {
  const [first] = planOf({ ...FACTS, points: [{ ...SETTLED, code: null, endpoint: '*/hook' }] }, PLANNING);
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
  const [listed] = planOf({ ...FACTS, points: [LIST] }, PLANNING);
  expect(listed?.faults).toEqual([
    {
      on: 'call',
      action: 'insert-between-pages',
      door: 'api',
      method: 'GET',
      path: '/api/public/v1/accounts/*/transactions',
      nth: 1,
    },
  ]);
});

test('pairs are about one resource, and every fault knows its kind', () => {
  const pairs = planOf(FACTS, { ...PLANNING, faults: 'all', pairs: 10_000 }).filter(
    ({ faults }) => faults.length === 2,
  );
  expect(pairs.length).toBeGreaterThan(100);
  for (const { faults, kinds } of pairs) {
    expect(new Set(faults.map(({ code }) => code)).size).toBe(1);
    expect(faults.map(kindName)).toEqual(kinds);
  }
});

test('nothing goes with what replaces the whole attempt, except at the attempt that follows', () => {
  const plan = planOf(FACTS, { ...PLANNING, pairs: 10_000 });
  const pairs = plan.filter(({ kinds }) => kinds.length === 2 && kinds[0] === 'answer');
  const others = pairs.map(({ faults }) => faults[1]).filter((fault) => fault?.on === 'delivery');
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) expect(other).toMatchObject({ event: 'pix.settled', attempt: 2, nth: 1 });
});
