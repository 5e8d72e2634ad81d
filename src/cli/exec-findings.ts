import { formatAmount } from '../core/money.js';
import type { Account, Delivery, World } from '../core/world.js';
import type { UnmatchedCalls } from './unmatched-calls.js';

/** What `exec --fail-on` turns into a failure. */
export const FAIL_ON = ['undelivered', 'unverified', 'ledger', 'unmatched'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** Something that the sandbox saw and that should not be. */
export interface ExecFinding {
  readonly kind: FailOn;
  readonly message: string;
}

const FORGERIES = new Set(['wrong-signature', 'stale-timestamp']);

/** Where findings are looked for. */
export interface Seen {
  readonly world: World;
  readonly unmatched: UnmatchedCalls;
}

const LOOKS: Readonly<Record<FailOn, (seen: Seen) => string[]>> = {
  undelivered: ({ world }) => undelivered(world),
  unverified: ({ world }) => unverified(world),
  ledger: ({ world }) => ledger(world),
  unmatched: ({ unmatched }) => unmatched.messages(),
};

/** What was seen of the kinds asked for. */
export function findingsOf(seen: Seen, kinds: readonly FailOn[]): ExecFinding[] {
  return kinds.flatMap((kind) => LOOKS[kind](seen).map((message) => ({ kind, message })));
}

function undelivered({ deliveries, endpoints }: World): string[] {
  return deliveries.rows
    .filter(({ status }) => status !== 'DELIVERED')
    .map((delivery) => {
      const { event, status, attempts, lastError, lastStatus, endpointId } = delivery;
      const endpoint = endpoints.get(endpointId);
      const place = endpoint?.description ?? endpoint?.url ?? endpointId;
      const last =
        lastError === null ? '' : `, the last ${[lastError, lastStatus ?? ''].join(' ').trimEnd()}`;
      const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
      return `${event.type} of ${event.resource.code} is ${status} (${place}) after ${count}${last}`;
    });
}

/** Forged deliveries that the receiver took: it does not verify what it gets. */
function unverified({ deliveries }: World): string[] {
  return deliveries.rows.flatMap((delivery) =>
    acceptedForgeries(delivery).map(
      ({ number, action }) =>
        `${delivery.event.type} of ${delivery.event.resource.code}: attempt ${number} had a ${action} and was accepted`,
    ),
  );
}

function acceptedForgeries({ log }: Delivery) {
  return log.flatMap(({ number, error, faults = [] }) => {
    const forgery = error === null ? faults.find(({ action }) => FORGERIES.has(action)) : undefined;
    return forgery === undefined ? [] : [{ number, action: forgery.action }];
  });
}

function ledger(world: World): string[] {
  return [...world.accounts.values()].flatMap((account) => accountProblems(world, account));
}

/** Whether the transactions add up to the balance, and to what the charges and withdrawals say. */
function accountProblems(world: World, account: Account): string[] {
  const problems: string[] = [];
  const posted = new Map<string, bigint>();
  let sum = 0n;
  for (const { code, direction, amountCents } of account.transactions) {
    const cents = BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
    sum += cents;
    posted.set(code, (posted.get(code) ?? 0n) + cents);
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
