import type { Step } from '../effects.js';
import { Refusal } from '../../contract/refusals.js';
import type { Account, World } from '../world.js';

/** The `code` of the transaction that opens an account. */
export const OPENING_BALANCE_CODE = 'opening-balance';

/** Begins the `code` of what a trigger adds to an account for a withdrawal; the rest is the withdrawal's own. */
export const FUNDS_PREFIX = 'funds-';

/** A new account; an opening balance is its first CREDIT. */
export function openAccount(step: Step, appId: string, id: string, openingBalanceCents: number): Account {
  const account: Account = { id, appId, balanceCents: 0n, transactions: [] };
  step.world.accounts.set(id, account);
  if (openingBalanceCents > 0) post(step, account, 'CREDIT', openingBalanceCents, OPENING_BALANCE_CODE);
  return account;
}

/** Writes one ledger line and changes the balance by it; the only function that does (§2.5). Amounts are cents. */
export function post(
  { world, now }: Step,
  account: Account,
  direction: 'CREDIT' | 'DEBIT',
  amountCents: number,
  code: string,
): void {
  const ordinal = world.transactionCount;
  world.transactionCount += 1;
  account.transactions.push({
    ordinal,
    code,
    amountCents,
    direction,
    createdAt: now,
  });
  account.balanceCents += BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
}

/** The account, if it is the application's; NOT_FOUND for an unknown and for a foreign one alike. */
export function ownAccount(world: World, appId: string, accountId: string): Account {
  const account = world.accounts.get(accountId);
  if (account === undefined || account.appId !== appId) {
    throw new Refusal('NOT_FOUND', `There is no account ${accountId} for this application.`, {
      hint: '`npx sandbox env` prints the account of the default application as SANDBOX_ACCOUNT_ID.',
    });
  }
  return account;
}
