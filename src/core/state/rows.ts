import { AGENDA_KINDS } from '../agenda.js';
import type { Assumed, AssumptionId } from '../../contract/assumptions.js';
import { ASSUMPTION_IDS, ASSUMPTIONS, isChoice } from '../../contract/assumptions.js';
import {
  ATTEMPT_ERRORS,
  CUSTOMER_TYPES,
  EVENT_TYPES,
  FAILURE_REASONS,
  SCOPES,
} from '../../contract/enums.js';
import { STORED_FAULT, STORED_FIRED } from '../webhooks/fault-input.js';
import {
  amountCents,
  count,
  document,
  durationMs,
  endpointUrl,
  feeCents,
  httpStatus,
  idempotencyKey,
  instant,
  json,
  nonce,
  origin,
  pageOrigin,
  pixKey,
  row,
  secretText,
  sessionSecret,
  text,
  textThat,
  token,
  uuid,
  webhookSecret,
} from './forms.js';
import type { Seed } from '../ids.js';
import { ERROR_CODE } from '../input/bodies.js';
import { CODE, METADATA, text as textKind, wholeNumber } from '../input/kinds.js';
import { LIMITS, RETRY_SCHEDULES } from '../../contract/limits.js';
import type { Override } from '../webhooks/overrides.js';
import { PIX_KEY_TYPES } from '../payments/documents.js';
import { list, tuple, variant } from '../../schema/compound.js';
import { nullable, object, optional } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { always, anything, flag, keyOf, oneOf, refine } from '../../schema/values.js';
import type { WorldExport } from './export.js';
import { DAY_MS, LAST_INSTANT_MS } from '../../contract/time.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  ENDPOINT_STATUSES,
  SESSION_DECISIONS,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import type { Attempt, Charge, Withdrawal } from '../world.js';

export type Row<Table extends keyof WorldExport> = WorldExport[Table] extends readonly (infer One)[]
  ? One
  : never;

const attemptError = keyOf(ATTEMPT_ERRORS);
const failureReason = keyOf(FAILURE_REASONS);
const name = textKind(LIMITS.nameLength);
const bits32 = wholeNumber(0, 0xffff_ffff);
const seed: Schema<Seed> = tuple('four numbers of 32 bits', [bits32, bits32, bits32, bits32]);

/** The chosen value of each assumption, as a choice would give it. */
const assumed = object(
  'an object',
  Object.fromEntries(ASSUMPTION_IDS.map((id) => [id, chosenValue(id)])),
) as Schema<unknown> as Schema<Assumed>;

function chosenValue(id: AssumptionId): Schema<unknown> {
  const { choices } = ASSUMPTIONS[id];
  return refine({ ...anything, what: choices }, (value) =>
    isChoice(id, value) ? { value } : { expected: choices },
  );
}

const charge: Schema<Charge> = row({
  ordinal: count,
  id: text,
  appId: text,
  accountId: text,
  code: CODE,
  amountCents,
  providerFeeCents: feeCents,
  partnerFeeCents: feeCents,
  payerName: nullable(name),
  payerDocument: nullable(document),
  metadata: METADATA,
  createdAt: instant,
  status: oneOf(CHARGE_STATUSES),
  expiresAt: instant,
  settledEarly: optional(always(true)),
  reason: nullable(failureReason),
});

const withdrawal: Schema<Withdrawal> = row({
  ordinal: count,
  id: text,
  appId: text,
  accountId: text,
  code: CODE,
  amountCents,
  feeCents,
  pixKey,
  pixKeyType: oneOf(PIX_KEY_TYPES),
  beneficiaryDocument: nullable(document),
  beneficiaryName: nullable(name),
  metadata: METADATA,
  createdAt: instant,
  status: oneOf(WITHDRAWAL_STATUSES),
  reason: nullable(failureReason),
});

const transaction: Schema<Row<'accounts'>['transactions'][number]> = row({
  ordinal: count,
  code: text,
  amountCents,
  direction: oneOf(['CREDIT', 'DEBIT']),
  createdAt: instant,
});

const attempt: Schema<Attempt> = row<Attempt>({
  number: count,
  startedAt: instant,
  status: nullable(httpStatus),
  error: nullable(attemptError),
  faults: optional(list(STORED_FIRED)),
});

const override: Schema<Override> = row({ path: text, value: json });

const eventId = textThat('evt_ and 32 hex digits', (id) => /^evt_[\da-f]{32}$/.test(id));
const announced = { ordinal: count, id: eventId, at: instant, overrides: optional(list(override)) };
const event: Schema<Row<'events'>> = variant('an object', 'type', [
  object('an object', {
    ...announced,
    type: oneOf(['pix.settled', 'pix.failed', 'pix.expired']),
    resource: charge,
  }),
  object('an object', {
    ...announced,
    type: oneOf(['withdrawal.settled', 'withdrawal.failed']),
    resource: withdrawal,
  }),
]);

const cents = textThat('a whole number of cents, from 0 up, as text', (sum) => /^\d{1,30}$/.test(sum));

/** The settings and counters of a world. */
export const HEAD = {
  seed,
  assumed,
  autoSettleMs: nullable(durationMs),
  kycEnabled: flag,
  kycAuto: nullable(
    row<NonNullable<WorldExport['kycAuto']>>({
      status: oneOf(SESSION_DECISIONS),
      delayMs: durationMs,
    }),
  ),
  origins: list(origin),
  keepDeliveries: wholeNumber(1, LIMITS.deliveriesKeptMax),
  now: wholeNumber(0, LAST_INSTANT_MS),
  deliveriesPaused: flag,
  transactionCount: count,
  endpointCount: count,
  eventCount: count,
  deliveryCount: count,
  faultCount: count,
};

export type TableName = Exclude<keyof WorldExport, keyof typeof HEAD>;

/** The rows of each table, in an order in which each refers only to what came before. */
export const ROWS: { readonly [Table in TableName]: Schema<Row<Table>> } = {
  organizations: row<Row<'organizations'>>({
    ordinal: count,
    id: text,
    name,
    kycToken: nullable(token),
    publishableKey: nullable(token),
    origins: list(origin),
  }),
  apps: row<Row<'apps'>>({
    ordinal: count,
    id: text,
    organizationId: text,
    name,
    token,
    signingSecret: secretText,
    scopes: list(oneOf(SCOPES)),
    accountId: uuid,
    nonces: list(tuple('a nonce and until when it is remembered', [nonce, count])),
  }),
  accounts: row<Row<'accounts'>>({
    id: uuid,
    appId: text,
    balanceCents: cents,
    transactions: list(transaction),
  }),
  charges: charge,
  withdrawals: withdrawal,
  endpoints: row<Row<'endpoints'>>({
    ordinal: count,
    id: text,
    appId: text,
    url: endpointUrl,
    transport: oneOf(['http', 'listener']),
    createdAt: instant,
    description: nullable(text),
    events: list(oneOf(EVENT_TYPES)),
    schedule: keyOf(RETRY_SCHEDULES),
    timeoutMs: wholeNumber(1, DAY_MS),
    concurrency: wholeNumber(1, LIMITS.attemptsInFlightPerEndpoint),
    updatedAt: instant,
    status: oneOf(ENDPOINT_STATUSES),
    secret: webhookSecret,
    previousSecret: nullable(webhookSecret),
    previousSecretUntil: instant,
    connected: flag,
  }),
  events: event,
  deliveries: row<Row<'deliveries'>>({
    ordinal: count,
    id: uuid,
    event: eventId,
    endpointId: uuid,
    createdAt: instant,
    status: oneOf(DELIVERY_STATUSES),
    attempts: count,
    attemptLimit: count,
    inFlight: flag,
    faults: list(STORED_FIRED),
    lastAttemptAt: nullable(instant),
    lastStatus: nullable(httpStatus),
    lastError: nullable(attemptError),
    nextAttemptAt: nullable(instant),
    deliveredAt: nullable(instant),
    log: list(attempt),
  }),
  sessions: row<Row<'sessions'>>({
    ordinal: count,
    id: sessionSecret,
    organizationId: text,
    customerType: oneOf(CUSTOMER_TYPES),
    idempotencyKey: nullable(idempotencyKey),
    embedOrigin: nullable(pageOrigin),
    formToken: sessionSecret,
    createdAt: instant,
    expiresAt: instant,
    status: oneOf(SESSION_STATUSES),
    name: nullable(text),
    document: nullable(document),
    euid: nullable(textThat('euid_ and 32 hex digits', (euid) => /^euid_[\da-f]{32}$/.test(euid))),
    error: nullable(ERROR_CODE),
    decidedAt: nullable(instant),
    readableAt: nullable(instant),
    wasReviewed: flag,
  }),
  faults: STORED_FAULT,
  agenda: row<Row<'agenda'>>({ at: instant, kind: oneOf(AGENDA_KINDS), ordinal: count }),
};
