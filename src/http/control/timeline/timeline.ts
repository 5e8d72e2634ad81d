import { LIMITS } from '../../../contract/limits.js';
import { existing } from '../../../contract/refusals.js';
import { isoTime } from '../../../contract/time.js';
import { wholeNumber } from '../../../core/input/kinds.js';
import { text } from '../../../core/input/text-kinds.js';
import type { World } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Entry } from '../../../sandbox/timeline/entry.js';
import type { EntryTest } from '../../../sandbox/timeline/filter.js';
import { readFilter } from '../../../sandbox/timeline/filter.js';
import type { Trace, TraceNode } from '../../../sandbox/timeline/trace.js';
import { olderTraceOf, traceOf } from '../../../sandbox/timeline/trace.js';
import { optional } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import type { Infer } from '../../../schema/schema.js';
import type { ControlRequest, ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import { keptStream } from '../streams/kept-stream.js';
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
function list({ sandbox, query }: ControlRequest<undefined, Infer<typeof LIST_QUERY>>) {
  const { timeline } = sandbox;
  const { ring, run } = timeline;
  const { after = 0, before = ring.newest + 1, limit = USUAL_ENTRIES, q } = query;
  const test = testOf(sandbox, q);
  const isForward = query.after !== undefined;
  const found: Entry[] = [];
  const walk = isForward ? ring.between(after + 1, before - 1) : ring.backwards(before - 1);
  for (const entry of walk) {
    if (found.length >= limit) break;
    if (test(entry)) found.push(entry);
  }
  if (!isForward) found.reverse();
  const { oldest, newest } = ring;
  return ok({ run, oldest, newest, data: found.map(entryView) } satisfies TimelineView);
}

/** Where a stream goes on, and what to say first. */
function startOf(
  { timeline: { run, ring }, clock }: Sandbox,
  after: number | undefined,
  last: string | undefined,
) {
  const [, lastRun, lastSeq] = /^([0-9a-f]+)-(\d+)$/.exec(last ?? '') ?? [];
  const isOtherRun = lastRun !== undefined && lastRun !== run;
  const wanted = isOtherRun ? 0 : Number(lastSeq ?? after ?? ring.newest);
  const from = Math.max(wanted + 1, ring.oldest);
  const said = { cause: null, by: 'sandbox' as const, at: isoTime(clock.now()), real_at: null, id: null };
  const first: object[] = [];
  if (isOtherRun) {
    first.push({ ...said, seq: from, kind: 'restarted', title: 'the sandbox was started again' });
  } else if (from > wanted + 1) {
    first.push({
      ...said,
      seq: from,
      kind: 'gap',
      title: `${from - wanted - 1} older entries are no longer kept`,
    });
  }
  return { from, first };
}

function stream({
  sandbox,
  context,
  query,
}: ControlRequest<undefined, Infer<typeof STREAM_QUERY>>): Response {
  const { timeline } = sandbox;
  const { ring, run } = timeline;
  const test = testOf(sandbox, query.q);
  return keptStream(sandbox, context, { run, newest: ring.newest }, (send) => {
    const { from, first } = startOf(sandbox, query.after, context.req.header('last-event-id'));
    for (const message of first) send(message);
    const tell = (entry: Entry) => {
      if (test(entry)) send(entryView(entry), `${run}-${entry.seq}`);
    };
    for (const entry of ring.between(from)) tell(entry);
    return [timeline.subscribe(tell)];
  });
}

function nodeView({ at, children, ...node }: TraceNode): TraceNodeView {
  return { ...node, at: isoTime(at), children: children.map(nodeView) };
}

function traceView({ root, due }: Trace): TraceView {
  return { root: nodeView(root), due: due.map((item) => ({ ...item, at: isoTime(item.at) })) };
}

/** The ids under which the timeline knows what was asked for; a charge and a withdrawal may have one code. */
function idsOf(world: World, given: string): Set<string> {
  const ids = new Set([given]);
  for (const { rows } of [world.charges, world.withdrawals]) {
    for (const { id, code } of rows) if (code === given) ids.add(id);
  }
  return ids;
}

/** The timeline: what happened, in order, and what led to what. */
export const TIMELINE_ROUTES: readonly ControlRoute[] = [
  route('GET', 'timeline', { query: LIST_QUERY }, list),
  route('GET', 'stream/timeline', { query: STREAM_QUERY }, stream),
  route('GET', 'trace/:id', {}, ({ sandbox, param }) => {
    const id = param('id');
    const { timeline, world } = sandbox;
    const ids = idsOf(world, id);
    const trace = traceOf(timeline, world, ids) ?? olderTraceOf(world, ids);
    const hint = '`npx pix-sandbox logs` shows what there is.';
    return ok(traceView(existing(trace, `call, payment, event, delivery, attempt or session ${id}`, hint)));
  }),
];
