import type { AssumptionChoices } from '../../contract/assumptions.js';
import {
  DEFAULT_FAILURE_REASON,
  FAILURE_REASONS,
  type FailureReason,
  listReasons,
} from '../../contract/enums.js';
import {
  type PaymentField,
  createFieldDefaults,
  PAYMENT_FIELDS,
  type PaymentInput,
  toStoredName,
} from '../../contract/fields.js';
import { formatAmount, computePercent } from '../../contract/money.js';
import { Refusal } from '../../contract/refusals.js';
import { checkMove, type MoveOf, getMove, type PaymentKind } from '../../contract/transitions.js';
import { isSameJson } from '../../schema/object.js';
import { describeValue } from '../../text/errors.js';
import { scheduleItem } from '../agenda.js';
import { drawDelay } from '../delays.js';
import type { StatusChange, Effect, ApplyStep } from '../effects.js';
import { findAppOrDefault } from '../identity/applications.js';
import { createId } from '../ids.js';
import type { NamedRows } from '../named-rows.js';
import { presentField } from '../resources/serialize.js';
import { insertRow, setStatus } from '../table.js';
import { announceEvent, createResendHint } from '../webhooks/events.js';
import type { App, Charge, ChargeInput, Withdrawal, WithdrawalInput, World } from '../world.js';
import { detectPixKeyType } from './documents.js';
import { FUNDS_PREFIX, findOwnAccount, postEntry } from './ledger.js';

/** Creates a charge, or returns the existing charge with this code and `created: false` (§4.1). */
export function createCharge(step: ApplyStep, appId: string, input: ChargeInput) {
  const { world, now } = step;
  const app = findAppOrDefault(world, appId);
  findOwnAccount(world, appId, input.accountId);
  const earlier = app.chargesByCode.get(input.code);
  if (earlier !== undefined) {
    checkSameFields('charge', earlier, input);
    return { charge: earlier, created: false };
  }
  const charge = insertRow<Charge>(world.charges, {
    ...input,
    ...newRow(step, 'charge', appId),
    ...feesOf(input.amountCents, world.assumed),
    expiresAt: now + world.assumed['charge.lifetime'],
  });
  app.chargesByCode.set(charge.code, charge);
  const { ordinal, expiresAt } = charge;
  scheduleItem(world.agenda, expiresAt, 'charge.expire', ordinal);
  const settlesAt = computeAutoSettlement(world, charge);
  if (settlesAt !== null) scheduleItem(world.agenda, settlesAt, 'charge.settle', ordinal);
  step.effects.push({ type: 'charge', charge, from: null, to: charge.status });
  return { charge, created: true };
}

/** Returns the time of a charge's automatic payment, or null without automatic payment. */
export function computeAutoSettlement(world: World, charge: Pick<Charge, 'createdAt' | 'ordinal'>) {
  const { autoSettleMs: delay } = world;
  return delay === null ? null : charge.createdAt + drawDelay(world, delay, 'settleDelay', [charge.ordinal]);
}

function feesOf(amountCents: number, assumed: AssumptionChoices) {
  const wanted = computePercent(amountCents, assumed['fee.provider_rate']);
  const bounded = Math.min(Math.max(wanted, assumed['fee.provider_min']), assumed['fee.provider_max']);
  const providerFeeCents = Math.min(bounded, amountCents);
  const partnerFeeCents = Math.min(
    computePercent(amountCents, assumed['fee.partner_rate']),
    amountCents - providerFeeCents,
  );
  return { providerFeeCents, partnerFeeCents };
}

/** Withdrawals of at least this amount, in cents, are free. */
const FREE_FROM_CENTS = 50_000;
const FEE_CENTS = 100;

export function computeWithdrawalFee(amountCents: number): number {
  return amountCents < FREE_FROM_CENTS ? FEE_CENTS : 0;
}

/** Creates a withdrawal and debits the full amount. With `fund`, credits any missing amount first. */
export function createWithdrawal(
  step: ApplyStep,
  appId: string,
  input: WithdrawalInput,
  { fund = false } = {},
) {
  const { world } = step;
  const app = findAppOrDefault(world, appId);
  const account = findOwnAccount(world, appId, input.accountId);
  const earlier = app.withdrawalsByCode.get(input.code);
  if (earlier !== undefined) {
    checkSameFields('withdrawal', earlier, input);
    return { withdrawal: earlier, created: false };
  }
  const feeCents = computeWithdrawalFee(input.amountCents);
  if (input.amountCents <= feeCents) {
    throw new Refusal('INVALID_REQUEST', 'The amount does not cover the fee.', {
      details: [{ field: 'amount', message: `Must be above the fee of ${formatAmount(feeCents)}.` }],
    });
  }
  const lacking = BigInt(input.amountCents) - account.balanceCents;
  if (lacking > 0n && !fund) {
    const message = `The balance does not cover ${formatAmount(input.amountCents)}.`;
    throw new Refusal('INSUFFICIENT_BALANCE', message, {
      hint: 'Settle a charge first, or use `npx sandbox trigger withdrawal.settled`, which adds the funds.',
    });
  }
  if (lacking > 0n) postEntry(step, account, 'CREDIT', Number(lacking), FUNDS_PREFIX + input.code);
  const withdrawal = insertRow<Withdrawal>(world.withdrawals, {
    ...input,
    ...newRow(step, 'withdrawal', appId),
    // Input validation rejects keys of unknown types.
    pixKeyType: detectPixKeyType(input.pixKey) ?? 'EVP',
    feeCents,
  });
  app.withdrawalsByCode.set(withdrawal.code, withdrawal);
  app.withdrawals.push(withdrawal);
  postEntry(step, account, 'DEBIT', withdrawal.amountCents, withdrawal.code);
  step.effects.push({ type: 'withdrawal', withdrawal, from: null, to: withdrawal.status });
  return { withdrawal, created: true };
}

/**
 * Simulates another user's payout between page requests: an incoming payment and an equal payout add one
 * withdrawal and two transactions. The balance stays the same, no event is sent, and the withdrawal stays
 * PENDING with a regular ordinal. Uses the application's first account by default.
 */
export function payOutBetweenPages(step: ApplyStep, appId: string, accountId?: string): Withdrawal {
  const app = findAppOrDefault(step.world, appId);
  const input = createPaymentDraft('withdrawal', app, { accountId: accountId ?? app.accountId });
  const account = findOwnAccount(step.world, app.id, input.accountId);
  postEntry(step, account, 'CREDIT', input.amountCents, FUNDS_PREFIX + input.code);
  return createWithdrawal(step, app.id, input).withdrawal;
}

/** Returns the common fields of new payments. */
function newRow({ world, now }: ApplyStep, kind: PaymentKind, appId: string) {
  const ordinal = world[`${kind}s`].rows.length;
  const id = createId(world, kind, ordinal);
  return { ordinal, id, appId, createdAt: now, status: 'PENDING', reason: null } as const;
}

/**
 * Throws CODE_REUSED, listing the differing fields, if a request repeats a code with different values (§2.1).
 */
function checkSameFields(what: PaymentKind, earlier: object, input: ChargeInput | WithdrawalInput): void {
  const details = Object.entries<PaymentField>(PAYMENT_FIELDS[what]).flatMap(([field, of]) => {
    const name = toStoredName(field);
    const [then, now] = [earlier, input].map((row) => Reflect.get(row, name) as unknown);
    if (isSameJson(then, now)) return [];
    if (of.kind === 'metadata') return [{ field, message: `Differs from the ${what} with this code.` }];
    const [was, got] = [then, now].map((value) => describeValue(presentField(name, value)[1]));
    return [{ field, message: `Is ${was} in the ${what} with this code; got ${got}.` }];
  });
  if (details.length === 0) return;
  const names = details.map(({ field }) => field).join(', ');
  const message = `The code ${input.code} belongs to an earlier ${what} with different fields: ${names}.`;
  throw new Refusal('CODE_REUSED', message, {
    details,
    hint: `Send the same fields to repeat a request; use a new code for a new ${what}.`,
  });
}

/** Applies the side effects of a transition; `reason` is the SPI code of a failure. */
type Rule<Kind extends PaymentKind> = (
  step: ApplyStep,
  row: NamedRows[Kind],
  reason: FailureReason | null,
) => void;

const RULES: { readonly [Kind in PaymentKind]: Readonly<Record<MoveOf<Kind>, Rule<Kind>>> } = {
  charge: {
    /** Pays the charge, even after expiry but strictly before the late window ends (§3). */
    settle: (step, charge) => {
      const { world, now } = step;
      if (charge.status === 'EXPIRED' && now >= charge.expiresAt + world.assumed['charge.late_window']) {
        throw new Refusal('INVALID_TRANSITION', 'The late-payment window of this charge has ended.', {
          hint: 'Extend the window with --assume charge.late_window=72h.',
        });
      }
      const account = findOwnAccount(world, charge.appId, charge.accountId);
      postEntry(step, account, 'CREDIT', charge.amountCents, charge.code);
      const feeCents = charge.providerFeeCents + charge.partnerFeeCents;
      if (feeCents > 0) postEntry(step, account, 'DEBIT', feeCents, charge.code);
    },
    fail: (_step, charge, reason) => {
      charge.reason = reason;
    },
    /** Sets `expires_at` to now if the charge expires early. */
    expire: ({ now }, charge) => {
      charge.expiresAt = Math.min(charge.expiresAt, now);
    },
  },
  withdrawal: {
    process: () => undefined,
    settle: (step, withdrawal) => {
      if (withdrawal.status === 'PENDING') movePayment(step, 'withdrawal', 'process', withdrawal);
    },
    fail: reverse,
    return: reverse,
  },
};

/** Credits the amount back after a rejection or a return by the destination bank (§6). */
function reverse(step: ApplyStep, withdrawal: Withdrawal, reason: FailureReason | null): void {
  const account = findOwnAccount(step.world, withdrawal.appId, withdrawal.accountId);
  withdrawal.reason = reason;
  postEntry(step, account, 'CREDIT', withdrawal.amountCents, withdrawal.code);
}

const EFFECTS: {
  readonly [Kind in PaymentKind]: (
    row: NamedRows[Kind],
    change: StatusChange<NamedRows[Kind]['status']>,
  ) => Effect;
} = {
  charge: (charge, change) => ({ type: 'charge', charge, ...change }),
  withdrawal: (withdrawal, change) => ({ type: 'withdrawal', withdrawal, ...change }),
};

/**
 * Changes a payment's status and announces its event. Throws INVALID_TRANSITION if the status doesn't allow
 * the transition.
 */
export function movePayment<Kind extends PaymentKind>(
  step: ApplyStep,
  kind: Kind,
  name: MoveOf<Kind>,
  row: NamedRows[Kind],
  reason: FailureReason | null = kind === 'charge' ? null : DEFAULT_FAILURE_REASON,
): void {
  const { world, effects } = step;
  const { to, event } = getMove(kind, name);
  const isRepeated = row.status === to && event !== undefined;
  checkMove(kind, name, row.status, isRepeated ? createResendHint(world, event, row.id) : undefined);
  checkReason(name, reason);
  RULES[kind][name](step, row, reason);
  const from = row.status;
  setStatus(world[`${kind}s`], row, to);
  effects.push(EFFECTS[kind](row, { from, to }));
  if (event !== undefined) announceEvent(step, event, { ...row });
}

/** Throws INVALID_REQUEST for the SPI code of a returned payment if the transition is not a return. */
export function checkReason(move: string, reason: FailureReason | null | undefined): void {
  if (reason === null || reason === undefined || Object.hasOwn(listReasons(move), reason)) return;
  const message = `The reason ${reason} (${FAILURE_REASONS[reason]}) applies only to settled withdrawals.`;
  throw new Refusal('INVALID_REQUEST', message, {
    hint: `Settle a withdrawal, then return it: npx sandbox withdrawals return <id> --reason ${reason}`,
  });
}

/**
 * Settles a charge on request or for the `event-first` fault (`early`). After an early settlement, the first
 * request to settle succeeds; otherwise tests of a correct application would fail.
 */
export function settleOnRequest(step: ApplyStep, charge: Charge, early?: boolean): Charge {
  if (consumeEarlySettlement(charge)) return charge;
  movePayment(step, 'charge', 'settle', charge);
  if (early) charge.settledEarly = true;
  return charge;
}

/** Returns true for the first request to settle a charge that `event-first` already settled. */
export function consumeEarlySettlement(charge: Charge): boolean {
  if (charge.settledEarly !== true) return false;
  delete charge.settledEarly;
  return true;
}

const AMOUNT_CENTS = 10_000;

/**
 * Creates a payment's input from the chosen fields; the application and the field table provide all other
 * fields.
 */
export function createPaymentDraft<Of extends PaymentKind>(
  kind: Of,
  app: App,
  chosen: Partial<PaymentInput<Of>>,
  others: 'empty' | 'example' = 'example',
): PaymentInput<Of> {
  return {
    code: freeCode(kind, app[`${kind}sByCode`]),
    accountId: app.accountId,
    amountCents: AMOUNT_CENTS,
    ...createFieldDefaults(PAYMENT_FIELDS.own[kind], others),
    metadata: {},
    ...chosen,
  } as PaymentInput<Of>;
}

function freeCode(what: PaymentKind, taken: ReadonlyMap<string, unknown>): string {
  let number = taken.size + 1;
  while (taken.has(`${what}-${number}`)) number += 1;
  return `${what}-${number}`;
}
