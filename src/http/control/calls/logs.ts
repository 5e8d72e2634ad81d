import { choices, wholeNumber } from '../../../core/input/kinds.js';
import { isUuid } from '../../../core/ids.js';
import { text } from '../../../core/input/text-kinds.js';
import { lookUp, lookUpAny } from '../../../core/named-rows.js';
import { LIMITS } from '../../../contract/limits.js';
import { Refusal } from '../../../contract/refusals.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import type { Call } from '../../../sandbox/call-log.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { named, optional } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import type { Infer } from '../../../schema/schema.js';
import { oneOf } from '../../../schema/values.js';
import type { EndedAttempt } from '../webhooks/attempts.js';
import { attemptEntry, endedAtMs, attemptOf, endedAttempts } from '../webhooks/attempts.js';
import { statusPattern } from './call-tests.js';
import { CALL_QUERY, callFilter, callOf, fromInstant } from './calls.js';
import type { ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import { appFilter } from '../of-app.js';
import type { LogEntry } from '../schema.js';
import { beginsWorld } from '../../../sandbox/timeline/said.js';
import { entryStream, typedBreak } from '../timeline/entry-stream.js';
import { callView } from '../views.js';

/** The parts of the log. */
const SOURCES = ['calls', 'deliveries', 'all'] as const;

/**
 * Which entries a query asks for: of both `status`, `failed`, `app`, `since` and `source`; of calls what `callTests` knows
 * and `matched`; of deliveries `type` (events) and `endpoint` (its id, URL or description).
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

/** The name of the first given filter. */
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

/** What the sandbox saw, calls and attempts together. */
export const LOG_ROUTES: readonly ControlRoute[] = [
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
