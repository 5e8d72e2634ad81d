import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionChoices, isChoice } from '../contract/assumptions.js';
import {
  ATTEMPT_ERRORS,
  CUSTOMER_TYPES,
  EVENT_TYPES,
  FAILURE_REASONS,
  PAYMENT_EVENTS,
  SCOPES,
} from '../contract/enums.js';
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
import { oneOf, array, tuple, discriminatedUnion } from '../schema/compound.js';
import {
  type FieldSchemas,
  isObject,
  nullable,
  object,
  type ObjectSchema,
  optional,
} from '../schema/object.js';
import type { Schema } from '../schema/schema.js';
import { literal, anyValue, boolean, keyOf, enumOf, refine, text } from '../schema/values.js';
import { AGENDA_KINDS } from './agenda.js';
import { type IdSeed, UUID_PATTERN } from './ids.js';
import {
  DOCUMENT_DIGITS,
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

// The rows of a world as a state stores them. Their types follow from these schemas.

/** A string of this form, which messages must not repeat. */
function secret(what: string, pattern: RegExp): Schema<string> {
  const problem = `expected ${what}; got another text.`;
  return refine<string, string>(text(what), (value) => (pattern.test(value) ? { value } : { problem }));
}

const many: <Item, Json>(item: Schema<Item, Json>) => Schema<readonly Item[], readonly Json[]> = array;

function row<const Of extends FieldSchemas>(fields: Of): ObjectSchema<Of> {
  return object('an object', fields);
}

const TEXT = text();
const UUID = text('a UUID', UUID_PATTERN);
/** A place among rows, or how many there were; far above any real world, and still exact when counting on. */
const COUNT = integerRange(0, 1_000_000_000_000);
const DURATION = integerRange(0, LAST_INSTANT_MS);
/** Latest schedulable instant, in milliseconds. */
const INSTANT = integerRange(0, 2 * LAST_INSTANT_MS + DAY_MS);
const FEE = integerRange(0, AMOUNT_MAX_CENTS);
const REASON = nullable(keyOf(FAILURE_REASONS));
const ATTEMPT_ERROR = nullable(keyOf(ATTEMPT_ERRORS));
const HTTP_STATUS = nullable(integerRange(100, 999));
/** `whsec_` and base64 as an encoder writes it: whole groups, and no spare bits. */
const WEBHOOK_SECRET = secret(
  'whsec_ followed by base64',
  /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/,
);
/** In a header, such as a bearer token. */
export const TOKEN = secret('visible ASCII without space', /^[\x21-\x7e]+$/);
/** In a URL path and in a form. */
export const SESSION_SECRET = secret('1 to 140 of A-Z a-z 0-9 _ -', /^[\w-]{1,140}$/);
export const NONCE = text(
  `visible ASCII, at most ${LIMITS.nonceLengthMax}`,
  new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.nonceLengthMax}}$`),
);
const IDEMPOTENCY_KEY = text(
  `printable ASCII, at most ${LIMITS.idempotencyKeyLengthMax}`,
  new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotencyKeyLengthMax}}$`),
);
const ORIGIN = createTextSchema(
  'an origin as it is registered',
  (origin) => normalizeOrigin(origin) === origin,
);
const URL_FORM = /^https?:\/\/(?:[^\s/?#@:[\]\\]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/[!-~]*$/;
const PORT_MAX = 65_535;
/** As it is registered: http or https, a host, and a path. Whether it may be called is decided at each attempt. */
export const ENDPOINT_URL = createTextSchema('an http or https URL of visible ASCII, with a path', (url) => {
  const [, port = '0'] = URL_FORM.exec(url) ?? ['', 'none'];
  return url.length <= LIMITS.urlLength && Number(port) <= PORT_MAX;
});
const JSON_VALUE = `a JSON value of whole characters, at most ${LIMITS.jsonDepth} levels deep`;

/** Fields of every payment row, as created by its application. */
const PAYMENT = {
  ordinal: COUNT,
  id: TEXT,
  appId: TEXT,
  createdAt: INSTANT,
  /** Failure reason: visible in the control API only. */
  reason: REASON,
};

export const CHARGE_ROW = row({
  ...PAYMENT,
  ...createFieldSchemas('stored', PAYMENT_FIELDS.charge),
  providerFeeCents: FEE,
  partnerFeeCents: FEE,
  status: enumOf(CHARGE_STATUSES),
  expiresAt: INSTANT,
  /** The fault `event-first` settled it, and no one else has asked for that yet. */
  settledEarly: optional(literal(true)),
});

export const WITHDRAWAL_ROW = row({
  ...PAYMENT,
  ...createFieldSchemas('stored', PAYMENT_FIELDS.withdrawal),
  feeCents: FEE,
  pixKeyType: enumOf(PIX_KEY_TYPES),
  status: enumOf(WITHDRAWAL_STATUSES),
});

/** One line of the ledger; its id follows from its ordinal when it is shown. */
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
  /** The sum of the ledger; a bigint in a world, because sums of large amounts pass 2^53. */
  balanceCents: text('a whole number of cents, from 0 up, as text', /^\d{1,30}$/),
  transactions: array(TRANSACTION_ROW),
});

/** Who holds the credentials of the identity API (§5.4); every application belongs to one. */
export const ORGANIZATION_ROW = row({
  ordinal: COUNT,
  id: TEXT,
  name: NAME_INPUT,
  /** The bearer credential and the key of publishable-key mode; null where none was provisioned. */
  kycToken: nullable(TOKEN),
  publishableKey: nullable(TOKEN),
  /** Origins allowed to embed its pages, in addition to the world's own `origins`. */
  origins: array(ORIGIN),
});

/** Caller identified by a token, with its scopes (§5). */
export const APP_ROW = row({
  ordinal: COUNT,
  id: TEXT,
  organizationId: TEXT,
  name: NAME_INPUT,
  token: TOKEN,
  signingSecret: secret('a non-empty text', /./s),
  scopes: many(enumOf(SCOPES)),
  /** Its first account, which payments use that name none. */
  accountId: UUID,
  /** Used nonces and the real time, in seconds, until which each is remembered. */
  nonces: array(tuple('a nonce and until when it is remembered', [NONCE, COUNT])),
});

export const ENDPOINT_ROW = row({
  ordinal: COUNT,
  id: TEXT,
  appId: TEXT,
  url: ENDPOINT_URL,
  transport: enumOf(['http', 'listener']),
  createdAt: INSTANT,
  description: nullable(TEXT),
  events: many(enumOf(EVENT_TYPES)),
  schedule: keyOf(RETRY_SCHEDULES),
  timeoutMs: integerRange(1, DAY_MS),
  /** Attempts in flight at a time. */
  concurrency: integerRange(1, LIMITS.attemptsInFlightPerEndpoint),
  updatedAt: INSTANT,
  status: enumOf(ENDPOINT_STATUSES),
  secret: WEBHOOK_SECRET,
  previousSecret: nullable(WEBHOOK_SECRET),
  previousSecretUntil: INSTANT,
  /** Listeners only: whether they are connected. */
  connected: boolean,
});

/** One replaced value in an event's payload: `data.object.amount`, `data.object.items[0]`. */
export const OVERRIDE_ROW = row({
  path: TEXT,
  value: refine<unknown, unknown>({ ...anyValue, what: JSON_VALUE }, (value) =>
    isWholeJson(value) ? { value } : { expected: JSON_VALUE },
  ),
});

const EVENT_ID = text('evt_ and 32 hex digits', /^evt_[\da-f]{32}$/);

/** A webhook event (§6). The resource is kept as the transition left it. */
const ANNOUNCED = {
  ordinal: COUNT,
  id: EVENT_ID,
  at: INSTANT,
  /** The requested changes to the payload. */
  overrides: optional(many(OVERRIDE_ROW)),
};
export const EVENT_ROW = discriminatedUnion('an object', 'type', [
  row({ ...ANNOUNCED, type: enumOf(PAYMENT_EVENTS.charge), resource: CHARGE_ROW }),
  row({ ...ANNOUNCED, type: enumOf(PAYMENT_EVENTS.withdrawal), resource: WITHDRAWAL_ROW }),
]);

/** Range of error statuses and of all final responses. */
export const ERROR_STATUS_MIN = 400;
export const STATUS_MIN = 200;
export const STATUS_MAX = 599;
export const COUNT_MAX = 1_000_000;
export const RANK = integerRange(1, COUNT_MAX);
export const COPIES = integerRange(1, 10);
export const RESTART_MOMENT = enumOf(RESTART_MOMENTS);
/** Probability of a fault. */
export const PROBABILITY = createNumberAboveSchema(0, 1);
export const ATTEMPT_NUMBER = integerRange(1, LIMITS.attemptsKept);

/** Details of an action, where it has any. */
export const FAULT_DETAILS = {
  status: nullable(integerRange(STATUS_MIN, STATUS_MAX)),
  delayMs: nullable(integerRange(0, LIMITS.faultDelayMs)),
  copies: nullable(COPIES),
  /** Copies are sent at the same time as the attempt, instead of one after the other. */
  parallel: optional(boolean),
  when: optional(RESTART_MOMENT),
};

/** Fields of both kinds of match. */
export const FAULT_TARGET = {
  /** Pattern for the code of the charge or withdrawal. */
  code: optional(TEXT),
  /** The rank of what it is about, from 1, in order of creation among charges, withdrawals or sessions. */
  resource: optional(RANK),
  /** It fires on the nth call or attempt that all else matches, counted from 1, and never again. */
  nth: optional(RANK),
};

/** Which calls: null matches all. Patterns may hold `*`. */
export const CALL_MATCH = row({
  on: literal('call'),
  api: nullable(enumOf(FAULT_APIS)),
  method: nullable(TEXT),
  path: nullable(TEXT),
  ...FAULT_TARGET,
});

/** Which attempts: null matches all. */
export const DELIVERY_MATCH = row({
  on: literal('delivery'),
  eventType: nullable(TEXT),
  endpointId: nullable(UUID),
  /** A pattern for the URL of the endpoint, or for what a listener forwards to. */
  endpointUrl: optional(TEXT),
  attempt: nullable(ATTEMPT_NUMBER),
  ...FAULT_TARGET,
});

const FAULT_FIELDS = {
  ordinal: COUNT,
  id: UUID,
  /** Number of examined requests or attempts, and of those it fired on. */
  seen: COUNT,
  fired: COUNT,
  probability: PROBABILITY,
  /** Most firings; null for no limit. */
  count: nullable(RANK),
  ...FAULT_DETAILS,
};
export const CALL_FAULT = row({
  ...FAULT_FIELDS,
  match: CALL_MATCH,
  action: keyOf(CALL_FAULTS),
  status: nullable(integerRange(ERROR_STATUS_MIN, STATUS_MAX)),
});
export const DELIVERY_FAULT = row({
  ...FAULT_FIELDS,
  match: DELIVERY_MATCH,
  action: keyOf(DELIVERY_FAULTS),
});
const FAULT = oneOf('a fault', [CALL_FAULT, DELIVERY_FAULT], (value) =>
  isObject(value) && isObject(value['match']) && value['match']['on'] === 'call'
    ? CALL_FAULT
    : DELIVERY_FAULT,
);

const FIRED = many(row({ id: UUID, action: keyOf(DELIVERY_FAULTS), ...FAULT_DETAILS }));

/** One HTTP try. Latency and raw texts stay outside the world. */
export const ATTEMPT_ROW = row({
  number: COUNT,
  startedAt: INSTANT,
  status: HTTP_STATUS,
  error: ATTEMPT_ERROR,
  /** The faults that fired on it. */
  faults: optional(FIRED),
});

/** One event for one endpoint, and the state of its delivery (§2.4). */
export const DELIVERY_ROW = row({
  ordinal: COUNT,
  id: UUID,
  event: EVENT_ID,
  endpointId: UUID,
  createdAt: INSTANT,
  status: enumOf(DELIVERY_STATUSES),
  /** Attempts started, and the limit after which it becomes a dead letter. */
  attempts: COUNT,
  attemptLimit: COUNT,
  inFlight: boolean,
  /** The faults that fired on the attempt in flight. */
  faults: FIRED,
  lastAttemptAt: nullable(INSTANT),
  lastStatus: HTTP_STATUS,
  lastError: ATTEMPT_ERROR,
  nextAttemptAt: nullable(INSTANT),
  deliveredAt: nullable(INSTANT),
  /** The newest attempts whose outcome is known. */
  log: many(ATTEMPT_ROW),
});

/** A person's or a company's way through the verification (§2.7). */
export const SESSION_ROW = row({
  ordinal: COUNT,
  /** A credential of limited scope: logs must shorten it. */
  id: SESSION_SECRET,
  organizationId: TEXT,
  customerType: enumOf(CUSTOMER_TYPES),
  idempotencyKey: nullable(IDEMPOTENCY_KEY),
  /** The registered origin that embeds or opened the page, for a session that began there without a server. */
  embedOrigin: nullable(createTextSchema('an origin', (origin) => normalizeOrigin(origin) !== undefined)),
  /** Proves that a form came from the session's own page. */
  formToken: SESSION_SECRET,
  createdAt: INSTANT,
  expiresAt: INSTANT,
  /** Set as soon as the decision is made; the result shows it from `readableAt` on. */
  status: enumOf(SESSION_STATUSES),
  name: nullable(TEXT),
  document: nullable(DOCUMENT_DIGITS),
  euid: nullable(text('euid_ and 32 hex digits', /^euid_[\da-f]{32}$/)),
  /** Error code reported by the page through onError; the session stays undecided. */
  error: nullable(ERROR_CODE),
  /** Null for a session that lapsed. */
  decidedAt: nullable(INSTANT),
  readableAt: nullable(INSTANT),
  /** The result was under_review before, and stays so until the final decision can be read. */
  wasReviewed: boolean,
});

/** The automatic decision for every session, and the milliseconds until it can be read. */
export const AUTO_DECISION = row({ status: enumOf(SESSION_DECISIONS), delayMs: DURATION });

/** The chosen value of each assumption, as a choice would give it. */
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
const SEED: Schema<IdSeed> = tuple('four numbers of 32 bits', [BITS, BITS, BITS, BITS]);

/** The settings of a world, fixed for its lifetime. */
export const WORLD_SETTINGS = {
  /** Milliseconds until charges are paid automatically; null switches that off. */
  autoSettleMs: nullable(DURATION),
  /** True if identity verification is enabled for the environment (§7: 503 otherwise). */
  kycEnabled: boolean,
  /** The automatic decision for every session; null switches that off. */
  kycAuto: nullable(AUTO_DECISION),
  /** Origins allowed to embed every organization's pages; a port may be `*`. */
  origins: many(ORIGIN),
  /** The most finished deliveries, and events without a delivery, before the oldest are dropped. */
  keepDeliveries: integerRange(1, LIMITS.deliveriesKeptMax),
};

/** The settings and counters of a world. */
export const WORLD_HEAD = row({
  seed: SEED,
  assumed: ASSUMED,
  ...WORLD_SETTINGS,
  /** Latest applied instant, in milliseconds of sandbox time. */
  now: integerRange(0, LAST_INSTANT_MS),
  /** While true no attempt starts: due attempts are held back until deliveries are resumed. */
  deliveriesPaused: boolean,
  transactionCount: COUNT,
  endpointCount: COUNT,
  /** Total of events and deliveries ever created: the oldest are dropped, and ordinals are never reused. */
  eventCount: COUNT,
  deliveryCount: COUNT,
  faultCount: COUNT,
});

/** The rows of each table, in an order in which each refers only to what came before. */
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
