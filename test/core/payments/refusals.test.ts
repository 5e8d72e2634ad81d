import { expect, test } from 'vitest';
import type { Command } from '../../../src/core/apply.js';
import { draftCharge, draftWithdrawal } from '../../../src/core/payments/payments.js';
import { DAY_MS } from '../../../src/contract/time.js';
import { refusalText } from '../../helpers/core/refusal-text.js';
import { OPENING_BALANCE_CENTS, TestWorld } from '../../helpers/core/world.js';

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

const charging = (fields: Parameters<typeof draftCharge>[1]) =>
  ({ type: 'charge.create', appId: app.id, charge: draftCharge(app, fields) }) as const;
const paying = (fields: Parameters<typeof draftWithdrawal>[1]) =>
  ({ type: 'withdrawal.create', appId: app.id, withdrawal: draftWithdrawal(app, fields) }) as const;

test.each<[Command, string]>([
  [
    charging({ accountId: 'stranger' }),
    'NOT_FOUND There is no account stranger for this application. → `npx sandbox env` prints the account of the default application as SANDBOX_ACCOUNT_ID.',
  ],
  [
    charging({ code: 'open', accountId: further.id, amountCents: 1, payerName: null, payerDocument: null }),
    'CODE_REUSED The code open belongs to an earlier charge with other fields: account_id, amount, payer_name, payer_document, metadata. (account_id: Is "728fcc00-708e-4284-92c7-f8469665c154" in the charge that has this code; got "9c449e8e-70b5-46a4-ad34-090f44e2178c".) (amount: Is "100.00" in the charge that has this code; got "0.01".) (payer_name: Is "Maria da Silva" in the charge that has this code; got null.) (payer_document: Is "52998224725" in the charge that has this code; got null.) (metadata: Differs from that of the charge that has this code.) → Send the same fields to repeat a request; use a new code for a new charge.',
  ],
  [
    charging({ code: 'open', metadata: { order: '2' } }),
    'CODE_REUSED The code open belongs to an earlier charge with other fields: metadata. (metadata: Differs from that of the charge that has this code.) → Send the same fields to repeat a request; use a new code for a new charge.',
  ],
  [
    charging({ code: 'open', metadata: {} }),
    'CODE_REUSED The code open belongs to an earlier charge with other fields: metadata. (metadata: Differs from that of the charge that has this code.) → Send the same fields to repeat a request; use a new code for a new charge.',
  ],
  [
    charging({ code: 'open', metadata: { order: '1', item: '2' } }),
    'CODE_REUSED The code open belongs to an earlier charge with other fields: metadata. (metadata: Differs from that of the charge that has this code.) → Send the same fields to repeat a request; use a new code for a new charge.',
  ],
  [
    charging({ code: 'open', metadata: { item: '1' } }),
    'CODE_REUSED The code open belongs to an earlier charge with other fields: metadata. (metadata: Differs from that of the charge that has this code.) → Send the same fields to repeat a request; use a new code for a new charge.',
  ],
  [
    { type: 'charge.settle', chargeId: 'stranger' },
    'NOT_FOUND There is no charge with the id or code stranger. → `npx sandbox charges list` shows those that exist.',
  ],
  [
    { type: 'charge.settle', chargeId: unpaid.id },
    'INVALID_TRANSITION The window for a late payment of this charge has ended. → Lengthen it with --assume charge.late_window=72h.',
  ],
  [
    { type: 'charge.settle', chargeId: settled.id },
    'INVALID_TRANSITION A charge that is SETTLED cannot become SETTLED. → To send its event again: npx sandbox events resend evt_6a37c66375823de703b9fe3512137c48',
  ],
  [
    { type: 'charge.settle', chargeId: failed.id },
    'INVALID_TRANSITION A charge that is FAILED cannot become SETTLED.',
  ],
  [
    { type: 'charge.fail', chargeId: settled.id, reason: null },
    'INVALID_TRANSITION A charge that is SETTLED cannot become FAILED.',
  ],
  [
    { type: 'charge.expire', chargeId: failed.id },
    'INVALID_TRANSITION A charge that is FAILED cannot become EXPIRED.',
  ],
  [
    paying({ amountCents: 100 }),
    'INVALID_REQUEST The amount does not cover the fee. (amount: Must be above the fee of 1.00.)',
  ],
  [
    paying({ amountCents: OPENING_BALANCE_CENTS * 2 }),
    'INSUFFICIENT_BALANCE The balance does not cover 20000.00. → Settle a charge first, or use `npx sandbox trigger withdrawal.settled`, which adds the funds.',
  ],
  [
    paying({
      code: 'payout',
      accountId: further.id,
      amountCents: 200,
      pixKey: 'ana@example.com',
      beneficiaryDocument: null,
      beneficiaryName: null,
      metadata: { a: '1' },
    }),
    'CODE_REUSED The code payout belongs to an earlier withdrawal with other fields: account_id, amount, pix_key, beneficiary_document, beneficiary_name, metadata. (account_id: Is "728fcc00-708e-4284-92c7-f8469665c154" in the withdrawal that has this code; got "9c449e8e-70b5-46a4-ad34-090f44e2178c".) (amount: Is "100.00" in the withdrawal that has this code; got "2.00".) (pix_key: Is "52998224725" in the withdrawal that has this code; got "ana@example.com".) (beneficiary_document: Is "52998224725" in the withdrawal that has this code; got null.) (beneficiary_name: Is "Maria da Silva" in the withdrawal that has this code; got null.) (metadata: Differs from that of the withdrawal that has this code.) → Send the same fields to repeat a request; use a new code for a new withdrawal.',
  ],
  [
    { type: 'withdrawal.process', withdrawalId: paid.id },
    'INVALID_TRANSITION A withdrawal that is SETTLED cannot become PROCESSING.',
  ],
  [
    { type: 'withdrawal.settle', withdrawalId: paid.id },
    'INVALID_TRANSITION A withdrawal that is SETTLED cannot become SETTLED. → To send its event again: npx sandbox events resend evt_d3a5650789bfa87fe75fccdefafd2a6f',
  ],
  [
    { type: 'withdrawal.settle', withdrawalId: returned.id },
    'INVALID_TRANSITION A withdrawal that is FAILED cannot become SETTLED.',
  ],
  [
    { type: 'withdrawal.fail', withdrawalId: paid.id, reason: 'AC03' },
    'INVALID_TRANSITION A withdrawal that is SETTLED cannot become FAILED by fail. → Use return instead of fail.',
  ],
  [
    { type: 'withdrawal.fail', withdrawalId: returned.id, reason: 'AC03' },
    'INVALID_TRANSITION A withdrawal that is FAILED cannot become FAILED. → To send its event again: npx sandbox events resend evt_2de41bf075830728e208d416a42f2231',
  ],
  [
    { type: 'withdrawal.return', withdrawalId: payout.id, reason: 'AC03' },
    'INVALID_TRANSITION A withdrawal that is PENDING cannot become FAILED by return. → Use fail instead of return.',
  ],
  [
    { type: 'withdrawal.return', withdrawalId: processed.id, reason: 'AC03' },
    'INVALID_TRANSITION A withdrawal that is PROCESSING cannot become FAILED by return. → Use fail instead of return.',
  ],
  [
    { type: 'withdrawal.return', withdrawalId: returned.id, reason: 'AC03' },
    'INVALID_TRANSITION A withdrawal that is FAILED cannot become FAILED. → To send its event again: npx sandbox events resend evt_2de41bf075830728e208d416a42f2231',
  ],
])('%j is refused in words that say what to do', (command, words) => {
  expect(refusalText(life.refuse(command))).toBe(words);
});

test('a payment that is repeated with the same fields is the earlier one', () => {
  expect(life.do(charging({ code: 'open', metadata: { order: '1' } }))).toEqual({
    charge: open,
    created: false,
  });
  expect(life.do(paying({ code: 'payout' }))).toEqual({ withdrawal: payout, created: false });
});
