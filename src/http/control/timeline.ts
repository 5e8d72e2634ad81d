import * as is from '../../core/resources/values.js';
import { EVENT_TYPES, LATEST } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { formatIsoTime } from '../../contract/time.js';
import { isUuid } from '../../core/ids.js';
import { shortenSessionId } from '../../core/identity/session.js';
import { acceptChoices, acceptText, integerRange } from '../../core/input/kinds.js';
import { requireRow, requireRowOfAnyKind, findRowByName, createNotFoundHint } from '../../core/named-rows.js';
import { createDroppedHint } from '../../core/webhooks/deliveries.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { ACTORS, createAttemptId, type Entry, ENTRY_KINDS } from '../../sandbox/timeline/entry.js';
import { ENTRY_FACTS } from '../../sandbox/timeline/facts.js';
import { readFilter } from '../../sandbox/timeline/filter.js';
import {
  buildOlderTrace,
  findReplacement,
  findReplacementAfter,
  type Trace,
  type TraceNode,
  buildTrace,
} from '../../sandbox/timeline/trace.js';
import { oneOf, array } from '../../schema/compound.js';
import { nullable, renameField, object, optional, partial, type ValuesOf } from '../../schema/object.js';
import { nameSchema, type Infer, createReference, type Schema } from '../../schema/schema.js';
import { literal, anyValue, withDoc, enumOf, integer } from '../../schema/values.js';
import type { SurfaceContext } from '../shared/response.js';
import { createEventStream } from '../streams/sse.js';
import { parseStatusPattern } from './call-tests.js';
import { CALL_QUERY, createCallFilter, resolveSince, createCallLookup } from './calls.js';
import {
  presentAttemptEntry,
  presentCall,
  getEndTime,
  type FinishedAttempt,
  LOG_ENTRY,
  type LogEntry,
} from './exchanges.js';
import { findAppFilter, defineGet } from './route.js';
import { AGENDA_VIEW } from './schema.js';

const NUMBER = integer('a number from 1', { min: 1 });
const CORE = {
  seq: NUMBER,
  cause: nullable(NUMBER),
  by: enumOf(ACTORS),
  at: is.INSTANT,
  real_at: nullable(is.INSTANT),
  id: nullable(is.TEXT),
  title: is.TEXT,
};

export const TIMELINE_ENTRY = is.createResourceSchema(
  'TimelineEntry',
  'A timeline entry; its optional fields depend on its kind.',
  {
    ...CORE,
    kind: enumOf(ENTRY_KINDS),
    ...ENTRY_FACTS,
  },
);
export type EntryView = Infer<typeof TIMELINE_ENTRY>;

export const TIMELINE_VIEW = is.createResourceSchema(
  'Timeline',
  'Entries, oldest first, and the number range of the timeline.',
  {
    run: is.TEXT,
    oldest: is.COUNT,
    newest: is.COUNT,
    data: is.arrayOf(TIMELINE_ENTRY),
  },
);
type TimelineView = Infer<typeof TIMELINE_VIEW>;

/** The first message after a gap in a resumed stream. */
export const TIMELINE_BREAK = is.createResourceSchema(
  'TimelineBreak',
  'The stream cannot resume where it was interrupted.',
  {
    ...CORE,
    kind: enumOf(['gap', 'restarted']),
  },
);

export type TimelineBreakView = Infer<typeof TIMELINE_BREAK>;

const READY = object('the first message', { type: literal('ready'), run: is.TEXT, newest: is.COUNT });

/** A stream message: the first message, an entry, or a break. */
export const TIMELINE_MESSAGE = nameSchema(
  'TimelineMessage',
  oneOf('a message', [READY, TIMELINE_ENTRY, TIMELINE_BREAK], () => TIMELINE_ENTRY),
);

export type TraceNodeView = Omit<TraceNode, 'at' | 'children'> & {
  readonly at: string;
  readonly children: readonly TraceNodeView[];
};

const NODE_NAME = 'TraceNode';
const CHILD = { ...anyValue, json: createReference(NODE_NAME) } as Schema<TraceNodeView>;

export const TRACE_NODE = is.createResourceSchema(NODE_NAME, 'A trace step with its consequences.', {
  /** 0 for steps older than the timeline. */
  seq: is.COUNT,
  kind: enumOf(ENTRY_KINDS),
  id: nullable(is.TEXT),
  title: is.TEXT,
  at: is.INSTANT,
  by: optional(enumOf(ACTORS)),
  ...partial({ scenario: is.TEXT, outcome: is.TEXT, during: literal(true) }),
  children: is.arrayOf(CHILD),
});

export const TRACE_VIEW = is.createResourceSchema(
  'Trace',
  'A trace from its root cause, with its scheduled items.',
  {
    root: TRACE_NODE,
    later: withDoc('Later traces of the same payment, event or delivery.', is.arrayOf(TRACE_NODE)),
    due: AGENDA_VIEW.fields.due,
    replaced: withDoc(
      'The restore or import that removed the cause; otherwise null.',
      nullable(object('a state replacement', { at: is.INSTANT, title: is.TEXT })),
    ),
  },
);
export type TraceView = Infer<typeof TRACE_VIEW>;

const SEQ = optional(integerRange(0, Number.MAX_SAFE_INTEGER));
const LIMIT = optional(integerRange(1, LIMITS.timelineEntries));
const FILTER = { q: optional(acceptText(LIMITS.filterLength)) };
const LIST_QUERY = { after: SEQ, before: SEQ, limit: LIMIT, ...FILTER };

const USUAL_ENTRIES = 100;

function presentEntry({ realAt, at, facts, ...entry }: Entry): EntryView {
  return {
    ...entry,
    at: formatIsoTime(at),
    real_at: realAt === null ? null : formatIsoTime(realAt),
    ...facts,
  };
}

function testOf({ clock }: Sandbox, q: string | undefined): (entry: Entry) => boolean {
  if (q === undefined) return () => true;
  const test = readFilter(q);
  return (entry) => test(entry, clock.now());
}

/** Lists the newest entries before a number, or the entries after a number, oldest first. */
export function presentTimeline(sandbox: Sandbox, query: ValuesOf<typeof LIST_QUERY> = {}): TimelineView {
  const { ring, run } = sandbox.timeline;
  const { oldest, newest } = ring;
  const { after = 0, before = newest + 1, limit = USUAL_ENTRIES, q } = query;
  const test = testOf(sandbox, q);
  const isForward = query.after !== undefined;
  const found: Entry[] = [];
  const walk = isForward ? ring.between(after + 1, before - 1) : ring.backwards(before - 1);
  for (const entry of walk) {
    if (found.length >= limit) break;
    if (test(entry)) found.push(entry);
  }
  if (!isForward) found.reverse();
  return { run, oldest, newest, data: found.map(presentEntry) };
}

type Streamed = Pick<Sandbox, 'timeline' | 'flushed' | 'onClose'> & {
  readonly clock: Pick<Sandbox['clock'], 'now'>;
};

/**
 * Streams persisted entries at the client's pace and reports gaps. Resumes after Last-Event-ID or after a
 * number; by default streams only new entries.
 */
export function streamTimeline(
  sandbox: Streamed,
  context: SurfaceContext,
  test: (entry: Entry) => boolean,
  after?: number,
): Response {
  const { timeline, clock } = sandbox;
  const { ring, run } = timeline;
  return createEventStream(context, (client) => {
    const [, lastRun, lastSeq] =
      /^(?:([0-9a-f]+)-)?(\d+)$/.exec(context.req.header('last-event-id') ?? '') ?? [];
    const isOtherRun = lastRun !== undefined && lastRun !== run;
    let next = isOtherRun ? ring.oldest : Number(lastSeq ?? after ?? ring.newest) + 1;
    const sendBreak = (kind: TimelineBreakView['kind'], title: string) => {
      const nothing = { cause: null, by: 'sandbox', real_at: null, id: null };
      client.send({ seq: next, ...nothing, at: formatIsoTime(clock.now()), kind, title });
    };
    /** Number of the newest persisted entry. */
    let last = 0;
    const flushQueue = () => {
      while (next <= last && client.hasRoom()) {
        if (next < ring.oldest) {
          const missed = ring.oldest - next;
          next = ring.oldest;
          sendBreak('gap', `${missed} older entries are no longer stored`);
        }
        const entry = ring.get(next);
        // Increment before sending, because a waiting client consumes the entry immediately and calls
        // `flushQueue` again.
        next += 1;
        if (entry !== undefined && test(entry)) client.send(presentEntry(entry), `${run}-${entry.seq}`);
      }
    };
    const onEntry = (seq: number) => {
      const reach = () => {
        // Newer entries may be persisted first.
        last = Math.max(last, seq);
        flushQueue();
      };
      const flushing = sandbox.flushed();
      if (flushing === undefined) reach();
      else void flushing.then(reach).catch(client.close);
    };
    client.send({ type: 'ready', run, newest: ring.newest });
    if (isOtherRun) sendBreak('restarted', 'the sandbox was restarted');
    client.onRoom(flushQueue);
    onEntry(ring.newest);
    return [timeline.subscribe(({ seq }) => onEntry(seq)), sandbox.onClose(client.close)];
  });
}

const SOURCES = ['calls', 'deliveries', 'all'] as const;

/**
 * Log query. Filters from `CALL_QUERY` other than `status`, `app` and `since` apply only to requests; `type`
 * and `endpoint` (id, URL or description) apply only to deliveries.
 */
const LOG_QUERY = {
  source: optional(enumOf(SOURCES)),
  failed: optional(enumOf(['true', 'false'])),
  types: renameField('type', optional(acceptChoices(EVENT_TYPES))),
  endpoint: optional(acceptText(LIMITS.urlLength)),
  ...CALL_QUERY,
  after: SEQ,
  limit: LIMIT,
};

type LogQuery = ValuesOf<typeof LOG_QUERY>;

/**
 * Creates a presenter for API requests and attempts that match the filters. The presenter returns undefined
 * for other entries.
 */
function logPresenter(sandbox: Sandbox, query: LogQuery): (entry: Entry) => LogEntry | undefined {
  const { calls, epoch, timeline, world } = sandbox;
  const source = sourceOf(query);
  const isFailed = query.failed === 'true';
  const ofCall = createCallFilter(sandbox, query);
  const ofAttempt = attemptFilter(sandbox, query);
  return ({ kind, id, seq, facts }) => {
    // An entry without a status is the start of a request.
    if (kind === 'call' && source !== 'deliveries' && facts.status !== undefined) {
      const call = calls.get(id ?? '');
      const isShown = call !== undefined && ofCall(call) && (!isFailed || call.status >= 400);
      return isShown ? { type: 'call', call: presentCall(call) } : undefined;
    }
    if (kind !== 'attempt' || source === 'calls' || seq < timeline.worldStartSeq) return undefined;
    const record = epoch.records.get(facts.delivery_id ?? '', facts.attempt ?? 0);
    const delivery = world.deliveries.byId.get(facts.delivery_id ?? '');
    if (record === undefined || delivery === undefined || !ofAttempt({ record, delivery })) return undefined;
    return isFailed && record.result.error === null
      ? undefined
      : presentAttemptEntry(sandbox, { record, delivery });
  };
}

/** Narrows the source if a filter applies only to requests or only to deliveries. */
function sourceOf({ source = 'all', types, endpoint, ...calls }: LogQuery): (typeof SOURCES)[number] {
  const { method, path, api, matched } = calls;
  const ofCalls = firstSetFilter({ method, path, api, matched });
  const ofDeliveries = firstSetFilter({ type: types, endpoint });
  if (ofCalls !== undefined && (ofDeliveries !== undefined || source === 'deliveries')) {
    throw contradiction(ofCalls, 'API requests', ofDeliveries ?? `source=${source}`, 'deliveries');
  }
  if (ofDeliveries !== undefined && source === 'calls') {
    throw contradiction(ofDeliveries, 'deliveries', `source=${source}`, 'API requests');
  }
  if (ofCalls !== undefined) return 'calls';
  return ofDeliveries === undefined ? source : 'deliveries';
}

function firstSetFilter(filters: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(filters).find((name) => filters[name] !== undefined);
}

function contradiction(one: string, ofOne: string, other: string, ofOther: string): Refusal {
  const message = `${one} applies only to ${ofOne}, but ${other} applies only to ${ofOther}.`;
  return new Refusal('INVALID_REQUEST', message, { hint: 'Remove one of the two filters.' });
}

function attemptFilter(sandbox: Sandbox, query: LogQuery): (attempt: FinishedAttempt) => boolean {
  const { world } = sandbox;
  const { types, endpoint } = query;
  const pattern = parseStatusPattern(query.status);
  const appId = findAppFilter(world, query.app)?.id;
  const endpointId =
    endpoint === undefined ? undefined : requireRowOfAnyKind(world, 'recipient', endpoint)?.id;
  const from = resolveSince(sandbox, query);
  return (attempt) => {
    const { record, delivery } = attempt;
    const { url, description } = world.endpoints.get(delivery.endpointId) ?? {};
    return (
      (pattern === undefined || pattern.test(String(record.result.status))) &&
      (types === undefined || types.includes(delivery.event.type)) &&
      (endpoint === undefined ||
        delivery.endpointId === endpointId ||
        url === endpoint ||
        description === endpoint) &&
      (appId === undefined || delivery.event.resource.appId === appId) &&
      getEndTime(attempt) >= from
    );
  };
}

/** Presents a trace with secrets redacted, because codes and URLs in titles may contain secrets. */
function traceView({ secrets, timeline }: Sandbox, { root, later, due }: Trace): TraceView {
  const shown = <Titled extends { readonly title: string; readonly at: number }>(titled: Titled) => ({
    ...titled,
    title: secrets.hide(titled.title),
    at: formatIsoTime(titled.at),
  });
  const nodeView = (node: TraceNode): TraceNodeView => ({
    ...shown(node),
    children: node.children.map(nodeView),
  });
  const began = root.seq === 0 ? findReplacement(timeline) : undefined;
  const replaced = began === undefined ? null : { at: replacedAt(began), title: began.title };
  return { root: nodeView(root), later: later.map(nodeView), due: due.map(shown), replaced };
}

/** Formats the real time of a replacement if known, because each state has its own clock. */
function replacedAt({ realAt, at }: Entry): string {
  return formatIsoTime(realAt ?? at);
}

/** Resources identifiable by an id prefix. */
const TRACED = ['charge', 'withdrawal', 'event', 'delivery', 'session', 'endpoint'] as const;

const UNTRACED: ReadonlySet<Entry['kind']> = new Set(['clock', 'command', 'fault', 'listener', 'state']);

/** Returns the id of the payment, session or request of the newest entry in this state, for `trace latest`. */
function latestId({ ring, worldStartSeq }: Sandbox['timeline']): string | undefined {
  for (const { kind, id, seq, facts } of ring.backwards()) {
    const about = facts.resource_id ?? id;
    if (seq >= worldStartSeq && !UNTRACED.has(kind) && about !== null) return about;
  }
  return undefined;
}

/**
 * Resolves an id, id prefix, code or `latest` to timeline ids; a charge and a withdrawal can share a code. Throws
 * INVALID_REQUEST for an ambiguous prefix.
 */
function idsOf(sandbox: Sandbox, given: string): Set<string> {
  const { world } = sandbox;
  const coded = [world.charges, world.withdrawals].flatMap(({ rows }) =>
    rows.filter(({ code }) => code === given),
  );
  if (coded.length > 0) return new Set([given, ...coded.map(({ id }) => id)]);
  if (given === LATEST) return new Set([latestId(sandbox.timeline) ?? given]);
  const [, delivery, attempt] = /^(.+)\.(\d+)$/.exec(given) ?? [];
  const attempted = delivery === undefined ? undefined : requireRowOfAnyKind(world, 'delivery', delivery);
  if (attempted !== undefined) return new Set([createAttemptId(attempted.id, Number(attempt))]);
  const found: { kind: string; id: string }[] = TRACED.flatMap((kind) => {
    const row = requireRowOfAnyKind(world, kind, given);
    return row === undefined ? [] : { kind, id: kind === 'session' ? shortenSessionId(row.id) : row.id };
  });
  const call = findRowByName(createCallLookup(sandbox), given);
  if (call !== undefined) found.push({ kind: 'call', id: call.requestId });
  if (found.length > 1) {
    throw new Refusal('INVALID_REQUEST', `${found.length} ids begin with ${given}.`, {
      details: found.map(({ kind, id }) => ({ field: 'id', message: `${id} ${kind}` })),
      hint: 'Use a longer prefix of the id.',
    });
  }
  return new Set([given, ...found.map(({ id }) => id)]);
}

/** Explains a missing trace: the id is unknown or belongs to an earlier state. */
function createTraceError({ timeline, world }: Sandbox, given: string): Refusal {
  const ended = findReplacementAfter(timeline, given);
  if (ended === undefined) {
    const [prefix = ''] = /^[a-z]+_/.exec(given) ?? [];
    const shows = `${createDroppedHint(world)}\`npx sandbox logs\` lists recent activity.`;
    const message = `There is no API request, payment, event, delivery, attempt or session ${given}.`;
    return new Refusal('NOT_FOUND', message, { hint: createNotFoundHint(prefix, given, shows) });
  }
  const when = `the state was replaced at ${replacedAt(ended)} (${ended.title})`;
  const isThere = TRACED.some((kind) => requireRowOfAnyKind(world, kind, given) !== undefined);
  return new Refusal(
    'NOT_FOUND',
    isThere ? `Nothing has happened to ${given} since ${when}.` : `${given} existed only before ${when}.`,
    { hint: '`npx sandbox logs` shows earlier entries.' },
  );
}

/** Timeline, log and trace routes. */
export const TIMELINE_ROUTES = [
  defineGet('timeline', 'List timeline entries with their causes, oldest first.', TIMELINE_VIEW, {
    query: LIST_QUERY,
  })(({ sandbox, query }) => presentTimeline(sandbox, query)),
  defineGet(
    'stream/timeline',
    'Stream timeline entries; resume after the number in `after` or Last-Event-ID.',
    { messages: TIMELINE_MESSAGE },
    { query: { after: SEQ, ...FILTER } },
  )(({ sandbox, context, query: { after, q } }) =>
    streamTimeline(sandbox, context, testOf(sandbox, q), after),
  ),
  defineGet(
    'logs',
    'List API requests and attempts, oldest first; pass `newest` as `after` in the next request.',
    { data: array(LOG_ENTRY), newest: is.COUNT },
    { query: LOG_QUERY },
  )(({ sandbox, query }) => {
    const { after = 0, limit = LIMITS.timelineEntries, endpoint } = query;
    if (endpoint !== undefined && isUuid(endpoint)) requireRow(sandbox.world, 'recipient', endpoint);
    const present = logPresenter(sandbox, query);
    const { ring } = sandbox.timeline;
    const data: LogEntry[] = [];
    for (const entry of ring.backwards()) {
      if (entry.seq <= after || data.length >= limit) break;
      const shown = present(entry);
      if (shown !== undefined) data.push(shown);
    }
    return { data: data.reverse(), newest: ring.newest };
  }),
  defineGet(
    'trace/:id',
    'Trace the causes and consequences of a resource.',
    TRACE_VIEW,
  )(({ sandbox, param }) => {
    const id = param('id');
    const { timeline, world } = sandbox;
    const ids = idsOf(sandbox, id);
    const trace = buildTrace(timeline, world, ids) ?? buildOlderTrace(world, ids);
    if (trace === undefined) throw createTraceError(sandbox, id);
    return traceView(sandbox, trace);
  }),
];
