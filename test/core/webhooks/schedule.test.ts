import { describe, expect, test } from 'vitest';
import { RETRY_SCHEDULES } from '../../../src/contract/limits.js';
import { HOUR_MS, MINUTE_MS } from '../../../src/contract/time.js';
import { listScheduledAttempts } from '../../../src/core/webhooks/deliveries.js';
import type { Delivery, Endpoint } from '../../../src/core/world.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

/** When the eight attempts come, in milliseconds after the first (§8). */
const REAL = [0, 60, 360, 2_160, 9_360, 30_960, 74_160, 160_560].map((seconds) => seconds * 1_000);

class Scheduled {
  readonly world = new TestWorld();
  readonly endpoint: Endpoint;
  readonly delivery: Delivery;

  constructor(fields: Partial<Endpoint> = {}) {
    this.endpoint = this.world.endpoint(fields);
    const [delivery] = this.world.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    this.delivery = delivery;
  }

  rows() {
    return listScheduledAttempts(this.world.world, this.delivery, this.world.now);
  }

  /** When each is due, in milliseconds after the first. */
  due() {
    return this.rows().map(({ dueAt }) => (dueAt === null ? null : dueAt - START_MS));
  }

  /** Lets attempts fail as they come, until so many have ended. */
  fail(count: number, answerAfterMs = 0): void {
    const { world, delivery } = this;
    while (delivery.log.length < count) {
      world.now = Math.max(world.now, delivery.nextAttemptAt ?? 0);
      world.tick();
      world.now += answerAfterMs;
      world.answer(delivery, 500);
    }
  }
}

describe('the schedule of a delivery', () => {
  test('the schedule has eight rows before the first attempt has ended, with the later due times', () => {
    const made = new Scheduled();
    expect(made.rows()[0]).toEqual({ number: 1, dueAt: START_MS, startedAt: START_MS });
    expect(made.due()).toEqual(REAL);
    for (let count = 1; count <= 8; count += 1) {
      made.fail(count, 1_000);
      expect(made.due()).toEqual(REAL);
      const rows = made.rows();
      expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(rows.filter(({ outcome }) => outcome === 'failed')).toHaveLength(count);
    }
  });

  test.each(['fast', 'off'] as const)('follows the waits of %s', (schedule) => {
    const made = new Scheduled({ schedule });
    let at = 0;
    const due = RETRY_SCHEDULES[schedule].map((waitMs) => (at += waitMs));
    expect(made.due()).toEqual(due);
    made.fail(due.length);
    expect(made.due()).toEqual(due);
  });

  test('shows no due time for attempts after a success', () => {
    const made = new Scheduled();
    made.fail(1);
    made.world.now += MINUTE_MS;
    made.world.tick();
    made.world.answer(made.delivery, 200);
    expect(made.rows()[1]).toMatchObject({ outcome: 'succeeded', startedAt: START_MS + MINUTE_MS });
    expect(made.due()).toEqual([0, MINUTE_MS, null, null, null, null, null, null]);
  });

  test('continues from a late attempt', () => {
    const made = new Scheduled();
    made.fail(1);
    made.world.do({ type: 'deliveries.pause' });
    made.world.now += HOUR_MS;
    made.world.tick();
    // Held: it is due since a minute after the first, and cannot start before now.
    expect(made.due().slice(0, 4)).toEqual([0, MINUTE_MS, HOUR_MS + 5 * MINUTE_MS, HOUR_MS + 35 * MINUTE_MS]);
    made.world.do({ type: 'deliveries.resume' });
    expect(made.rows()[1]).toMatchObject({ dueAt: START_MS + MINUTE_MS, startedAt: START_MS + HOUR_MS });
    expect(made.due()[2]).toBe(HOUR_MS + 5 * MINUTE_MS);
  });

  test('shows a manual retry as the ninth, due when it was requested', () => {
    const made = new Scheduled();
    made.fail(8);
    made.world.now += 3 * HOUR_MS;
    made.world.do({ type: 'delivery.retry', deliveryId: made.delivery.id });
    const ninth = made.world.now;
    expect(made.rows()[8]).toEqual({ number: 9, dueAt: ninth, startedAt: ninth });
    made.world.answer(made.delivery, 500);
    expect(made.rows()[8]).toEqual({ number: 9, dueAt: ninth, startedAt: ninth, outcome: 'failed' });
    expect(made.rows()).toHaveLength(9);
  });

  test('shows a manual retry of an early dead letter as its last', () => {
    const made = new Scheduled();
    made.fail(2);
    made.world.do({ type: 'endpoint.disable', endpointId: made.endpoint.id });
    expect(made.due()).toEqual([0, MINUTE_MS, null, null, null, null, null, null]);
    made.world.do({ type: 'endpoint.enable', endpointId: made.endpoint.id });
    made.world.now += HOUR_MS;
    made.world.do({ type: 'delivery.retry', deliveryId: made.delivery.id });
    expect(made.due()).toEqual([0, MINUTE_MS, made.world.now - START_MS]);
  });
});
