import { dueInOrder } from '../../core/due.js';
import type { Due } from '../../core/due.js';
import type { World } from '../../core/world.js';
import type { Entry } from './entry.js';
import { attemptId } from './entry.js';
import type { Timeline } from './timeline.js';

/** One step of a story. */
export interface TraceNode {
  readonly seq: number;
  readonly kind: Entry['kind'];
  readonly id: string | null;
  readonly title: string;
  /** Sandbox time in milliseconds. */
  readonly at: number;
  /** How it ended: a status, or why it failed. */
  readonly outcome?: string;
  /** Whether it happened while its parent, an attempt, was under way; what led to it is not known. */
  readonly during?: true;
  readonly children: TraceNode[];
}

export interface Trace {
  readonly root: TraceNode;
  /** What is due next for the rows in it. */
  readonly due: readonly (Due & { readonly title: string })[];
}

/** The entries of this world, by what led to them. */
class Stories {
  readonly #byCause = new Map<number | null, Entry[]>();
  readonly #during = new Map<string, Entry[]>();
  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    for (const entry of timeline.ring.between(timeline.worldBegan)) {
      push(this.#byCause, this.rootSeq(entry) === entry.seq ? null : entry.cause, entry);
      for (const attempt of entry.facts.during ?? []) push(this.#during, attempt, entry);
    }
  }

  /** The number of the first entry of its story, as far as it is kept. */
  rootSeq(entry: Entry): number {
    let first = entry;
    while (first.cause !== null) {
      const before = this.#timeline.ring.get(first.cause);
      if (before === undefined) break;
      first = before;
    }
    return first.seq;
  }

  childrenOf(entry: Entry): readonly Entry[] {
    return this.#byCause.get(entry.seq) ?? [];
  }

  /** The calls that came while an attempt was under way. */
  during(entry: Entry): readonly Entry[] {
    return entry.kind === 'attempt' ? (this.#during.get(entry.id ?? '') ?? []) : [];
  }

  /** The first entries of the stories in which something is asked for, oldest first. */
  rootsWith(test: (entry: Entry) => boolean): Entry[] {
    const { ring, worldBegan } = this.#timeline;
    const seqs = new Set<number>();
    for (const entry of ring.between(worldBegan)) if (test(entry)) seqs.add(this.rootSeq(entry));
    return [...seqs].sort((a, b) => a - b).flatMap((seq) => ring.get(seq) ?? []);
  }
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

function outcomeOf({ kind, facts: { status, error, to } }: Entry): string | undefined {
  if (kind === 'call' || kind === 'attempt') {
    if (status == null) return error ?? undefined;
    return error == null || /^HTTP_/.test(error) ? String(status) : `${status} ${error}`;
  }
  return kind === 'change' || kind === 'delivery' ? to : undefined;
}

function nodeOf(entry: Entry, children: TraceNode[], isDuring: boolean): TraceNode {
  const { seq, kind, id, title, at } = entry;
  const outcome = outcomeOf(entry);
  return {
    seq,
    kind,
    id,
    title,
    at,
    ...(outcome === undefined ? {} : { outcome }),
    ...(isDuring ? { during: true as const } : {}),
    children,
  };
}

/** Whether an entry is about one of these rows, or about something of theirs. */
function isAbout(ids: ReadonlySet<string>): (entry: Entry) => boolean {
  return ({ id, facts: { delivery_id, event_id, resource_id } }) =>
    [id, delivery_id, event_id, resource_id].some((one) => one != null && ids.has(one));
}

/**
 * The story of a row or a call: its first cause with all that followed, and below it the later stories that touched it. Calls that
 * came during an attempt are beneath it. Undefined when the timeline no longer has any of it.
 */
export function traceOf(timeline: Timeline, world: World, ids: ReadonlySet<string>): Trace | undefined {
  const stories = new Stories(timeline);
  const isWanted = isAbout(ids);
  const [first, ...later] = stories.rootsWith(isWanted);
  if (first === undefined) return undefined;
  const shown = new Set<number>();
  /** Undefined when nothing in it is wanted; what follows from something wanted is. */
  const tree = (entry: Entry, isWhole: boolean, isDuring: boolean): TraceNode | undefined => {
    if (shown.has(entry.seq)) return undefined;
    shown.add(entry.seq);
    const whole = isWhole || isWanted(entry);
    const children = [
      ...stories.childrenOf(entry).map((child) => tree(child, whole, false)),
      ...stories.during(entry).map((call) => tree(call, true, true)),
    ].filter((child) => child !== undefined);
    return whole || children.length > 0 ? nodeOf(entry, children, isDuring) : undefined;
  };
  const root = tree(first, true, false);
  if (root === undefined) return undefined;
  for (const entry of later) {
    const node = tree(entry, false, false);
    if (node !== undefined) root.children.push(node);
  }
  const rows = new Set(idsIn(root));
  return { root, due: dueInOrder(world, Infinity).filter(({ id }) => rows.has(id)) };
}

function* idsIn({ id, children }: TraceNode): Generator<string> {
  if (id !== null) yield id;
  for (const child of children) yield* idsIn(child);
}

/** The ids under which the timeline knows an attempt given as `<delivery id>.<number>`, or one row. */
export function traceIds(id: string, attempt?: number): ReadonlySet<string> {
  return new Set([attempt === undefined ? id : attemptId(id, attempt)]);
}
