import { formatAmount } from '../../contract/money.js';
import type { Account, Transaction, World } from '../world.js';
import type { AccountLedger } from './ledger-entries.js';
import { ledgerOf, signedCents } from './ledger-entries.js';

/**
 * What is wrong with the ledger, in words: accounts whose transactions do not add up to the balance, or are not those of their
 * charges and withdrawals, each once (§2.5). Empty when all is well.
 */
export function ledgerProblems(world: World): string[] {
  return [...world.accounts.values()].flatMap((account) =>
    accountProblems(account, ledgerOf(world, account)),
  );
}

/** The same for one account with its ledger. */
export function accountProblems(account: Account, ledger: AccountLedger): string[] {
  const name = `account ${account.id}`;
  const problems: string[] = [];
  const sum = ledger.entries.at(-1)?.balanceCents ?? 0n;
  const { balanceCents } = account;
  if (sum !== balanceCents) {
    problems.push(
      `${name}: transactions add up to ${formatAmount(sum)}, the balance is ${formatAmount(balanceCents)}`,
    );
  }
  if (balanceCents < 0n) problems.push(`${name}: the balance is ${formatAmount(balanceCents)}`);
  const below = ledger.entries.find((entry) => entry.balanceCents < 0n);
  if (below !== undefined && balanceCents >= 0n) {
    const { balanceCents: low, transaction } = below;
    problems.push(`${name}: ${transaction.code} took the balance to ${formatAmount(low)}`);
  }
  return [...problems, ...postingProblems(ledger).map((problem) => `${name}: ${problem}`)];
}

/** The codes whose transactions are not those of their charge or withdrawal. */
function postingProblems({ entries, missing }: AccountLedger): string[] {
  const wrong = new Set(missing.map(({ resource }) => resource.code));
  for (const { what, transaction } of entries) if (what === null) wrong.add(transaction.code);
  if (wrong.size === 0) return [];
  const found = new Map<string, bigint>();
  const expected = new Map<string, bigint>();
  const add = (
    sums: Map<string, bigint>,
    code: string,
    transaction: Pick<Transaction, 'direction' | 'amountCents'>,
  ) => sums.set(code, (sums.get(code) ?? 0n) + signedCents(transaction));
  for (const { what, transaction } of entries) {
    if (what === 'opening' || what === 'funds') continue;
    add(found, transaction.code, transaction);
    if (what !== null) add(expected, transaction.code, transaction);
  }
  for (const posting of missing) add(expected, posting.resource.code, posting);
  return Array.from(wrong, (code) => {
    const [moved, wanted] = [found.get(code) ?? 0n, expected.get(code) ?? 0n];
    return moved === wanted
      ? `${code} moved ${formatAmount(moved)}, but in other transactions than it should`
      : `${code} moved ${formatAmount(moved)} instead of ${formatAmount(wanted)}`;
  });
}
