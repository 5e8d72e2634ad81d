import { describe, expect, test } from 'vitest';
import type { MoveOf } from '../../../src/contract/transitions.js';
import { moveCommand } from '../../../src/core/apply.js';
import { computeWithdrawalFee } from '../../../src/core/payments/payments.js';
import type { Withdrawal } from '../../../src/core/world.js';
import { OPENING_BALANCE_CENTS, TestWorld } from '../../helpers/core/world.js';

type Move = MoveOf<'withdrawal'>;

/** A withdrawal that went through these moves. */
function after(testWorld: TestWorld, ...moves: Move[]): Withdrawal {
  const withdrawal = testWorld.withdrawal({ amountCents: 10_000 });
  for (const move of moves) testWorld.do(moveCommand('withdrawal', move, withdrawal.id));
  return withdrawal;
}

describe('creating a withdrawal', () => {
  test('deducts the whole amount from the balance immediately', () => {
    const testWorld = new TestWorld();
    const withdrawal = testWorld.withdrawal({ code: 'payout-1', amountCents: 10_000 });
    expect(withdrawal).toMatchObject({ status: 'PENDING', feeCents: 100 });
    expect(testWorld.balance()).toBe(BigInt(OPENING_BALANCE_CENTS - 10_000));
    expect(testWorld.world.accounts.get(testWorld.app.accountId)?.transactions.at(-1)).toMatchObject({
      code: 'payout-1',
      direction: 'DEBIT',
      amountCents: 10_000,
    });
  });

  test.each([
    [49_999, 100],
    [50_000, 0],
    [101, 100],
  ])('creating a withdrawal of %d cents costs %d', (amount, fee) =>
    expect(computeWithdrawalFee(amount)).toBe(fee),
  );

  test('creating a withdrawal may use the whole balance, and not a cent more', () => {
    const testWorld = new TestWorld();
    const withdrawal = {
      code: 'all',
      accountId: testWorld.app.accountId,
      amountCents: OPENING_BALANCE_CENTS + 1,
      pixKey: '52998224725',
      beneficiaryDocument: null,
      beneficiaryName: null,
      metadata: {},
    };
    const command = { type: 'withdrawal.create', appId: testWorld.app.id, withdrawal } as const;
    expect(testWorld.refuse(command).code).toBe('INSUFFICIENT_BALANCE');
    testWorld.withdrawal({ amountCents: OPENING_BALANCE_CENTS });
    expect(testWorld.balance()).toBe(0n);
  });
});

describe('a withdrawal', () => {
  test.each<[Withdrawal['status'], Move[]]>([
    ['PROCESSING', ['process']],
    ['SETTLED', ['process', 'settle']],
    ['SETTLED', ['settle']],
    ['FAILED', ['fail']],
    ['FAILED', ['process', 'fail']],
    ['FAILED', ['settle', 'return']],
  ])('becomes %s by %j', (status, moves) => {
    expect(after(new TestWorld(), ...moves).status).toBe(status);
  });

  test('a withdrawal has the type of its key', () => {
    expect(new TestWorld().withdrawal({ pixKey: '+5511987654321' }).pixKeyType).toBe('PHONE');
  });

  test('a withdrawal is processed before an immediate settlement', () => {
    const testWorld = new TestWorld();
    const before = testWorld.effects.length;
    after(testWorld, 'settle');
    const types = testWorld.effects.slice(before).map(({ type }) => type);
    expect(types).toEqual(['withdrawal', 'withdrawal', 'withdrawal', 'event']);
  });

  test.each<[string, Move[]]>([
    ['rejected', ['fail']],
    ['returned', ['settle', 'return']],
  ])('a withdrawal that is %s restores the balance and announces it', (_, moves) => {
    const testWorld = new TestWorld();
    const withdrawal = after(testWorld, ...moves);
    expect(testWorld.balance()).toBe(BigInt(OPENING_BALANCE_CENTS));
    expect(testWorld.world.events.rows.at(-1)).toMatchObject({
      type: 'withdrawal.failed',
      resource: { id: withdrawal.id, status: 'FAILED', reason: withdrawal.reason },
    });
  });

  test('only a settled withdrawal is returned with an SPI return code, also by trigger', () => {
    const testWorld = new TestWorld();
    const reason = 'MD06';
    const [pending, settled] = [after(testWorld), after(testWorld, 'settle')];
    for (const command of [
      moveCommand('withdrawal', 'fail', pending.id, reason),
      moveCommand('charge', 'fail', testWorld.charge().id, reason),
      { type: 'trigger', event: 'withdrawal.failed', reason },
      { type: 'trigger', event: 'pix.failed', reason },
    ] as const) {
      expect(testWorld.refuse(command)).toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringMatching(
          /^The reason MD06 \(returned at .*\) applies only to settled withdrawals/,
        ),
      });
    }
    testWorld.do({ type: 'trigger', event: 'withdrawal.failed', withdrawal: settled.id, reason });
    expect(settled).toMatchObject({ status: 'FAILED', reason });
  });
});
