import { describe, expect, test } from 'vitest';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../src/contract/fault-kinds.js';
import { LIMITS } from '../../../src/contract/limits.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { DAY_MS, MINUTE_MS } from '../../../src/contract/time.js';
import { readBodyOrRefuse } from '../../../src/core/input/bodies.js';
import {
  addFault,
  type AttemptFaultTarget,
  type CallHead,
  type CallFaultTarget,
  FAULT,
  fireOnAttempt,
  findSubject,
} from '../../../src/core/webhooks/faults.js';
import type { CallMatch, DeliveryMatch } from '../../../src/core/world.js';
import { callFault, deliveryFault } from '../../helpers/core/fault-commands.js';
import { TestWorld } from '../../helpers/core/world.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const ENDPOINT_ID = '849e0378-bb69-4963-9fcd-10e97bbc2ef9';

function parse(body: object) {
  return readBodyOrRefuse(FAULT, body);
}

/** What is wrong, by field. */
function problems(body: object): Record<string, string> {
  const { details } = thrownBy(() => parse(body), Refusal);
  expect(new Set(details.map(({ field }) => field)).size, 'each field is named once').toBe(details.length);
  return Object.fromEntries(details.map(({ field, message }) => [field, message]));
}

describe('a fault as JSON', () => {
  test('a fault on requests may have all its fields in JSON', () => {
    expect(
      parse({
        on: 'call',
        action: 'delay',
        api: 'api',
        method: 'post',
        path: '/api/*',
        delay: '1s500ms',
        probability: 0.25,
        count: 3,
      }),
    ).toEqual(
      callFault('delay', {
        match: { api: 'api', method: 'POST', path: '/api/*' },
        delayMs: 1_500,
        probability: 0.25,
        count: 3,
      }),
    );
  });

  test('a fault as JSON is aimed by code, resource and nth, at API requests and deliveries alike', () => {
    const aim = { code: 'order-*', resource: 2, nth: 3 };
    expect(parse({ action: 'reset', ...aim })).toEqual(callFault('reset', { match: aim }));
    expect(parse({ action: 'restart', when: 'before', ...aim })).toEqual(
      deliveryFault('restart', { match: aim, when: 'before' }),
    );
    const nulls = { code: null, resource: null, nth: null, parallel: null, when: null };
    expect(parse({ action: 'duplicate', ...nulls })).toEqual(deliveryFault('duplicate'));
  });

  test.each(['*/webhooks', 'https://shop.example/hooks', '*'])(
    'accepts an endpoint with a slash or a star as a pattern for its URL: %s',
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
    [{ api: 'identity', path: '*' }, 'path'],
  ])('rejects rows between pages after a request that is not a page: %j', (match, field) => {
    expect(problems({ action: 'insert-between-pages', ...match })).toEqual({
      [field]: expect.stringContaining(
        'GET /api/public/v1/withdrawals, GET /api/public/v1/accounts/:id/transactions',
      ),
    });
    for (const path of ['*/withdrawals', '/api/*', null]) parse({ action: 'insert-between-pages', path });
  });

  test('a fault on deliveries may have all its fields in JSON', () => {
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
  ])('a fault as JSON is one on a %s when it is %s, without stating it', (on, action) => {
    expect(parse({ action }).match.on).toBe(on);
    expect(parse({ action, on }).match.on).toBe(on);
  });

  test('requires a target for an action that both support', () => {
    expect(problems({ action: 'delay' })).toEqual({
      on: 'Is required, because requests and deliveries both support delay: call or delivery.',
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
    ['an unknown API', { action: 'reset', api: 'public' }, 'api', 'api, identity'],
    ['a pattern that matches no event', { action: 'drop', event: 'pix.paid' }, 'event', 'pix.settled'],
    ['an endpoint without a name', { action: 'drop', endpoint: '' }, 'endpoint', '1 to 2048'],
    ['an empty code', { action: 'drop', code: '' }, 'code', '1 to 100'],
    ['a resource before the first', { action: 'reset', resource: 0 }, 'resource', '1 to 1000000'],
    ['an nth of zero', { action: 'drop', nth: 0 }, 'nth', '1 to 1000000'],
    ['parallel as a string', { action: 'duplicate', parallel: 'yes' }, 'parallel', 'true or false'],
    ['an unknown moment', { action: 'restart', when: 'after' }, 'when', 'before, answered'],
    ['an attempt as text', { action: 'drop', attempt: '1' }, 'attempt', '1 to 32'],
    ['an invalid status of a delivery', { action: 'answer', status: 199 }, 'status', '200 to 599'],
    ['a status of a request that is not an error', { action: 'status', status: 200 }, 'status', '400 to 599'],
    ['an invalid duration', { action: 'slow', delay: 'soon' }, 'delay', 'got soon'],
    ['a long delay', { action: 'slow', delay: '61s' }, 'delay', 'up to 1m'],
    ['a long 99th percentile', { action: 'slow', delay: '1s~61s' }, 'delay', 'up to 1m'],
    ['a 99th percentile below the median', { action: 'slow', delay: '5s~1s' }, 'delay', 'such as 2.8s~4.6s'],
    ['too many copies', { action: 'duplicate', copies: 11 }, 'copies', '1 to 10'],
    ['a count of zero', { action: 'drop', count: 0 }, 'count', 'whole number'],
    ['no chance', { action: 'drop', probability: 0 }, 'probability', 'above 0'],
    ['a probability above 1', { action: 'drop', probability: 1.01 }, 'probability', 'up to 1'],
    ['an unknown field', { action: 'drop', atempt: 1 }, 'atempt', 'a delivery fault'],
    ['a field of the other kind', { action: 'drop', path: '/x' }, 'path', 'a delivery fault'],
    ['a field of the other kind', { action: 'reset', event: 'pix.*' }, 'event', 'a request fault'],
  ])('rejects %s: %j', (_, body, field, words) => {
    const found = problems(body);
    expect(Object.keys(found)).toEqual([field]);
    expect(found[field]).toContain(words);
  });

  test.each<[string, object, string, string]>([
    ['a path', { path: '/api/public/v1/pixx' }, 'path', 'Did you mean /api/public/v1/pix?'],
    ['a path', { path: '/refunds/*' }, 'path', 'The routes are POST /api/public/v1/pix, '],
    ['a query', { path: '/api/public/v1/withdrawals?limit=*' }, 'path', 'withdrawals?limit=*'],
    ['a slash at the end', { path: '/api/public/v1/pix/' }, 'path', 'Did you mean'],
    ['an additional part', { path: '*/accounts/a/b/transactions' }, 'path', 'accounts/:id/transactions'],
    ['a method of the path', { path: '/*v1/pix', method: 'get' }, 'path', 'Matches no route: GET /*v1/pix.'],
    ['an API of the path', { path: '*/pix', api: 'identity' }, 'path', 'with --api identity'],
    ['a method', { method: 'DELETE' }, 'method', 'Matches no route: DELETE.'],
    ['a control route', { path: '/_sandbox/charges' }, 'path', 'Matches no route'],
  ])('a fault on a request rejects %s that matches no route: %j', (_, match, field, words) => {
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
    { path: '*sessions/*result', api: 'identity' },
    { path: '/api/public/v1/withdrawals', method: 'head' },
    { method: 'GET' },
  ])('a fault on a request accepts what some request can match: %j', (match) => {
    expect(parse({ action: 'reset', ...match }).action).toBe('reset');
  });
});

const CREATE = { api: 'api', method: 'POST', path: '/api/public/v1/pix' } as const;
const SESSION = { api: 'identity', method: 'POST', path: '/api/v1/kyc/sessions' } as const;

function subject({ world }: TestWorld, call: Partial<CallHead>) {
  return findSubject(world, {
    ...CREATE,
    token: world.apps.rows[0]?.token,
    idempotencyKey: undefined,
    body: undefined,
    ...call,
  });
}

test('matches a request that creates a charge by the present or future charge of its code', () => {
  const world = new TestWorld();
  expect(subject(world, { body: { code: 'first' } })).toEqual({ code: 'first', resource: 1 });
  world.charge({ code: 'first' });
  expect(subject(world, { body: { code: 'first' } })).toEqual({ code: 'first', resource: 1 });
  expect(subject(world, { body: { code: 'second' } })).toEqual({ code: 'second', resource: 2 });
});

test('matches nothing for a request without a readable body or token', () => {
  const world = new TestWorld();
  for (const body of [undefined, null, [], 'code', { code: 7 }, {}])
    expect(subject(world, { body })).toEqual({});
  expect(subject(world, { body: { code: 'x' }, token: 'of nobody' })).toEqual({ code: 'x' });
  expect(subject(world, { body: { code: 'x' }, token: undefined })).toEqual({ code: 'x' });
});

test('matches a retry of a delivery by its event', () => {
  const world = new TestWorld();
  const endpoint = world.endpoint();
  world.announce();
  const [delivery] = world.announce();
  const path = `/api/public/v1/webhook-endpoints/${endpoint.id}/deliveries/${delivery?.id}/retry`;
  expect(subject(world, { path })).toEqual({ code: delivery?.event.resource.code, resource: 2 });
  expect(subject(world, { path: `${path}/` })).toEqual({});
  expect(subject(world, { path: path.replace(delivery?.id ?? '', 'unknown') })).toEqual({});
});

test('matches an identity request by its session, or the present or future one of its key', () => {
  const world = new TestWorld();
  const token = world.world.organizations.rows[0]?.kycToken ?? '';
  const create = (idempotencyKey: string) => subject(world, { ...SESSION, token, idempotencyKey });
  expect(create('first-attempt-1')).toEqual({ resource: 1 });
  world.do({
    type: 'session.create',
    sessionId: 'session-1',
    formToken: 'form-1',
    customerType: 'individual',
    organizationId: world.world.organizations.rows[0]?.id ?? '',
    idempotencyKey: 'first-attempt-1',
  });
  expect([create('first-attempt-1'), create('another-attempt')]).toEqual([{ resource: 1 }, { resource: 2 }]);
  expect(subject(world, { ...SESSION, token: 'of nobody' })).toEqual({});
  const result = { api: 'identity', method: 'GET', path: '/api/v1/kyc/sessions/session-1/result' };
  expect(subject(world, result)).toEqual({ resource: 1 });
});

test.each([
  ['GET', '/api/public/v1/withdrawals', true],
  ['HEAD', '/api/public/v1/withdrawals', true],
  ['GET', '/api/public/v1/accounts/a1/transactions', true],
  ['POST', '/api/public/v1/withdrawals', false],
  ['GET', '/api/public/v1/accounts/a1/b/transactions', false],
  ['GET', '/api/public/v1/webhook-endpoints', false],
  ['GET', '/api/public/v1/webhook-endpoints/withdrawals', false],
])('%s %s requests a list of the account: %s', (method, path, expected) => {
  const world = new TestWorld();
  world.do({ type: 'fault.add', fault: callFault('insert-between-pages') });
  expect(firesOnCall(world, { method, path })).toBe(expected);
  expect(subject(world, { method, path, body: { code: 'x' } })).toEqual({});
});

const CALL: CallFaultTarget = { api: 'api', method: 'POST', path: '/api/public/v1/pix' };
const SITE: AttemptFaultTarget = {
  eventType: 'pix.settled',
  code: 'order-1',
  resource: 1,
  endpointId: 'one',
  targets: ['https://shop.example/webhooks', 'http://localhost:3000/webhooks'],
  deliveryOrdinal: 0,
  attempt: 1,
};

function firesOnCall(testWorld: TestWorld, call: Partial<CallFaultTarget> = {}): boolean {
  return testWorld.do({ type: 'fault.on-call', call: { ...CALL, ...call } }).length > 0;
}

function firesOnAttempt({ world, now }: TestWorld, site: Partial<AttemptFaultTarget> = {}): boolean {
  return fireOnAttempt({ world, now, effects: [] }, { ...SITE, ...site }).length > 0;
}

describe('a fault on API requests', () => {
  test.each<[Partial<CallMatch>, Partial<CallFaultTarget>, boolean]>([
    [{}, {}, true],
    [{ api: 'api' }, {}, true],
    [{ api: 'api' }, { api: 'identity' }, false],
    [{ method: 'POST' }, { method: 'GET' }, false],
    [{ path: '/api/public/v1/pix' }, {}, true],
    [{ path: '/api/public/v1/pix' }, { path: '/api/public/v1/pix/' }, false],
    [{ path: '/api/*' }, {}, true],
    [{ path: '*/retry' }, { path: '/a/retry' }, true],
    [{ path: '*/retry' }, {}, false],
    [{ api: 'api', method: 'POST', path: '*' }, {}, true],
    [{ api: 'api', method: 'GET', path: '*' }, {}, false],
    [{ code: 'order-*' }, { code: 'order-7' }, true],
    [{ code: 'order-1' }, { code: 'order-10' }, false],
    [{ code: '*' }, {}, false],
    [{ resource: 2 }, { resource: 2 }, true],
    [{ resource: 2 }, { resource: 1 }, false],
    [{ resource: 1 }, {}, false],
    [{ code: 'order-1', resource: 2 }, { code: 'order-1', resource: 1 }, false],
  ])('a fault on API requests that matches %j meets the request %j: %s', (match, call, expected) => {
    const testWorld = new TestWorld();
    const fault = testWorld.do({ type: 'fault.add', fault: callFault('reset', { match }) });
    expect(firesOnCall(testWorld, call)).toBe(expected);
    expect([fault.seen, fault.fired]).toEqual(expected ? [1, 1] : [0, 0]);
  });

  test('states what it does and with which details', () => {
    const testWorld = new TestWorld();
    const { id } = testWorld.do({ type: 'fault.add', fault: callFault('status', { status: 503 }) });
    testWorld.do({ type: 'fault.add', fault: deliveryFault('drop') });
    expect(testWorld.do({ type: 'fault.on-call', call: CALL })).toEqual([
      { id, action: 'status', status: 503, delayMs: null, copies: null },
    ]);
  });

  test('draws its delay for each request or attempt, the same with the same seed', () => {
    const draw = (seed: string) => {
      const testWorld = new TestWorld({ seed });
      const delayMs = { medianMs: 20_000, p99Ms: LIMITS.faultDelayMs };
      testWorld.do({ type: 'fault.add', fault: callFault('delay', { delayMs }) });
      const fired = Array.from({ length: 500 }, () => testWorld.do({ type: 'fault.on-call', call: CALL }));
      return fired.flat().map((fault) => Number(fault.delayMs));
    };
    const drawn = draw('7');
    expect(draw('7')).toEqual(drawn);
    expect(new Set(drawn).size).toBeGreaterThan(400);
    expect(Math.max(...drawn), 'the tail ends at the limit').toBe(LIMITS.faultDelayMs);
  });

  test('fires as often as its count and continues counting matches', () => {
    const testWorld = new TestWorld();
    const fault = testWorld.do({ type: 'fault.add', fault: callFault('reset', { count: 2 }) });
    expect([1, 2, 3, 4].map(() => firesOnCall(testWorld))).toEqual([true, true, false, false]);
    expect([fault.seen, fault.fired]).toEqual([4, 2]);
  });

  test('fires on the nth otherwise matching request, and never again', () => {
    const testWorld = new TestWorld();
    const match = { path: '*/pix', resource: 2, nth: 2 };
    const fault = testWorld.do({ type: 'fault.add', fault: callFault('reset', { match }) });
    const ranks = [2, 1, 2, 2, 1, 2];
    expect(ranks.map((resource) => firesOnCall(testWorld, { resource }))).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
    ]);
    expect([fault.seen, fault.fired]).toEqual([4, 1]);
  });

  test('decides by probability for each request, the same way in every world of the seed', () => {
    const decide = (seed: string) => {
      const testWorld = new TestWorld({ seed });
      testWorld.do({ type: 'fault.add', fault: callFault('reset', { probability: 0.5 }) });
      return Array.from({ length: 40 }, () => firesOnCall(testWorld));
    };
    expect(decide('one')).toEqual(decide('one'));
    expect(decide('one')).not.toEqual(decide('two'));
    expect(new Set(decide('one')).size).toBe(2);
  });
});

describe('a fault on deliveries', () => {
  test.each<[Partial<DeliveryMatch>, Partial<AttemptFaultTarget>, boolean]>([
    [{}, {}, true],
    [{ eventType: 'pix.*' }, {}, true],
    [{ eventType: 'pix.*' }, { eventType: 'withdrawal.failed' }, false],
    [{ eventType: '*.failed' }, { eventType: 'withdrawal.failed' }, true],
    [{ endpointId: 'one' }, {}, true],
    [{ endpointId: 'two' }, {}, false],
    [{ attempt: 2 }, {}, false],
    [{ attempt: 2 }, { attempt: 2 }, true],
    [{ eventType: 'pix.settled', endpointId: 'one', attempt: 1 }, {}, true],
    [{ code: 'order-1' }, {}, true],
    [{ code: 'order-2' }, {}, false],
    [{ resource: 1 }, {}, true],
    [{ resource: 2 }, {}, false],
    [{ endpointUrl: '*/webhooks' }, {}, true],
    [{ endpointUrl: 'http://localhost:3000/*' }, {}, true],
    [{ endpointUrl: 'https://shop.example/' }, {}, false],
    [{ endpointUrl: '*' }, { targets: [] }, false],
  ])('a fault on deliveries that matches %j meets the attempt %j: %s', (match, site, expected) => {
    const testWorld = new TestWorld();
    const { world, now } = testWorld;
    const fault = addFault({ world, now, effects: [] }, deliveryFault('drop', { match }));
    expect(firesOnAttempt(testWorld, site)).toBe(expected);
    expect([fault.seen, fault.fired]).toEqual(expected ? [1, 1] : [0, 0]);
  });

  test.each([0.2])('a fault on deliveries with probability %d fires about that often', (probability) => {
    const testWorld = new TestWorld();
    const fault = testWorld.do({ type: 'fault.add', fault: deliveryFault('drop', { probability }) });
    for (let deliveryOrdinal = 0; deliveryOrdinal < 1_000; deliveryOrdinal += 1) {
      for (let attempt = 1; attempt <= 8; attempt += 1)
        firesOnAttempt(testWorld, { deliveryOrdinal, attempt });
    }
    expect(Math.abs(fault.fired / fault.seen - probability)).toBeLessThan(0.02);
  });

  test('matches the charge or withdrawal of an attempt, and its target', () => {
    const testWorld = new TestWorld();
    const endpoint = testWorld.endpoint();
    const match = { endpointUrl: endpoint.url, resource: 2, nth: 1 };
    const fault = testWorld.do({ type: 'fault.add', fault: deliveryFault('drop', { match }) });
    const deliveries = ['first', 'second', 'third'].flatMap((code) => {
      testWorld.do({ type: 'trigger', event: 'pix.settled', chargeFields: { code } });
      return testWorld.world.deliveries.rows.slice(-1);
    });
    expect(deliveries.map(({ faults }) => faults.length)).toEqual([0, 1, 0]);
    expect([fault.seen, fault.fired]).toEqual([1, 1]);
  });

  test('a fault on deliveries is in the log only of the attempt that it affected', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    const { id } = testWorld.do({
      type: 'fault.add',
      fault: deliveryFault('answer', { status: 503, match: { attempt: 2 } }),
    });
    const [delivery] = testWorld.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    testWorld.answer(delivery, 500);
    testWorld.pass(MINUTE_MS);
    expect(delivery.faults).toMatchObject([{ id, action: 'answer', status: 503 }]);
    testWorld.answer(delivery, 503);
    expect(delivery.faults).toEqual([]);
    expect(delivery.log.map(({ faults }) => faults?.map((fault) => fault.id))).toEqual([undefined, [id]]);
    const ended = testWorld.effects.flatMap((effect) =>
      effect.type === 'attempt.ended' ? [effect.attempt] : [],
    );
    expect(ended).toEqual(delivery.log);
  });

  test('ignores attempts that nobody could receive', () => {
    const testWorld = new TestWorld();
    const listener = testWorld.listener('away');
    testWorld.do({ type: 'deliveries.pause' });
    const [delivery] = testWorld.announce();
    testWorld.do({ type: 'listener.lose', endpointId: listener.id });
    testWorld.do({ type: 'deliveries.resume' });
    const fault = testWorld.do({ type: 'fault.add', fault: deliveryFault('drop') });
    testWorld.pass(DAY_MS);
    expect([fault.seen, delivery?.log]).toEqual([0, []]);
  });
});

describe('faults', () => {
  test('faults are added and removed by their ids, or all together', () => {
    const testWorld = new TestWorld();
    const [first] = [callFault('reset'), deliveryFault('drop'), deliveryFault('slow')].map((fault) =>
      testWorld.do({ type: 'fault.add', fault }),
    );
    expect(testWorld.do({ type: 'fault.remove', id: first?.id ?? '' })).toBe(1);
    expect(testWorld.refuse({ type: 'fault.remove', id: first?.id ?? '' }).code).toBe('NOT_FOUND');
    expect(testWorld.do({ type: 'fault.remove', id: null })).toBe(2);
    expect(testWorld.do({ type: 'fault.remove', id: null })).toBe(0);
    expect(firesOnCall(testWorld)).toBe(false);
  });

  test('faults of an endpoint are removed with it, and no others', () => {
    const testWorld = new TestWorld();
    const [gone, stays] = ['https://a.example/', 'https://b.example/'].map((url) =>
      testWorld.endpoint({ url }),
    );
    const kept = [
      deliveryFault('drop'),
      deliveryFault('drop', { match: { endpointId: stays?.id ?? '' } }),
      callFault('reset'),
    ].map((fault) => testWorld.do({ type: 'fault.add', fault }).id);
    testWorld.do({
      type: 'fault.add',
      fault: deliveryFault('drop', { match: { endpointId: gone?.id ?? '' } }),
    });
    testWorld.do({ type: 'endpoint.disable', endpointId: gone?.id ?? '' });
    expect(testWorld.world.faults.size).toBe(4);
    testWorld.do({ type: 'endpoint.delete', endpointId: gone?.id ?? '' });
    expect([...testWorld.world.faults.keys()]).toEqual(kept);
  });
});
