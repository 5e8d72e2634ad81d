import { AGENDA_KINDS } from './agenda.js';
import type { Assumed } from './assumptions.js';
import { ASSUMPTIONS } from './assumptions.js';
import type { AttemptError } from './attempt-errors.js';
import { ATTEMPT_ERRORS } from './attempt-errors.js';
import { fault, fired } from './fault-shapes.js';
import type { Seed } from './ids.js';
import type { RetrySchedule } from './limits.js';
import { RETRY_SCHEDULES } from './limits.js';
import type { Override } from './overrides.js';
import type { IdentitySession } from './session.js';
import { CUSTOMER_TYPES } from './session.js';
import type { Shape } from './shapes.js';
import {
  anything,
  flag,
  keyOf,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  text,
  textThat,
  whole,
} from './shapes.js';
import type { WorldExport } from './state.js';
import { CHARGE_STATUSES, DELIVERY_STATUSES, SESSION_STATUSES, WITHDRAWAL_STATUSES } from './transitions.js';
import type { Attempt, Charge, Transaction, Withdrawal } from './world.js';
import { EVENT_TYPES, SCOPES } from './world.js';

type Row<Table extends keyof WorldExport> = WorldExport[Table] extends readonly (infer One)[] ? One : never;

const attemptError: Shape<AttemptError> = keyOf(ATTEMPT_ERRORS);
const schedule: Shape<RetrySchedule> = keyOf(RETRY_SCHEDULES);
const seed: Shape<Seed> = (value, place) => {
  const [a = 0, b = 0, c = 0, d = 0] = list(number)(value, place);
  return [a, b, c, d];
};

/** The chosen value of each assumption, of the kind that its default has. */
const assumed: Shape<Assumed> = (value, place) => {
  const shapes = Object.entries(ASSUMPTIONS).map(
    ([id, { fallback, choices, parse }]): [string, Shape<unknown>] => [
      id,
      typeof fallback === 'number' ? whole : textThat(choices, (chosen) => parse(chosen) !== undefined),
    ],
  );
  return object(Object.fromEntries(shapes))(value, place) as Assumed;
};

const charge: Shape<Charge> = object({
  ordinal: whole,
  id: text,
  appId: text,
  accountId: text,
  code: text,
  amountCents: whole,
  providerFeeCents: whole,
  partnerFeeCents: whole,
  payerName: nullable(text),
  payerDocument: nullable(text),
  metadata: record(text),
  createdAt: whole,
  status: oneOf(CHARGE_STATUSES),
  expiresAt: whole,
  reason: nullable(text),
});

const withdrawal: Shape<Withdrawal> = object({
  ordinal: whole,
  id: text,
  appId: text,
  accountId: text,
  code: text,
  amountCents: whole,
  feeCents: whole,
  pixKey: text,
  pixKeyType: text,
  beneficiaryDocument: nullable(text),
  beneficiaryName: nullable(text),
  metadata: record(text),
  createdAt: whole,
  status: oneOf(WITHDRAWAL_STATUSES),
  reason: nullable(text),
});

export const transaction: Shape<Transaction> = object({
  ordinal: whole,
  id: text,
  code: text,
  amountCents: whole,
  direction: oneOf(['CREDIT', 'DEBIT']),
  createdAt: whole,
});

const attempt: Shape<Attempt> = object<Attempt>({
  number: whole,
  startedAt: whole,
  status: nullable(whole),
  error: nullable(attemptError),
  faults: optional(list(fired)),
});

const override: Shape<Override> = object({ path: text, value: anything });

const event: Shape<Row<'events'>> = (value, place) => {
  const read = object<{
    ordinal: number;
    id: string;
    at: number;
    type: (typeof EVENT_TYPES)[number];
    resource: unknown;
    overrides?: Override[];
  }>({
    ordinal: whole,
    id: text,
    at: whole,
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
  ordinal: whole,
  id: text,
  event: text,
  endpointId: text,
  createdAt: whole,
  status: oneOf(DELIVERY_STATUSES),
  attempts: whole,
  attemptLimit: whole,
  inFlight: flag,
  faults: list(fired),
  lastAttemptAt: nullable(whole),
  lastStatus: nullable(whole),
  lastError: nullable(attemptError),
  nextAttemptAt: nullable(whole),
  deliveredAt: nullable(whole),
  log: list(attempt),
});

const endpoint: Shape<Row<'endpoints'>> = object<Row<'endpoints'>>({
  ordinal: whole,
  id: text,
  appId: text,
  url: text,
  transport: oneOf(['http', 'listener']),
  createdAt: whole,
  description: nullable(text),
  events: list(oneOf(EVENT_TYPES)),
  schedule,
  timeoutMs: whole,
  concurrency: whole,
  updatedAt: whole,
  status: oneOf(['ACTIVE', 'DISABLED']),
  secret: text,
  previousSecret: nullable(text),
  previousSecretUntil: whole,
  connected: flag,
});

const session: Shape<IdentitySession> = object({
  ordinal: whole,
  id: text,
  organizationId: text,
  customerType: oneOf(CUSTOMER_TYPES),
  idempotencyKey: nullable(text),
  embedOrigin: nullable(text),
  formToken: text,
  createdAt: whole,
  expiresAt: whole,
  status: oneOf(SESSION_STATUSES),
  name: nullable(text),
  document: nullable(text),
  euid: nullable(text),
  error: nullable(text),
  decidedAt: nullable(whole),
  readableAt: nullable(whole),
  wasReviewed: flag,
});

const cents = textThat('a whole number of cents as text', (sum) => /^-?\d{1,30}$/.test(sum));

/** What a world is told when it begins, and its counters. */
export const HEAD = {
  seed,
  assumed,
  autoSettleMs: nullable(whole),
  kycEnabled: flag,
  kycAuto: nullable(
    object<NonNullable<WorldExport['kycAuto']>>({
      status: oneOf(['approved', 'rejected', 'under_review', 'cancelled', 'expired']),
      delayMs: whole,
    }),
  ),
  origins: list(text),
  now: whole,
  // Absent in what was written before deliveries could be paused.
  deliveriesPaused: (value: unknown, place: string) => value !== undefined && flag(value, place),
  transactionCount: whole,
  endpointCount: whole,
  faultCount: whole,
};

/** The rows of each table, in an order in which each refers only to what came before. */
export const ROWS = {
  organizations: object<Row<'organizations'>>({
    ordinal: whole,
    id: text,
    name: text,
    kycToken: nullable(text),
    publishableKey: nullable(text),
    origins: list(text),
  }),
  apps: object<Row<'apps'>>({
    ordinal: whole,
    id: text,
    organizationId: text,
    name: text,
    token: text,
    signingSecret: text,
    scopes: list(oneOf(SCOPES)),
    accountId: text,
    nonces: list((value, place): [string, number] => {
      const [nonce, untilS] = list(anything)(value, place);
      return [text(nonce, `${place}[0]`), whole(untilS, `${place}[1]`)];
    }),
  }),
  accounts: object<Row<'accounts'>>({
    id: text,
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
  agenda: object<Row<'agenda'>>({ at: whole, kind: optional(oneOf(AGENDA_KINDS)), ordinal: whole }),
} satisfies { [Table in Exclude<keyof WorldExport, keyof typeof HEAD>]: Shape<Row<Table>> };
