import { expect, test } from 'vitest';
import { faultPage } from '../../../src/console/model/faults.js';
import { CALL_ROUTES } from '../../../src/contract/fault-kinds.js';
import { readBody } from '../../../src/core/input/bodies.js';
import { FAULT } from '../../../src/core/webhooks/fault-input.js';

const DOORS = Object.entries(CALL_ROUTES).flatMap(([door, routes]) =>
  routes.map((route) => [door, ...route.split(' ')] as [door: string, method: string, path: string]),
);

test.for(DOORS)('a call to %s %s %s leads to a fault that hits it', ([door, method, route]) => {
  const path = `${route.replaceAll(/:\w+/g, 'a1-b2')}?limit=1`;
  const page = faultPage({ door, method, path });
  const fields = Object.fromEntries(new URLSearchParams(page?.replace('/faults?', '')));
  expect(fields).toEqual({ door, method, path: route.replaceAll(/:\w+/g, '*') });
  expect(readBody(FAULT, { ...fields, action: 'empty' }).match).toMatchObject({ on: 'call', ...fields });
});

test.for([
  ['hosted', 'GET', '/start'],
  ['api', 'GET', '/api/public/v1/nothing'],
  ['api', 'DELETE', '/api/public/v1/pix'],
  ['identity', 'POST', '/api/public/v1/pix'],
])('a call to %s %s %s, which no fault can hit, leads to none', ([door = '', method = '', path = '']) => {
  expect(faultPage({ door, method, path })).toBeUndefined();
});
