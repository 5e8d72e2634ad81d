import { describe, expect, test } from 'vitest';
import { findEndpoint, listValidSecrets } from '../../../src/core/webhooks/endpoints.js';
import { createListenerUrl } from '../../../src/text/listener-name.js';
import { LIMITS } from '../../../src/contract/limits.js';
import { DAY_MS } from '../../../src/contract/time.js';
import { endpointInput, START_MS, TestWorld } from '../../helpers/core/world.js';

const urlNumber = (number: number) => `https://shop.example/${number}`;

function creating(
  testWorld: TestWorld,
  fields: Parameters<typeof endpointInput>[0] = {},
  app = testWorld.app,
) {
  return { type: 'endpoint.create', appId: app.id, endpoint: endpointInput(fields) } as const;
}

describe('creating an endpoint', () => {
  test('makes it ACTIVE, on the real schedule, with ten seconds per attempt', () => {
    expect(new TestWorld().endpoint()).toMatchObject({
      status: 'ACTIVE',
      transport: 'http',
      schedule: 'real',
      timeoutMs: 10_000,
      createdAt: START_MS,
      updatedAt: START_MS,
      previousSecret: null,
    });
  });

  test('creating an endpoint is limited to ten per application, whatever their status, without listeners', () => {
    const testWorld = new TestWorld();
    testWorld.listener('one');
    const endpoints = Array.from({ length: LIMITS.endpointsPerApp }, (_, index) =>
      testWorld.endpoint({ url: urlNumber(index) }),
    );
    testWorld.do({ type: 'endpoint.disable', endpointId: endpoints[0]?.id ?? '' });
    expect(testWorld.refuse(creating(testWorld, { url: urlNumber(10) })).code).toBe('ENDPOINT_LIMIT_REACHED');
    testWorld.endpoint({ url: urlNumber(10) }, testWorld.addApp());
    testWorld.do({ type: 'endpoint.delete', endpointId: endpoints[1]?.id ?? '' });
    testWorld.endpoint({ url: urlNumber(10) });
  });
});

describe('rotating a secret', () => {
  function rotated() {
    const testWorld = new TestWorld();
    const endpoint = testWorld.endpoint({ secret: 'whsec_one' });
    testWorld.do({ type: 'endpoint.rotate', endpointId: endpoint.id, secret: 'whsec_two' });
    return { test: testWorld, endpoint };
  }

  test('accepts the old one for exactly 24 hours, newest first', () => {
    const { endpoint } = rotated();
    expect(listValidSecrets(endpoint, START_MS)).toEqual(['whsec_two', 'whsec_one']);
    expect(listValidSecrets(endpoint, START_MS + DAY_MS - 1)).toEqual(['whsec_two', 'whsec_one']);
    expect(listValidSecrets(endpoint, START_MS + DAY_MS)).toEqual(['whsec_two']);
  });

  test('rotating a secret twice within 24 hours drops the oldest and restarts the 24 hours', () => {
    const { test, endpoint } = rotated();
    test.pass(DAY_MS - 1);
    test.do({ type: 'endpoint.rotate', endpointId: endpoint.id, secret: 'whsec_three' });
    expect(listValidSecrets(endpoint, test.now)).toEqual(['whsec_three', 'whsec_two']);
    expect(listValidSecrets(endpoint, test.now + DAY_MS - 1)).toEqual(['whsec_three', 'whsec_two']);
    expect(endpoint.updatedAt).toBe(test.now);
  });
});

describe('disabling an endpoint', () => {
  test('fails pending deliveries, in flight or not, and stops new ones', () => {
    const testWorld = new TestWorld();
    const endpoint = testWorld.endpoint();
    const [waiting] = testWorld.announce();
    if (waiting !== undefined) testWorld.answer(waiting, 500);
    testWorld.announce();
    testWorld.do({ type: 'endpoint.disable', endpointId: endpoint.id });
    for (const delivery of endpoint.deliveries) {
      expect(delivery).toMatchObject({
        status: 'FAILED',
        inFlight: false,
        lastError: 'ENDPOINT_DISABLED',
        nextAttemptAt: null,
      });
    }
    expect(testWorld.announce()).toEqual([]);
    const attempts = testWorld.attempts.length;
    testWorld.pass(3 * DAY_MS);
    expect(testWorld.attempts).toHaveLength(attempts);
  });

  test('ends the attempt in flight, so that all its facts are consistent', () => {
    const testWorld = new TestWorld();
    const { id: endpointId } = testWorld.endpoint();
    const [delivery] = testWorld.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    testWorld.answer(delivery, 500);
    testWorld.pass(60_000);
    testWorld.do({ type: 'endpoint.disable', endpointId });
    const last = { number: 2, startedAt: START_MS + 60_000, status: null, error: 'ENDPOINT_DISABLED' };
    expect(delivery).toMatchObject({ attempts: 2, lastAttemptAt: last.startedAt, lastStatus: null });
    expect(delivery.log.at(-1)).toEqual(last);
  });

  test('disabling an endpoint and enabling are idempotent, and enabling allows new deliveries again', () => {
    const testWorld = new TestWorld();
    const { id: endpointId } = testWorld.endpoint();
    for (const type of [
      'endpoint.disable',
      'endpoint.disable',
      'endpoint.enable',
      'endpoint.enable',
    ] as const) {
      testWorld.do({ type, endpointId });
    }
    expect(testWorld.announce()).toHaveLength(1);
  });
});

describe('deleting an endpoint', () => {
  test('fails pending deliveries and stores them', () => {
    const testWorld = new TestWorld();
    const { id: endpointId } = testWorld.endpoint();
    const [delivery] = testWorld.announce();
    testWorld.do({ type: 'endpoint.delete', endpointId });
    expect(delivery).toMatchObject({ status: 'FAILED', lastError: 'ENDPOINT_DISABLED' });
    expect(testWorld.world.deliveries.rows).toHaveLength(1);
    expect(testWorld.refuse({ type: 'endpoint.delete', endpointId }).code).toBe('NOT_FOUND');
  });
});

describe('a listener', () => {
  test('a listener is an endpoint with its own URL', () => {
    const testWorld = new TestWorld();
    expect(testWorld.listener('one')).toMatchObject({
      transport: 'listener',
      url: 'https://one.listen.sandbox.localhost/',
      connected: true,
      status: 'ACTIVE',
    });
    expect(createListenerUrl('one')).toBe('https://one.listen.sandbox.localhost/');
  });

  test('preserves id and secret when it reconnects, with its new options', () => {
    const testWorld = new TestWorld();
    const listener = testWorld.listener('one', { secret: 'whsec_one' });
    testWorld.do({ type: 'endpoint.rotate', endpointId: listener.id, secret: 'whsec_two' });
    testWorld.do({ type: 'listener.lose', endpointId: listener.id });
    expect(listener.connected).toBe(false);
    const back = testWorld.listener('one', { secret: 'whsec_one', events: ['pix.failed'], schedule: 'fast' });
    expect(back).toBe(listener);
    expect(back).toMatchObject({ secret: 'whsec_two', events: ['pix.failed'], schedule: 'fast' });
  });

  test('a listener does not reuse the disconnected listener of another application', () => {
    const testWorld = new TestWorld();
    const mine = testWorld.listener('one');
    testWorld.do({ type: 'listener.lose', endpointId: mine.id });
    const other = testWorld.addApp();
    const theirs = testWorld.listener('one', {}, other);
    expect(theirs).toMatchObject({ appId: other.id, connected: true });
    expect(theirs.id).not.toBe(mine.id);
    expect(mine.connected).toBe(false);
  });

  test('a listener with another schedule preserves the wait of every attempt', () => {
    const testWorld = new TestWorld();
    const { id: endpointId } = testWorld.listener('one');
    const [delivery] = testWorld.announce();
    testWorld.do({ type: 'listener.lose', endpointId });
    testWorld.listener('one', { schedule: 'off' });
    if (delivery !== undefined) testWorld.answer(delivery, 500);
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 1, nextAttemptAt: null });
    expect(testWorld.attempts).toHaveLength(1);
  });
});

describe('findEndpoint', () => {
  test('finds by id, only for its own application', () => {
    const testWorld = new TestWorld();
    const endpoint = testWorld.endpoint();
    expect(findEndpoint(testWorld.world, endpoint.id, testWorld.app.id)).toBe(endpoint);
    expect(() => findEndpoint(testWorld.world, endpoint.id, testWorld.addApp().id)).toThrow(
      /no webhook endpoint/,
    );
    expect(() => findEndpoint(testWorld.world, 'none')).toThrow(/no webhook endpoint none/);
  });
});
