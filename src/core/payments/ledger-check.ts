import { OPENING_BALANCE_CODE } from './ledger.js';
import { formatAmount } from '../../contract/money.js';
import type { Account, World } from '../world.js';

/**
 * What is wrong with the ledger, in words: accounts whose transactions do not add up to the balance, or to what their charges
 * and withdrawals say (§2.5). Empty when all is well.
 */
export function ledgerProblems(world: World): string[] {
  return [...world.accounts.values()].flatMap((account) => accountProblems(world, account));
}

/** Whether the transactions add up to the balance, and to what the charges and withdrawals say. */
function accountProblems(world: World, account: Account): string[] {
  const problems: string[] = [];
  const posted = new Map<string, bigint>();
  let sum = 0n;
  for (const [index, { code, direction, amountCents }] of account.transactions.entries()) {
    const cents = BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
    sum += cents;
    // A charge may have the code of the opening balance.
    if (index > 0 || code !== OPENING_BALANCE_CODE) posted.set(code, (posted.get(code) ?? 0n) + cents);
  }
  const name = `account ${account.id}`;
  if (sum !== account.balanceCents) {
    const { balanceCents } = account;
    problems.push(
      `${name}: transactions add up to ${formatAmount(sum)}, the balance is ${formatAmount(balanceCents)}`,
    );
  }
  if (account.balanceCents < 0n)
    problems.push(`${name}: the balance is ${formatAmount(account.balanceCents)}`);
  for (const [code, cents] of expectedByCode(world, account)) {
    const found = posted.get(code) ?? 0n;
    if (found === cents) continue;
    problems.push(`${name}: ${code} moved ${formatAmount(found)} instead of ${formatAmount(cents)}`);
  }
  return problems;
}

function expectedByCode({ charges, withdrawals }: World, { id }: Account): ReadonlyMap<string, bigint> {
  const expected = new Map<string, bigint>();
  const add = (code: string, cents: number) => expected.set(code, (expected.get(code) ?? 0n) + BigInt(cents));
  for (const charge of charges.rows) {
    if (charge.accountId !== id) continue;
    const netCents = charge.amountCents - charge.providerFeeCents - charge.partnerFeeCents;
    add(charge.code, charge.status === 'SETTLED' ? netCents : 0);
  }
  for (const { accountId, code, status, amountCents } of withdrawals.rows) {
    if (accountId === id) add(code, status === 'FAILED' ? 0 : -amountCents);
  }
  return expected;
}
