import { EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { describeEvent, type MoveOf, listMoves, type PaymentKind } from '../../contract/transitions.js';
import {
  listOptionEvents,
  mapTriggerOptions,
  TRIGGER_NAMES,
  type TriggerValues,
} from '../../contract/trigger-options.js';
import { type FieldSchemas, nullish, type ObjectSchema } from '../../schema/object.js';
import type { Optional, Schema } from '../../schema/schema.js';
import { withDoc, boolean, deriveKey } from '../../schema/values.js';
import { selectEnglish, formatSentences } from '../../text/i18n.js';
import type { ApplyStep } from '../effects.js';
import { findAppOrDefault } from '../identity/applications.js';
import { NAME_INPUT, integerRange } from '../input/kinds.js';
import { requireRow } from '../named-rows.js';
import {
  createCharge,
  createWithdrawal,
  createPaymentDraft,
  checkReason,
  movePayment,
  consumeEarlySettlement,
} from '../payments/payments.js';
import { EVENT_SCHEMAS } from '../resources/resources.js';
import { presentEvent } from '../resources/serialize.js';
import { listRowsFrom } from '../table.js';
import type { AnnouncedEvent, App, Charge, ChargeInput, Withdrawal, WithdrawalInput } from '../world.js';
import { findLatestEvent } from './events.js';
import {
  type ValueKind,
  OVERRIDE_KINDS,
  type OverrideInput,
  OVERRIDES_SCHEMA,
  resolveOverrides,
} from './overrides.js';

/** Triggers an event through a real transition of an existing or new charge or withdrawal. */
export interface TriggerInput extends Omit<TriggerValues, 'override' | 'count'> {
  readonly event: EventType;
  readonly appId?: string | undefined;
  readonly chargeFields?: Partial<ChargeInput> | undefined;
  readonly withdrawalFields?: Partial<WithdrawalInput> | undefined;
  /** Changes to the event's payload; the resource itself stays unchanged. */
  readonly overrides?: readonly OverrideInput[] | undefined;
}

/** Request body fields for the options. */
export const TRIGGER_FIELDS = mapTriggerOptions(({ kind, description, choices = {} }) => {
  const schemas: Readonly<Record<typeof kind, Schema<unknown>>> = {
    text: NAME_INPUT,
    flag: boolean,
    choice: deriveKey(choices),
    count: integerRange(1, LIMITS.triggerCount),
    overrides: OVERRIDES_SCHEMA,
  };
  return nullish(withDoc(selectEnglish(formatSentences(description)), schemas[kind]));
}) as { readonly [Name in keyof TriggerValues]-?: Optional<Required<TriggerValues>[Name]> };

interface TriggerOutcome {
  readonly events: AnnouncedEvent[];
  readonly charge?: Charge;
  readonly withdrawal?: Withdrawal;
}

export function triggerEvent(plain: ApplyStep, input: TriggerInput): TriggerOutcome {
  const { world } = plain;
  const { event, appId, late = false, overrides = [] } = input;
  const { kind, moves } = describeEvent(event);
  checkFits(plain, input);
  const app = findAppOrDefault(world, appId);
  const name = input[kind];
  const fields = input[`${kind}Fields`] ?? {};
  const existing =
    name === undefined ? undefined : requireRow(world, kind, name, appId === undefined ? undefined : app);
  if (existing !== undefined) refuseFields(kind, fields);
  const possible = listMoves(kind, existing?.status ?? NEW_ROW.status);
  const chosen = moves.find((name) => possible.includes(name)) ?? moves[0];
  checkReason(String(chosen), input.reason);
  // After the `event-first` fault, the first request to settle without options returns the existing event.
  if (existing !== undefined && event === 'pix.settled' && !late && overrides.length === 0) {
    const charge = existing as Charge;
    if (consumeEarlySettlement(charge))
      return { events: [findLatestEvent(world, event, charge.id) ?? []].flat(), charge };
  }
  const draft = createPaymentDraft(kind, app, fields);
  const step = withPayloadOverrides(plain, input, existing ?? { ...NEW_ROW, ...draft });
  const firstNew = world.eventCount;
  const row = existing ?? create(step, app, kind, draft);
  if (late && row.status !== 'EXPIRED') movePayment(step, 'charge', 'expire', row as Charge);
  movePayment(step, kind, chosen as MoveOf<PaymentKind>, row, input.reason);
  return { events: listRowsFrom(world.events, firstNew), [kind]: row };
}

function checkFits({ world }: ApplyStep, input: TriggerInput): void {
  const { event, late } = input;
  const values: TriggerValues = input;
  const stranger = TRIGGER_NAMES.find((name) => values[name] && !listOptionEvents(name).includes(event));
  if (stranger !== undefined) {
    const events = listOptionEvents(stranger).join(' or ');
    throw new Refusal('INVALID_REQUEST', `The option ${stranger} applies only to ${events}; got ${event}.`);
  }
  if (late && world.assumed['charge.late_window'] === 0)
    throw new Refusal('INVALID_TRANSITION', 'Late payments are impossible while charge.late_window is 0s.');
}

/** Fills in the generated fields of a new row, to list its payload paths. */
const NEW_ROW = {
  ordinal: 0,
  id: '00000000-0000-4000-8000-000000000000',
  appId: '',
  createdAt: 0,
  expiresAt: 0,
  providerFeeCents: 0,
  partnerFeeCents: 0,
  feeCents: 0,
  status: 'PENDING',
  reason: null,
} as const;

/** Returns a step that applies the overrides to the event's payload. `resource` is the original resource. */
function withPayloadOverrides(
  step: ApplyStep,
  { event, overrides = [] }: TriggerInput,
  resource: object,
): ApplyStep {
  if (overrides.length === 0) return step;
  const plain = { ordinal: 0, id: '', at: 0, type: event, resource } as AnnouncedEvent;
  const payload = presentEvent(plain, null);
  const resolved = resolveOverrides(payload, overrides, (keys) => declaredKind(event, keys));
  return { ...step, overriding: { type: event, overrides: resolved } };
}

/** Returns the declared kind of a nullable field in an event's schema, or `null` if none is declared. */
function declaredKind(type: EventType, keys: readonly string[]): ValueKind {
  let schema: Schema<unknown> | undefined = EVENT_SCHEMAS[EVENT_TYPES.indexOf(type)];
  for (const key of keys) {
    const fields: FieldSchemas = (schema as Partial<ObjectSchema> | undefined)?.fields ?? {};
    schema = Object.hasOwn(fields, key) ? fields[key] : undefined;
  }
  const declared = new Set([schema?.json['type']].flat());
  if (declared.has('integer')) return 'number';
  return OVERRIDE_KINDS.find((kind) => kind !== 'null' && declared.has(kind)) ?? 'null';
}

function create(step: ApplyStep, app: App, kind: PaymentKind, draft: ChargeInput | WithdrawalInput) {
  const { created, ...made } =
    'pixKey' in draft
      ? createWithdrawal(step, app.id, draft, { fund: true })
      : createCharge(step, app.id, draft);
  if (created) return 'charge' in made ? made.charge : made.withdrawal;
  throw new Refusal('CODE_REUSED', `A ${kind} with the code ${draft.code} already exists.`, {
    hint: `To use the existing ${kind}, pass --${kind} ${draft.code}.`,
  });
}

function refuseFields(what: string, fields: object): void {
  const names = Object.keys(fields);
  if (names.length === 0) return;
  throw new Refusal(
    'INVALID_REQUEST',
    `The fields of an existing ${what} cannot be changed; got ${names.join(', ')}.`,
    {
      hint: `Omit these fields, or omit the ${what} to create a new one.`,
    },
  );
}
