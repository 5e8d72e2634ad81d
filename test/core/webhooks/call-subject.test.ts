import { expect, test } from 'vitest';
import { type CallHead, isAccountList, subjectOf } from '../../../src/core/webhooks/faults.js';
import { TestWorld } from '../../helpers/core/world.js';

const CREATE = { door: 'api', method: 'POST', path: '/api/public/v1/pix' } as const;
const SESSION = { door: 'identity', method: 'POST', path: '/api/v1/kyc/sessions' } as const;

function subject({ world }: TestWorld, call: Partial<CallHead>) {
  return subjectOf(world, {
    ...CREATE,
    token: world.apps.rows[0]?.token,
    idempotencyKey: undefined,
    body: undefined,
    ...call,
  });
}

test('a call that creates a charge is about the charge that its code has or would get', () => {
  const world = new TestWorld();
  expect(subject(world, { body: { code: 'first' } })).toEqual({ code: 'first', resource: 1 });
  world.charge({ code: 'first' });
  expect(subject(world, { body: { code: 'first' } })).toEqual({ code: 'first', resource: 1 });
  expect(subject(world, { body: { code: 'second' } })).toEqual({ code: 'second', resource: 2 });
});

test('a call whose body or token tells nothing is about nothing', () => {
  const world = new TestWorld();
  for (const body of [undefined, null, [], 'code', { code: 7 }, {}])
    expect(subject(world, { body })).toEqual({});
  expect(subject(world, { body: { code: 'x' }, token: 'of nobody' })).toEqual({ code: 'x' });
  expect(subject(world, { body: { code: 'x' }, token: undefined })).toEqual({ code: 'x' });
});

test('a retry of a delivery is about what its event is about', () => {
  const world = new TestWorld();
  const endpoint = world.endpoint();
  world.announce();
  const [delivery] = world.announce();
  const path = `/api/public/v1/webhook-endpoints/${endpoint.id}/deliveries/${delivery?.id}/retry`;
  expect(subject(world, { path })).toEqual({ code: delivery?.event.resource.code, resource: 2 });
  expect(subject(world, { path: `${path}/` })).toEqual({});
  expect(subject(world, { path: path.replace(delivery?.id ?? '', 'unknown') })).toEqual({});
});

test('a call of the identity API is about its session, or the one that its key has or would get', () => {
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
  const result = { door: 'identity', method: 'GET', path: '/api/v1/kyc/sessions/session-1/result' };
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
])('%s %s asks for a list of the account: %s', (method, path, expected) => {
  const world = new TestWorld();
  expect(isAccountList({ door: 'api', method, path })).toBe(expected);
  expect(subject(world, { method, path, body: { code: 'x' } })).toEqual({});
});
