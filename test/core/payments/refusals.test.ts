import type { ChargeInput, WithdrawalInput } from '../../../src/core/world.js';
import { expect, test } from 'vitest';
import type { Command } from '../../../src/core/apply.js';
import { createPaymentDraft } from '../../../src/core/payments/payments.js';
import { DAY_MS } from '../../../src/contract/time.js';
import { OPENING_BALANCE_CENTS, refusalsOf, TestWorld } from '../../helpers/core/world.js';

const life = new TestWorld();
const { app } = life;
const unpaid = life.charge({ code: 'unpaid' });
life.pass(2 * DAY_MS);
const settled = life.charge({ code: 'settled' });
life.do({ type: 'charge.settle', chargeId: settled.id });
const failed = life.charge({ code: 'failed' });
life.do({ type: 'charge.fail', chargeId: failed.id, reason: null });
const open = life.charge({ code: 'open', metadata: { order: '1' } });
const payout = life.withdrawal({ code: 'payout' });
const processed = life.withdrawal({ code: 'processed' });
life.do({ type: 'withdrawal.process', withdrawalId: processed.id });
const paid = life.withdrawal({ code: 'paid' });
life.do({ type: 'withdrawal.settle', withdrawalId: paid.id });
const returned = life.withdrawal({ code: 'returned' });
life.do({ type: 'withdrawal.fail', withdrawalId: returned.id, reason: 'AC03' });
const further = life.do({ type: 'account.create', appId: app.id, openingBalanceCents: 0 });

const charging = (fields: Partial<ChargeInput>) =>
  ({ type: 'charge.create', appId: app.id, charge: createPaymentDraft('charge', app, fields) }) as const;
const paying = (fields: Partial<WithdrawalInput>) =>
  ({
    type: 'withdrawal.create',
    appId: app.id,
    withdrawal: createPaymentDraft('withdrawal', app, fields),
  }) as const;

const REFUSED: readonly Command[] = [
  charging({ accountId: 'stranger' }),
  charging({ code: 'open', accountId: further.id, amountCents: 1, payerName: null, payerDocument: null }),
  charging({ code: 'open', metadata: { order: '2' } }),
  charging({ code: 'open', metadata: {} }),
  charging({ code: 'open', metadata: { order: '1', item: '2' } }),
  charging({ code: 'open', metadata: { item: '1' } }),
  { type: 'charge.settle', chargeId: 'stranger' },
  { type: 'charge.settle', chargeId: unpaid.id },
  { type: 'charge.settle', chargeId: settled.id },
  { type: 'charge.settle', chargeId: failed.id },
  { type: 'charge.fail', chargeId: settled.id, reason: null },
  { type: 'charge.expire', chargeId: failed.id },
  paying({ amountCents: 100 }),
  paying({ amountCents: OPENING_BALANCE_CENTS * 2 }),
  paying({
    code: 'payout',
    accountId: further.id,
    amountCents: 200,
    pixKey: 'ana@example.com',
    beneficiaryDocument: null,
    beneficiaryName: null,
    metadata: { a: '1' },
  }),
  { type: 'withdrawal.process', withdrawalId: paid.id },
  { type: 'withdrawal.settle', withdrawalId: paid.id },
  { type: 'withdrawal.settle', withdrawalId: returned.id },
  { type: 'withdrawal.fail', withdrawalId: paid.id, reason: 'AC03' },
  { type: 'withdrawal.fail', withdrawalId: returned.id, reason: 'AC03' },
  { type: 'withdrawal.return', withdrawalId: payout.id, reason: 'AC03' },
  { type: 'withdrawal.return', withdrawalId: processed.id, reason: 'AC03' },
  { type: 'withdrawal.return', withdrawalId: returned.id, reason: 'AC03' },
];

test('payment errors state what to do', async () => {
  await expect(refusalsOf(life, REFUSED)).toMatchFileSnapshot('../golden/refused-payments.txt');
});

test('a payment repeated with the same fields is the earlier one', () => {
  expect(life.do(charging({ code: 'open', metadata: { order: '1' } }))).toEqual({
    charge: open,
    created: false,
  });
  expect(life.do(paying({ code: 'payout' }))).toEqual({ withdrawal: payout, created: false });
});
