import { describe, expect, test } from 'vitest';
import { FAULT } from '../../../src/core/webhooks/faults.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../src/contract/fault-kinds.js';
import { readBody } from '../../../src/core/input/bodies.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { callFault, deliveryFault } from '../../helpers/core/faults.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const ENDPOINT_ID = '849e0378-bb69-4963-9fcd-10e97bbc2ef9';

function parse(body: object) {
  return readBody(FAULT, body);
}

/** What is wrong, by field. */
function problems(body: object): Record<string, string> {
  const { details } = thrownBy(() => parse(body), Refusal);
  expect(new Set(details.map(({ field }) => field)).size, 'each field is named once').toBe(details.length);
  return Object.fromEntries(details.map(({ field, message }) => [field, message]));
}

describe('a fault as JSON', () => {
  test('is a call fault with all that it may hold', () => {
    expect(
      parse({
        on: 'call',
        action: 'delay',
        door: 'api',
        method: 'post',
        path: '/api/*',
        delay: '1s500ms',
        probability: 0.25,
        count: 3,
      }),
    ).toEqual(
      callFault('delay', {
        match: { door: 'api', method: 'POST', path: '/api/*' },
        delayMs: 1_500,
        probability: 0.25,
        count: 3,
      }),
    );
  });

  test('is aimed by code, resource and nth, at calls and deliveries alike', () => {
    const aim = { code: 'order-*', resource: 2, nth: 3 };
    expect(parse({ action: 'reset', ...aim })).toEqual(callFault('reset', { match: aim }));
    expect(parse({ action: 'restart', when: 'before', ...aim })).toEqual(
      deliveryFault('restart', { match: aim, when: 'before' }),
    );
    const nulls = { code: null, resource: null, nth: null, parallel: null, when: null };
    expect(parse({ action: 'duplicate', ...nulls })).toEqual(deliveryFault('duplicate'));
  });

  test.each(['*/webhooks', 'https://shop.example/hooks', '*'])(
    'takes an endpoint with a slash or a star as a pattern for its URL: %s',
    (endpoint) => {
      const match = { endpointUrl: endpoint };
      expect(parse({ action: 'duplicate', endpoint, parallel: true })).toEqual(
        deliveryFault('duplicate', { match, parallel: true }),
      );
    },
  );

  test.each<[object, string]>([
    [{ path: '/api/public/v1/pix' }, 'path'],
    [{ method: 'POST' }, 'method'],
    [{ door: 'identity', path: '*' }, 'path'],
  ])('refuses rows between pages after a call that is no such page: %j', (match, field) => {
    expect(problems({ action: 'insert-between-pages', ...match })).toEqual({
      [field]: expect.stringContaining(
        'GET /api/public/v1/withdrawals, GET /api/public/v1/accounts/:id/transactions',
      ),
    });
    for (const path of ['*/withdrawals', '/api/*', null]) parse({ action: 'insert-between-pages', path });
  });

  test('is a delivery fault with all that it may hold', () => {
    const endpoint = ENDPOINT_ID.slice(0, 8);
    expect(
      parse({ action: 'duplicate', event: 'pix.*', endpoint, attempt: 2, copies: 3, status: 500 }),
    ).toEqual(
      deliveryFault('duplicate', {
        match: { eventType: 'pix.*', endpointId: endpoint, attempt: 2 },
        copies: 3,
        status: 500,
      }),
    );
  });

  const onlyCall = Object.keys(CALL_FAULTS).filter((action) => !(action in DELIVERY_FAULTS));
  const onlyDelivery = Object.keys(DELIVERY_FAULTS).filter((action) => !(action in CALL_FAULTS));
  test.each([
    ...onlyCall.map((action) => ['call', action]),
    ...onlyDelivery.map((action) => ['delivery', action]),
  ])('is one on a %s when it is %s, without being told', (on, action) => {
    expect(parse({ action }).match.on).toBe(on);
    expect(parse({ action, on }).match.on).toBe(on);
  });

  test('has to say what it is on where both know the action', () => {
    expect(problems({ action: 'delay' })).toEqual({
      on: 'Is required, because calls and deliveries both know delay: call or delivery.',
    });
    expect(['call', 'delivery'].map((on) => parse({ on, action: 'delay' }).match.on)).toEqual([
      'call',
      'delivery',
    ]);
  });

  test.each<[string, object, string, string]>([
    ['no action', {}, 'action', 'status, delay, reset'],
    ['an unknown action', { action: 'explode' }, 'action', 'wrong-signature'],
    ['an action of the other kind', { on: 'delivery', action: 'cut' }, 'action', 'got "cut"'],
    ['an unknown kind', { on: 'calls', action: 'reset' }, 'on', 'call, delivery'],
    ['an unknown door', { action: 'reset', door: 'public' }, 'door', 'api, identity'],
    ['a pattern that no event fits', { action: 'drop', event: 'pix.paid' }, 'event', 'pix.settled'],
    ['an endpoint without a name', { action: 'drop', endpoint: '' }, 'endpoint', '1 to 2048'],
    ['a code of no characters', { action: 'drop', code: '' }, 'code', '1 to 100'],
    ['a resource before the first', { action: 'reset', resource: 0 }, 'resource', '1 to 1000000'],
    ['an nth of none', { action: 'drop', nth: 0 }, 'nth', '1 to 1000000'],
    ['parallel as a word', { action: 'duplicate', parallel: 'yes' }, 'parallel', 'true or false'],
    ['an unknown moment', { action: 'restart', when: 'after' }, 'when', 'before, answered'],
    ['an attempt as text', { action: 'drop', attempt: '1' }, 'attempt', '1 to 32'],
    ['a status of a delivery that is none', { action: 'answer', status: 199 }, 'status', '200 to 599'],
    ['a status of a call that is no error', { action: 'status', status: 200 }, 'status', '400 to 599'],
    ['a duration that is none', { action: 'slow', delay: 'soon' }, 'delay', 'got soon'],
    ['a long delay', { action: 'slow', delay: '61s' }, 'delay', 'up to 1m'],
    ['too many copies', { action: 'duplicate', copies: 11 }, 'copies', '1 to 10'],
    ['a count of none', { action: 'drop', count: 0 }, 'count', 'whole number'],
    ['no chance', { action: 'drop', probability: 0 }, 'probability', 'above 0'],
    ['more than certain', { action: 'drop', probability: 1.01 }, 'probability', 'up to 1'],
    ['an unknown field', { action: 'drop', atempt: 1 }, 'atempt', 'fault on a delivery'],
    ['a field of the other kind', { action: 'drop', path: '/x' }, 'path', 'fault on a delivery'],
    ['a field of the other kind', { action: 'reset', event: 'pix.*' }, 'event', 'fault on a call'],
  ])('refuses %s: %j', (_, body, field, words) => {
    const found = problems(body);
    expect(Object.keys(found)).toEqual([field]);
    expect(found[field]).toContain(words);
  });

  test.each<[string, object, string, string]>([
    ['a path', { path: '/api/public/v1/pixx' }, 'path', 'Did you mean /api/public/v1/pix?'],
    ['a path', { path: '/refunds/*' }, 'path', 'The routes are POST /api/public/v1/pix, '],
    ['a query', { path: '/api/public/v1/withdrawals?limit=*' }, 'path', 'withdrawals?limit=*'],
    ['a slash at the end', { path: '/api/public/v1/pix/' }, 'path', 'Did you mean'],
    ['a part too many', { path: '*/accounts/a/b/transactions' }, 'path', 'accounts/:id/transactions'],
    ['a method of the path', { path: '/*v1/pix', method: 'get' }, 'path', 'Matches no route: GET /*v1/pix.'],
    ['a door of the path', { path: '*/pix', door: 'identity' }, 'path', 'at the door identity'],
    ['a method', { method: 'DELETE' }, 'method', 'Matches no route: DELETE.'],
    ['a control route', { path: '/_sandbox/charges' }, 'path', 'Matches no route'],
  ])('on a call refuses %s that matches no route: %j', (_, match, field, words) => {
    const found = problems({ action: 'reset', ...match });
    expect(Object.keys(found)).toEqual([field]);
    expect(found[field]).toContain(words);
  });

  test.each([
    {},
    { path: '*' },
    { path: '/api/*' },
    { path: '*/retry', method: 'POST' },
    { path: '/api/public/v1/webhook-endpoints/4166cf64-0681-47ef-b2c8-3bab673a92c7' },
    { path: '/api/public/v1/webhook-endpoints/*/deliveries/d1/retry' },
    { path: '*sessions/*result', door: 'identity' },
    { path: '/api/public/v1/withdrawals', method: 'head' },
    { method: 'GET' },
  ])('on a call takes what some call can match: %j', (match) => {
    expect(parse({ action: 'reset', ...match }).action).toBe('reset');
  });
});
