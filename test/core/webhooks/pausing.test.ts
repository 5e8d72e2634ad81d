import { describe, expect, test } from 'vitest';
import { heldBack } from '../../../src/core/webhooks/deliveries.js';
import { HOUR_MS, MINUTE_MS } from '../../../src/contract/time.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

const pause = (test: TestWorld) => test.do({ type: 'deliveries.pause' });
const resume = (test: TestWorld) => test.do({ type: 'deliveries.resume' });

function paused(): TestWorld {
  const test = new TestWorld();
  test.endpoint();
  pause(test);
  return test;
}

describe('paused deliveries', () => {
  test('are made and not attempted, until they are resumed', () => {
    const test = paused();
    const [delivery] = test.announce();
    test.pass(HOUR_MS);
    expect(test.attempts).toEqual([]);
    expect(delivery).toMatchObject({ status: 'PENDING', attempts: 0, inFlight: false });
    expect(heldBack(test.world)).toEqual([delivery]);

    expect(resume(test)).toEqual([delivery]);
    expect(test.attempts).toMatchObject([{ deliveryId: delivery?.id, number: 1, at: START_MS + HOUR_MS }]);
    expect(heldBack(test.world)).toEqual([]);
  });

  test('go in the order in which they fell due', () => {
    const test = new TestWorld();
    test.endpoint();
    const [retried] = test.announce();
    if (retried === undefined) throw new Error('Expected a delivery.');
    test.answer(retried, 500);
    pause(test);
    test.pass(MINUTE_MS - 1);
    const [early] = test.announce();
    test.pass(2);
    const [late] = test.announce();
    expect(resume(test)).toEqual([early, retried, late]);
    expect(test.attempts.slice(1).map(({ deliveryId }) => deliveryId)).toEqual(
      [early, retried, late].map((one) => one?.id),
    );
  });

  test('wait their time between attempts from when they really began', () => {
    const test = paused();
    const [delivery] = test.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    test.pass(45 * HOUR_MS);
    resume(test);
    test.answer(delivery, 500);
    expect(delivery.nextAttemptAt).toBe(test.now + MINUTE_MS);
    expect(test.attempts).toHaveLength(1);
  });

  test('let an attempt end that had started, and hold back the next', () => {
    const test = new TestWorld();
    test.endpoint();
    const [delivery] = test.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    pause(test);
    expect(heldBack(test.world)).toEqual([]);
    expect(test.answer(delivery, 500)).toBe(true);
    test.pass(HOUR_MS);
    expect(test.attempts).toHaveLength(1);
    expect(heldBack(test.world)).toEqual([delivery]);
  });

  test('hold back a retry, and what a disabled endpoint had is not resumed', () => {
    const test = paused();
    const [endpoint] = test.world.endpoints.values();
    const [delivery] = test.announce();
    if (endpoint === undefined || delivery === undefined) throw new Error('Expected both.');
    test.do({ type: 'endpoint.disable', endpointId: endpoint.id });
    expect(delivery).toMatchObject({ status: 'FAILED', lastError: 'ENDPOINT_DISABLED' });
    expect(resume(test)).toEqual([]);
    pause(test);
    expect(test.refuse({ type: 'delivery.retry', deliveryId: delivery.id }).code).toBe(
      'ENDPOINT_UNAVAILABLE',
    );
    test.do({ type: 'endpoint.enable', endpointId: endpoint.id });
    test.do({ type: 'delivery.retry', deliveryId: delivery.id });
    expect(test.attempts).toEqual([]);
    expect(resume(test)).toEqual([delivery]);
  });
});
