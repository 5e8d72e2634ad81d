import { appOrDefault } from '../identity/applications.js';
import { schedule } from '../agenda.js';
import type { Assumed } from '../../contract/assumptions.js';
import type { FailureReason } from '../../contract/enums.js';
import type { Step } from '../effects.js';
import { announce, resendHint } from '../webhooks/events.js';
import { idFor } from '../ids.js';
import { lookUp } from '../named-rows.js';
import { ownAccount, post } from './ledger.js';
import { formatAmount, percentOf } from '../../contract/money.js';
import { Refusal } from '../../contract/refusals.js';
import { checkSameFields } from './defaults.js';
import type { ChargeStatus } from '../../contract/transitions.js';
import { checkTransition } from '../../contract/transitions.js';
import type { Charge, Metadata, World } from '../world.js';
import { insert, setStatus } from '../table.js';

export interface ChargeInput {
  readonly code: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly payerName: string | null;
  readonly payerDocument: string | null;
  readonly metadata: Metadata;
}

/** `created` is false when the code already belongs to this charge (§4.1: the idempotent path). */
export interface ChargeCreated {
  readonly charge: Charge;
  readonly created: boolean;
}

export function createCharge(step: Step, appId: string, input: ChargeInput): ChargeCreated {
  const { world, now } = step;
  const app = appOrDefault(world, appId);
  ownAccount(world, appId, input.accountId);
  const earlier = app.chargesByCode.get(input.code);
  if (earlier !== undefined) {
    checkSameIntent(earlier, input);
    return { charge: earlier, created: false };
  }
  const ordinal = world.charges.rows.length;
  const charge = insert(world.charges, {
    ordinal,
    id: idFor(world, 'charge', ordinal),
    appId,
    ...input,
    ...feesOf(input.amountCents, world.assumed),
    createdAt: now,
    status: 'PENDING',
    expiresAt: now + world.assumed['charge.lifetime'],
    reason: null,
  });
  app.chargesByCode.set(charge.code, charge);
  schedule(world.agenda, charge.expiresAt, 'charge.expire', ordinal);
  if (world.autoSettleMs !== null) schedule(world.agenda, now + world.autoSettleMs, 'charge.settle', ordinal);
  step.effects.push({ type: 'charge', charge, from: null, to: charge.status });
  return { charge, created: true };
}

function feesOf(amountCents: number, assumed: Assumed) {
  const wanted = percentOf(amountCents, assumed['fee.provider_rate']);
  const bounded = Math.min(Math.max(wanted, assumed['fee.provider_min']), assumed['fee.provider_max']);
  const providerFeeCents = Math.min(bounded, amountCents);
  const partnerFeeCents = Math.min(
    percentOf(amountCents, assumed['fee.partner_rate']),
    amountCents - providerFeeCents,
  );
  return { providerFeeCents, partnerFeeCents };
}

function checkSameIntent(earlier: Charge, input: ChargeInput): void {
  const { code, metadata } = input;
  const fields = {
    account_id: [earlier.accountId, input.accountId],
    amount: [formatAmount(earlier.amountCents), formatAmount(input.amountCents)],
    payer_name: [earlier.payerName, input.payerName],
    payer_document: [earlier.payerDocument, input.payerDocument],
  } as const;
  checkSameFields('charge', code, fields, [earlier.metadata, metadata]);
}

/** The payer pays: also after expiry, strictly before the late window ends (§3). */
export function settleCharge(step: Step, charge: Charge): void {
  const { world, now } = step;
  const hint = charge.status === 'SETTLED' ? resendHint(world, 'pix.settled', charge.id) : undefined;
  checkTransition('charge', charge.status, 'SETTLED', hint);
  if (charge.status === 'EXPIRED' && now >= charge.expiresAt + world.assumed['charge.late_window']) {
    throw new Refusal('INVALID_TRANSITION', 'The window for a late payment of this charge has ended.', {
      hint: 'Lengthen it with --assume charge.late_window=72h.',
    });
  }
  const account = ownAccount(world, charge.appId, charge.accountId);
  post(step, account, 'CREDIT', charge.amountCents, charge.code);
  const feeCents = charge.providerFeeCents + charge.partnerFeeCents;
  if (feeCents > 0) post(step, account, 'DEBIT', feeCents, charge.code);
  finish(step, charge, 'SETTLED', 'pix.settled');
}

/**
 * Settles a charge because a fault (`early`) or someone asks for it. A charge that the fault settled is found
 * settled, without a refusal, by the next who asks; the tests of a correct application would fail otherwise.
 */
export function settleOnRequest(step: Step, charge: Charge, early: boolean): void {
  if (takeEarly(charge)) return;
  settleCharge(step, charge);
  if (early) charge.settledEarly = true;
}

/** Whether the fault `event-first` settled it and this is the first to ask for that. */
export function takeEarly(charge: Charge): boolean {
  if (charge.settledEarly !== true) return false;
  delete charge.settledEarly;
  return true;
}

export function failCharge(step: Step, charge: Charge, reason: FailureReason | null): void {
  checkTransition('charge', charge.status, 'FAILED');
  charge.reason = reason;
  finish(step, charge, 'FAILED', 'pix.failed');
}

/** Expires a charge; forced before its time, its `expires_at` becomes now. */
export function expireCharge(step: Step, charge: Charge): void {
  checkTransition('charge', charge.status, 'EXPIRED');
  charge.expiresAt = Math.min(charge.expiresAt, step.now);
  finish(step, charge, 'EXPIRED', 'pix.expired');
}

function finish(
  step: Step,
  charge: Charge,
  to: ChargeStatus,
  type: 'pix.settled' | 'pix.failed' | 'pix.expired',
): void {
  const from = charge.status;
  setStatus(step.world.charges, charge, to);
  step.effects.push({ type: 'charge', charge, from, to });
  announce(step, { type, resource: { ...charge } });
}

/** The charge of this id or code, or of an id that begins so; `appId`, an id or a name, leaves out those of others. */
export function findCharge(world: World, named: string, appId?: string): Charge {
  return lookUp(world, 'charge', named, appId === undefined ? undefined : appOrDefault(world, appId));
}
