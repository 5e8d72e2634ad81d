import { appOrDefault } from '../identity/applications.js';
import type { ChargeInput } from '../payments/charges.js';
import {
  createCharge,
  expireCharge,
  failCharge,
  findCharge,
  settleCharge,
  takeEarly,
} from '../payments/charges.js';
import { draftCharge, draftWithdrawal } from '../payments/defaults.js';
import type { Step } from '../effects.js';
import { told } from './events.js';
import {
  DEFAULT_FAILURE_REASON,
  EVENT_TYPES,
  type EventType,
  type FailureReason,
} from '../../contract/enums.js';
import type { Kind, OverrideInput } from './overrides.js';
import { KIND_NAMES, resolveOverrides } from './overrides.js';
import { presentEvent } from '../resources/serialize.js';
import { Refusal } from '../../contract/refusals.js';
import type { WithdrawalInput } from '../payments/withdrawals.js';
import {
  createWithdrawal,
  failWithdrawal,
  findWithdrawal,
  returnWithdrawal,
  settleWithdrawal,
} from '../payments/withdrawals.js';
import type { Fields, ObjectSchema } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { EVENTS } from '../resources/resources.js';
import type { AnnouncedEvent, App, Charge, Withdrawal } from '../world.js';
import { rowsFrom } from '../table.js';

/** Triggers an event by the real transition of the named charge or withdrawal, or of a new one with these fields. */
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
  /** Changes to the event's payload; the resource is unchanged. */
  readonly overrides?: readonly OverrideInput[] | undefined;
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
  const early = settledBefore(step, input);
  if (early !== undefined) return early;
  const firstNew = step.world.eventCount;
  const subject = input.event.startsWith('pix.')
    ? { charge: moveCharge(step, input) }
    : { withdrawal: moveWithdrawal(step, input) };
  return { events: rowsFrom(step.world.events, firstNew), ...subject };
}

/** The charge that the fault event-first settled, with its event, for the first who asks to settle it as it is. */
function settledBefore({ world }: Step, input: TriggerInput): Triggered | undefined {
  const { event, charge: named, chargeFields, late, overrides = [] } = input;
  if (event !== 'pix.settled' || named === undefined || late || overrides.length > 0) return undefined;
  const charge = findCharge(world, named, input.appId);
  refuseFields('charge', chargeFields);
  if (!takeEarly(charge)) return undefined;
  return { events: [told(world, event, charge.id)].filter((one) => one !== undefined), charge };
}

function checkFits({ event, charge, withdrawal, late }: TriggerInput): void {
  const isPix = event.startsWith('pix.');
  const misfit = isPix ? withdrawal !== undefined && 'withdrawal' : charge !== undefined && 'charge';
  if (misfit) throw new Refusal('INVALID_REQUEST', `${event} does not apply to a ${misfit}.`);
  if (late && event !== 'pix.settled') {
    throw new Refusal('INVALID_REQUEST', `Only pix.settled can be late; got ${event}.`);
  }
}

/** The step that changes the payload of the event as asked. `payload` is what the event would hold without. */
function overriding(step: Step, { event, overrides = [] }: TriggerInput, payload: () => object): Step {
  if (overrides.length === 0) return step;
  const resolved = resolveOverrides(payload(), overrides, (keys) => declaredKind(event, keys));
  return { ...step, overriding: { type: event, overrides: resolved } };
}

/** The kind that the schema of an event declares for a field that may be null; `null` where it declares none. */
function declaredKind(type: EventType, keys: readonly string[]): Kind {
  let schema: Schema<unknown> | undefined = EVENTS[EVENT_TYPES.indexOf(type)];
  for (const key of keys) {
    const fields: Fields = (schema as Partial<ObjectSchema> | undefined)?.fields ?? {};
    schema = Object.hasOwn(fields, key) ? fields[key] : undefined;
  }
  const declared = new Set([schema?.json['type']].flat());
  if (declared.has('integer')) return 'number';
  return KIND_NAMES.find((kind) => kind !== 'null' && declared.has(kind)) ?? 'null';
}

function moveCharge(plain: Step, input: TriggerInput): Charge {
  const app = appOrDefault(plain.world, input.appId);
  const existing =
    input.charge === undefined ? undefined : findCharge(plain.world, input.charge, input.appId);
  if (existing !== undefined) refuseFields('charge', input.chargeFields);
  const draft = draftCharge(app, input.chargeFields ?? {});
  const step = overriding(plain, input, () => chargePayload(existing ?? { ...NEW_CHARGE, ...draft }));
  const charge = existing ?? newCharge(step, app, draft);
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

function newCharge(step: Step, app: App, draft: ChargeInput): Charge {
  const { charge, created } = createCharge(step, app.id, draft);
  if (!created) throw codeTaken('charge', charge.code);
  return charge;
}

function moveWithdrawal(plain: Step, input: TriggerInput): Withdrawal {
  const app = appOrDefault(plain.world, input.appId);
  const existing =
    input.withdrawal === undefined ? undefined : findWithdrawal(plain.world, input.withdrawal, input.appId);
  if (existing !== undefined) refuseFields('withdrawal', input.withdrawalFields);
  const draft = draftWithdrawal(app, input.withdrawalFields ?? {});
  const step = overriding(plain, input, () => withdrawalPayload(existing ?? { ...NEW_WITHDRAWAL, ...draft }));
  const withdrawal = existing ?? newWithdrawal(step, app, draft);
  const reason = input.reason ?? DEFAULT_FAILURE_REASON;
  if (input.event === 'withdrawal.settled') settleWithdrawal(step, withdrawal);
  else if (withdrawal.status === 'SETTLED') returnWithdrawal(step, withdrawal, reason);
  else failWithdrawal(step, withdrawal, reason);
  return withdrawal;
}

function newWithdrawal(step: Step, app: App, draft: WithdrawalInput): Withdrawal {
  const { withdrawal, created } = createWithdrawal(step, app.id, draft, { fund: true });
  if (!created) throw codeTaken('withdrawal', withdrawal.code);
  return withdrawal;
}

/** A row's fields beyond those of its creation, to know which paths its payload will have. */
const NEW_ROW = {
  ordinal: 0,
  id: '00000000-0000-4000-8000-000000000000',
  appId: '',
  createdAt: 0,
  reason: null,
};
const NEW_CHARGE = {
  ...NEW_ROW,
  providerFeeCents: 0,
  partnerFeeCents: 0,
  expiresAt: 0,
  status: 'PENDING',
} as const;
const NEW_WITHDRAWAL = { ...NEW_ROW, feeCents: 0, status: 'PENDING' } as const;

function chargePayload(resource: Readonly<Charge>): object {
  return presentEvent({ ordinal: 0, id: '', at: 0, type: 'pix.settled', resource }, null);
}

function withdrawalPayload(resource: Readonly<Withdrawal>): object {
  return presentEvent({ ordinal: 0, id: '', at: 0, type: 'withdrawal.settled', resource }, null);
}

function refuseFields(what: string, fields: object = {}): void {
  const names = Object.keys(fields);
  if (names.length === 0) return;
  throw new Refusal('INVALID_REQUEST', `An existing ${what} keeps its fields; got ${names.join(', ')}.`, {
    hint: `Leave them out, or leave the ${what} out to make a new one.`,
  });
}

function codeTaken(what: string, code: string): Refusal {
  return new Refusal('CODE_REUSED', `A ${what} with the code ${code} exists already.`, {
    hint: `To move that one, name it: --${what} ${code}.`,
  });
}
