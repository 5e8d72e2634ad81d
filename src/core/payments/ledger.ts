import { formatAmount } from '../../contract/money.js';
import { Refusal } from '../../contract/refusals.js';
import type { ApplyStep } from '../effects.js';
import type { Account, Charge, Transaction, Withdrawal, World } from '../world.js';

/** `code` of an account's opening transaction. */
const OPENING_BALANCE_CODE = 'opening-balance';

/** Prefix in the `code` of funds added by a trigger, followed by the withdrawal's code. */
export const FUNDS_PREFIX = 'funds-';

/** Creates an account; a positive opening balance becomes its first CREDIT. */
export function openAccount(
  step: ApplyStep,
  appId: string,
  id: string,
  openingBalanceCents: number,
): Account {
  const account: Account = { id, appId, balanceCents: 0n, transactions: [] };
  step.world.accounts.set(id, account);
  if (openingBalanceCents > 0) postEntry(step, account, 'CREDIT', openingBalanceCents, OPENING_BALANCE_CODE);
  return account;
}

/**
 * Adds a ledger entry and updates the balance (§2.5). No other function changes a balance. Amounts are in
 * cents.
 */
export function postEntry(
  { world, now }: ApplyStep,
  account: Account,
  direction: 'CREDIT' | 'DEBIT',
  amountCents: number,
  code: string,
): void {
  const ordinal = world.transactionCount;
  world.transactionCount += 1;
  const transaction: Transaction = { ordinal, code, amountCents, direction, createdAt: now };
  account.transactions.push(transaction);
  account.balanceCents += signedCents(transaction);
}

/** Finds an application's account. Throws NOT_FOUND for unknown accounts and other applications' accounts. */
export function findOwnAccount(world: World, appId: string, accountId: string): Account {
  const account = world.accounts.get(accountId);
  if (account === undefined || account.appId !== appId) {
    throw new Refusal('NOT_FOUND', `The application has no account ${accountId}.`, {
      hint: '`npx sandbox env` prints the default application’s account as SANDBOX_ACCOUNT_ID.',
    });
  }
  return account;
}

/** Posting kinds. A trigger adds `funds` to cover its withdrawal. */
export const LEDGER_POSTINGS = ['opening', 'funds', 'charge', 'fee', 'withdrawal', 'reversal'] as const;

type Cause =
  | { readonly what: 'opening' | null; readonly resource: null }
  | { readonly what: 'charge' | 'fee'; readonly resource: Charge }
  | { readonly what: 'withdrawal' | 'reversal' | 'funds'; readonly resource: Withdrawal };

/** Transaction with its cause (null if unknown) and the resulting balance in cents. */
export type LedgerEntry = Cause & {
  readonly ordinal: number;
  readonly account: Account;
  readonly transaction: Transaction;
  readonly balanceCents: bigint;
};

type Posting = Extract<Cause, { resource: object }> & Pick<Transaction, 'direction' | 'amountCents'>;

interface AccountLedger {
  readonly entries: readonly LedgerEntry[];
  readonly missing: readonly Posting[];
}

/** Returns an account's transactions with their causes, and any missing postings. */
export function readLedger(world: World, account: Account): AccountLedger {
  const expected = postingsByCode(world, account);
  let balanceCents = 0n;
  const entries = account.transactions.map((transaction, index): LedgerEntry => {
    balanceCents += signedCents(transaction);
    const cause = findCauseOfEntry(world, account, transaction, index, expected.get(transaction.code));
    return { ...cause, ordinal: transaction.ordinal, account, transaction, balanceCents };
  });
  return { entries, missing: [...expected.values()].flat() };
}

function signedCents({ direction, amountCents }: Pick<Transaction, 'direction' | 'amountCents'>): bigint {
  return BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
}

/** Finds a transaction's cause and removes the matching posting from `expected`. */
function findCauseOfEntry(
  { apps }: World,
  { appId }: Account,
  { code, direction, amountCents }: Transaction,
  index: number,
  expected: Posting[] = [],
): Cause {
  // A charge can have the same code as the opening balance.
  if (index === 0 && code === OPENING_BALANCE_CODE) return { what: 'opening', resource: null };
  const at = expected.findIndex((one) => one.direction === direction && one.amountCents === amountCents);
  const [found] = at < 0 ? [] : expected.splice(at, 1);
  if (found !== undefined) return { what: found.what, resource: found.resource } as Cause;
  const funded =
    direction === 'CREDIT' && code.startsWith(FUNDS_PREFIX)
      ? apps.byId.get(appId)?.withdrawalsByCode.get(code.slice(FUNDS_PREFIX.length))
      : undefined;
  return funded === undefined ? { what: null, resource: null } : { what: 'funds', resource: funded };
}

function postingsByCode({ charges, withdrawals }: World, { id }: Account): Map<string, Posting[]> {
  const byCode = new Map<string, Posting[]>();
  const expect = (posting: Posting) => {
    if (posting.amountCents === 0) return;
    const ofCode = byCode.get(posting.resource.code) ?? [];
    ofCode.push(posting);
    byCode.set(posting.resource.code, ofCode);
  };
  for (const resource of charges.rows) {
    if (resource.accountId !== id || resource.status !== 'SETTLED') continue;
    const { amountCents, providerFeeCents, partnerFeeCents } = resource;
    expect({ what: 'charge', resource, direction: 'CREDIT', amountCents });
    expect({ what: 'fee', resource, direction: 'DEBIT', amountCents: providerFeeCents + partnerFeeCents });
  }
  for (const resource of withdrawals.rows) {
    if (resource.accountId !== id) continue;
    const { amountCents } = resource;
    expect({ what: 'withdrawal', resource, direction: 'DEBIT', amountCents });
    if (resource.status === 'FAILED')
      expect({ what: 'reversal', resource, direction: 'CREDIT', amountCents });
  }
  return byCode;
}

/**
 * Lists accounts whose transactions don't add up to the balance or don't match their charges and withdrawals
 * (§2.5).
 */
export function findLedgerProblems(world: World): string[] {
  return [...world.accounts.values()].flatMap((account) =>
    findAccountProblems(account, readLedger(world, account)),
  );
}

export function findAccountProblems(account: Account, ledger: AccountLedger): string[] {
  const name = `account ${account.id}`;
  const problems: string[] = [];
  const sum = ledger.entries.at(-1)?.balanceCents ?? 0n;
  const { balanceCents } = account;
  if (sum !== balanceCents) {
    problems.push(
      `${name}: transactions add up to ${formatAmount(sum)}, but the balance is ${formatAmount(balanceCents)}`,
    );
  }
  if (balanceCents < 0n) problems.push(`${name}: the balance is ${formatAmount(balanceCents)}`);
  const below = ledger.entries.find((entry) => entry.balanceCents < 0n);
  if (below !== undefined && balanceCents >= 0n) {
    const { balanceCents: low, transaction } = below;
    problems.push(`${name}: ${transaction.code} brought the balance to ${formatAmount(low)}`);
  }
  return [...problems, ...postingProblems(ledger).map((problem) => `${name}: ${problem}`)];
}

/** Lists codes whose transactions don't match their charge or withdrawal. */
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
      ? `${code} moved ${formatAmount(moved)}, but in different transactions than expected`
      : `${code} moved ${formatAmount(moved)} instead of ${formatAmount(wanted)}`;
  });
}
