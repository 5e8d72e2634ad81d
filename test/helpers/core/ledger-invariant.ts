import { ledgerProblems } from '../../../src/core/payments/ledger-check.js';
import type { World } from '../../../src/core/world.js';
import { must } from './must.js';

/** The balance is the sum of the ledger, and the ledger is what the charges and withdrawals say. */
export function checkLedger(world: World): void {
  const problems = ledgerProblems(world);
  must(problems.length === 0, problems.join('; '));
  let count = 0;
  for (const account of world.accounts.values()) {
    let sum = 0n;
    let funds = 0n;
    for (const { direction, amountCents, code } of account.transactions) {
      sum += BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
      if (/^(opening-balance|funds-.*)$/.test(code)) funds += BigInt(amountCents);
      must(sum >= 0n, 'a balance went below zero');
    }
    must(account.balanceCents === sum, `the balance is ${account.balanceCents}, and the ledger's sum ${sum}`);
    const moved = funds + earned(world, account.id) - paidOut(world, account.id);
    must(sum === moved, `the ledger's sum is ${sum}, and what was moved ${moved}`);
    count += account.transactions.length;
  }
  must(world.transactionCount === count, 'a line of the ledger is missing');
}

function earned({ charges }: World, accountId: string): bigint {
  const settled = charges.rows.filter(
    (charge) => charge.accountId === accountId && charge.status === 'SETTLED',
  );
  return settled.reduce(
    (sum, charge) => sum + BigInt(charge.amountCents - charge.providerFeeCents - charge.partnerFeeCents),
    0n,
  );
}

function paidOut({ withdrawals }: World, accountId: string): bigint {
  const standing = withdrawals.rows.filter((row) => row.accountId === accountId && row.status !== 'FAILED');
  return standing.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
}
