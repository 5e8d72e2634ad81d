import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readLedger,
  findLedgerProblems,
  findOwnAccount,
  postEntry,
} from '../../../src/core/payments/ledger.js';
import type { Transaction } from '../../../src/core/world.js';
import { OPENING_BALANCE_CENTS, START_MS, TestWorld } from '../../helpers/core/world.js';

const anyLine = fc.tuple(
  fc.constantFrom('CREDIT', 'DEBIT'),
  fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.constant(Number.MAX_SAFE_INTEGER)),
);

describe('the ledger', () => {
  test('starts with the opening balance as its first CREDIT', () => {
    const testWorld = new TestWorld();
    expect(findOwnAccount(testWorld.world, testWorld.app.id, testWorld.app.accountId)).toMatchObject({
      balanceCents: BigInt(OPENING_BALANCE_CENTS),
      transactions: [
        { ordinal: 0, direction: 'CREDIT', amountCents: OPENING_BALANCE_CENTS, createdAt: START_MS },
      ],
    });
  });

  test('sums up exactly to the balance, even beyond 2^53', () => {
    fc.assert(
      fc.property(fc.array(anyLine), (lines) => {
        const { world, app } = new TestWorld();
        const account = findOwnAccount(world, app.id, app.accountId);
        for (const [direction, cents] of lines) {
          postEntry({ world, now: START_MS, effects: [] }, account, direction, cents, 'x');
        }
        const sum = lines.reduce(
          (total, [direction, cents]) => total + (direction === 'CREDIT' ? BigInt(cents) : -BigInt(cents)),
          BigInt(OPENING_BALANCE_CENTS),
        );
        expect(account.balanceCents).toBe(sum);
        expect(new Set(account.transactions.map(({ ordinal }) => ordinal)).size).toBe(lines.length + 1);
      }),
    );
  });
});

test('stores the origin and the resulting balance of each transaction', () => {
  const testWorld = new TestWorld();
  const charge = testWorld.charge({ code: 'one' });
  const withdrawal = testWorld.withdrawal({ code: 'one', amountCents: 2_500 });
  testWorld.do({ type: 'charge.settle', chargeId: charge.id });
  testWorld.do({ type: 'withdrawal.fail', withdrawalId: withdrawal.id, reason: 'AC03' });
  const account = testWorld.world.accounts.get(charge.accountId);
  if (account === undefined) throw new Error('Expected an account.');
  const { entries, missing } = readLedger(testWorld.world, account);
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

test('links amounts added by a trigger to its withdrawal', () => {
  const testWorld = new TestWorld();
  const withdrawalFields = { code: 'payout', amountCents: OPENING_BALANCE_CENTS * 2 };
  testWorld.do({ type: 'trigger', event: 'withdrawal.settled', withdrawalFields });
  const [account] = testWorld.world.accounts.values();
  const [withdrawal] = testWorld.world.withdrawals.rows;
  if (account === undefined) throw new Error('Expected an account.');
  const { entries } = readLedger(testWorld.world, account);
  expect(entries.map(({ what, resource }) => [what, resource?.id])).toEqual([
    ['opening', undefined],
    ['funds', withdrawal?.id],
    ['withdrawal', withdrawal?.id],
  ]);
});

describe('the check of the ledger', () => {
  test('finds nothing if everything was paid, failed and returned by the rules', () => {
    const testWorld = new TestWorld();
    const [paid] = [testWorld.charge({ code: 'opening-balance' }), testWorld.charge({ code: 'open' })];
    testWorld.do({ type: 'charge.settle', chargeId: paid.id });
    const { id } = testWorld.withdrawal();
    testWorld.do({ type: 'withdrawal.fail', withdrawalId: id, reason: 'AC03' });
    testWorld.withdrawal({ code: 'kept' });
    expect(findLedgerProblems(testWorld.world)).toEqual([]);
  });

  test('names the account, and the actual and expected amount', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge({ code: 'order-1' });
    const account = testWorld.world.accounts.get(charge.accountId);
    charge.status = 'SETTLED';
    if (account !== undefined) account.balanceCents -= 1n;
    expect(findLedgerProblems(testWorld.world)).toEqual([
      expect.stringMatching(/^account \S+: transactions add up to \d+\.\d\d, but the balance is \d+\.\d\d$/),
      expect.stringMatching(/: order-1 moved 0\.00 instead of \d+\.\d\d$/),
    ]);
  });

  const twice = (testWorld: TestWorld, change: (one: Transaction) => Partial<Transaction>) => {
    const charge = testWorld.charge({ code: 'order-1' });
    testWorld.do({ type: 'charge.settle', chargeId: charge.id });
    const account = testWorld.world.accounts.get(charge.accountId);
    const posted = account?.transactions.find(({ code }) => code === 'order-1');
    if (account === undefined || posted === undefined) throw new Error('Expected a transaction.');
    const added = { ...posted, ordinal: posted.ordinal + 10, ...change(posted) };
    account.transactions.push(added);
    account.balanceCents += BigInt(added.direction === 'CREDIT' ? added.amountCents : -added.amountCents);
    return account;
  };

  test('finds duplicate and unexplained transactions', () => {
    const testWorld = new TestWorld();
    twice(testWorld, () => ({}));
    expect(findLedgerProblems(testWorld.world)).toEqual([
      expect.stringMatching(/: order-1 moved \S+ instead of \S+$/),
    ]);
    const other = new TestWorld();
    twice(other, () => ({ code: 'nothing', amountCents: 5 }));
    expect(findLedgerProblems(other.world)).toEqual([
      expect.stringMatching(/: nothing moved 0\.05 instead of 0\.00$/),
    ]);
  });

  test('finds a fee deducted from the credit', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge({ code: 'order-1' });
    testWorld.do({ type: 'charge.settle', chargeId: charge.id });
    const account = testWorld.world.accounts.get(charge.accountId);
    const [credit, fee] = (account?.transactions ?? []).filter(({ code }) => code === 'order-1');
    if (account === undefined || credit === undefined || fee === undefined) throw new Error('Expected two.');
    Object.assign(credit, { amountCents: credit.amountCents - fee.amountCents });
    account.transactions.splice(account.transactions.indexOf(fee), 1);
    expect(findLedgerProblems(testWorld.world)).toEqual([
      expect.stringMatching(/: order-1 moved \S+, but in different transactions than expected$/),
    ]);
  });

  test('finds a temporarily negative balance', () => {
    const testWorld = new TestWorld();
    const account = twice(testWorld, () => ({
      code: 'nothing',
      direction: 'DEBIT',
      amountCents: 99_999_999,
    }));
    const [last] = account.transactions.slice(-1);
    if (last !== undefined) account.transactions.push({ ...last, direction: 'CREDIT' });
    account.balanceCents += 99_999_999n;
    expect(findLedgerProblems(testWorld.world)[0]).toMatch(/: nothing brought the balance to -\d+\.\d\d$/);
  });

  test('recognizes amounts added by a trigger, even if a charge has its code', () => {
    const testWorld = new TestWorld();
    testWorld.charge({ code: 'funds-payout' });
    const withdrawalFields = { code: 'payout', amountCents: OPENING_BALANCE_CENTS * 2 };
    testWorld.do({ type: 'trigger', event: 'withdrawal.settled', withdrawalFields });
    expect(findLedgerProblems(testWorld.world)).toEqual([]);
  });
});
