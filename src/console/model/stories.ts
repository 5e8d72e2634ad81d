import { BROWSER_LIMITS } from '../../contract/browser-limits.js';
import type { EntryView } from '../../http/control/schema.js';

/** An entry of the timeline with its consequences, oldest first. */
export interface Step {
  readonly entry: EntryView;
  parent: Step | undefined;
  readonly children: Step[];
  /** Of a story's first step: another number after each change of the story. */
  version: number;
}

/**
 * The timeline as trees: each story begins with a root cause. Entries may arrive in any order; the result
 * depends only on the set of entries. Like the sandbox, it drops the oldest.
 */
export class Stories {
  /** The first steps of the stories, oldest first. */
  readonly roots: Step[] = [];
  /** The steps in which deliveries were created. */
  readonly deliveries = new Set<Step>();
  /** The lowest and the highest number; `Infinity` and 0 while there are none. */
  oldest = Infinity;
  newest = 0;
  readonly #bySeq = new Map<number, Step>();
  /** Steps whose cause has not arrived, or was dropped. */
  readonly #orphans = new Map<number, Step[]>();
  /** The changes and attempts of each delivery in order, whatever caused them. */
  readonly #histories = new Map<string, EntryView[]>();
  readonly #limit: number;

  constructor(limit: number = BROWSER_LIMITS.timelineKept) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#bySeq.size;
  }

  get(seq: number): Step | undefined {
    return this.#bySeq.get(seq);
  }

  /** Each step, in the order of arrival. */
  steps(): Iterable<Step> {
    return this.#bySeq.values();
  }

  /** A delivery's changes and attempts since its creation. A reset sandbox uses its ids again. */
  historyFrom(creation: EntryView): readonly EntryView[] {
    const history = this.#histories.get(creation.id ?? '') ?? [];
    const from = history.indexOf(creation);
    const end = history.findIndex((one, index) => index > from && isCreation(one));
    return history.slice(from, end < 0 ? undefined : end);
  }

  add(entry: EntryView): void {
    const { seq, cause } = entry;
    if (this.#bySeq.has(seq)) return;
    const step: Step = { entry, parent: undefined, children: [], version: 0 };
    this.#bySeq.set(seq, step);
    this.oldest = Math.min(this.oldest, seq);
    this.newest = Math.max(this.newest, seq);
    const delivery = deliveryOf(entry);
    if (delivery !== undefined) {
      const history = this.#histories.get(delivery) ?? [];
      this.#histories.set(delivery, history);
      insert(history, entry, (one) => one.seq);
      if (isCreation(entry)) this.deliveries.add(step);
    }
    const parent = cause === null ? undefined : this.#bySeq.get(cause);
    if (parent !== undefined) attach(step, parent);
    else {
      insert(this.roots, step, seqOf);
      if (cause !== null) this.#orphans.set(cause, [...(this.#orphans.get(cause) ?? []), step]);
    }
    for (const orphan of this.#orphans.get(seq) ?? []) {
      remove(this.roots, orphan);
      attach(orphan, step);
    }
    this.#orphans.delete(seq);
    rootOf(step).version += 1;
    while (this.size > this.#limit) this.#dropOldest();
  }

  /** A cause is older than its consequences, so the oldest step begins a story. */
  #dropOldest(): void {
    const step = this.#bySeq.get(this.oldest);
    if (step === undefined) return;
    const { seq, cause } = step.entry;
    this.#bySeq.delete(seq);
    remove(this.roots, step);
    if (cause !== null) this.#orphans.delete(cause);
    for (const child of step.children) {
      child.parent = undefined;
      child.version += 1;
      insert(this.roots, child, seqOf);
    }
    this.deliveries.delete(step);
    const delivery = deliveryOf(step.entry) ?? '';
    const history = this.#histories.get(delivery) ?? [];
    remove(history, step.entry);
    if (history.length === 0) this.#histories.delete(delivery);
    let next = seq + 1;
    while (next <= this.newest && !this.#bySeq.has(next)) next += 1;
    this.oldest = next > this.newest ? Infinity : next;
  }
}

/** The root cause of a step. */
export function rootOf(step: Step): Step {
  let root = step;
  while (root.parent !== undefined) root = root.parent;
  return root;
}

/** A step and its consequences, parents first. */
export function* following(step: Step): Generator<Step> {
  yield step;
  for (const child of step.children) yield* following(child);
}

function attach(step: Step, parent: Step): void {
  step.parent = parent;
  insert(parent.children, step, seqOf);
}

function seqOf({ entry }: Step): number {
  return entry.seq;
}

function deliveryOf({ kind, id, delivery_id: deliveryId }: EntryView): string | undefined {
  if (kind === 'attempt') return deliveryId;
  return kind === 'delivery' && id !== null ? id : undefined;
}

function isCreation({ kind, from }: EntryView): boolean {
  return kind === 'delivery' && from === null;
}

/** Inserts by number; what is new mostly comes last. */
function insert<Item>(list: Item[], item: Item, numberOf: (item: Item) => number): void {
  const at = list.findLastIndex((one) => numberOf(one) <= numberOf(item)) + 1;
  list.splice(at, 0, item);
}

function remove<Item>(list: Item[], item: Item): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
