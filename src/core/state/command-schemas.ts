import type { AppInput } from '../identity/applications.js';
import { ATTEMPT_ERRORS } from '../../contract/attempt-errors.js';
import type { ChargeInput } from '../payments/charges.js';
import type { Command, CommandTable, CommandType } from '../commands.js';
import type { EndpointInput, ListenerInput } from '../webhooks/endpoints.js';
import { FAILURE_REASONS } from '../../contract/failure-reasons.js';
import { CALL_FAULTS, DELIVERY_FAULTS, RESTART_MOMENTS } from '../../contract/fault-kinds.js';
import type {
  CallMatch,
  CallSite,
  DeliveryMatch,
  DeliveryFaultInput,
  FaultInput,
} from '../webhooks/faults.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import type { OrganizationInput } from '../identity/organizations.js';
import type { OverrideInput } from '../webhooks/overrides.js';
import { Refusal } from '../../contract/refusals.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import { count, finite, text } from './forms.js';
import type { FieldsOf } from './read.js';
import { members, readAt, row } from './read.js';
import { list, record } from '../../schema/compound.js';
import { nullable, optional, partial } from '../../schema/fields.js';
import type { Schema } from '../../schema/schema.js';
import { always, anything, flag, isWholeText, keyOf, oneOf, refine } from '../../schema/values.js';
import type { Metadata } from '../world.js';
import { aim, faultOf } from '../webhooks/fault-schemas.js';
import { DELIVERY_STATUSES, SESSION_DECISIONS } from '../../contract/transitions.js';
import { PIX_KEY_TYPES } from '../payments/pix-keys.js';
import type { WithdrawalInput } from '../payments/withdrawals.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { SCOPES } from '../../contract/scopes.js';

const id = text;
const event = oneOf(EVENT_TYPES);
const reason = keyOf(FAILURE_REASONS);
const customerType = oneOf(CUSTOMER_TYPES);

const metadata = refine<Metadata, Metadata>(record(text), (value) =>
  Object.keys(value).every(isWholeText) ? { value } : { expected: 'keys of whole characters' },
);

const charge: FieldsOf<ChargeInput> = {
  code: text,
  accountId: id,
  amountCents: count,
  payerName: nullable(text),
  payerDocument: nullable(text),
  metadata,
};

const withdrawal: FieldsOf<WithdrawalInput> = {
  code: text,
  accountId: id,
  amountCents: count,
  pixKey: text,
  pixKeyType: oneOf(PIX_KEY_TYPES),
  beneficiaryDocument: nullable(text),
  beneficiaryName: nullable(text),
  metadata,
};

const receiver: FieldsOf<Omit<EndpointInput, 'url'>> = {
  description: nullable(text),
  events: list(event),
  secret: text,
  schedule: optional(keyOf(RETRY_SCHEDULES)),
  timeoutMs: optional(count),
  concurrency: optional(count),
};

const faultDetails = {
  probability: finite,
  count: nullable(count),
  status: nullable(count),
  delayMs: nullable(count),
  copies: nullable(count),
  parallel: optional(flag),
  when: optional(oneOf(RESTART_MOMENTS)),
};

const callFault = row<FaultInput & { match: CallMatch }>({
  ...faultDetails,
  match: row<CallMatch>({
    on: always('call'),
    door: nullable(text),
    method: nullable(text),
    path: nullable(text),
    ...aim,
  }),
  action: keyOf(CALL_FAULTS),
});

const deliveryFault = row<DeliveryFaultInput>({
  ...faultDetails,
  match: row<DeliveryMatch>({
    on: always('delivery'),
    eventType: nullable(text),
    endpointId: nullable(id),
    endpointUrl: optional(text),
    attempt: nullable(count),
    ...aim,
  }),
  action: keyOf(DELIVERY_FAULTS),
});

const fault: Schema<FaultInput> = faultOf(callFault, deliveryFault);

const call = row<CallSite>({
  door: text,
  method: text,
  path: text,
  code: aim.code,
  resource: aim.resource,
});

const listener = row<ListenerInput>({
  ...receiver,
  name: text,
  fresh: optional(flag),
  faults: optional(list(deliveryFault)),
});

const app: FieldsOf<AppInput> = {
  name: text,
  token: text,
  signingSecret: text,
  scopes: list(oneOf(SCOPES)),
  accountId: optional(id),
  openingBalanceCents: count,
  organization: optional(
    row<OrganizationInput>({ name: text, kycToken: nullable(text), publishableKey: nullable(text) }),
  ),
};

const newSession = { sessionId: id, formToken: text, customerType };

/** The input of each command. */
const COMMANDS: { readonly [Type in CommandType]: FieldsOf<CommandTable[Type]['input']> } = {
  'clock.tick': {},
  'app.create': app,
  'account.create': { appId: id, accountId: optional(id), openingBalanceCents: count },
  'app.rekey': { token: text, signingSecret: text, kycToken: text, publishableKey: text },
  'nonce.use': { appId: id, nonce: text, nowS: finite, untilS: finite },
  'charge.create': { appId: id, charge: row(charge) },
  'charge.settle': { chargeId: id, early: optional(always(true)) },
  'charge.fail': { chargeId: id, reason: nullable(reason) },
  'charge.expire': { chargeId: id },
  'withdrawal.create': { appId: id, withdrawal: row(withdrawal) },
  'withdrawal.process': { withdrawalId: id },
  'withdrawal.settle': { withdrawalId: id },
  'withdrawal.fail': { withdrawalId: id, reason },
  'withdrawal.return': { withdrawalId: id, reason },
  'endpoint.create': { appId: id, endpoint: row<EndpointInput>({ ...receiver, url: text }) },
  'endpoint.rotate': { endpointId: id, secret: text },
  'endpoint.disable': { endpointId: id },
  'endpoint.enable': { endpointId: id },
  'endpoint.delete': { endpointId: id },
  'listener.connect': {
    appId: id,
    listener,
  },
  'listener.lose': { endpointId: id },
  'event.resend': { eventId: id, endpointId: optional(id) },
  'delivery.retry': { deliveryId: id },
  'deliveries.retry': {
    status: optional(oneOf(DELIVERY_STATUSES)),
    eventType: optional(text),
    endpointId: optional(id),
  },
  'deliveries.pause': {},
  'deliveries.resume': {},
  'session.create': { ...newSession, organizationId: id, idempotencyKey: nullable(text) },
  'session.createPublic': { ...newSession, publishableKey: text, origin: text },
  'session.begin': { sessionId: id, name: optional(nullable(text)), document: optional(nullable(text)) },
  'session.decide': {
    sessionId: id,
    status: optional(oneOf(SESSION_DECISIONS)),
    document: optional(nullable(text)),
    delayMs: optional(count),
    error: optional(nullable(text)),
  },
  'origin.add': { appId: optional(id), origin: text },
  'delivery.attempted': {
    deliveryId: id,
    number: count,
    status: nullable(count),
    error: nullable(keyOf(ATTEMPT_ERRORS)),
  },
  'fault.add': { fault },
  'fault.remove': { id: nullable(id) },
  'fault.insert': { appId: id, call },
  'fault.on-call': { call },
  trigger: {
    event,
    appId: optional(id),
    charge: optional(id),
    withdrawal: optional(id),
    chargeFields: optional(row(partial(charge))),
    withdrawalFields: optional(row(partial(withdrawal))),
    late: optional(flag),
    reason: optional(reason),
    overrides: optional(
      list(row<OverrideInput>({ path: text, value: anything, isText: optional(always(true)) })),
    ),
  },
};

const SCHEMAS = new Map(Object.entries(COMMANDS).map(([type, fields]) => [type, row<object>(fields)]));

/**
 * Reads a command from JSON; refuses (INVALID_REQUEST) an unknown one, and one without what it needs. Other fields are
 * accepted, because a command may carry more than its handler reads.
 */
export function readCommand(value: unknown): Command {
  const { type } = readAt(members, value, 'command');
  const name = readAt(text, type, 'command.type');
  const schema = SCHEMAS.get(name);
  if (schema === undefined) {
    throw new Refusal('INVALID_REQUEST', `There is no command ${JSON.stringify(name.slice(0, 60))}.`);
  }
  readAt(schema, value, name, { unknown: 'ignore' });
  return value as Command;
}
