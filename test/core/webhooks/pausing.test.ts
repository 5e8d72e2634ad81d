import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/contract/time.js';
import { listDueItems } from '../../../src/core/due.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { listHeldDeliveries, findBlocker } from '../../../src/core/webhooks/deliveries.js';
import type { ListenerInput } from '../../../src/core/webhooks/endpoints.js';
import type { Delivery, DeliveryFaultInput } from '../../../src/core/world.js';
import { deliveryFault } from '../../helpers/core/fault-commands.js';
import { endpointInput, START_MS, TestWorld } from '../../helpers/core/world.js';

const pause = (testWorld: TestWorld) => testWorld.do({ type: 'deliveries.pause' });
const resume = (testWorld: TestWorld) => testWorld.do({ type: 'deliveries.resume' });

function paused(): TestWorld {
  const testWorld = new TestWorld();
  testWorld.endpoint();
  pause(testWorld);
  return testWorld;
}

describe('paused deliveries', () => {
  test('paused deliveries are created but not attempted until they are resumed', () => {
    const testWorld = paused();
    const [delivery] = testWorld.announce();
    testWorld.pass(HOUR_MS);
    expect(testWorld.attempts).toEqual([]);
    expect(delivery).toMatchObject({ status: 'PENDING', attempts: 0, inFlight: false });
    expect(listHeldDeliveries(testWorld.world)).toEqual([delivery]);

    expect(resume(testWorld)).toEqual([delivery]);
    expect(testWorld.attempts).toMatchObject([
      { deliveryId: delivery?.id, number: 1, at: START_MS + HOUR_MS },
    ]);
    expect(listHeldDeliveries(testWorld.world)).toEqual([]);
  });

  test('paused deliveries resume in the order in which they became due', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    const [retried] = testWorld.announce();
    if (retried === undefined) throw new Error('Expected a delivery.');
    testWorld.answer(retried, 500);
    pause(testWorld);
    testWorld.pass(MINUTE_MS - 1);
    const [early] = testWorld.announce();
    testWorld.pass(2);
    const [late] = testWorld.announce();
    expect(resume(testWorld)).toEqual([early, retried, late]);
    expect(testWorld.attempts.slice(1).map(({ deliveryId }) => deliveryId)).toEqual(
      [early, retried, late].map((one) => one?.id),
    );
  });

  test('paused deliveries wait between attempts from the actual start', () => {
    const testWorld = paused();
    const [delivery] = testWorld.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    testWorld.pass(45 * HOUR_MS);
    resume(testWorld);
    testWorld.answer(delivery, 500);
    expect(delivery.nextAttemptAt).toBe(testWorld.now + MINUTE_MS);
    expect(testWorld.attempts).toHaveLength(1);
  });

  test('paused deliveries complete an attempt in flight, and hold the next', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    const [delivery] = testWorld.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    pause(testWorld);
    expect(listHeldDeliveries(testWorld.world)).toEqual([]);
    expect(testWorld.answer(delivery, 500)).toBe(true);
    testWorld.pass(HOUR_MS);
    expect(testWorld.attempts).toHaveLength(1);
    expect(listHeldDeliveries(testWorld.world)).toEqual([delivery]);
  });

  test('paused deliveries hold a retry, and do not resume those of a disabled endpoint', () => {
    const testWorld = paused();
    const [endpoint] = testWorld.world.endpoints.values();
    const [delivery] = testWorld.announce();
    if (endpoint === undefined || delivery === undefined) throw new Error('Expected both.');
    testWorld.do({ type: 'endpoint.disable', endpointId: endpoint.id });
    expect(delivery).toMatchObject({ status: 'FAILED', lastError: 'ENDPOINT_DISABLED' });
    expect(resume(testWorld)).toEqual([]);
    pause(testWorld);
    expect(testWorld.refuse({ type: 'delivery.retry', deliveryId: delivery.id }).code).toBe(
      'ENDPOINT_UNAVAILABLE',
    );
    testWorld.do({ type: 'endpoint.enable', endpointId: endpoint.id });
    testWorld.do({ type: 'delivery.retry', deliveryId: delivery.id });
    expect(testWorld.attempts).toEqual([]);
    expect(resume(testWorld)).toEqual([delivery]);
  });
});

/** A listener `one`, and what happens to it. */
class Away {
  readonly test = new TestWorld();
  readonly listener = this.test.listener('one');
  readonly endpointId = this.listener.id;

  lose(): readonly Delivery[] {
    return this.test.do({ type: 'listener.lose', endpointId: this.endpointId });
  }

  come(fields: Partial<ListenerInput> = {}): readonly Delivery[] {
    const listener = { ...endpointInput({}), name: 'one', ...fields };
    return this.test.do({ type: 'listener.connect', appId: this.test.app.id, listener }).held;
  }

  announce(): Delivery {
    const [delivery] = this.test.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    return delivery;
  }

  /** A delivery whose first attempt has failed, and which waits for the second. */
  failed(): Delivery {
    const delivery = this.announce();
    this.test.answer(delivery, 500);
    return delivery;
  }

  attemptsOf({ id }: Delivery): number[] {
    return this.test.attempts.filter(({ deliveryId }) => deliveryId === id).map(({ at }) => at - START_MS);
  }
}

describe('a disconnected listener', () => {
  test('holds its pending deliveries: not due, not on the agenda, and not counted', () => {
    const one = new Away();
    const delivery = one.failed();
    expect(one.lose()).toEqual([delivery]);
    expect(listDueItems(one.test.world, 9).filter(({ kind }) => kind === 'delivery.attempt')).toEqual([]);
    one.test.pass(DAY_MS);
    expect(delivery).toMatchObject({ status: 'PENDING', attempts: 1, inFlight: false });
    expect(findBlocker(one.test.world, delivery)).toBe('away');
    expect(one.attemptsOf(delivery)).toEqual([0]);
  });

  test('receives no new deliveries by events and resends, while others do', () => {
    const one = new Away();
    const { event } = one.failed();
    const other = one.test.endpoint();
    one.lose();
    expect(one.test.announce()).toMatchObject([{ endpointId: other.id }]);
    const { endpointId } = one;
    expect(one.test.do({ type: 'event.resend', eventId: event.id, endpointId })).toEqual([]);
  });

  test('still receives the result of an attempt in flight; what follows is held', () => {
    const one = new Away();
    const [taken, refused] = [one.announce(), one.announce()];
    expect(one.lose()).toEqual([]);
    one.test.answer(taken, 200);
    one.test.answer(refused, 500);
    expect([taken.status, refused.status]).toEqual(['DELIVERED', 'PENDING']);
    one.test.pass(HOUR_MS);
    expect(one.attemptsOf(refused)).toEqual([0]);
    expect(one.come()).toEqual([refused]);
    expect(one.attemptsOf(refused)).toEqual([0, HOUR_MS]);
  });

  test.each([
    ['endpoint.delete', 'LISTENER_LEFT'],
    ['endpoint.disable', 'ENDPOINT_DISABLED'],
  ] as const)('%s fails held deliveries', (type, lastError) => {
    const one = new Away();
    const delivery = one.failed();
    one.lose();
    one.test.do({ type, endpointId: one.endpointId });
    expect(delivery).toMatchObject({ status: 'FAILED', lastError, nextAttemptAt: null, attempts: 1 });
    expect(one.come()).toEqual([]);
  });
});

describe('a returning listener', () => {
  test('a returning listener is updated only if its options differ', () => {
    const one = new Away();
    one.lose();
    one.test.pass(HOUR_MS);
    one.come();
    expect(one.listener).toMatchObject({ connected: true, updatedAt: START_MS });
    one.lose();
    one.come({ schedule: 'fast' });
    expect(one.listener).toMatchObject({ schedule: 'fast', updatedAt: START_MS + HOUR_MS });
  });

  test('receives overdue deliveries immediately, in that order, and the rest at their time', () => {
    const one = new Away();
    const late = one.failed();
    one.test.pass(MINUTE_MS);
    one.test.answer(late, 500);
    one.test.pass(MINUTE_MS);
    const early = one.failed();
    one.lose();
    one.test.pass(2 * MINUTE_MS);
    expect(one.come()).toEqual([late, early]);
    expect(one.attemptsOf(early)).toEqual([2 * MINUTE_MS, 4 * MINUTE_MS]);
    expect(one.attemptsOf(late)).toEqual([0, MINUTE_MS]);
    one.test.pass(2 * MINUTE_MS);
    expect(one.attemptsOf(late)).toEqual([0, MINUTE_MS, 6 * MINUTE_MS]);
  });

  test('receives each only once, however often it reconnects before it is due', () => {
    const one = new Away();
    const delivery = one.failed();
    for (let round = 0; round < 5; round += 1) {
      one.lose();
      expect(one.come()).toEqual([delivery]);
    }
    expect(exportWorld(one.test.world).agenda.filter(({ kind }) => kind === 'delivery.attempt')).toHaveLength(
      1,
    );
    one.test.pass(HOUR_MS);
    expect(one.attemptsOf(delivery)).toEqual([0, MINUTE_MS]);
  });

  test('continues to wait while deliveries are paused, and resuming skips disconnected ones', () => {
    const one = new Away();
    const delivery = one.failed();
    one.lose();
    one.test.do({ type: 'deliveries.pause' });
    one.test.pass(HOUR_MS);
    expect(listHeldDeliveries(one.test.world)).toEqual([]);
    one.come();
    expect(listHeldDeliveries(one.test.world)).toEqual([delivery]);
    expect(one.attemptsOf(delivery)).toEqual([0]);
    one.lose();
    expect(one.test.do({ type: 'deliveries.resume' })).toEqual([]);
    expect(one.attemptsOf(delivery)).toEqual([0]);
    one.come();
    expect(one.attemptsOf(delivery)).toEqual([0, HOUR_MS]);
  });

  test('starts over on request: held deliveries have failed without an attempt', () => {
    const one = new Away();
    const delivery = one.failed();
    one.lose();
    expect(one.come({ fresh: true })).toEqual([delivery]);
    expect(delivery).toMatchObject({ status: 'FAILED', lastError: 'LISTENER_LEFT', attempts: 1 });
    one.test.pass(DAY_MS);
    expect(one.attemptsOf(delivery)).toEqual([0]);
  });

  test('receives what was created before it changed its events, and new events by the new ones', () => {
    const one = new Away();
    const delivery = one.failed();
    one.lose();
    one.test.pass(HOUR_MS);
    one.come({ events: ['withdrawal.failed'] });
    expect(one.attemptsOf(delivery)).toEqual([0, HOUR_MS]);
    expect(one.test.announce()).toEqual([]);
  });

  test('continues by its new schedule, and a shorter one removes no attempt', () => {
    const one = new Away();
    const delivery = one.failed();
    one.lose();
    one.come({ schedule: 'fast' });
    one.test.pass(500);
    one.test.answer(delivery, 500);
    expect(delivery).toMatchObject({ attempts: 2, nextAttemptAt: START_MS + 1_500 });
    one.lose();
    one.come({ schedule: 'off' });
    expect(delivery).toMatchObject({ attemptLimit: 3, nextAttemptAt: START_MS + 1_500 });
    one.test.pass(HOUR_MS);
    one.test.answer(delivery, 200);
    expect(delivery.status).toBe('DELIVERED');
  });

  test('receives no deliveries of other listeners or of its name in another application', () => {
    const one = new Away();
    const two = one.test.listener('two');
    const delivery = one.failed();
    const ofTwo = two.deliveries[0];
    one.lose();
    one.test.do({ type: 'listener.lose', endpointId: two.id });
    one.test.listener('one', {}, one.test.addApp());
    expect(one.come()).toEqual([delivery]);
    one.test.pass(HOUR_MS);
    expect(ofTwo).toMatchObject({ attempts: 1 });
  });

  test('a returning listener has none of the faults of its last connection', () => {
    const one = new Away();
    const fault = deliveryFault('drop', { match: { endpointId: one.endpointId } });
    one.test.do({ type: 'fault.add', fault });
    const delivery = one.failed();
    one.lose();
    expect(one.test.world.faults.size).toBe(0);
    one.test.pass(HOUR_MS);
    one.come();
    expect(delivery).toMatchObject({ inFlight: true, faults: [] });
  });

  test('adds its own faults, which affect held deliveries, and removes them when it disconnects', () => {
    const one = new Away();
    const delivery = one.failed();
    one.lose();
    one.test.pass(HOUR_MS);
    one.come({ faults: [deliveryFault('timeout') as DeliveryFaultInput] });
    expect(delivery.faults).toMatchObject([{ action: 'timeout' }]);
    expect([...one.test.world.faults.values()]).toMatchObject([{ match: { endpointId: one.endpointId } }]);
    one.lose();
    expect(one.test.world.faults.size).toBe(0);
  });

  test('a returning listener with too many faults is rejected', () => {
    const one = new Away();
    one.failed();
    one.lose();
    const faults = Array.from(
      { length: LIMITS.faults + 1 },
      () => deliveryFault('drop') as DeliveryFaultInput,
    );
    const listener = { ...endpointInput({}), name: 'one', faults };
    const refusal = one.test.refuse({ type: 'listener.connect', appId: one.test.app.id, listener });
    expect(refusal.message).toContain(`at most ${LIMITS.faults}`);
  });
});
