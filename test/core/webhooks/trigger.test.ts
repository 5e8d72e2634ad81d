import { describe, expect, test } from 'vitest';
import type { TriggerInput } from '../../../src/core/webhooks/trigger.js';
import { type EventType } from '../../../src/contract/enums.js';
import { OPENING_BALANCE_CENTS, TestWorld } from '../../helpers/core/world.js';

function triggering(input: TriggerInput) {
  return { type: 'trigger', ...input } as const;
}

describe('trigger', () => {
  test.each<[EventType, string]>([
    ['pix.settled', 'SETTLED'],
    ['pix.failed', 'FAILED'],
    ['pix.expired', 'EXPIRED'],
    ['withdrawal.settled', 'SETTLED'],
    ['withdrawal.failed', 'FAILED'],
  ])('applies %s to a new resource, which is then %s', (event, status) => {
    const testWorld = new TestWorld();
    const { events, charge, withdrawal } = testWorld.do(triggering({ event }));
    const subject = charge ?? withdrawal;
    expect(subject).toMatchObject({ status, appId: testWorld.app.id });
    expect(events).toMatchObject([{ type: event, resource: { id: subject?.id, status } }]);
    expect(testWorld.world.events.rows).toEqual(events);
  });

  test('accepts chosen fields and generates the rest, with a new code each time', () => {
    const testWorld = new TestWorld();
    const chosen = { amountCents: 250, metadata: { order: '7' } };
    const charges = [1, 2].map(
      () => testWorld.do(triggering({ event: 'pix.settled', chargeFields: chosen })).charge,
    );
    expect(charges[0]).toMatchObject(chosen);
    expect(charges.map((charge) => charge?.code)).toEqual(['charge-1', 'charge-2']);
  });

  test('skips used codes', () => {
    const testWorld = new TestWorld();
    testWorld.charge({ code: 'charge-2' });
    expect(testWorld.do(triggering({ event: 'pix.settled' })).charge?.code).toBe('charge-3');
  });

  test('moves an existing charge or withdrawal, by id or code', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge({ code: 'order-1' });
    expect(testWorld.do(triggering({ event: 'pix.expired', charge: 'order-1' })).charge).toBe(charge);
    expect(testWorld.do(triggering({ event: 'pix.settled', charge: charge.id })).charge?.status).toBe(
      'SETTLED',
    );
    const withdrawal = testWorld.withdrawal({ code: 'payout-1' });
    testWorld.do(triggering({ event: 'withdrawal.settled', withdrawal: 'payout-1' }));
    testWorld.do(triggering({ event: 'withdrawal.failed', withdrawal: 'payout-1', reason: 'AC07' }));
    expect(withdrawal).toMatchObject({ status: 'FAILED', reason: 'AC07' });
  });

  test('acts for the named application', () => {
    const testWorld = new TestWorld();
    const other = testWorld.addApp();
    testWorld.endpoint({}, other);
    testWorld.do(triggering({ event: 'withdrawal.settled', appId: other.name }));
    expect(testWorld.world.deliveries.rows).toHaveLength(1);
    expect(testWorld.world.withdrawals.rows[0]?.appId).toBe(other.id);
  });

  test('adds the missing funds of a withdrawal as a visible CREDIT, and no more', () => {
    const testWorld = new TestWorld();
    const withdrawalFields = { code: 'big', amountCents: OPENING_BALANCE_CENTS + 500 };
    testWorld.do(triggering({ event: 'withdrawal.settled', withdrawalFields }));
    expect(testWorld.balance()).toBe(0n);
    expect(testWorld.world.accounts.get(testWorld.app.accountId)?.transactions.slice(1)).toMatchObject([
      { code: 'funds-big', direction: 'CREDIT', amountCents: 500 },
      { code: 'big', direction: 'DEBIT', amountCents: OPENING_BALANCE_CENTS + 500 },
    ]);
  });
});

describe('a late pix.settled', () => {
  test('expires a new charge first', () => {
    const testWorld = new TestWorld();
    const { events, charge } = testWorld.do(triggering({ event: 'pix.settled', late: true }));
    expect(events.map(({ type }) => type)).toEqual(['pix.expired', 'pix.settled']);
    expect(charge).toMatchObject({ status: 'SETTLED', expiresAt: testWorld.now });
  });

  test('a late pix.settled does not expire an expired charge again', () => {
    const testWorld = new TestWorld();
    const { id } = testWorld.charge();
    testWorld.do({ type: 'charge.expire', chargeId: id });
    const { events } = testWorld.do(triggering({ event: 'pix.settled', charge: id, late: true }));
    expect(events.map(({ type }) => type)).toEqual(['pix.settled']);
  });
});
