import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ownAccount, post } from '../../../src/core/payments/ledger.js';
import { OPENING_BALANCE_CENTS, START_MS, TestWorld } from '../../helpers/core/world.js';

const anyLine = fc.tuple(
  fc.constantFrom('CREDIT', 'DEBIT'),
  fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.constant(Number.MAX_SAFE_INTEGER)),
);

describe('the ledger', () => {
  test('begins with the opening balance as its first CREDIT', () => {
    const test = new TestWorld();
    expect(ownAccount(test.world, test.app.id, test.app.accountId)).toMatchObject({
      balanceCents: BigInt(OPENING_BALANCE_CENTS),
      transactions: [
        { ordinal: 0, direction: 'CREDIT', amountCents: OPENING_BALANCE_CENTS, createdAt: START_MS },
      ],
    });
  });

  test('has the balance as its sum, exactly, also beyond 2^53', () => {
    fc.assert(
      fc.property(fc.array(anyLine), (lines) => {
        const { world, app } = new TestWorld();
        const account = ownAccount(world, app.id, app.accountId);
        for (const [direction, cents] of lines) {
          post({ world, now: START_MS, effects: [] }, account, direction, cents, 'x');
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
