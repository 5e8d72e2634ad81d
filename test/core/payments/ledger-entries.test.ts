import { expect, test } from 'vitest';
import { ledgerOf } from '../../../src/core/payments/ledger-check.js';
import { OPENING_BALANCE_CENTS, TestWorld } from '../../helpers/core/world.js';

test('each transaction has what it belongs to, and the balance after it', () => {
  const test = new TestWorld();
  const charge = test.charge({ code: 'one' });
  const withdrawal = test.withdrawal({ code: 'one', amountCents: 2_500 });
  test.do({ type: 'charge.settle', chargeId: charge.id });
  test.do({ type: 'withdrawal.fail', withdrawalId: withdrawal.id, reason: 'AC03' });
  const account = test.world.accounts.get(charge.accountId);
  if (account === undefined) throw new Error('Expected an account.');
  const { entries, missing } = ledgerOf(test.world, account);
  const fee = charge.providerFeeCents + charge.partnerFeeCents;
  let balance = BigInt(OPENING_BALANCE_CENTS);
  const after = (cents: number) => (balance += BigInt(cents));
  expect(entries.map(({ what, resource, balanceCents }) => [what, resource?.id, balanceCents])).toEqual([
    ['opening', undefined, balance],
    ['withdrawal', withdrawal.id, after(-2_500)],
    ['charge', charge.id, after(charge.amountCents)],
    ['fee', charge.id, after(-fee)],
    ['reversal', withdrawal.id, after(2_500)],
  ]);
  expect(missing).toEqual([]);
  expect(account.balanceCents).toBe(balance);
});

test('what a trigger adds belongs to its withdrawal', () => {
  const test = new TestWorld();
  const withdrawalFields = { code: 'payout', amountCents: OPENING_BALANCE_CENTS * 2 };
  test.do({ type: 'trigger', event: 'withdrawal.settled', withdrawalFields });
  const [account] = test.world.accounts.values();
  const [withdrawal] = test.world.withdrawals.rows;
  if (account === undefined) throw new Error('Expected an account.');
  const { entries } = ledgerOf(test.world, account);
  expect(entries.map(({ what, resource }) => [what, resource?.id])).toEqual([
    ['opening', undefined],
    ['funds', withdrawal?.id],
    ['withdrawal', withdrawal?.id],
  ]);
});
