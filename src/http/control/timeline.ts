import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { isoTime } from '../../contract/time.js';
import { shortSessionId } from '../../core/identity/session.js';
import { text, wholeNumber } from '../../core/input/kinds.js';
import { lookUpAny, lookUpIfAny, notFoundHint } from '../../core/named-rows.js';
import { droppedHint } from '../../core/webhooks/deliveries.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Entry } from '../../sandbox/timeline/entry.js';
import { ACTORS, ENTRY_KINDS, attemptId } from '../../sandbox/timeline/entry.js';
import type { EntryTest } from '../../sandbox/timeline/filter.js';
import { readFilter } from '../../sandbox/timeline/filter.js';
import {
  olderTraceOf,
  replacement,
  replacementAfter,
  type Trace,
  type TraceNode,
  traceOf,
} from '../../sandbox/timeline/trace.js';
import { nullable, object, optional } from '../../schema/object.js';
import { type Infer, reference, type Schema } from '../../schema/schema.js';
import { always, anything, described, number, oneOf, whole } from '../../schema/values.js';
import { namedCalls } from './calls.js';
import { AGENDA } from './clock.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { entryStream } from './entry-stream.js';

const NUMBER = whole('a number from 1', { least: 1 });
const MAYBE = optional(is.TEXT);
const MAYBE_NOTHING = optional(nullable(is.TEXT));

const CORE = {
  seq: NUMBER,
  cause: nullable(NUMBER),
  by: oneOf(ACTORS),
  at: is.INSTANT,
  real_at: nullable(is.INSTANT),
  id: nullable(is.TEXT),
  title: is.TEXT,
};

export const ENTRY = is.resource(
  'TimelineEntry',
  'One thing that happened; the later fields depend on its kind.',
  {
    ...CORE,
    kind: oneOf(ENTRY_KINDS),
    resource: optional(oneOf(['charge', 'withdrawal', 'session', 'endpoint'])),
    from: MAYBE_NOTHING,
    to: MAYBE,
    resource_id: MAYBE_NOTHING,
    code: MAYBE,
    command: MAYBE,
    scenario: MAYBE,
    event_type: MAYBE,
    event_id: MAYBE,
    delivery_id: MAYBE,
    endpoint_id: MAYBE,
    target: MAYBE,
    attempt: optional(is.COUNT),
    status: optional(nullable(is.COUNT)),
    error: MAYBE_NOTHING,
    method: MAYBE,
    path: MAYBE,
    matched: optional(is.BOOLEAN),
    app_id: MAYBE_NOTHING,
    during: optional(is.listOf(is.TEXT)),
    faults: optional(is.listOf(is.TEXT)),
    moved_from: MAYBE,
    moved_to: MAYBE,
    rate: optional(number('a rate', { least: 0 })),
  },
);
export type EntryView = Infer<typeof ENTRY>;

export const TIMELINE = is.resource('Timeline', 'Entries, oldest first, and how far the timeline reaches.', {
  run: is.TEXT,
  oldest: is.COUNT,
  newest: is.COUNT,
  data: is.listOf(ENTRY),
});
export type TimelineView = Infer<typeof TIMELINE>;

/** What a resumed stream says before it goes on. */
export const BREAK = is.resource('TimelineBreak', 'The stream cannot go on where it was cut.', {
  ...CORE,
  kind: oneOf(['gap', 'restarted']),
});

export type TimelineBreakView = Infer<typeof BREAK>;

export const TIMELINE_READY = is.shape('The first message of the stream.', {
  type: always('ready'),
  run: is.TEXT,
  newest: is.COUNT,
});

/** One step of a story. */
export interface TraceNodeView {
  readonly seq: number;
  readonly kind: (typeof ENTRY_KINDS)[number];
  readonly id: string | null;
  readonly title: string;
  readonly at: string;
  readonly by?: (typeof ACTORS)[number] | undefined;
  readonly scenario?: string | undefined;
  readonly outcome?: string | undefined;
  readonly during?: boolean | undefined;
  readonly children: readonly TraceNodeView[];
}

const NODE_NAME = 'TraceNode';
const CHILD = { ...anything, json: reference(NODE_NAME) } as Schema<TraceNodeView>;

export const TRACE_NODE = is.resource(NODE_NAME, 'One step of a story, and what followed from it.', {
  /** 0 for what is older than the timeline. */
  seq: is.COUNT,
  kind: oneOf(ENTRY_KINDS),
  id: nullable(is.TEXT),
  title: is.TEXT,
  at: is.INSTANT,
  by: optional(oneOf(ACTORS)),
  scenario: MAYBE,
  outcome: MAYBE,
  during: optional(is.BOOLEAN),
  children: is.listOf(CHILD),
});

export const TRACE = is.resource('Trace', 'A story from its first cause, and what falls due next in it.', {
  root: TRACE_NODE,
  due: AGENDA.fields.due,
  replaced: described(
    'The restore or import with which it came, where that hides what led to it; null otherwise.',
    nullable(object('a change of the whole state', { at: is.INSTANT, title: is.TEXT })),
  ),
});
export type TraceView = Infer<typeof TRACE>;

const SEQ = optional(wholeNumber(0, Number.MAX_SAFE_INTEGER));
const FILTER = { q: optional(text(LIMITS.filterLength)) };
const STREAM_QUERY = object('a query', { after: SEQ, ...FILTER });
const LIST_QUERY = object('a query', {
  after: SEQ,
  before: SEQ,
  limit: optional(wholeNumber(1, LIMITS.timelineEntries)),
  ...FILTER,
});

const USUAL_ENTRIES = 100;

export function entryView({ realAt, at, facts, ...entry }: Entry): EntryView {
  return { ...entry, at: isoTime(at), real_at: realAt === null ? null : isoTime(realAt), ...facts };
}

function testOf({ clock }: Sandbox, q: string | undefined): (entry: Entry) => boolean {
  if (q === undefined) return () => true;
  const test: EntryTest = readFilter(q);
  return (entry) => test(entry, clock.now());
}

/** The newest entries before a number, or those after one; oldest first. */
export function timelineView(sandbox: Sandbox, query: Infer<typeof LIST_QUERY> = {}): TimelineView {
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
  return { run, oldest, newest, data: found.map(entryView) };
}

/** Entries as they come. */
function stream({
  sandbox,
  context,
  query: { after, q },
}: ControlRequest<undefined, Infer<typeof STREAM_QUERY>>): Response {
  const { clock, timeline } = sandbox;
  const { run, ring } = timeline;
  const test = testOf(sandbox, q);
  return entryStream(sandbox, context, {
    ready: { type: 'ready', run, newest: ring.newest },
    after,
    message: (entry) => (test(entry) ? entryView(entry) : undefined),
    breakMessage: ({ seq, kind, title }) => {
      const nothing = { cause: null, by: 'sandbox', at: isoTime(clock.now()), real_at: null, id: null };
      return { seq, ...nothing, kind, title };
    },
  });
}

/** A story without secrets: what the rows themselves say of it may have some, used as a code or in an address. */
function traceView({ secrets, timeline }: Sandbox, { root, due }: Trace): TraceView {
  const shown = <Titled extends { readonly title: string; readonly at: number }>(titled: Titled) => ({
    ...titled,
    title: secrets.hide(titled.title),
    at: isoTime(titled.at),
  });
  const nodeView = (node: TraceNode): TraceNodeView => ({
    ...shown(node),
    children: node.children.map(nodeView),
  });
  const began = root.seq === 0 ? replacement(timeline) : undefined;
  const replaced = began === undefined ? null : { at: replacedAt(began), title: began.title };
  return { root: nodeView(root), due: due.map(shown), replaced };
}

/** Real time, because another state has another clock; sandbox time where only that is known. */
function replacedAt({ realAt, at }: Entry): string {
  return isoTime(realAt ?? at);
}

/** What may be named by the beginning of its id. */
const TRACED = ['charge', 'withdrawal', 'event', 'delivery', 'session', 'endpoint'] as const;

/**
 * The ids under which the timeline knows what was asked for; a charge and a withdrawal may have one code.
 * Refuses (INVALID_REQUEST) the beginning of several ids.
 */
function idsOf(sandbox: Sandbox, given: string): Set<string> {
  const { world } = sandbox;
  const coded = [world.charges, world.withdrawals].flatMap(({ rows }) =>
    rows.filter(({ code }) => code === given),
  );
  if (coded.length > 0) return new Set([given, ...coded.map(({ id }) => id)]);
  const [, delivery, attempt] = /^(.+)\.(\d+)$/.exec(given) ?? [];
  const attempted = delivery === undefined ? undefined : lookUpAny(world, 'delivery', delivery);
  if (attempted !== undefined) return new Set([attemptId(attempted.id, Number(attempt))]);
  const found: { kind: string; id: string }[] = TRACED.flatMap((kind) => {
    const row = lookUpAny(world, kind, given);
    return row === undefined ? [] : { kind, id: kind === 'session' ? shortSessionId(row.id) : row.id };
  });
  const call = lookUpIfAny(namedCalls(sandbox), given);
  if (call !== undefined) found.push({ kind: 'call', id: call.requestId });
  if (found.length > 1) throw ambiguous(given, found);
  return new Set([given, ...found.map(({ id }) => id)]);
}

function ambiguous(given: string, found: readonly { readonly kind: string; readonly id: string }[]): Refusal {
  return new Refusal('INVALID_REQUEST', `${found.length} ids begin with ${given}.`, {
    details: found.map(({ kind, id }) => ({ field: 'id', message: `${id} ${kind}` })),
    hint: 'Give more of the id.',
  });
}

/** Says why there is no story of an id: it belongs to an earlier state, or it was never there. */
function untraced({ timeline, world }: Sandbox, given: string): Refusal {
  const ended = replacementAfter(timeline, given);
  if (ended === undefined) {
    const [prefix = ''] = /^[a-z]+_/.exec(given) ?? [];
    const hint = notFoundHint(
      prefix,
      given,
      `${droppedHint(world)}\`npx sandbox logs\` shows what there is.`,
    );
    return new Refusal(
      'NOT_FOUND',
      `There is no call, payment, event, delivery, attempt or session ${given}.`,
      {
        hint,
      },
    );
  }
  const when = `the state was replaced at ${replacedAt(ended)} (${ended.title})`;
  const isThere = TRACED.some((kind) => lookUpAny(world, kind, given) !== undefined);
  return new Refusal(
    'NOT_FOUND',
    isThere ? `Nothing has happened to ${given} since ${when}.` : `${given} is from before ${when}.`,
    { hint: '`npx sandbox logs` shows what happened before.' },
  );
}

/** The timeline: what happened, in order, and what led to what. */
export const TIMELINE_ROUTES: readonly ControlRoute[] = [
  route('GET', 'timeline', { query: LIST_QUERY }, ({ sandbox, query }) => ok(timelineView(sandbox, query))),
  route('GET', 'stream/timeline', { query: STREAM_QUERY }, stream),
  route('GET', 'trace/:id', {}, ({ sandbox, param }) => {
    const id = param('id');
    const { timeline, world } = sandbox;
    const ids = idsOf(sandbox, id);
    const trace = traceOf(timeline, world, ids) ?? olderTraceOf(world, ids);
    if (trace === undefined) throw untraced(sandbox, id);
    return ok(traceView(sandbox, trace));
  }),
];
