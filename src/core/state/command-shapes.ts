import type { AppInput } from '../identity/applications.js';
import { ATTEMPT_ERRORS } from '../../contract/attempt-errors.js';
import type { ChargeInput } from '../payments/charges.js';
import type { Command, CommandTable, CommandType } from '../commands.js';
import type { EndpointInput, ListenerInput } from '../webhooks/endpoints.js';
import { FAILURE_REASONS } from '../../contract/failure-reasons.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../contract/fault-kinds.js';
import type { CallMatch, CallSite, DeliveryMatch, FaultInput } from '../webhooks/faults.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import type { OrganizationInput } from '../identity/organizations.js';
import type { Override } from '../webhooks/overrides.js';
import { Refusal } from '../../contract/refusals.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import { count } from './form-shapes.js';
import type { Shape } from './shapes.js';
import { anything, flag, keyOf, list, nullable, number, oneOf, optional, record, text } from './shapes.js';
import { SESSION_DECISIONS } from '../../contract/transitions.js';
import type { WithdrawalInput } from '../payments/withdrawals.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { SCOPES } from '../../contract/scopes.js';

type Fields<Value> = { readonly [Field in keyof Value]-?: Shape<Value[Field]> };

/** Every field as it is; one that is absent may also be undefined. */
export const fieldsOf = record<unknown>((value) => value);

/** At least these fields. Others are let through, because a command may carry more than its handler reads. */
function having<Value extends object>(fields: Fields<Value>): Shape<Value> {
  return (value, place) => {
    const given = fieldsOf(value, place);
    for (const [field, shape] of Object.entries<Shape<unknown>>(fields))
      shape(given[field], `${place}.${field}`);
    return value as Value;
  };
}

/** The same, each of which may be absent. */
function partly<Value extends object>(fields: Fields<Value>): Shape<Partial<Value>> {
  const loose = Object.entries<Shape<unknown>>(fields).map(([field, shape]) => [field, optional(shape)]);
  return having(Object.fromEntries(loose) as Fields<Partial<Value>>);
}

const id = text;
const event = oneOf(EVENT_TYPES);
const reason = keyOf(FAILURE_REASONS);
const customerType = oneOf(CUSTOMER_TYPES);

const charge: Fields<ChargeInput> = {
  code: text,
  accountId: id,
  amountCents: count,
  payerName: nullable(text),
  payerDocument: nullable(text),
  metadata: record(text),
};

const withdrawal: Fields<WithdrawalInput> = {
  code: text,
  accountId: id,
  amountCents: count,
  pixKey: text,
  pixKeyType: text,
  beneficiaryDocument: nullable(text),
  beneficiaryName: nullable(text),
  metadata: record(text),
};

const receiver: Fields<Omit<EndpointInput, 'url'>> = {
  description: nullable(text),
  events: list(event),
  secret: text,
  schedule: optional(keyOf(RETRY_SCHEDULES)),
  timeoutMs: optional(count),
  concurrency: optional(count),
};

const faultDetails = {
  probability: number,
  count: nullable(count),
  status: nullable(count),
  delayMs: nullable(count),
  copies: nullable(count),
};

const callFault = having<FaultInput & { match: CallMatch }>({
  ...faultDetails,
  match: having<CallMatch>({
    on: oneOf(['call']),
    door: nullable(text),
    method: nullable(text),
    path: nullable(text),
  }),
  action: keyOf(CALL_FAULTS),
});

const deliveryFault = having<FaultInput & { match: DeliveryMatch }>({
  ...faultDetails,
  match: having<DeliveryMatch>({
    on: oneOf(['delivery']),
    eventType: nullable(text),
    endpointId: nullable(id),
    attempt: nullable(count),
  }),
  action: keyOf(DELIVERY_FAULTS),
});

const fault: Shape<FaultInput> = (value, place) => {
  const { match } = fieldsOf(value, place);
  const { on } = fieldsOf(match, `${place}.match`);
  return on === 'call' ? callFault(value, place) : deliveryFault(value, place);
};

const app: Fields<AppInput> = {
  name: text,
  token: text,
  signingSecret: text,
  scopes: list(oneOf(SCOPES)),
  accountId: optional(id),
  openingBalanceCents: count,
  organization: optional(
    having<OrganizationInput>({ name: text, kycToken: nullable(text), publishableKey: nullable(text) }),
  ),
};

const newSession = { sessionId: id, formToken: text, customerType };

/** What each command carries. */
const COMMANDS: { readonly [Type in CommandType]: Fields<CommandTable[Type]['input']> } = {
  'clock.tick': {},
  'app.create': app,
  'app.rekey': { token: text, signingSecret: text, kycToken: text, publishableKey: text },
  'nonce.use': { appId: id, nonce: text, nowS: number, untilS: number },
  'charge.create': { appId: id, charge: having(charge) },
  'charge.settle': { chargeId: id },
  'charge.fail': { chargeId: id, reason: nullable(text) },
  'charge.expire': { chargeId: id },
  'withdrawal.create': { appId: id, withdrawal: having(withdrawal) },
  'withdrawal.process': { withdrawalId: id },
  'withdrawal.settle': { withdrawalId: id },
  'withdrawal.fail': { withdrawalId: id, reason },
  'withdrawal.return': { withdrawalId: id, reason },
  'endpoint.create': { appId: id, endpoint: having<EndpointInput>({ ...receiver, url: text }) },
  'endpoint.rotate': { endpointId: id, secret: text },
  'endpoint.disable': { endpointId: id },
  'endpoint.enable': { endpointId: id },
  'endpoint.delete': { endpointId: id },
  'listener.connect': { appId: id, listener: having<ListenerInput>({ ...receiver, name: text }) },
  'listener.lose': { endpointId: id },
  'event.resend': { eventId: id, endpointId: optional(id) },
  'delivery.retry': { deliveryId: id },
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
  'fault.on-call': { call: having<CallSite>({ door: text, method: text, path: text }) },
  trigger: {
    event,
    appId: optional(id),
    charge: optional(id),
    withdrawal: optional(id),
    chargeFields: optional(partly(charge)),
    withdrawalFields: optional(partly(withdrawal)),
    late: optional(flag),
    reason: optional(reason),
    overrides: optional(list(having<Override>({ path: text, value: anything }))),
  },
};

/** Reads a command from JSON; refuses (INVALID_REQUEST) one that there is not, and one without what it needs. */
export function readCommand(value: unknown): Command {
  const { type } = fieldsOf(value, 'command');
  const name = text(type, 'command.type');
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new Refusal('INVALID_REQUEST', `There is no command ${JSON.stringify(name.slice(0, 60))}.`);
  }
  return having<object>(COMMANDS[name as CommandType])(value, name) as Command;
}
