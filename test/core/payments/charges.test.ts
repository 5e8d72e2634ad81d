import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/contract/time.js';
import { listScheduledItems, nextAgendaItem } from '../../../src/core/due.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld } from '../../../src/core/state/import.js';
import type { Charge } from '../../../src/core/world.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

const AFTER_MS = 3 * SECOND_MS;

describe('auto-settle', () => {
  test('auto-settle is due on the agenda, and settles at its time however late the next command comes', () => {
    const testWorld = new TestWorld({ autoSettleMs: AFTER_MS });
    const charge = testWorld.charge();
    const due = nextAgendaItem(testWorld.world);
    expect(due).toMatchObject({ at: START_MS + AFTER_MS, ordinal: charge.ordinal });
    expect(due?.kind).toBe('charge.settle');
    testWorld.pass(AFTER_MS - 1);
    expect(charge.status).toBe('PENDING');
    testWorld.pass(DAY_MS);
    expect(charge.status).toBe('SETTLED');
    expect(testWorld.world.events.rows).toMatchObject([{ type: 'pix.settled', at: START_MS + AFTER_MS }]);
    expect(nextAgendaItem(testWorld.world)).toBeUndefined();
  });

  test('is drawn for each charge from a distribution, and due at the same times after an import', () => {
    const testWorld = new TestWorld({ autoSettleMs: { medianMs: 1_600, p99Ms: 3_890 } });
    const charges = Array.from({ length: 8 }, () => testWorld.charge());
    const agenda = listScheduledItems(testWorld.world).filter(({ kind }) => kind === 'charge.settle');
    expect(new Set(agenda.map(({ at }) => at)).size).toBe(8);
    const world = importWorld(exportWorld(testWorld.world));
    expect(listScheduledItems(world).filter(({ kind }) => kind === 'charge.settle')).toEqual(agenda);
    testWorld.pass(DAY_MS - 1);
    expect(charges.every(({ status }) => status === 'SETTLED')).toBe(true);
    expect(testWorld.world.events.rows.map(({ at }) => at)).toEqual(agenda.map(({ at }) => at));
  });

  test('settles within the command that creates the charge if its delay is zero', () => {
    const testWorld = new TestWorld({ autoSettleMs: 0 });
    expect(testWorld.charge().status).toBe('SETTLED');
  });

  test.each(['charge.settle', 'charge.expire'] as const)(
    'leaves unchanged what %s has decided before',
    (type) => {
      const testWorld = new TestWorld({ autoSettleMs: AFTER_MS });
      const { id } = testWorld.charge();
      testWorld.do({ type, chargeId: id });
      testWorld.pass(AFTER_MS);
      expect(testWorld.world.events.rows).toHaveLength(1);
    },
  );

  test('precedes the expiry at the same time', () => {
    const testWorld = new TestWorld({ autoSettleMs: AFTER_MS, assume: { 'charge.lifetime': '3s' } });
    const charge = testWorld.charge();
    testWorld.pass(AFTER_MS);
    expect(charge.status).toBe('SETTLED');
  });
});

function fees({ providerFeeCents, partnerFeeCents }: Charge): [provider: number, partner: number] {
  return [providerFeeCents, partnerFeeCents];
}

function input(testWorld: TestWorld, fields: object = {}) {
  const charge = {
    code: 'order-1',
    accountId: testWorld.app.accountId,
    amountCents: 1_000,
    payerName: null,
    payerDocument: null,
    metadata: { a: '1', b: '2' },
    ...fields,
  };
  return { type: 'charge.create', appId: testWorld.app.id, charge } as const;
}

describe('creating a charge', () => {
  test('leaves it PENDING for a day', () => {
    const testWorld = new TestWorld();
    expect(testWorld.do(input(testWorld))).toMatchObject({
      created: true,
      charge: { status: 'PENDING', createdAt: START_MS, expiresAt: START_MS + DAY_MS, reason: null },
    });
  });

  test('returns the current charge for the same fields, even after it has expired', () => {
    const testWorld = new TestWorld();
    const { charge } = testWorld.do(input(testWorld));
    const again = input(testWorld, { metadata: { b: '2', a: '1' } });
    expect(testWorld.do(again)).toEqual({ created: false, charge });
    testWorld.pass(DAY_MS);
    expect(testWorld.do(again).charge).toBe(charge);
    expect(charge.status).toBe('EXPIRED');
    expect(testWorld.world.charges.rows).toHaveLength(1);
  });

  test('rejects an unknown and a foreign account with the same text', () => {
    const testWorld = new TestWorld();
    const foreign = testWorld.addApp().accountId;
    const unknown = '00000000-0000-4000-8000-00000000dead';
    const messages = [foreign, unknown].map((accountId) => {
      const { code, message } = testWorld.refuse(input(testWorld, { accountId }));
      return [code, message.replace(accountId, '…')];
    });
    expect(messages).toEqual([messages[0], messages[0]]);
    expect(messages[0]?.[0]).toBe('NOT_FOUND');
  });

  test('creating a charge with a lifetime of zero returns an expired charge', () => {
    const testWorld = new TestWorld({ assume: { 'charge.lifetime': '0s' } });
    expect(testWorld.charge().status).toBe('EXPIRED');
  });
});

describe('the fees', () => {
  test.each([
    [1, 1],
    [49, 49],
    [50, 50],
    [6_249, 50],
    [6_312, 50],
    [6_313, 51],
    [10_000, 80],
    [62_499, 500],
    [62_500, 500],
    [999_999_999_999, 500],
  ])(
    'the fees of %d cents are %d: 0.8 %%, half up, between 0.50 and 5.00, never above the amount',
    (amount, fee) => {
      expect(fees(new TestWorld().charge({ amountCents: amount }))).toEqual([fee, 0]);
    },
  );

  test('the fees follow the assumptions', () => {
    const assume = { 'fee.provider_rate': '10', 'fee.provider_max': '99.99', 'fee.partner_rate': '1.5' };
    expect(fees(new TestWorld({ assume }).charge({ amountCents: 10_000 }))).toEqual([1_000, 150]);
  });

  test('never exceed the amount together', () => {
    const assume = { 'fee.provider_rate': '90', 'fee.provider_max': '99999.99', 'fee.partner_rate': '90' };
    const testWorld = new TestWorld({ assume });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000_000 }), (amountCents) => {
        const [provider, partner] = fees(testWorld.charge({ amountCents }));
        expect(provider + partner).toBeLessThanOrEqual(amountCents);
        expect(Math.min(provider, partner)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('settling a charge', () => {
  test('credits the amount and debits the fees under its code', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge({ code: 'order-1', amountCents: 10_000 });
    const before = testWorld.balance();
    testWorld.do({ type: 'charge.settle', chargeId: charge.id });
    expect(charge.status).toBe('SETTLED');
    expect(testWorld.balance() - before).toBe(10_000n - 80n);
    expect(testWorld.world.accounts.get(testWorld.app.accountId)?.transactions.slice(1)).toMatchObject([
      { code: 'order-1', direction: 'CREDIT', amountCents: 10_000 },
      { code: 'order-1', direction: 'DEBIT', amountCents: 80 },
    ]);
  });

  test('writes no DEBIT without fees', () => {
    const testWorld = new TestWorld({ assume: { 'fee.provider_rate': '0', 'fee.provider_min': '0.00' } });
    testWorld.do({ type: 'charge.settle', chargeId: testWorld.charge().id });
    expect(testWorld.world.accounts.get(testWorld.app.accountId)?.transactions).toHaveLength(2);
  });

  test('announces the state right after the transition, whatever follows', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge();
    testWorld.do({ type: 'charge.expire', chargeId: charge.id });
    testWorld.do({ type: 'charge.settle', chargeId: charge.id });
    expect(testWorld.world.events.rows).toMatchObject([
      { type: 'pix.expired', resource: { id: charge.id, status: 'EXPIRED' } },
      { type: 'pix.settled', resource: { id: charge.id, status: 'SETTLED' } },
    ]);
  });
});

describe('the expiry of a charge', () => {
  test('happens exactly at expires_at: a payment one millisecond before is in time', () => {
    const testWorld = new TestWorld();
    const [early, late] = [testWorld.charge(), testWorld.charge()];
    testWorld.now = early.expiresAt - 1;
    testWorld.do({ type: 'charge.settle', chargeId: early.id });
    expect(late.status).toBe('PENDING');
    testWorld.pass(1);
    expect(late.status).toBe('EXPIRED');
    expect(testWorld.world.events.rows.map(({ type, at }) => [type, at])).toEqual([
      ['pix.settled', START_MS + DAY_MS - 1],
      ['pix.expired', START_MS + DAY_MS],
    ]);
  });

  test('sets expires_at to now when forced, and does not repeat', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge();
    testWorld.pass(HOUR_MS);
    testWorld.do({ type: 'charge.expire', chargeId: charge.id });
    expect(charge).toMatchObject({ status: 'EXPIRED', expiresAt: START_MS + HOUR_MS });
    testWorld.pass(2 * DAY_MS);
    expect(testWorld.world.events.rows).toHaveLength(1);
  });
});

describe('a late payment', () => {
  function expired(window: string) {
    const testWorld = new TestWorld({ assume: { 'charge.late_window': window } });
    const charge = testWorld.charge();
    testWorld.pass(DAY_MS);
    return { test: testWorld, charge };
  }

  test('a late payment is accepted in the last millisecond of the window and not after it', () => {
    const { test, charge } = expired('24h');
    test.pass(DAY_MS - 1);
    const other = test.charge({ code: 'other' });
    test.now += 1;
    const refusal = test.refuse({ type: 'charge.settle', chargeId: charge.id });
    expect(refusal).toMatchObject({
      code: 'INVALID_TRANSITION',
      hint: expect.stringContaining('late_window'),
    });
    expect(other.status).toBe('PENDING');

    const { test: second, charge: inTime } = expired('24h');
    second.pass(DAY_MS - 1);
    second.do({ type: 'charge.settle', chargeId: inTime.id });
    expect(inTime.status).toBe('SETTLED');
  });

  test('starts its window at a forced expiry', () => {
    const testWorld = new TestWorld({ assume: { 'charge.late_window': '1h' } });
    const chargeId = testWorld.charge().id;
    testWorld.do({ type: 'charge.expire', chargeId });
    testWorld.pass(HOUR_MS);
    expect(testWorld.refuse({ type: 'charge.settle', chargeId }).code).toBe('INVALID_TRANSITION');
  });

  test('a late payment is never accepted with a window of zero', () => {
    const { test, charge } = expired('0s');
    expect(test.refuse({ type: 'charge.settle', chargeId: charge.id }).code).toBe('INVALID_TRANSITION');
  });
});

describe('failing a charge', () => {
  test('stores the reason and moves no money', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge();
    const before = testWorld.balance();
    testWorld.do({ type: 'charge.fail', chargeId: charge.id, reason: 'FRAD' });
    expect(charge).toMatchObject({ status: 'FAILED', reason: 'FRAD' });
    expect(testWorld.balance()).toBe(before);
    expect(testWorld.world.events.rows).toMatchObject([{ type: 'pix.failed' }]);
  });
});
