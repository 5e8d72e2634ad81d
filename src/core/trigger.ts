import { appOrDefault } from './apps.js';
import type { ChargeInput } from './charges.js';
import { createCharge, expireCharge, failCharge, findCharge, settleCharge } from './charges.js';
import { draftCharge, draftWithdrawal } from './drafts.js';
import type { Step } from './effects.js';
import { Refusal } from './refusal.js';
import type { FailureReason, WithdrawalInput } from './withdrawals.js';
import {
  createWithdrawal,
  DEFAULT_FAILURE_REASON,
  failWithdrawal,
  findWithdrawal,
  returnWithdrawal,
  settleWithdrawal,
} from './withdrawals.js';
import type { AnnouncedEvent, Charge, EventType, Withdrawal } from './world.js';

/** Makes an event happen: by the real transition of the named charge or withdrawal, or of a new one with these fields. */
export interface TriggerInput {
  readonly event: EventType;
  readonly appId?: string | undefined;
  /** An existing one, by id or code. */
  readonly charge?: string | undefined;
  readonly withdrawal?: string | undefined;
  readonly chargeFields?: Partial<ChargeInput> | undefined;
  readonly withdrawalFields?: Partial<WithdrawalInput> | undefined;
  /** `pix.settled` only: lets the charge expire first. */
  readonly late?: boolean | undefined;
  readonly reason?: FailureReason | undefined;
}

export interface Triggered {
  readonly events: AnnouncedEvent[];
  readonly charge?: Charge;
  readonly withdrawal?: Withdrawal;
}

export function trigger(step: Step, input: TriggerInput): Triggered {
  checkFits(input);
  if (input.late && step.world.assumed['charge.late_window'] === 0) {
    throw new Refusal('INVALID_TRANSITION', 'There is no late payment while charge.late_window is 0s.');
  }
  const firstNew = step.world.events.rows.length;
  const subject = input.event.startsWith('pix.')
    ? { charge: moveCharge(step, input) }
    : { withdrawal: moveWithdrawal(step, input) };
  return { events: step.world.events.rows.slice(firstNew), ...subject };
}

function checkFits({ event, charge, withdrawal, late }: TriggerInput): void {
  const isPix = event.startsWith('pix.');
  const misfit = isPix ? withdrawal !== undefined && 'withdrawal' : charge !== undefined && 'charge';
  if (misfit) throw new Refusal('INVALID_REQUEST', `${event} does not happen to a ${misfit}.`);
  if (late && event !== 'pix.settled') {
    throw new Refusal('INVALID_REQUEST', `Only pix.settled can be late; got ${event}.`);
  }
}

function moveCharge(step: Step, input: TriggerInput): Charge {
  const charge =
    input.charge === undefined ? newCharge(step, input) : findCharge(step.world, input.charge, input.appId);
  if (input.event === 'pix.settled') {
    if (input.late && charge.status !== 'EXPIRED') expireCharge(step, charge);
    settleCharge(step, charge);
  } else if (input.event === 'pix.failed') {
    failCharge(step, charge, input.reason ?? null);
  } else {
    expireCharge(step, charge);
  }
  return charge;
}

function newCharge(step: Step, { appId, chargeFields = {} }: TriggerInput): Charge {
  const app = appOrDefault(step.world, appId);
  const { charge, created } = createCharge(step, app.id, draftCharge(app, chargeFields));
  if (!created) throw codeTaken('charge', charge.code);
  return charge;
}

function moveWithdrawal(step: Step, input: TriggerInput): Withdrawal {
  const withdrawal =
    input.withdrawal === undefined
      ? newWithdrawal(step, input)
      : findWithdrawal(step.world, input.withdrawal, input.appId);
  const reason = input.reason ?? DEFAULT_FAILURE_REASON;
  if (input.event === 'withdrawal.settled') settleWithdrawal(step, withdrawal);
  else if (withdrawal.status === 'SETTLED') returnWithdrawal(step, withdrawal, reason);
  else failWithdrawal(step, withdrawal, reason);
  return withdrawal;
}

function newWithdrawal(step: Step, { appId, withdrawalFields = {} }: TriggerInput): Withdrawal {
  const app = appOrDefault(step.world, appId);
  const draft = draftWithdrawal(app, withdrawalFields);
  const { withdrawal, created } = createWithdrawal(step, app.id, draft, { fund: true });
  if (!created) throw codeTaken('withdrawal', withdrawal.code);
  return withdrawal;
}

function codeTaken(what: string, code: string): Refusal {
  return new Refusal('CODE_REUSED', `A ${what} with the code ${code} exists already.`, {
    hint: `To move that one, name it: --${what} ${code}.`,
  });
}
