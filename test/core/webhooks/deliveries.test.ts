import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { DAY_MS, HOUR_MS } from '../../../src/contract/time.js';
import { limitAtAttempt, type RetryFilter } from '../../../src/core/webhooks/deliveries.js';
import type { Delivery, Endpoint } from '../../../src/core/world.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

/** Two endpoints without retries, each with a dead letter of each type that was announced. */
function withDeadLetters() {
  const testWorld = new TestWorld();
  const endpoints = ['one', 'two'].map((name) =>
    testWorld.endpoint({ schedule: 'off', url: `https://${name}.example/` }),
  );
  for (const event of ['pix.settled', 'withdrawal.settled'] as const)
    testWorld.do({ type: 'trigger', event });
  const { rows } = testWorld.world.deliveries;
  for (const delivery of rows) testWorld.answer(delivery, 500);
  const retry = (filter: RetryFilter = {}) => {
    const { retried, skipped } = testWorld.do({ type: 'deliveries.retry', ...filter });
    return { retried: retried.map(({ ordinal }) => ordinal), skipped: Object.fromEntries(skipped) };
  };
  return { test: testWorld, rows, endpoints, retry };
}

describe('retrying by a filter', () => {
  test('creates one immediate attempt for every dead letter, in order', () => {
    const { test, rows, retry } = withDeadLetters();
    expect(retry()).toEqual({ retried: [0, 1, 2, 3], skipped: {} });
    expect(rows.filter(({ attempts, inFlight }) => attempts === 2 && inFlight)).toHaveLength(4);
    // What is under way or waits is no dead letter.
    expect(retry()).toEqual({ retried: [], skipped: {} });
    expect(test.now).toBe(test.world.now);
  });

  test.each([
    [{ eventType: 'pix.*' }, [0, 1]],
    [{ eventType: '*.settled' }, [0, 1, 2, 3]],
    [{ eventType: 'withdrawal.settled' }, [2, 3]],
    [{ eventType: 'pix.failed' }, []],
  ])('selects only what matches %j', (filter, retried) => {
    expect(withDeadLetters().retry(filter)).toEqual({ retried, skipped: {} });
  });

  test('selects only the deliveries of an endpoint', () => {
    const { endpoints, retry } = withDeadLetters();
    expect(retry({ endpointId: endpoints[1]?.id, eventType: 'pix.*' }).retried).toEqual([1]);
  });

  test('counts what cannot be retried, and leaves it unchanged', () => {
    const { test, rows, endpoints, retry } = withDeadLetters();
    const [one, two] = endpoints.map(({ id }) => id);
    test.do({ type: 'endpoint.disable', endpointId: one ?? '' });
    test.do({ type: 'endpoint.delete', endpointId: two ?? '' });
    const before = JSON.stringify(rows);
    expect(retry()).toEqual({ retried: [], skipped: { disabled: 2, deleted: 2 } });
    expect(retry({ status: 'DELIVERED' })).toEqual({ retried: [], skipped: {} });
    expect(JSON.stringify(rows)).toBe(before);
  });

  test('skips deliveries that are not dead letters if their status is requested', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    const [delivery] = testWorld.announce();
    testWorld.pass(DAY_MS);
    const retry = (status: 'PENDING' | 'DELIVERED') =>
      Object.fromEntries(testWorld.do({ type: 'deliveries.retry', status }).skipped);
    expect(retry('PENDING')).toEqual({ pending: 1 });
    if (delivery !== undefined) testWorld.answer(delivery, 200);
    expect(retry('DELIVERED')).toEqual({ delivered: 1 });
  });
});

/** When the eight attempts come, in seconds after the first (§8). */
const ATTEMPT_SECONDS = [0, 60, 360, 2_160, 9_360, 30_960, 74_160, 160_560];

function announced(
  fields: Partial<Endpoint> = {},
  assume: Record<string, string> = {},
): { testWorld: TestWorld; delivery: Delivery } {
  const testWorld = new TestWorld({ assume });
  testWorld.endpoint(fields);
  const [delivery] = testWorld.announce();
  if (delivery === undefined) throw new Error('Expected a delivery, got none');
  return { testWorld: testWorld, delivery };
}

/** Fails each attempt as it comes, stepping from due time to due time, for so long. */
function failAll(testWorld: TestWorld, delivery: Delivery, ms: number, answerAfterMs = 0): void {
  const end = testWorld.now + ms;
  while (delivery.status === 'PENDING') {
    if (delivery.inFlight) {
      testWorld.now += answerAfterMs;
      testWorld.answer(delivery, 500);
      continue;
    }
    if (delivery.nextAttemptAt === null || delivery.nextAttemptAt > end) break;
    testWorld.now = Math.max(testWorld.now, delivery.nextAttemptAt);
    testWorld.tick();
  }
}

const secondsOf = (testWorld: TestWorld) => testWorld.attempts.map(({ at }) => (at - START_MS) / 1_000);

describe('a delivery', () => {
  test('starts with an immediate attempt', () => {
    const { testWorld: test, delivery } = announced();
    expect(delivery).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      inFlight: true,
      createdAt: START_MS,
      lastAttemptAt: START_MS,
      nextAttemptAt: null,
      deliveredAt: null,
    });
    expect(test.attempts).toEqual([{ deliveryId: delivery.id, number: 1, at: START_MS }]);
  });

  test('a delivery is DELIVERED by a success and never attempted again', () => {
    const { testWorld: test, delivery } = announced();
    test.now += 250;
    expect(test.answer(delivery, 204)).toBe(true);
    expect(delivery).toMatchObject({
      status: 'DELIVERED',
      lastStatus: 204,
      lastError: null,
      deliveredAt: START_MS + 250,
      nextAttemptAt: null,
    });
    test.pass(10 * DAY_MS);
    expect(test.attempts).toHaveLength(1);
  });

  test('a failing delivery is tried at 0, 60, 360, 2160, 9360, 30960, 74160, 160560 s, then dead-lettered', () => {
    const { testWorld: test, delivery } = announced();
    failAll(test, delivery, 45 * HOUR_MS);
    expect(secondsOf(test)).toEqual(ATTEMPT_SECONDS);
    expect(delivery).toMatchObject({
      status: 'FAILED',
      attempts: 8,
      nextAttemptAt: null,
      lastError: 'HTTP_STATUS',
    });
    expect(delivery.log.map(({ number, startedAt }) => [number, (startedAt - START_MS) / 1_000])).toEqual(
      ATTEMPT_SECONDS.map((seconds, index) => [index + 1, seconds]),
    );
    test.pass(30 * DAY_MS);
    expect(test.attempts).toHaveLength(8);
  });

  test('counts each wait from the start of the attempt, not from its end', () => {
    const { testWorld: test, delivery } = announced();
    failAll(test, delivery, 45 * HOUR_MS, 9_999);
    expect(secondsOf(test)).toEqual(ATTEMPT_SECONDS);
  });

  test('follows the schedule of its endpoint', () => {
    const fast = announced({ schedule: 'fast' });
    failAll(fast.testWorld, fast.delivery, 60_000);
    expect(secondsOf(fast.testWorld)).toEqual([0, 0.5, 1.5, 3, 5, 8, 11, 15]);
    const off = announced({ schedule: 'off' });
    failAll(off.testWorld, off.delivery, 60_000);
    expect(off.delivery).toMatchObject({ status: 'FAILED', attempts: 1 });
  });
});

describe('an outcome', () => {
  test('an outcome of an outdated attempt is ignored', () => {
    const { testWorld: test, delivery } = announced();
    test.answer(delivery, 500);
    test.pass(60_000);
    expect(test.answer(delivery, 200, 1)).toBe(false);
    expect(delivery).toMatchObject({ status: 'PENDING', attempts: 2, inFlight: true });
  });

  test('an outcome after its endpoint was disabled is ignored, even after a retry', () => {
    const { testWorld: test, delivery } = announced();
    test.do({ type: 'endpoint.disable', endpointId: delivery.endpointId });
    expect(test.answer(delivery, 200)).toBe(false);
    test.do({ type: 'endpoint.enable', endpointId: delivery.endpointId });
    test.do({ type: 'delivery.retry', deliveryId: delivery.id });
    expect(test.answer(delivery, 200, 1)).toBe(false);
    expect(test.answer(delivery, 200, 2)).toBe(true);
  });

  test('an outcome without a response stores its error', () => {
    const { testWorld: test, delivery } = announced();
    const { id: deliveryId } = delivery;
    test.do({ type: 'delivery.attempted', deliveryId, number: 1, status: null, error: 'TIMEOUT' });
    expect(delivery).toMatchObject({ lastStatus: null, lastError: 'TIMEOUT', status: 'PENDING' });
  });
});

describe('a retry', () => {
  function deadLetter() {
    const { testWorld: test, delivery } = announced();
    failAll(test, delivery, 45 * HOUR_MS);
    return { test, delivery, retry: { type: 'delivery.retry', deliveryId: delivery.id } as const };
  }

  test('creates one immediate attempt, which may succeed', () => {
    const { test, delivery, retry } = deadLetter();
    expect(test.do(retry)).toMatchObject({ status: 'PENDING', attempts: 9, inFlight: true });
    expect([7, 8, 9].map((number) => limitAtAttempt(test.world, delivery, number))).toEqual([8, 8, 9]);
    test.answer(delivery, 200);
    expect(delivery.status).toBe('DELIVERED');
  });

  test('makes a waiting attempt now only if asked', () => {
    const { testWorld: test, delivery } = announced();
    test.answer(delivery, 500);
    const retry = { type: 'delivery.retry', deliveryId: delivery.id } as const;
    expect(test.refuse(retry).message).toContain('only FAILED deliveries');
    expect(test.do({ ...retry, early: true })).toMatchObject({
      attempts: 2,
      inFlight: true,
      attemptLimit: 8,
    });
    expect(test.refuse({ ...retry, early: true }).code).toBe('DELIVERY_NOT_FAILED');
    test.answer(delivery, 500);
    test.pass(45 * HOUR_MS);
    expect(test.attempts).toHaveLength(3);
  });

  test('a retry after a disabled endpoint does not restore what was on the agenda', () => {
    const { testWorld: test, delivery } = announced({}, { 'charge.lifetime': '30s' });
    test.charge();
    test.answer(delivery, 500);
    const { endpointId } = delivery;
    test.do({ type: 'endpoint.disable', endpointId });
    test.do({ type: 'endpoint.enable', endpointId });
    test.do({ type: 'delivery.retry', deliveryId: delivery.id });
    test.pass(DAY_MS);
    expect(delivery).toMatchObject({ attempts: 2, inFlight: true });
    test.answer(delivery, 500);
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 2 });
    expect(test.attempts.filter(({ deliveryId }) => deliveryId === delivery.id)).toHaveLength(2);
  });

  test('a retry may be repeated endlessly, storing the newest attempts', () => {
    const { test, delivery, retry } = deadLetter();
    for (let round = 0; round < 40; round += 1) {
      test.do(retry);
      test.answer(delivery, 500);
    }
    expect(delivery.attempts).toBe(48);
    expect(delivery.log).toHaveLength(LIMITS.attemptsKept);
    expect(delivery.log.at(-1)?.number).toBe(48);
  });
});
