import { LIMITS } from '../../../contract/limits.js';
import { Refusal } from '../../../contract/refusals.js';
import { isoTime } from '../../../contract/time.js';
import { wholeNumber } from '../../../core/input/kinds.js';
import { text } from '../../../core/input/text-kinds.js';
import { shortSessionId } from '../../../core/identity/session.js';
import { lookUpIfAny, notFoundHint } from '../../../core/lookup.js';
import { finished } from '../../../core/state/steps.js';
import { lookUpAny } from '../../../core/named-rows.js';
import { droppedHint } from '../../../core/webhooks/retention.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Entry } from '../../../sandbox/timeline/entry.js';
import { attemptId } from '../../../sandbox/timeline/entry.js';
import type { EntryTest } from '../../../sandbox/timeline/filter.js';
import { readFilter } from '../../../sandbox/timeline/filter.js';
import { replacement, replacementAfter } from '../../../sandbox/timeline/replaced.js';
import type { Trace, TraceNode } from '../../../sandbox/timeline/trace.js';
import { olderTraceOf, traceOf } from '../../../sandbox/timeline/trace.js';
import { optional } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import type { Infer } from '../../../schema/schema.js';
import type { ControlRequest, ControlRoute } from '../control.js';
import { namedCalls } from '../calls/calls.js';
import { ok, route } from '../control.js';
import { inSlices } from '../in-slices.js';
import { entryStream } from './entry-stream.js';
import type { EntryView, TimelineView, TraceNodeView, TraceView } from './schema.js';

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
export function timelineView(sandbox: Sandbox): TimelineView {
  return finished(readingTimeline(sandbox, {}));
}

/** The same in steps, because a filter may read the whole ring. */
function* readingTimeline(sandbox: Sandbox, query: Infer<typeof LIST_QUERY>): Generator<void, TimelineView> {
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
    yield;
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
 * The ids under which the timeline knows what was asked for; a charge and a withdrawal may have one code. Refuses (INVALID_REQUEST) the
 * beginning of several ids.
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
  route('GET', 'timeline', { query: LIST_QUERY }, async ({ sandbox, query }) =>
    ok(await inSlices(readingTimeline(sandbox, query))),
  ),
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
