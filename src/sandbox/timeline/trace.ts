import { type DueItem, listDueItems } from '../../core/due.js';
import { shortenSessionIds } from '../../core/identity/session.js';
import type { AnnouncedEvent, Delivery, World } from '../../core/world.js';
import { formatOutcome } from '../../text/exchange/present-exchange.js';
import { createAttemptId, type Entry } from './entry.js';
import { describeAttempt, isWorldReplacement, formatEndpointTarget } from './entry-content.js';
import type { Timeline } from './timeline.js';

/** Minimum prefix length, because shorter texts match too many ids. */
const LEAST_LENGTH = 8;

/** Returns the restore, import or reset that began this world, or undefined if it is no longer stored. */
export function findReplacement({ ring, worldStartSeq }: Timeline): Entry | undefined {
  const began = ring.get(worldStartSeq);
  return began !== undefined && began.seq > 1 && isWorldReplacement(began) ? began : undefined;
}

/** Returns the first restore, import or reset after the last entry about this id or code, if stored. */
export function findReplacementAfter(timeline: Timeline, given: string): Entry | undefined {
  const text = shortenSessionIds(given).replace(/…$/, '');
  const isNamed = (name: string | null | undefined) =>
    name === text || (text.length >= LEAST_LENGTH && name?.startsWith(text) === true);
  let ended: Entry | undefined;
  for (const entry of timeline.ring.backwards(timeline.worldStartSeq)) {
    const { delivery_id: delivery, event_id: event, resource_id: resource, code } = entry.facts;
    if (entry.seq > 1 && isWorldReplacement(entry)) ended = entry;
    else if ([entry.id, delivery, event, resource].some(isNamed) || code === given) return ended;
  }
  return undefined;
}

/** A step in a trace. */
export interface TraceNode {
  readonly seq: number;
  readonly kind: Entry['kind'];
  readonly id: string | null;
  readonly title: string;
  /** Sandbox time in milliseconds. */
  readonly at: number;
  /** Initiator and scenario of the trace; absent in child nodes and in nodes older than the timeline. */
  readonly by?: Entry['by'];
  readonly scenario?: string;
  /** A status or a failure reason. */
  readonly outcome?: string;
  /** True for a request with an unknown cause that arrived during its parent attempt. */
  readonly during?: true;
  readonly children: TraceNode[];
}

export interface Trace {
  readonly root: TraceNode;
  /** Later traces of the same rows, oldest first, not caused by `root`. */
  readonly later: readonly TraceNode[];
  /** Scheduled items of the rows. */
  readonly due: readonly (DueItem & { readonly title: string })[];
}

/** Indexes the current world's entries by cause. */
class TraceIndex {
  readonly #byCause = new Map<number | null, Entry[]>();
  readonly #during = new Map<string, Entry[]>();
  readonly #ends = new Map<string, string>();
  readonly #began: string[] = [];
  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    for (const entry of timeline.ring.between(timeline.worldStartSeq)) {
      push(this.#byCause, this.rootSeq(entry) === entry.seq ? null : entry.cause, entry);
      for (const attempt of entry.facts.during ?? []) push(this.#during, attempt, entry);
      if (entry.id !== null && isBegin(entry)) this.#began.push(entry.id);
      if (entry.kind === 'delivery') this.#ends.set(entry.id ?? '', entry.facts.to ?? '');
    }
  }

  /** Returns the number of an entry's oldest stored ancestor. */
  rootSeq(entry: Entry): number {
    let first = entry;
    while (first.cause !== null) {
      const before = this.#timeline.ring.get(first.cause);
      if (before === undefined) break;
      first = before;
    }
    return first.seq;
  }

  /** Lists an entry's consequences, except the delivery status after an attempt. */
  childrenOf(entry: Entry): readonly Entry[] {
    const children = this.#byCause.get(entry.seq) ?? [];
    return entry.kind === 'attempt' ? children.filter(({ kind }) => kind !== 'delivery') : children;
  }

  /** Returns the outcome of an entry; for a delivery, its current status. */
  outcomeOf({ kind, id, facts }: Entry): string | undefined {
    if (kind === 'call' || kind === 'attempt') return formatOutcome(facts);
    if (kind === 'delivery') return this.#ends.get(id ?? '');
    return kind === 'change' ? facts.to : undefined;
  }

  /** Returns true if the timeline contains the creation of one of these payments, events or deliveries. */
  hasCreationOf(ids: ReadonlySet<string>): boolean {
    return this.#began.some((id) => ids.has(id));
  }

  /** Lists the requests that arrived during an attempt. */
  during(entry: Entry): readonly Entry[] {
    return entry.kind === 'attempt' ? (this.#during.get(entry.id ?? '') ?? []) : [];
  }

  /** Lists the first entry of each trace with a matching entry, oldest first. */
  rootsWith(test: (entry: Entry) => boolean): Entry[] {
    const { ring, worldStartSeq } = this.#timeline;
    const seqs = new Set<number>();
    for (const entry of ring.between(worldStartSeq)) if (test(entry)) seqs.add(this.rootSeq(entry));
    return [...seqs].sort((a, b) => a - b).flatMap((seq) => ring.get(seq) ?? []);
  }
}

/** Returns true for the creation of a payment, an event or a delivery. */
function isBegin({ kind, facts: { from } }: Entry): boolean {
  return kind === 'event' || ((kind === 'change' || kind === 'delivery') && from === null);
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

function nodeOf(
  { seq, kind, id, title, at, cause, by, facts: { scenario } }: Entry,
  outcome: string | undefined,
  children: TraceNode[],
  isDuring: boolean,
): TraceNode {
  return {
    seq,
    kind,
    id,
    title,
    at,
    ...(cause === null ? { by, ...(scenario === undefined ? {} : { scenario }) } : {}),
    ...(outcome === undefined ? {} : { outcome }),
    ...(isDuring ? { during: true as const } : {}),
    children,
  };
}

/** Creates a predicate for entries about these rows, their events and their deliveries. */
function isAbout(ids: ReadonlySet<string>): (entry: Entry) => boolean {
  return ({ id, facts: { delivery_id, event_id, resource_id } }) =>
    [id, delivery_id, event_id, resource_id].some((one) => one != null && ids.has(one));
}

/**
 * Builds the trace of a row or a request: its first cause with all consequences, then later traces of the
 * same row. Requests received during an attempt are children of the attempt. Steps older than the timeline
 * are rebuilt from the rows and come first. Returns undefined if the timeline contains no entry for these
 * ids.
 */
export function buildTrace(timeline: Timeline, world: World, ids: ReadonlySet<string>): Trace | undefined {
  const stories = new TraceIndex(timeline);
  const isWanted = isAbout(ids);
  const [first, ...later] = stories.rootsWith(isWanted);
  if (first === undefined) return undefined;
  const shown = new Set<number>();
  /** Returns undefined for a subtree without matching entries or their consequences. */
  const tree = (entry: Entry, isWhole: boolean, isDuring: boolean): TraceNode | undefined => {
    if (shown.has(entry.seq)) return undefined;
    shown.add(entry.seq);
    const whole = isWhole || isWanted(entry);
    const children = [
      ...stories.childrenOf(entry).map((child) => tree(child, whole, false)),
      ...stories.during(entry).map((call) => tree(call, true, true)),
    ].filter((child) => child !== undefined);
    return whole || children.length > 0
      ? nodeOf(entry, stories.outcomeOf(entry), children, isDuring)
      : undefined;
  };
  // Omit most consequences of a clock move, because they are unrelated to these rows.
  const root = tree(first, first.facts.moved_to === undefined, false);
  if (root === undefined) return undefined;
  const others = later.map((entry) => tree(entry, false, false)).filter((node) => node !== undefined);
  const older = stories.hasCreationOf(ids) ? undefined : buildOlderTrace(world, ids);
  if (older !== undefined) return mergeOlderTrace(world, older.root, [root, ...others]);
  return withDue(world, root, others);
}

/**
 * Removes the steps of an older trace that newer traces also contain, and moves newer attempts under their
 * deliveries.
 */
function mergeOlderTrace(world: World, older: TraceNode, stories: readonly TraceNode[]): Trace {
  const coveredIds = new Set(stories.flatMap((story) => [...idsIn(story)]));
  const left = new Set(stories);
  const grown = (node: TraceNode): TraceNode => {
    const children = node.children
      .map(grown)
      .filter((child) => child.children.length > 0 || !coveredIds.has(child.id ?? ''));
    for (const story of left) {
      if (story.kind !== 'attempt' || !story.id?.startsWith(`${node.id}.`)) continue;
      left.delete(story);
      children.push(story);
    }
    return { ...node, children };
  };
  return withDue(world, grown(older), [...left]);
}

function withDue(world: World, root: TraceNode, later: readonly TraceNode[] = []): Trace {
  const rows = new Set([root, ...later].flatMap((node) => Array.from(idsIn(node))));
  return { root, later, due: listDueItems(world, Infinity).filter(({ id }) => rows.has(id)) };
}

function* idsIn({ id, children }: TraceNode): Generator<string> {
  if (id !== null) yield id;
  for (const child of children) yield* idsIn(child);
}

/**
 * Builds a trace for rows older than the timeline: a payment or event, its deliveries and their attempts. All
 * nodes have `seq` 0 and no known cause.
 */
export function buildOlderTrace(world: World, ids: ReadonlySet<string>): Trace | undefined {
  const node = (
    kind: Entry['kind'],
    { id, at, title }: { readonly id: string; readonly at: number; readonly title: string },
    more: { readonly outcome?: string; readonly children?: TraceNode[] },
  ): TraceNode => ({ seq: 0, kind, id, title, at, children: [], ...more });
  const deliveryNode = (delivery: Delivery): TraceNode => {
    const { id, event, createdAt, status, log } = delivery;
    const attempts = log.map((attempt) => {
      const { title, facts } = describeAttempt(world, delivery, attempt);
      const outcome = formatOutcome(facts);
      return node(
        'attempt',
        { id: createAttemptId(id, attempt.number), at: attempt.startedAt, title },
        { outcome },
      );
    });
    const title = `${event.type} to ${formatEndpointTarget(world.endpoints.get(delivery.endpointId))}`;
    return node('delivery', { id, at: createdAt, title }, { outcome: status, children: attempts });
  };
  const eventNode = (event: AnnouncedEvent): TraceNode => {
    const children = world.deliveries.rows.filter((row) => row.event === event).map(deliveryNode);
    const title = `${event.type} of ${event.resource.code}`;
    return node('event', { id: event.id, at: event.at, title }, { children });
  };
  const payment = [...world.charges.rows, ...world.withdrawals.rows].find(({ id }) => ids.has(id));
  const event = world.events.rows.find(({ id }) => ids.has(id));
  const delivery = world.deliveries.rows.find(({ id }) => ids.has(id));
  let root: TraceNode | undefined;
  if (payment !== undefined) {
    const { id, code, createdAt, status } = payment;
    const children = world.events.rows.filter(({ resource }) => resource.id === id).map(eventNode);
    root = node('change', { id, at: createdAt, title: code }, { outcome: status, children });
  } else if (event !== undefined) root = eventNode(event);
  else if (delivery !== undefined) root = deliveryNode(delivery);
  return root && withDue(world, root);
}
