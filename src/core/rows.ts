import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionChoices, isChoice } from '../contract/assumptions.js';
import {
  ATTEMPT_ERRORS,
  CUSTOMER_TYPES,
  EVENT_TYPES,
  FAILURE_REASONS,
  PAYMENT_EVENTS,
  SCOPES,
} from '../contract/enums.js';
import type { Delay } from '../contract/delay.js';
import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_APIS, RESTART_MOMENTS } from '../contract/fault-kinds.js';
import { PAYMENT_FIELDS } from '../contract/fields.js';
import { LIMITS, RETRY_SCHEDULES } from '../contract/limits.js';
import { AMOUNT_MAX_CENTS } from '../contract/money.js';
import { DAY_MS, LAST_INSTANT_MS } from '../contract/time.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  ENDPOINT_STATUSES,
  SESSION_DECISIONS,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../contract/transitions.js';
import { oneOf, array, tuple, union, unionBy } from '../schema/compound.js';
import {
  type FieldSchemas,
  isObject,
  nullable,
  object,
  type ObjectSchema,
  optional,
  type Rule,
  type ValuesOf,
} from '../schema/object.js';
import type { Schema } from '../schema/schema.js';
import { literal, anyValue, boolean, deriveKey, enumOf, refine, text } from '../schema/values.js';
import { AGENDA_KINDS } from './agenda.js';
import { type IdSeed, UUID_PATTERN } from './ids.js';
import {
  BARE_DOCUMENT,
  CENTS_SCHEMA,
  ERROR_CODE,
  isWholeJson,
  NAME_INPUT,
  createNumberAboveSchema,
  normalizeOrigin,
  createFieldSchemas,
  createTextSchema,
  integerRange,
} from './input/kinds.js';
import { PIX_KEY_TYPES } from './payments/documents.js';

// Schemas of the rows of an exported world; the row types are inferred from these schemas.

/** Creates a string schema whose messages don't reveal the value. */
function secret(what: string, pattern: RegExp): Schema<string> {
  const problem = `expected ${what}; got another text.`;
  return refine<string, string>(text(what), (value) => (pattern.test(value) ? { value } : { problem }));
}

const readonlyArray: <Item, Json>(item: Schema<Item, Json>) => Schema<readonly Item[], readonly Json[]> =
  array;

function row<const Of extends FieldSchemas>(fields: Of, ...rules: Rule<ValuesOf<Of>>[]): ObjectSchema<Of> {
  return object('an object', fields, { rules });
}

const feeProblem = (feeCents: number, amountCents: number) =>
  feeCents > amountCents
    ? `expected fees of at most the amount, ${amountCents}; got ${feeCents}.`
    : undefined;

const TEXT = text();
const UUID = text('a UUID', UUID_PATTERN);
/** Limits ordinals and counts; the limit is far above any real world and far below 2^53. */
const COUNT = integerRange(0, 1_000_000_000_000);
/** Delay in milliseconds, or a distribution of such delays. */
const createDelaySchema = (maxMs: number): Schema<Delay> =>
  union([
    integerRange(0, maxMs),
    row(
      { medianMs: integerRange(1, maxMs), p99Ms: integerRange(1, maxMs) },
      {
        of: ['p99Ms', 'medianMs'],
        problem: ({ medianMs, p99Ms }) =>
          medianMs < p99Ms ? undefined : `expected more than the median, ${medianMs}; got ${p99Ms}.`,
      },
    ),
  ]);
const DELAY = createDelaySchema(LAST_INSTANT_MS);
/** Instant in milliseconds, up to the latest schedulable instant. */
const INSTANT = integerRange(0, 2 * LAST_INSTANT_MS + DAY_MS);
const FEE = integerRange(0, AMOUNT_MAX_CENTS);
const REASON = nullable(deriveKey(FAILURE_REASONS));
const ATTEMPT_ERROR = nullable(deriveKey(ATTEMPT_ERRORS));
const HTTP_STATUS = nullable(integerRange(100, 999));
/** Matches `whsec_` and canonical base64: complete groups, with spare bits set to 0. */
const WEBHOOK_SECRET = secret(
  'whsec_ followed by base64',
  /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/,
);
/** Secret sent in headers, e.g. as a bearer token. */
export const TOKEN = secret('visible ASCII without spaces', /^[\x21-\x7e]+$/);
/** Secret used in URL paths and forms. */
export const SESSION_SECRET = secret('1 to 140 characters of A-Z a-z 0-9 _ -', /^[\w-]{1,140}$/);
export const NONCE = text(
  `visible ASCII, at most ${LIMITS.nonceLengthMax}`,
  new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.nonceLengthMax}}$`),
);
const IDEMPOTENCY_KEY = text(
  `printable ASCII, at most ${LIMITS.idempotencyKeyLengthMax}`,
  new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotencyKeyLengthMax}}$`),
);
const ORIGIN = createTextSchema('a normalized origin', (origin) => normalizeOrigin(origin) === origin);
const URL_FORM = /^https?:\/\/(?:[^\s/?#@:[\]\\]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/[!-~]*$/;
const PORT_MAX = 65_535;
/**
 * Accepts registered http or https URLs with a host and a path. Each attempt checks whether the address is
 * allowed.
 */
export const ENDPOINT_URL = createTextSchema('an http or https URL of visible ASCII, with a path', (url) => {
  const [, port = '0'] = URL_FORM.exec(url) ?? ['', 'none'];
  return url.length <= LIMITS.urlLength && Number(port) <= PORT_MAX;
});
const JSON_VALUE = `a JSON value without lone surrogates, at most ${LIMITS.jsonDepth} levels deep`;

/** Common fields of payment rows. */
const PAYMENT = {
  ordinal: COUNT,
  id: TEXT,
  appId: TEXT,
  createdAt: INSTANT,
  /** Failure reason, visible only in the control API. */
  reason: REASON,
};

export const CHARGE_ROW = row(
  {
    ...PAYMENT,
    ...createFieldSchemas('stored', PAYMENT_FIELDS.charge),
    providerFeeCents: FEE,
    partnerFeeCents: FEE,
    status: enumOf(CHARGE_STATUSES),
    expiresAt: INSTANT,
    /** Set by the `event-first` fault until the first request to settle the charge. */
    settledEarly: optional(literal(true)),
  },
  {
    of: ['providerFeeCents', 'partnerFeeCents', 'amountCents'],
    problem: (charge) => feeProblem(charge.providerFeeCents + charge.partnerFeeCents, charge.amountCents),
  },
);

export const WITHDRAWAL_ROW = row(
  {
    ...PAYMENT,
    ...createFieldSchemas('stored', PAYMENT_FIELDS.withdrawal),
    feeCents: FEE,
    pixKeyType: enumOf(PIX_KEY_TYPES),
    status: enumOf(WITHDRAWAL_STATUSES),
  },
  {
    of: ['feeCents', 'amountCents'],
    problem: ({ feeCents, amountCents }) => feeProblem(feeCents, amountCents),
  },
);

/** One ledger entry; its id is derived from the ordinal. */
export const TRANSACTION_ROW = row({
  ordinal: COUNT,
  code: TEXT,
  amountCents: CENTS_SCHEMA,
  direction: enumOf(['CREDIT', 'DEBIT']),
  createdAt: INSTANT,
});

export const ACCOUNT_ROW = row({
  id: UUID,
  appId: TEXT,
  /** Sum of the ledger. Worlds store a bigint, because sums can exceed 2^53. */
  balanceCents: text('a whole number of cents, at least 0, as text', /^\d{1,30}$/),
  transactions: array(TRANSACTION_ROW),
});

/** Owns the credentials of the identity API (§5.4); every application belongs to one organization. */
export const ORGANIZATION_ROW = row({
  ordinal: COUNT,
  id: TEXT,
  name: NAME_INPUT,
  /** Bearer credential and publishable key; null if not provisioned. */
  kycToken: nullable(TOKEN),
  publishableKey: nullable(TOKEN),
  /** Allows these origins, in addition to the world's `origins`, to embed the organization's pages. */
  origins: array(ORIGIN),
});

/** API client identified by a token, with its scopes (§5). */
export const APP_ROW = row({
  ordinal: COUNT,
  id: TEXT,
  organizationId: TEXT,
  name: NAME_INPUT,
  token: TOKEN,
  signingSecret: secret('a non-empty text', /./s),
  scopes: readonlyArray(enumOf(SCOPES)),
  /** The first account, used for payments by default. */
  accountId: UUID,
  /** Maps used nonces to their expiry times in real time (Unix seconds). */
  nonces: array(tuple('a nonce and its expiry', [NONCE, COUNT])),
});

export const ENDPOINT_ROW = row({
  ordinal: COUNT,
  id: TEXT,
  appId: TEXT,
  url: ENDPOINT_URL,
  transport: enumOf(['http', 'listener']),
  createdAt: INSTANT,
  description: nullable(TEXT),
  events: readonlyArray(enumOf(EVENT_TYPES)),
  schedule: deriveKey(RETRY_SCHEDULES),
  timeoutMs: integerRange(1, DAY_MS),
  /** Maximum attempts in flight. */
  concurrency: integerRange(1, LIMITS.attemptsInFlightPerEndpoint),
  updatedAt: INSTANT,
  status: enumOf(ENDPOINT_STATUSES),
  secret: WEBHOOK_SECRET,
  previousSecret: nullable(WEBHOOK_SECRET),
  previousSecretUntil: INSTANT,
  /** Used only for listeners. */
  connected: boolean,
});

/** Replaces one payload value. Example paths: `data.object.amount`, `data.object.items[0]`. */
export const OVERRIDE_ROW = row({
  path: TEXT,
  value: refine<unknown, unknown>({ ...anyValue, what: JSON_VALUE }, (value) =>
    isWholeJson(value) ? { value } : { expected: JSON_VALUE },
  ),
});

const EVENT_ID = text('evt_ and 32 hex digits', /^evt_[\da-f]{32}$/);

/** Webhook event (§6) with a snapshot of the resource right after the transition. */
const ANNOUNCED = {
  ordinal: COUNT,
  id: EVENT_ID,
  at: INSTANT,
  /** Requested payload overrides. */
  overrides: optional(readonlyArray(OVERRIDE_ROW)),
};
export const EVENT_ROW = unionBy('an object', 'type', [
  row({ ...ANNOUNCED, type: enumOf(PAYMENT_EVENTS.charge), resource: CHARGE_ROW }),
  row({ ...ANNOUNCED, type: enumOf(PAYMENT_EVENTS.withdrawal), resource: WITHDRAWAL_ROW }),
]);

export const ERROR_STATUS_MIN = 400;
export const STATUS_MIN = 200;
export const STATUS_MAX = 599;
export const COUNT_MAX = 1_000_000;
export const RANK = integerRange(1, COUNT_MAX);
export const COPY_COUNT = integerRange(1, 10);
export const RESTART_MOMENT = enumOf(RESTART_MOMENTS);
export const PROBABILITY = createNumberAboveSchema(0, 1);
export const ATTEMPT_NUMBER = integerRange(1, LIMITS.attemptsKept);

/** Optional details of a fired fault; a fault's delay can also be a distribution. */
export const FAULT_DETAILS = {
  status: nullable(integerRange(STATUS_MIN, STATUS_MAX)),
  delayMs: nullable(integerRange(0, LIMITS.faultDelayMs)),
  copies: nullable(COPY_COUNT),
  /** Sends copies concurrently with the attempt instead of sequentially. */
  parallel: optional(boolean),
  when: optional(RESTART_MOMENT),
};

/** Match criteria for both request and delivery faults. */
export const FAULT_TARGET = {
  /** Matches the code of the charge or withdrawal. */
  code: optional(TEXT),
  /** Matches the charge, withdrawal or session by its position in creation order, starting at 1. */
  resource: optional(RANK),
  /** Fires only on the nth request or attempt that matches all other fields, starting at 1. */
  nth: optional(RANK),
  /** Fires only on every nth match, e.g. 2 for the second, fourth and sixth. */
  every: optional(RANK),
};

/** Matches requests. Null fields match any value, and patterns can contain `*`. */
export const CALL_MATCH = row({
  on: literal('call'),
  api: nullable(enumOf(FAULT_APIS)),
  method: nullable(TEXT),
  path: nullable(TEXT),
  ...FAULT_TARGET,
});

/** Matches attempts. Null fields match any value. */
export const DELIVERY_MATCH = row({
  on: literal('delivery'),
  eventType: nullable(TEXT),
  endpointId: nullable(UUID),
  /** Matches the endpoint's URL or a listener's forward target. */
  endpointUrl: optional(TEXT),
  attempt: nullable(ATTEMPT_NUMBER),
  ...FAULT_TARGET,
});

const FAULT_FIELDS = {
  ordinal: COUNT,
  id: UUID,
  /** Number of matching requests or attempts, and number of firings. */
  seen: COUNT,
  fired: COUNT,
  probability: PROBABILITY,
  /** Maximum number of firings; null for no limit. */
  count: nullable(RANK),
  /** Fires from `from` until just before `until`, in sandbox time, and is removed at `until`. */
  from: optional(INSTANT),
  until: optional(INSTANT),
  /** Name of the incident that added the fault. */
  incident: optional(NAME_INPUT),
  /** Only on an incident's first fault. */
  incidentDescription: optional(TEXT),
  ...FAULT_DETAILS,
  delayMs: nullable(createDelaySchema(LIMITS.faultDelayMs)),
};
export const CALL_FAULT = row({
  ...FAULT_FIELDS,
  match: CALL_MATCH,
  action: deriveKey(CALL_FAULTS),
  status: nullable(integerRange(ERROR_STATUS_MIN, STATUS_MAX)),
});
export const DELIVERY_FAULT = row({
  ...FAULT_FIELDS,
  match: DELIVERY_MATCH,
  action: deriveKey(DELIVERY_FAULTS),
});
const FAULT = oneOf('a fault', [CALL_FAULT, DELIVERY_FAULT], (value) =>
  isObject(value) && isObject(value['match']) && value['match']['on'] === 'call'
    ? CALL_FAULT
    : DELIVERY_FAULT,
);

const FIRED = readonlyArray(
  row({ id: UUID, action: deriveKey(DELIVERY_FAULTS), incident: optional(NAME_INPUT), ...FAULT_DETAILS }),
);

/** One HTTP attempt. Latency and raw response text are stored outside the world. */
export const ATTEMPT_ROW = row({
  number: COUNT,
  startedAt: INSTANT,
  status: HTTP_STATUS,
  error: ATTEMPT_ERROR,
  /** Faults that fired on the attempt. */
  faults: optional(FIRED),
});

/** Delivery of an event to an endpoint (§2.4). */
export const DELIVERY_ROW = row({
  ordinal: COUNT,
  id: UUID,
  event: EVENT_ID,
  endpointId: UUID,
  createdAt: INSTANT,
  status: enumOf(DELIVERY_STATUSES),
  /** The delivery is dead-lettered once `attempts` reaches `attemptLimit`. */
  attempts: COUNT,
  attemptLimit: COUNT,
  inFlight: boolean,
  /** Faults that fired on the attempt in flight. */
  faults: FIRED,
  /** The fault that holds the next attempt. */
  heldBy: optional(UUID),
  lastAttemptAt: nullable(INSTANT),
  lastStatus: HTTP_STATUS,
  lastError: ATTEMPT_ERROR,
  nextAttemptAt: nullable(INSTANT),
  deliveredAt: nullable(INSTANT),
  /** Most recent finished attempts. */
  log: readonlyArray(ATTEMPT_ROW),
});

/** Identity-verification session (§2.7). */
export const SESSION_ROW = row({
  ordinal: COUNT,
  /** The id is a limited credential, so logs must shorten it. */
  id: SESSION_SECRET,
  organizationId: TEXT,
  customerType: enumOf(CUSTOMER_TYPES),
  idempotencyKey: nullable(IDEMPOTENCY_KEY),
  /** Registered origin that embeds or opened the page; set only for sessions created by the browser. */
  embedOrigin: nullable(createTextSchema('an origin', (origin) => normalizeOrigin(origin) !== undefined)),
  /** Proves that a form was submitted from the session's page. */
  formToken: SESSION_SECRET,
  createdAt: INSTANT,
  expiresAt: INSTANT,
  /** Changes when the decision is made; the result shows the new status from `readableAt` on. */
  status: enumOf(SESSION_STATUSES),
  name: nullable(TEXT),
  document: nullable(BARE_DOCUMENT),
  euid: nullable(text('euid_ and 32 hex digits', /^euid_[\da-f]{32}$/)),
  /** Error code reported by the page through onError; the session stays undecided. */
  error: nullable(ERROR_CODE),
  /** Null for timed-out sessions. */
  decidedAt: nullable(INSTANT),
  readableAt: nullable(INSTANT),
  /** Set after a review: the result stays under_review until the final decision is readable. */
  wasReviewed: boolean,
});

/** Decides every session automatically; the decision is readable after `delayMs`. */
export const AUTO_DECISION = row({ status: enumOf(SESSION_DECISIONS), delayMs: DELAY });

/** Resolved values of all assumptions. */
const ASSUMED = row(
  Object.fromEntries(
    ASSUMPTION_IDS.map((id) => {
      const { choices } = ASSUMPTIONS[id];
      const chosen = refine<unknown, unknown>({ ...anyValue, what: choices }, (value) =>
        isChoice(id, value) ? { value } : { expected: choices },
      );
      return [id, chosen];
    }),
  ),
) as Schema<unknown> as Schema<AssumptionChoices>;

const BITS = integerRange(0, 0xffff_ffff);
const SEED: Schema<IdSeed> = tuple('four 32-bit numbers', [BITS, BITS, BITS, BITS]);

/** World settings, which never change. */
export const WORLD_SETTINGS = {
  /** Pays charges automatically after this delay in milliseconds; null disables automatic payment. */
  autoSettleMs: nullable(DELAY),
  /** Enables identity verification; otherwise its API returns 503 (§7). */
  kycEnabled: boolean,
  /** Decides every session automatically; null disables automatic decisions. */
  kycAuto: nullable(AUTO_DECISION),
  /** Allows these origins to embed every organization's pages; a port can be `*`. */
  origins: readonlyArray(ORIGIN),
  /** Drops the oldest finished deliveries, and events without a delivery, beyond this number. */
  keepDeliveries: integerRange(1, LIMITS.deliveriesKeptMax),
};

/** World settings and counters. */
export const WORLD_HEAD = row({
  seed: SEED,
  assumed: ASSUMED,
  ...WORLD_SETTINGS,
  /** Latest applied instant, in milliseconds of sandbox time. */
  now: integerRange(0, LAST_INSTANT_MS),
  /** Holds due attempts until deliveries are resumed. */
  deliveriesPaused: boolean,
  transactionCount: COUNT,
  endpointCount: COUNT,
  /** Includes dropped events and deliveries, because ordinals are never reused. */
  eventCount: COUNT,
  deliveryCount: COUNT,
  faultCount: COUNT,
});

/** Row schemas by table, ordered so that each table's rows refer only to earlier tables. */
export const TABLES = {
  organizations: ORGANIZATION_ROW,
  apps: APP_ROW,
  accounts: ACCOUNT_ROW,
  charges: CHARGE_ROW,
  withdrawals: WITHDRAWAL_ROW,
  endpoints: ENDPOINT_ROW,
  events: EVENT_ROW,
  deliveries: DELIVERY_ROW,
  sessions: SESSION_ROW,
  faults: FAULT,
  agenda: row({ at: INSTANT, kind: enumOf(AGENDA_KINDS), ordinal: COUNT }),
};
