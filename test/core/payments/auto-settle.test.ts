import { describe, expect, test } from 'vitest';
import { nextDue } from '../../../src/core/due.js';
import { DAY_MS, SECOND_MS } from '../../../src/contract/time.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

const AFTER_MS = 3 * SECOND_MS;

describe('auto-settle', () => {
  test('is due on the agenda, and settles at its instant whatever time the next command comes', () => {
    const test = new TestWorld({ autoSettleMs: AFTER_MS });
    const charge = test.charge();
    const due = nextDue(test.world);
    expect(due).toMatchObject({ at: START_MS + AFTER_MS, ordinal: charge.ordinal });
    expect(due?.kind).toBe('charge.settle');
    test.pass(AFTER_MS - 1);
    expect(charge.status).toBe('PENDING');
    test.pass(DAY_MS);
    expect(charge.status).toBe('SETTLED');
    expect(test.world.events.rows).toMatchObject([{ type: 'pix.settled', at: START_MS + AFTER_MS }]);
    expect(nextDue(test.world)).toBeUndefined();
  });

  test('of no time settles within the command that makes the charge', () => {
    const test = new TestWorld({ autoSettleMs: 0 });
    expect(test.charge().status).toBe('SETTLED');
  });

  test.each(['charge.settle', 'charge.expire'] as const)(
    'leaves alone what %s has decided before',
    (type) => {
      const test = new TestWorld({ autoSettleMs: AFTER_MS });
      const { id } = test.charge();
      test.do({ type, chargeId: id });
      test.pass(AFTER_MS);
      expect(test.world.events.rows).toHaveLength(1);
    },
  );

  test('comes before the expiry of the same instant', () => {
    const test = new TestWorld({ autoSettleMs: AFTER_MS, assume: { 'charge.lifetime': '3s' } });
    const charge = test.charge();
    test.pass(AFTER_MS);
    expect(charge.status).toBe('SETTLED');
  });
});
