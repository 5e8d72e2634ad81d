import { describe, expect, test } from 'vitest';
import type { SeenCall, SeenDelivery } from '../../src/explore/plan.js';
import {
  listCallPoints,
  listDeliveryPoints,
  listPagedPoints,
  findStablePoints,
} from '../../src/explore/plan.js';

const PIX = '/api/public/v1/pix';
const ENDPOINTS = '/api/public/v1/webhook-endpoints';

function call(target: string, fields: Partial<SeenCall> = {}): SeenCall {
  return { api: 'api', method: 'GET', target, status: 200, subject: null, ...fields };
}

function create(code: string | null, rank: number, status = 201): SeenCall {
  return call(PIX, { method: 'POST', status, subject: { code, rank } });
}

describe('API requests', () => {
  test('API requests are counted for each charge', () => {
    const points = listCallPoints([create('a', 1), create('b', 2), create('a', 1, 200)]);
    expect(points.map(({ code, resource, nth }) => [code, resource, nth])).toEqual([
      ['a', 1, 1],
      ['b', 2, 1],
      ['a', 1, 2],
    ]);
  });

  test('API requests count if they are rejected, without becoming points', () => {
    const points = listCallPoints([create('a', 1, 409), create('a', 1)]);
    expect(points.map(({ nth }) => nth)).toEqual([2]);
  });

  test('API requests are counted as a fault matches them, whose pattern fits longer paths, too', () => {
    const points = listCallPoints([
      call(`${ENDPOINTS}/e1/deliveries`),
      call(`${ENDPOINTS}/e1`),
      call(ENDPOINTS),
    ]);
    expect(points.map(({ route, nth }) => [route.slice(ENDPOINTS.length), nth])).toEqual([
      ['/:id/deliveries', 1],
      ['/:endpoint_id', 2],
      ['', 1],
    ]);
  });

  test('API requests without a route are no points', () => {
    expect(
      listCallPoints([call('/nowhere'), call(PIX), call(PIX, { api: 'hosted', method: 'POST' })]),
    ).toEqual([]);
  });

  test('API requests to a list are paged if the next one to that list continues after them', () => {
    const list = '/api/public/v1/accounts/a1/transactions';
    const calls = [`${list}?limit=2`, `${list}?limit=2&after=c1`, list].map((target) => call(target));
    expect(listPagedPoints(calls).map(({ nth }) => nth)).toEqual([1]);
  });
});

test('counts attempts as separate points, and continues at a delivery that is sent again', () => {
  const seen: SeenDelivery = {
    event: 'pix.settled',
    subject: { code: 'a', rank: 1 },
    endpoint: null,
    attempts: 2,
  };
  const points = listDeliveryPoints([seen, { ...seen, attempts: 1 }]);
  expect(points.map(({ attempt, nth }) => [attempt, nth])).toEqual([
    [1, 1],
    [2, 1],
    [1, 2],
  ]);
});

describe('stable points', () => {
  test('stable points are named by the code if all runs have it, otherwise by the rank', () => {
    const runs = ['x', 'y', 'z'].map((random) => listCallPoints([create('a', 1), create(random, 2)]));
    const { points, unstable } = findStablePoints(runs);
    expect(points.map(({ code, resource }) => [code, resource])).toEqual([
      ['a', null],
      [null, 2],
    ]);
    expect(unstable).toEqual([]);
  });

  test('stable points are those of all runs, in any order', () => {
    const runs = [
      listCallPoints([create('a', 1), create('b', 2)]),
      listCallPoints([create('b', 1), create('a', 2), create('c', 3)]),
    ];
    const { points, unstable } = findStablePoints(runs);
    expect(points.map(({ code }) => code)).toEqual(['a', 'b']);
    expect(unstable.map(({ resource }) => resource)).toEqual([3]);
  });

  test('replaces a code with an asterisk, which would match others, by its rank', () => {
    const run = listCallPoints([create('a*', 1)]);
    expect(findStablePoints([run, run]).points.map(({ code, resource }) => [code, resource])).toEqual([
      [null, 1],
    ]);
  });
});
