import { AGENDA_KINDS } from '../agenda.js';
import type { Assumed } from '../../contract/assumptions.js';
import type { AssumptionId } from '../../contract/assumptions.js';
import { ASSUMPTION_IDS, ASSUMPTIONS, isChoice } from '../../contract/assumptions.js';
import type { AttemptError } from '../../contract/attempt-errors.js';
import { ATTEMPT_ERRORS } from '../../contract/attempt-errors.js';
import type { FailureReason } from '../../contract/failure-reasons.js';
import { FAILURE_REASONS } from '../../contract/failure-reasons.js';
import { fault, fired } from '../webhooks/fault-shapes.js';
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
  nonce,
  origin,
  pageOrigin,
  pixKey,
  secretText,
  sessionSecret,
  token,
  uuid,
  webhookSecret,
} from './form-shapes.js';
import type { Seed } from '../ids.js';
import type { RetrySchedule } from '../../contract/limits.js';
import { ERROR_CODE } from '../input/bodies.js';
import { METADATA } from '../input/kinds.js';
import { LIMITS, RETRY_SCHEDULES } from '../../contract/limits.js';
import type { Override } from '../webhooks/overrides.js';
import { PIX_KEY_TYPES } from '../payments/pix-keys.js';
import type { IdentitySession } from '../identity/session.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import type { Shape } from './shapes.js';
import {
  anything,
  between,
  flag,
  json,
  keyOf,
  list,
  must,
  nullable,
  object,
  ofKind,
  oneOf,
  optional,
  text,
  textThat,
} from './shapes.js';
import type { WorldExport } from './export.js';
import { CODE, text as textKind } from '../input/text-kinds.js';
import { DAY_MS, LAST_INSTANT_MS } from '../../contract/time.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import type { Attempt, Charge, Transaction, Withdrawal } from '../world.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { SCOPES } from '../../contract/scopes.js';

type Row<Table extends keyof WorldExport> = WorldExport[Table] extends readonly (infer One)[] ? One : never;

const attemptError: Shape<AttemptError> = keyOf(ATTEMPT_ERRORS);
const failureReason: Shape<FailureReason> = keyOf(FAILURE_REASONS);
const name = ofKind(textKind(LIMITS.nameLength));
const schedule: Shape<RetrySchedule> = keyOf(RETRY_SCHEDULES);
const seed: Shape<Seed> = (value, place) => {
  const [a, b, c, d, ...more] = list(between(0, 0xffff_ffff))(value, place);
  const isWhole = a !== undefined && b !== undefined && c !== undefined && d !== undefined;
  must(isWhole && more.length === 0, place, 'four numbers of 32 bits');
  return [a, b, c, d];
};

/** The chosen value of each assumption, as a choice would give it. */
const assumed: Shape<Assumed> = (value, place) => {
  const shapes = ASSUMPTION_IDS.map((id): [string, Shape<unknown>] => [id, chosenValue(id)]);
  return object(Object.fromEntries(shapes))(value, place) as Assumed;
};

function chosenValue(id: AssumptionId): Shape<unknown> {
  const { choices } = ASSUMPTIONS[id];
  return (value, place) => {
    must(isChoice(id, value), place, choices);
    return value;
  };
}

const charge: Shape<Charge> = object({
  ordinal: count,
  id: text,
  appId: text,
  accountId: text,
  code: ofKind(CODE),
  amountCents,
  providerFeeCents: feeCents,
  partnerFeeCents: feeCents,
  payerName: nullable(name),
  payerDocument: nullable(document),
  metadata: ofKind(METADATA),
  createdAt: instant,
  status: oneOf(CHARGE_STATUSES),
  expiresAt: instant,
  reason: nullable(failureReason),
});

const withdrawal: Shape<Withdrawal> = object({
  ordinal: count,
  id: text,
  appId: text,
  accountId: text,
  code: ofKind(CODE),
  amountCents,
  feeCents,
  pixKey,
  pixKeyType: oneOf(PIX_KEY_TYPES),
  beneficiaryDocument: nullable(document),
  beneficiaryName: nullable(name),
  metadata: ofKind(METADATA),
  createdAt: instant,
  status: oneOf(WITHDRAWAL_STATUSES),
  reason: nullable(failureReason),
});

export const transaction: Shape<Transaction> = object({
  ordinal: count,
  id: text,
  code: text,
  amountCents,
  direction: oneOf(['CREDIT', 'DEBIT']),
  createdAt: instant,
});

const attempt: Shape<Attempt> = object<Attempt>({
  number: count,
  startedAt: instant,
  status: nullable(httpStatus),
  error: nullable(attemptError),
  faults: optional(list(fired)),
});

const override: Shape<Override> = object({ path: text, value: json });

const event: Shape<Row<'events'>> = (value, place) => {
  const read = object<{
    ordinal: number;
    id: string;
    at: number;
    type: (typeof EVENT_TYPES)[number];
    resource: unknown;
    overrides?: Override[];
  }>({
    ordinal: count,
    id: text,
    at: instant,
    type: oneOf(EVENT_TYPES),
    resource: anything,
    overrides: optional(list(override)),
  })(value, place);
  const { type, resource, ...rest } = read;
  const where = `${place}.resource`;
  return type === 'pix.settled' || type === 'pix.failed' || type === 'pix.expired'
    ? { ...rest, type, resource: charge(resource, where) }
    : { ...rest, type, resource: withdrawal(resource, where) };
};

const delivery: Shape<Row<'deliveries'>> = object<Row<'deliveries'>>({
  ordinal: count,
  id: text,
  event: text,
  endpointId: uuid,
  createdAt: instant,
  status: oneOf(DELIVERY_STATUSES),
  attempts: count,
  attemptLimit: count,
  inFlight: flag,
  faults: list(fired),
  lastAttemptAt: nullable(instant),
  lastStatus: nullable(httpStatus),
  lastError: nullable(attemptError),
  nextAttemptAt: nullable(instant),
  deliveredAt: nullable(instant),
  log: list(attempt),
});

const endpoint: Shape<Row<'endpoints'>> = object<Row<'endpoints'>>({
  ordinal: count,
  id: text,
  appId: text,
  url: endpointUrl,
  transport: oneOf(['http', 'listener']),
  createdAt: instant,
  description: nullable(text),
  events: list(oneOf(EVENT_TYPES)),
  schedule,
  timeoutMs: between(1, DAY_MS),
  concurrency: between(1, LIMITS.attemptsInFlightPerEndpoint),
  updatedAt: instant,
  status: oneOf(['ACTIVE', 'DISABLED']),
  secret: webhookSecret,
  previousSecret: nullable(webhookSecret),
  previousSecretUntil: instant,
  connected: flag,
});

const session: Shape<IdentitySession> = object({
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
  error: nullable(ofKind(ERROR_CODE)),
  decidedAt: nullable(instant),
  readableAt: nullable(instant),
  wasReviewed: flag,
});

const cents = textThat('a whole number of cents, from 0 up, as text', (sum) => /^\d{1,30}$/.test(sum));

/** What a world is told when it begins, and its counters. */
export const HEAD = {
  seed,
  assumed,
  autoSettleMs: nullable(durationMs),
  kycEnabled: flag,
  kycAuto: nullable(
    object<NonNullable<WorldExport['kycAuto']>>({
      status: oneOf(['approved', 'rejected', 'under_review', 'cancelled', 'expired']),
      delayMs: durationMs,
    }),
  ),
  origins: list(origin),
  now: between(0, LAST_INSTANT_MS),
  // Absent in what was written before deliveries could be paused.
  deliveriesPaused: (value: unknown, place: string) => value !== undefined && flag(value, place),
  transactionCount: count,
  endpointCount: count,
  faultCount: count,
};

/** The rows of each table, in an order in which each refers only to what came before. */
export const ROWS = {
  organizations: object<Row<'organizations'>>({
    ordinal: count,
    id: text,
    name,
    kycToken: nullable(token),
    publishableKey: nullable(token),
    origins: list(origin),
  }),
  apps: object<Row<'apps'>>({
    ordinal: count,
    id: text,
    organizationId: text,
    name,
    token,
    signingSecret: secretText,
    scopes: list(oneOf(SCOPES)),
    accountId: uuid,
    nonces: list((value, place): [string, number] => {
      const [used, untilS, ...more] = list(anything)(value, place);
      must(more.length === 0, place, 'a nonce and until when it is remembered');
      return [nonce(used, `${place}[0]`), count(untilS, `${place}[1]`)];
    }),
  }),
  accounts: object<Row<'accounts'>>({
    id: uuid,
    appId: text,
    balanceCents: cents,
    transactions: list(transaction),
  }),
  charges: charge,
  withdrawals: withdrawal,
  endpoints: endpoint,
  events: event,
  deliveries: delivery,
  sessions: session,
  faults: fault,
  agenda: object<Row<'agenda'>>({ at: instant, kind: optional(oneOf(AGENDA_KINDS)), ordinal: count }),
} satisfies { [Table in Exclude<keyof WorldExport, keyof typeof HEAD>]: Shape<Row<Table>> };
