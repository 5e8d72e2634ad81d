import { describe, expect, test } from 'vitest';
import { ledgerProblems } from '../../../src/core/payments/ledger-check.js';
import { TestWorld } from '../../helpers/core/world.js';

describe('the check of the ledger', () => {
  test('finds nothing where everything was paid, failed and returned by the rules', () => {
    const test = new TestWorld();
    const [paid] = [test.charge({ code: 'opening-balance' }), test.charge({ code: 'open' })];
    test.do({ type: 'charge.settle', chargeId: paid.id });
    const { id } = test.withdrawal();
    test.do({ type: 'withdrawal.fail', withdrawalId: id, reason: 'AC03' });
    test.withdrawal({ code: 'kept' });
    expect(ledgerProblems(test.world)).toEqual([]);
  });

  test('names the account, and what moved instead of what should have', () => {
    const test = new TestWorld();
    const charge = test.charge({ code: 'order-1' });
    const account = test.world.accounts.get(charge.accountId);
    charge.status = 'SETTLED';
    if (account !== undefined) account.balanceCents -= 1n;
    expect(ledgerProblems(test.world)).toEqual([
      expect.stringMatching(/^account \S+: transactions add up to \d+\.\d\d, the balance is \d+\.\d\d$/),
      expect.stringMatching(/: order-1 moved 0\.00 instead of \d+\.\d\d$/),
    ]);
  });
});
