import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { EVENT_TYPES } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { isoTime } from '../../contract/time.js';
import { isUuid } from '../../core/ids.js';
import { choices, duration, NAME, text, wholeNumber } from '../../core/input/kinds.js';
import { lookUp, lookUpAny, lookUpIn, type Named } from '../../core/named-rows.js';
import type { Call, ShownMessage } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Entry } from '../../sandbox/timeline/entry.js';
import { beginsWorld } from '../../sandbox/timeline/said.js';
import { component, type Infer } from '../../schema/schema.js';
import { variant } from '../../schema/compound.js';
import { named, nullable, object, optional } from '../../schema/object.js';
import { always, described, oneOf, whole } from '../../schema/values.js';
import { ERROR_DETAIL } from '../operation/error-body.js';
import { callTests, DOORS, isUnmatched, STATUS_FORM, statusPattern } from './call-tests.js';
import type { ControlRoute } from './control.js';
import { ok, route, appFilter } from './control.js';
import { entryStream, typedBreak } from './entry-stream.js';
import type { EndedAttempt } from './events.js';
import {
  attemptEntry,
  endedAtMs,
  attemptOf,
  endedAttempts,
  DELIVERY_LINE,
  EVENT,
  MESSAGE,
  NAMED_RESOURCE,
  eventLine,
  deliveryLine,
  roundedMs,
  withoutSecrets,
} from './events.js';
import { FIRED_FAULTS } from './faults.js';
import { LATENCY, OPTIONAL_TEXT } from './schema.js';

export function callView(call: Call): CallView {
  return {
    id: call.requestId,
    at: isoTime(call.at),
    real_at: isoTime(call.realAt),
    door: call.door,
    method: call.method,
    path: call.path,
    status: call.status,
    matched: call.matched,
    app_id: call.appId,
    resource_id: call.resourceId,
    resource_code: call.resourceCode ?? null,
    error: call.error,
    message: call.message ?? null,
    details: call.details ?? [],
    hint: call.hint,
    warnings: call.warnings,
    faults: call.faults,
  };
}

function messageView(message: ShownMessage | null | undefined): CallDetail['request'] {
  if (!message) return null;
  const { headers, body, bytes, truncated, redacted } = message;
  const shown = headers.map(([name, value]): [string, string] => [name, value]);
  return { headers: shown, ...body, body_bytes: bytes, truncated, redacted };
}

/** A call with the events of the resources it created or changed, and their deliveries. */
export function callDetail(sandbox: Sandbox, call: Call): CallDetail {
  const { world } = sandbox;
  const events =
    call.resourceId === null
      ? []
      : world.events.rows.filter(({ resource }) => resource.id === call.resourceId);
  const own = new Set(events);
  const deliveries = world.deliveries.rows.filter(
    ({ id, event }) => own.has(event) || id === call.resourceId,
  );
  const { message, details, error, ...view } = callView(call);
  const exchange = sandbox.calls.shown(call);
  return {
    ...view,
    error: error === null ? null : { code: error, message: message ?? '', details },
    duration_ms: exchange === undefined ? null : roundedMs(exchange.durationMs),
    request: messageView(exchange?.request),
    response: messageView(exchange?.response),
    events: events.map((event) => withoutSecrets(sandbox, eventLine(event))),
    deliveries: deliveries.map((delivery) => withoutSecrets(sandbox, deliveryLine(sandbox, delivery))),
  };
}

export const CALL = is.resource('Call', 'A request that the integrator’s code made, and its answer.', {
  id: is.TEXT,
  at: is.INSTANT,
  real_at: is.INSTANT,
  door: is.TEXT,
  method: is.TEXT,
  path: is.TEXT,
  status: whole('a status code', { least: 100, most: 599 }),
  matched: is.BOOLEAN,
  app_id: nullable(is.UUID),
  resource_id: OPTIONAL_TEXT,
  resource_code: described('The code of a payment in the response.', OPTIONAL_TEXT),
  error: OPTIONAL_TEXT,
  message: described('What the refusal said.', OPTIONAL_TEXT),
  details: described('The problems with single fields.', ERROR_DETAIL.fields.details),
  hint: OPTIONAL_TEXT,
  warnings: is.listOf(is.TEXT),
  faults: FIRED_FAULTS,
});
export type CallView = Infer<typeof CALL>;

const CALL_MESSAGE = nullable(
  is.shape(
    'What was sent, without secrets; null where it is not kept, or when no answer was sent. ' +
      '`body_bytes` is the length of the whole body, of which `body` has the beginning when it ' +
      'is `truncated`.',
    {
      ...MESSAGE,
      body_bytes: is.COUNT,
      redacted: described('Whether secrets in the body are hidden.', is.BOOLEAN),
    },
  ),
);
const { message: _message, details: _details, ...CALL_FIELDS } = CALL.fields;
const { code, message, details } = ERROR_DETAIL.fields;

export const CALL_DETAIL = is.resource('CallDetail', 'A call with what was sent and what came of it.', {
  ...CALL_FIELDS,
  error: nullable(is.shape('What was wrong.', { code, message, details })),
  duration_ms: nullable(LATENCY),
  request: CALL_MESSAGE,
  response: CALL_MESSAGE,
  events: is.listOf(EVENT),
  deliveries: is.listOf(DELIVERY_LINE),
});
export type CallDetail = Infer<typeof CALL_DETAIL>;

export const REPLAYED_CALL = is.resource('ReplayedCall', 'A call that was sent again.', {
  ...CALL_DETAIL.fields,
  replay_of: described('The call that it repeats.', is.TEXT),
  changed: described('What was sent otherwise than in the call that it repeats.', is.listOf(is.TEXT)),
});
export type ReplayedCall = Infer<typeof REPLAYED_CALL>;

export const LOG_ENTRY = component(
  'LogEntry',
  variant('an entry of the log', 'type', [
    object('a call', { type: always('call'), call: CALL }),
    object('an attempt', {
      type: always('attempt'),
      at: is.INSTANT,
      real_at: is.INSTANT,
      delivery_id: is.UUID,
      event_id: is.EVENT_ID,
      event_type: oneOf(EVENT_TYPES),
      resource: NAMED_RESOURCE,
      app_id: is.UUID,
      endpoint_id: is.UUID,
      endpoint_name: OPTIONAL_TEXT,
      attempt: is.COUNT,
      attempt_limit: is.COUNT,
      response_status: nullable(service.STATUS_CODE),
      error: service.ATTEMPT_ERROR,
      detail: OPTIONAL_TEXT,
      latency_ms: LATENCY,
      faults: FIRED_FAULTS,
      delivery_status: service.DELIVERY.fields.status,
    }),
  ]),
);
export type LogEntry = Infer<typeof LOG_ENTRY>;
export type AttemptEntry = Extract<LogEntry, { readonly type: 'attempt' }>;

const METHOD_LENGTH = 20;

/**
 * Which calls a query asks for: what `callTests` knows, `matched`, `app` (id or name), and `since` (a
 * duration of real time).
 */
export const CALL_QUERY = object('a query', {
  method: optional(text(METHOD_LENGTH)),
  path: optional(text(LIMITS.urlLength)),
  status: optional(text(LIMITS.nameLength, STATUS_FORM)),
  door: optional(oneOf(DOORS)),
  matched: optional(oneOf(['true', 'false'])),
  app: optional(NAME),
  sinceMs: named('since', optional(duration({ example: '5m' }))),
});

export type CallFilter = Infer<typeof CALL_QUERY>;

/** The real time of the oldest entries that a query asks for. */
export function fromInstant({ realNow }: Sandbox, { sinceMs }: Pick<CallFilter, 'sinceMs'>): number {
  return sinceMs === undefined ? 0 : realNow() - sinceMs;
}

export function callFilter(sandbox: Sandbox, filter: CallFilter): (call: Call) => boolean {
  const { matched } = filter;
  const tests = Object.values(callTests(filter));
  const appId = appFilter(sandbox.world, filter.app)?.id;
  const from = fromInstant(sandbox, filter);
  return (call) =>
    tests.every((test) => test(call)) &&
    (appId === undefined || call.appId === appId) &&
    (matched === undefined || isUnmatched(call) === (matched === 'false')) &&
    call.realAt >= from;
}

/** The call that an entry of the timeline is about; undefined for another entry, and while its answer is not known. */
export function callOf({ calls }: Sandbox, { kind, id, facts }: Entry): Call | undefined {
  return kind === 'call' && facts.status !== undefined ? calls.get(id ?? '') : undefined;
}

/** Calls by the beginning of their id. */
export function namedCalls({ calls }: Sandbox): Named<Call> {
  const rows = () => calls.newest().reverse();
  return {
    what: 'call',
    prefix: 'req_',
    rows,
    idOf: ({ requestId }) => requestId,
    byId: (id) => calls.get(id),
    label: ({ method, path, status }) => `${method} ${path} ${status}`,
    hint:
      'The log keeps the newest requests since the last reset, restore or import; `npx sandbox ' +
      'calls list` shows them.',
  };
}

const SOURCES = ['calls', 'deliveries', 'all'] as const;

/**
 * Which entries a query asks for: of both `status`, `failed`, `app`, `since` and `source`; of calls what
 * `callTests` knows and `matched`; of deliveries `type` (events) and `endpoint` (its id, URL or description).
 */
const LOG_QUERY = object('a query', {
  source: optional(oneOf(SOURCES)),
  failed: optional(oneOf(['true', 'false'])),
  types: named('type', optional(choices(EVENT_TYPES))),
  endpoint: optional(text(LIMITS.urlLength)),
  ...CALL_QUERY.fields,
});
const LOG_LIST_QUERY = object('a query', {
  ...LOG_QUERY.fields,
  limit: optional(wholeNumber(1, LIMITS.timelineEntries)),
});

type LogQuery = Infer<typeof LOG_QUERY>;

interface LogFilter {
  readonly call: (call: Call) => boolean;
  readonly attempt: (attempt: EndedAttempt) => boolean;
}

function logFilter(sandbox: Sandbox, query: LogQuery): LogFilter {
  const source = sourceOf(query);
  const isFailed = query.failed === 'true';
  const ofCall = callFilter(sandbox, query);
  const ofAttempt = attemptFilter(sandbox, query);
  return {
    call: (call) => source !== 'deliveries' && ofCall(call) && (!isFailed || call.status >= 400),
    attempt: (attempt) =>
      source !== 'calls' && ofAttempt(attempt) && (!isFailed || attempt.record.result.error !== null),
  };
}

/** A filter that applies only to calls or only to deliveries leaves the other out. */
function sourceOf({ source = 'all', types, endpoint, ...calls }: LogQuery): (typeof SOURCES)[number] {
  const { method, path, door, matched } = calls;
  const ofCalls = firstGiven({ method, path, door, matched });
  const ofDeliveries = firstGiven({ type: types, endpoint });
  if (ofCalls !== undefined && (ofDeliveries !== undefined || source === 'deliveries')) {
    throw contradiction(ofCalls, 'calls', ofDeliveries ?? `source=${source}`, 'deliveries');
  }
  if (ofDeliveries !== undefined && source === 'calls') {
    throw contradiction(ofDeliveries, 'deliveries', `source=${source}`, 'calls');
  }
  if (ofCalls !== undefined) return 'calls';
  return ofDeliveries === undefined ? source : 'deliveries';
}

function firstGiven(filters: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(filters).find((name) => filters[name] !== undefined);
}

function contradiction(one: string, ofOne: string, other: string, ofOther: string): Refusal {
  const message = `${one} is about ${ofOne} and ${other} about ${ofOther}: nothing is both.`;
  return new Refusal('INVALID_REQUEST', message, { hint: 'Leave one of the two out.' });
}

function attemptFilter(sandbox: Sandbox, query: LogQuery): LogFilter['attempt'] {
  const { types, endpoint } = query;
  const pattern = statusPattern(query.status);
  const appId = appFilter(sandbox.world, query.app)?.id;
  const endpointId = endpoint === undefined ? undefined : lookUpAny(sandbox.world, 'recipient', endpoint)?.id;
  const from = fromInstant(sandbox, query);
  return (attempt) => {
    const { record, delivery } = attempt;
    return (
      (pattern === undefined || pattern.test(String(record.result.status))) &&
      (types === undefined || types.includes(delivery.event.type)) &&
      (endpoint === undefined ||
        delivery.endpointId === endpointId ||
        endpointNames(sandbox, delivery.endpointId).includes(endpoint)) &&
      (appId === undefined || delivery.event.resource.appId === appId) &&
      endedAtMs(attempt) >= from
    );
  };
}

function endpointNames({ world }: Sandbox, endpointId: string): readonly (string | null)[] {
  const endpoint = world.endpoints.get(endpointId);
  return [endpoint?.url ?? null, endpoint?.description ?? null];
}

function callEntry(call: Call): LogEntry {
  return { type: 'call', call: callView(call) };
}

export const CALL_ROUTES: readonly ControlRoute[] = [
  // Future calls that match the query.
  route('GET', 'stream/calls', { query: CALL_QUERY }, ({ sandbox, context, query }) => {
    const matches = callFilter(sandbox, query);
    return entryStream(sandbox, context, {
      ready: { type: 'ready' },
      message: (entry) => {
        const call = callOf(sandbox, entry);
        return call && matches(call) ? { type: 'call', call: callView(call) } : undefined;
      },
      breakMessage: typedBreak,
    });
  }),
  route('GET', 'calls', { query: CALL_QUERY }, ({ sandbox, query }) =>
    ok({ data: sandbox.calls.newest().filter(callFilter(sandbox, query)).map(callView) }),
  ),
  route('GET', 'calls/:id', {}, ({ sandbox, param }) =>
    ok(callDetail(sandbox, lookUpIn(namedCalls(sandbox), param('id')))),
  ),
  route('DELETE', 'calls', {}, ({ sandbox }) => {
    const { count } = sandbox.calls;
    sandbox.calls.clear();
    return ok({ deleted: count });
  }),
  // The newest entries that match the query, in the order of the real time at which they ended.
  route('GET', 'logs', { query: LOG_LIST_QUERY }, ({ sandbox, query }) => {
    if (query.endpoint !== undefined && isUuid(query.endpoint))
      lookUp(sandbox.world, 'recipient', query.endpoint);
    const filter = logFilter(sandbox, query);
    const ended = [
      ...sandbox.calls
        .newest()
        .reverse()
        .filter(filter.call)
        .map((call) => ({ at: call.realAt, present: () => callEntry(call) })),
      ...endedAttempts(sandbox)
        .filter(filter.attempt)
        .map((attempt) => ({ at: endedAtMs(attempt), present: () => attemptEntry(sandbox, attempt) })),
    ];
    const newest = ended.sort((a, b) => a.at - b.at).slice(-(query.limit ?? LIMITS.timelineEntries));
    return ok({ data: newest.map(({ present }) => present()) });
  }),
  // Future entries that match the query, and resets.
  route('GET', 'stream/logs', { query: LOG_QUERY }, ({ sandbox, context, query }) => {
    const filter = logFilter(sandbox, query);
    return entryStream(sandbox, context, {
      ready: { type: 'ready' },
      message: (entry) => {
        if (entry.seq > 1 && beginsWorld(entry)) return { type: 'reset' };
        const call = callOf(sandbox, entry);
        if (call !== undefined) return filter.call(call) ? callEntry(call) : undefined;
        const attempt = attemptOf(sandbox, entry);
        return attempt && filter.attempt(attempt) ? attemptEntry(sandbox, attempt) : undefined;
      },
      breakMessage: typedBreak,
    });
  }),
];
