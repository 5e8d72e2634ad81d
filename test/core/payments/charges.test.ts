import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/contract/time.js';
import { nextAgendaItem } from '../../../src/core/due.js';
import type { Charge } from '../../../src/core/world.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

const AFTER_MS = 3 * SECOND_MS;

describe('auto-settle', () => {
  test('auto-settle is due on the agenda, and settles at its time however late the next command comes', () => {
    const test = new TestWorld({ autoSettleMs: AFTER_MS });
    const charge = test.charge();
    const due = nextAgendaItem(test.world);
    expect(due).toMatchObject({ at: START_MS + AFTER_MS, ordinal: charge.ordinal });
    expect(due?.kind).toBe('charge.settle');
    test.pass(AFTER_MS - 1);
    expect(charge.status).toBe('PENDING');
    test.pass(DAY_MS);
    expect(charge.status).toBe('SETTLED');
    expect(test.world.events.rows).toMatchObject([{ type: 'pix.settled', at: START_MS + AFTER_MS }]);
    expect(nextAgendaItem(test.world)).toBeUndefined();
  });

  test('settles within the command that creates the charge if its delay is zero', () => {
    const test = new TestWorld({ autoSettleMs: 0 });
    expect(test.charge().status).toBe('SETTLED');
  });

  test.each(['charge.settle', 'charge.expire'] as const)(
    'leaves unchanged what %s has decided before',
    (type) => {
      const test = new TestWorld({ autoSettleMs: AFTER_MS });
      const { id } = test.charge();
      test.do({ type, chargeId: id });
      test.pass(AFTER_MS);
      expect(test.world.events.rows).toHaveLength(1);
    },
  );

  test('precedes the expiry at the same time', () => {
    const test = new TestWorld({ autoSettleMs: AFTER_MS, assume: { 'charge.lifetime': '3s' } });
    const charge = test.charge();
    test.pass(AFTER_MS);
    expect(charge.status).toBe('SETTLED');
  });
});

function fees({ providerFeeCents, partnerFeeCents }: Charge): [provider: number, partner: number] {
  return [providerFeeCents, partnerFeeCents];
}

function input(test: TestWorld, fields: object = {}) {
  const charge = {
    code: 'order-1',
    accountId: test.app.accountId,
    amountCents: 1_000,
    payerName: null,
    payerDocument: null,
    metadata: { a: '1', b: '2' },
    ...fields,
  };
  return { type: 'charge.create', appId: test.app.id, charge } as const;
}

describe('creating a charge', () => {
  test('leaves it PENDING for a day', () => {
    const test = new TestWorld();
    expect(test.do(input(test))).toMatchObject({
      created: true,
      charge: { status: 'PENDING', createdAt: START_MS, expiresAt: START_MS + DAY_MS, reason: null },
    });
  });

  test('returns the current charge for the same fields, even after it has expired', () => {
    const test = new TestWorld();
    const { charge } = test.do(input(test));
    const again = input(test, { metadata: { b: '2', a: '1' } });
    expect(test.do(again)).toEqual({ created: false, charge });
    test.pass(DAY_MS);
    expect(test.do(again).charge).toBe(charge);
    expect(charge.status).toBe('EXPIRED');
    expect(test.world.charges.rows).toHaveLength(1);
  });

  test('rejects an unknown and a foreign account with the same text', () => {
    const test = new TestWorld();
    const foreign = test.addApp().accountId;
    const unknown = '00000000-0000-4000-8000-00000000dead';
    const messages = [foreign, unknown].map((accountId) => {
      const { code, message } = test.refuse(input(test, { accountId }));
      return [code, message.replace(accountId, '…')];
    });
    expect(messages).toEqual([messages[0], messages[0]]);
    expect(messages[0]?.[0]).toBe('NOT_FOUND');
  });

  test('creating a charge with a lifetime of zero returns an expired charge', () => {
    const test = new TestWorld({ assume: { 'charge.lifetime': '0s' } });
    expect(test.charge().status).toBe('EXPIRED');
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
    const test = new TestWorld({ assume });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000_000 }), (amountCents) => {
        const [provider, partner] = fees(test.charge({ amountCents }));
        expect(provider + partner).toBeLessThanOrEqual(amountCents);
        expect(Math.min(provider, partner)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('settling a charge', () => {
  test('credits the amount and debits the fees under its code', () => {
    const test = new TestWorld();
    const charge = test.charge({ code: 'order-1', amountCents: 10_000 });
    const before = test.balance();
    test.do({ type: 'charge.settle', chargeId: charge.id });
    expect(charge.status).toBe('SETTLED');
    expect(test.balance() - before).toBe(10_000n - 80n);
    expect(test.world.accounts.get(test.app.accountId)?.transactions.slice(1)).toMatchObject([
      { code: 'order-1', direction: 'CREDIT', amountCents: 10_000 },
      { code: 'order-1', direction: 'DEBIT', amountCents: 80 },
    ]);
  });

  test('writes no DEBIT without fees', () => {
    const test = new TestWorld({ assume: { 'fee.provider_rate': '0', 'fee.provider_min': '0.00' } });
    test.do({ type: 'charge.settle', chargeId: test.charge().id });
    expect(test.world.accounts.get(test.app.accountId)?.transactions).toHaveLength(2);
  });

  test('announces the state right after the transition, whatever follows', () => {
    const test = new TestWorld();
    const charge = test.charge();
    test.do({ type: 'charge.expire', chargeId: charge.id });
    test.do({ type: 'charge.settle', chargeId: charge.id });
    expect(test.world.events.rows).toMatchObject([
      { type: 'pix.expired', resource: { id: charge.id, status: 'EXPIRED' } },
      { type: 'pix.settled', resource: { id: charge.id, status: 'SETTLED' } },
    ]);
  });
});

describe('the expiry of a charge', () => {
  test('happens exactly at expires_at: a payment one millisecond before is in time', () => {
    const test = new TestWorld();
    const [early, late] = [test.charge(), test.charge()];
    test.now = early.expiresAt - 1;
    test.do({ type: 'charge.settle', chargeId: early.id });
    expect(late.status).toBe('PENDING');
    test.pass(1);
    expect(late.status).toBe('EXPIRED');
    expect(test.world.events.rows.map(({ type, at }) => [type, at])).toEqual([
      ['pix.settled', START_MS + DAY_MS - 1],
      ['pix.expired', START_MS + DAY_MS],
    ]);
  });

  test('sets expires_at to now when forced, and does not repeat', () => {
    const test = new TestWorld();
    const charge = test.charge();
    test.pass(HOUR_MS);
    test.do({ type: 'charge.expire', chargeId: charge.id });
    expect(charge).toMatchObject({ status: 'EXPIRED', expiresAt: START_MS + HOUR_MS });
    test.pass(2 * DAY_MS);
    expect(test.world.events.rows).toHaveLength(1);
  });
});

describe('a late payment', () => {
  function expired(window: string) {
    const test = new TestWorld({ assume: { 'charge.late_window': window } });
    const charge = test.charge();
    test.pass(DAY_MS);
    return { test, charge };
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
    const test = new TestWorld({ assume: { 'charge.late_window': '1h' } });
    const chargeId = test.charge().id;
    test.do({ type: 'charge.expire', chargeId });
    test.pass(HOUR_MS);
    expect(test.refuse({ type: 'charge.settle', chargeId }).code).toBe('INVALID_TRANSITION');
  });

  test('a late payment is never accepted with a window of zero', () => {
    const { test, charge } = expired('0s');
    expect(test.refuse({ type: 'charge.settle', chargeId: charge.id }).code).toBe('INVALID_TRANSITION');
  });
});

describe('failing a charge', () => {
  test('stores the reason and moves no money', () => {
    const test = new TestWorld();
    const charge = test.charge();
    const before = test.balance();
    test.do({ type: 'charge.fail', chargeId: charge.id, reason: 'FRAD' });
    expect(charge).toMatchObject({ status: 'FAILED', reason: 'FRAD' });
    expect(test.balance()).toBe(before);
    expect(test.world.events.rows).toMatchObject([{ type: 'pix.failed' }]);
  });
});
