import { appOrDefault } from '../identity/applications.js';
import type { Step } from '../effects.js';
import { checkSameFields, draftWithdrawal } from './defaults.js';
import { announce, resendHint } from '../webhooks/events.js';
import type { FailureReason } from '../../contract/enums.js';
import { idFor } from '../ids.js';
import { lookUp } from '../named-rows.js';
import { FUNDS_PREFIX, ownAccount, post } from './ledger.js';
import { formatAmount } from '../../contract/money.js';
import type { PixKeyType } from './documents.js';
import { Refusal } from '../../contract/refusals.js';
import type { WithdrawalStatus } from '../../contract/transitions.js';
import { checkTransition } from '../../contract/transitions.js';
import type { Metadata, Withdrawal, World } from '../world.js';
import { insert, setStatus } from '../table.js';

/** A withdrawal below this amount, in cents, costs the fee; from it on it is free. */
const FREE_FROM_CENTS = 50_000;
const FEE_CENTS = 100;

export interface WithdrawalInput {
  readonly code: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly pixKey: string;
  readonly pixKeyType: PixKeyType;
  readonly beneficiaryDocument: string | null;
  readonly beneficiaryName: string | null;
  readonly metadata: Metadata;
}

export function withdrawalFeeCents(amountCents: number): number {
  return amountCents < FREE_FROM_CENTS ? FEE_CENTS : 0;
}

/** Pays out: the DEBIT of the whole amount is written at once. `fund` first writes a CREDIT for the missing amount. */
export function createWithdrawal(
  step: Step,
  appId: string,
  input: WithdrawalInput,
  { fund }: { fund: boolean },
): { withdrawal: Withdrawal; created: boolean } {
  const { world, now } = step;
  const app = appOrDefault(world, appId);
  const account = ownAccount(world, appId, input.accountId);
  const earlier = app.withdrawalsByCode.get(input.code);
  if (earlier !== undefined) {
    checkSameIntent(earlier, input);
    return { withdrawal: earlier, created: false };
  }
  const feeCents = withdrawalFeeCents(input.amountCents);
  if (input.amountCents <= feeCents) {
    throw new Refusal('INVALID_REQUEST', 'The amount does not cover the fee.', {
      details: [{ field: 'amount', message: `Must be above the fee of ${formatAmount(feeCents)}.` }],
    });
  }
  const lacking = BigInt(input.amountCents) - account.balanceCents;
  if (lacking > 0n) {
    if (!fund) {
      throw new Refusal(
        'INSUFFICIENT_BALANCE',
        `The balance does not cover ${formatAmount(input.amountCents)}.`,
        {
          hint: 'Settle a charge first, or use `npx sandbox trigger withdrawal.settled`, which adds the funds.',
        },
      );
    }
    post(step, account, 'CREDIT', Number(lacking), FUNDS_PREFIX + input.code);
  }
  const ordinal = world.withdrawals.rows.length;
  const withdrawal = insert(world.withdrawals, {
    ordinal,
    id: idFor(world, 'withdrawal', ordinal),
    appId,
    ...input,
    feeCents,
    createdAt: now,
    status: 'PENDING',
    reason: null,
  });
  app.withdrawalsByCode.set(withdrawal.code, withdrawal);
  app.withdrawals.push(withdrawal);
  post(step, account, 'DEBIT', withdrawal.amountCents, withdrawal.code);
  step.effects.push({ type: 'withdrawal', withdrawal, from: null, to: withdrawal.status });
  return { withdrawal, created: true };
}

/**
 * Another user of the account pays in and out at once, so that a row comes to the head of the list of
 * withdrawals, and two to that of transactions, while someone walks the pages. The balance stays, nothing is
 * announced to the application, and the withdrawal stays PENDING; it counts in the order of creation like any
 * other. Without an account it is the application's first.
 */
export function payOutBetweenPages(step: Step, appId: string, accountId?: string): Withdrawal {
  const app = appOrDefault(step.world, appId);
  const input = draftWithdrawal(app, { accountId: accountId ?? app.accountId });
  const account = ownAccount(step.world, app.id, input.accountId);
  post(step, account, 'CREDIT', input.amountCents, FUNDS_PREFIX + input.code);
  return createWithdrawal(step, app.id, input, { fund: false }).withdrawal;
}

function checkSameIntent(earlier: Withdrawal, input: WithdrawalInput): void {
  const { code, metadata } = input;
  const fields = {
    account_id: [earlier.accountId, input.accountId],
    amount: [formatAmount(earlier.amountCents), formatAmount(input.amountCents)],
    pix_key: [earlier.pixKey, input.pixKey],
    beneficiary_document: [earlier.beneficiaryDocument, input.beneficiaryDocument],
    beneficiary_name: [earlier.beneficiaryName, input.beneficiaryName],
  } as const;
  checkSameFields('withdrawal', code, fields, [earlier.metadata, metadata]);
}

export function processWithdrawal(step: Step, withdrawal: Withdrawal): void {
  checkTransition('withdrawal', withdrawal.status, 'PROCESSING');
  become(step, withdrawal, 'PROCESSING');
}

function become(step: Step, withdrawal: Withdrawal, to: WithdrawalStatus): void {
  const from = withdrawal.status;
  setStatus(step.world.withdrawals, withdrawal, to);
  step.effects.push({ type: 'withdrawal', withdrawal, from, to });
}

/** The banking network settles it; one that is still PENDING is processed on the way. */
export function settleWithdrawal(step: Step, withdrawal: Withdrawal): void {
  if (withdrawal.status === 'PENDING') processWithdrawal(step, withdrawal);
  const isRepeated = withdrawal.status === 'SETTLED';
  const hint = isRepeated ? resendHint(step.world, 'withdrawal.settled', withdrawal.id) : undefined;
  checkTransition('withdrawal', withdrawal.status, 'SETTLED', hint);
  become(step, withdrawal, 'SETTLED');
  announce(step, { type: 'withdrawal.settled', resource: { ...withdrawal } });
}

/** Rejected before it settled: the balance is reversed (§6). */
export function failWithdrawal(step: Step, withdrawal: Withdrawal, reason: FailureReason): void {
  if (withdrawal.status === 'SETTLED') {
    throw new Refusal('INVALID_TRANSITION', 'A withdrawal that is SETTLED can be returned, not rejected.', {
      hint: 'Use return instead of fail.',
    });
  }
  reverse(step, withdrawal, reason);
}

/** Returned by the destination bank after it settled: the balance is reversed (§6). */
export function returnWithdrawal(step: Step, withdrawal: Withdrawal, reason: FailureReason): void {
  if (withdrawal.status === 'PENDING' || withdrawal.status === 'PROCESSING') {
    throw new Refusal('INVALID_TRANSITION', `A withdrawal that is ${withdrawal.status} cannot be returned.`, {
      hint: 'Settle it first, or use fail to reject it.',
    });
  }
  reverse(step, withdrawal, reason);
}

function reverse(step: Step, withdrawal: Withdrawal, reason: FailureReason): void {
  checkTransition('withdrawal', withdrawal.status, 'FAILED');
  const account = ownAccount(step.world, withdrawal.appId, withdrawal.accountId);
  withdrawal.reason = reason;
  post(step, account, 'CREDIT', withdrawal.amountCents, withdrawal.code);
  become(step, withdrawal, 'FAILED');
  announce(step, { type: 'withdrawal.failed', resource: { ...withdrawal } });
}

/**
 * The withdrawal of this id or code, or of an id that begins so; `appId`, an id or a name, leaves out those
 * of others.
 */
export function findWithdrawal(world: World, named: string, appId?: string): Withdrawal {
  return lookUp(world, 'withdrawal', named, appId === undefined ? undefined : appOrDefault(world, appId));
}
