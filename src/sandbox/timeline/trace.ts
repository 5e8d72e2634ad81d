import { type DueItem, listDueInOrder } from '../../core/due.js';
import { shortenSessionIds } from '../../core/identity/session.js';
import type { AnnouncedEvent, Delivery, World } from '../../core/world.js';
import { formatOutcome } from '../../text/exchange/present-exchange.js';
import { createAttemptId, type Entry } from './entry.js';
import { describeAttempt, isWorldReplacement, formatEndpointTarget } from './entry-content.js';
import type { Timeline } from './timeline.js';

/** A shorter text may begin many ids. */
const LEAST_LENGTH = 8;

/** The restore, import or reset that began this world, as far as it is kept; undefined for the first world. */
export function findReplacement({ ring, worldStartSeq }: Timeline): Entry | undefined {
  const began = ring.get(worldStartSeq);
  return began !== undefined && began.seq > 1 && isWorldReplacement(began) ? began : undefined;
}

/** The first restore, import or reset after the last entry about this id or code, if the timeline still has both. */
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

/** One step of a story. */
export interface TraceNode {
  readonly seq: number;
  readonly kind: Entry['kind'];
  readonly id: string | null;
  readonly title: string;
  /** Sandbox time in milliseconds. */
  readonly at: number;
  /** Who began the story, and the scenario; absent in what followed, and for what is older than the timeline. */
  readonly by?: Entry['by'];
  readonly scenario?: string;
  /** Outcome: a status, or the reason for a failure. */
  readonly outcome?: string;
  /** Set if it happened during its parent, an attempt, with an unknown cause. */
  readonly during?: true;
  readonly children: TraceNode[];
}

export interface Trace {
  readonly root: TraceNode;
  /** Later stories about the same rows, oldest first: nothing in `root` led to them. */
  readonly later: readonly TraceNode[];
  /** Next due items of its rows. */
  readonly due: readonly (DueItem & { readonly title: string })[];
}

/** The entries of this world, by what led to them. */
class Stories {
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

  /** Lists consequences; an attempt's deciding of its delivery is part of the delivery. */
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

  /** Checks whether one of these payments, events or deliveries was created since. */
  reportStartOf(ids: ReadonlySet<string>): boolean {
    return this.#began.some((id) => ids.has(id));
  }

  /** The calls that came while an attempt was under way. */
  during(entry: Entry): readonly Entry[] {
    return entry.kind === 'attempt' ? (this.#during.get(entry.id ?? '') ?? []) : [];
  }

  /** The first entries of the stories in which something is asked for, oldest first. */
  rootsWith(test: (entry: Entry) => boolean): Entry[] {
    const { ring, worldStartSeq } = this.#timeline;
    const seqs = new Set<number>();
    for (const entry of ring.between(worldStartSeq)) if (test(entry)) seqs.add(this.rootSeq(entry));
    return [...seqs].sort((a, b) => a - b).flatMap((seq) => ring.get(seq) ?? []);
  }
}

/** Recognizes the creation of a payment, an event or a delivery. */
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

/** Tests whether an entry is about one of these rows or their parts. */
function isAbout(ids: ReadonlySet<string>): (entry: Entry) => boolean {
  return ({ id, facts: { delivery_id, event_id, resource_id } }) =>
    [id, delivery_id, event_id, resource_id].some((one) => one != null && ids.has(one));
}

/**
 * The story of a row or a call: its first cause with all that followed, and after it the later stories that
 * touched it. Calls that came during an attempt are beneath it. What is older than the timeline comes first,
 * as the rows tell it. Undefined when the timeline no longer has any of it.
 */
export function buildTrace(timeline: Timeline, world: World, ids: ReadonlySet<string>): Trace | undefined {
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
    return whole || children.length > 0
      ? nodeOf(entry, stories.outcomeOf(entry), children, isDuring)
      : undefined;
  };
  // A clock move has many consequences unrelated to these rows.
  const root = tree(first, first.facts.moved_to === undefined, false);
  if (root === undefined) return undefined;
  const others = later.map((entry) => tree(entry, false, false)).filter((node) => node !== undefined);
  const older = stories.reportStartOf(ids) ? undefined : buildOlderTrace(world, ids);
  if (older !== undefined) return continued(world, older.root, [root, ...others]);
  return withDue(world, root, others);
}

/**
 * Removes the parts of older traces covered better by the newer stories. An attempt moves to its delivery.
 */
function continued(world: World, older: TraceNode, stories: readonly TraceNode[]): Trace {
  const told = new Set(stories.flatMap((story) => [...idsIn(story)]));
  const left = new Set(stories);
  const grown = (node: TraceNode): TraceNode => {
    const children = node.children
      .map(grown)
      .filter((child) => child.children.length > 0 || !told.has(child.id ?? ''));
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
  return { root, later, due: listDueInOrder(world, Infinity).filter(({ id }) => rows.has(id)) };
}

function* idsIn({ id, children }: TraceNode): Generator<string> {
  if (id !== null) yield id;
  for (const child of children) yield* idsIn(child);
}

/**
 * Builds a trace for rows older than the timeline: a payment or event, its deliveries and their attempts.
 * Entries have the number 0 and no known cause.
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
