import type { EntryView } from '../../http/control/schema.js';
import { BROWSER_LIMITS } from '../../contract/browser-limits.js';

/** An entry of the timeline with what followed from it, oldest first. */
export interface Step {
  readonly entry: EntryView;
  parent: Step | undefined;
  readonly children: Step[];
  /** Of the beginning of a story: another number after each change of the story. */
  version: number;
}

/** What happened to a delivery, as taken from all that is known of its id. */
interface Course {
  readonly all: readonly EntryView[];
  readonly entries: readonly EntryView[];
}

/**
 * The timeline as trees: each story begins with a root cause. Entries may arrive in any order; the result depends on the set
 * of entries alone. The oldest go when there are more than the sandbox itself keeps.
 */
export class Stories {
  /** The beginnings of the stories, oldest first. */
  readonly roots: Step[] = [];
  readonly #bySeq = new Map<number, Step>();
  /** Steps whose cause has not arrived, or is no longer kept. */
  readonly #orphans = new Map<number, Step[]>();
  /** What happened to each delivery in order, whatever led to it: the schedule, a clock that was moved, or a retry. */
  readonly #ofDeliveries = new Map<string, readonly EntryView[]>();
  readonly #created = new Set<Step>();
  readonly #courses = new WeakMap<EntryView, Course>();
  #oldest = Infinity;
  #newest = 0;
  readonly #limit: number;

  constructor(limit: number = BROWSER_LIMITS.timelineKept) {
    this.#limit = limit;
  }

  /** Grows with each entry. */
  version = 0;

  get size(): number {
    return this.#bySeq.size;
  }

  /** The lowest and the highest number; `Infinity` and 0 while there are none. */
  get oldest(): number {
    return this.#oldest;
  }

  get newest(): number {
    return this.#newest;
  }

  get(seq: number): Step | undefined {
    return this.#bySeq.get(seq);
  }

  /** The steps in which deliveries were created. */
  get deliveries(): ReadonlySet<Step> {
    return this.#created;
  }

  /**
   * A delivery's changes and attempts in order, from one entry on, as the same list until it changes; ids come again after the
   * sandbox starts over.
   */
  courseFrom(entry: EntryView): readonly EntryView[] {
    const all = this.#ofDeliveries.get(entry.id ?? '') ?? [];
    const known = this.#courses.get(entry);
    if (known?.all === all) return known.entries;
    const from = all.findIndex(({ seq }) => seq === entry.seq);
    const end = all.findIndex((one, index) => index > from && isCreation(one));
    const entries = all.slice(from, end < 0 ? undefined : end);
    this.#courses.set(entry, { all, entries });
    return entries;
  }

  add(entry: EntryView): void {
    const { seq, cause } = entry;
    if (this.#bySeq.has(seq)) return;
    const step: Step = { entry, parent: undefined, children: [], version: 0 };
    this.#bySeq.set(seq, step);
    this.version += 1;
    this.#oldest = Math.min(this.#oldest, seq);
    this.#newest = Math.max(this.#newest, seq);
    const deliveryId = deliveryOf(entry);
    if (deliveryId !== undefined) {
      const course = [...(this.#ofDeliveries.get(deliveryId) ?? [])];
      this.#ofDeliveries.set(deliveryId, course);
      insert(course, entry, (one) => one.seq);
      if (isCreation(entry)) this.#created.add(step);
    }
    const parent = cause === null ? undefined : this.#bySeq.get(cause);
    if (parent !== undefined) this.#attach(step, parent);
    else {
      insert(this.roots, step, seqOf);
      if (cause !== null) this.#orphans.set(cause, [...(this.#orphans.get(cause) ?? []), step]);
    }
    this.#adopt(step);
    rootOf(step).version += 1;
    while (this.#bySeq.size > this.#limit) this.#dropOldest();
  }

  /** Each step of the stories, parents before children. */
  *steps(): Generator<Step> {
    yield* this.#bySeq.values();
  }

  #adopt(parent: Step): void {
    const orphans = this.#orphans.get(parent.entry.seq) ?? [];
    this.#orphans.delete(parent.entry.seq);
    for (const orphan of orphans) {
      remove(this.roots, orphan);
      this.#attach(orphan, parent);
    }
  }

  #attach(step: Step, parent: Step): void {
    step.parent = parent;
    insert(parent.children, step, seqOf);
  }

  /** A cause is older than what it led to, so the oldest step begins a story. */
  #dropOldest(): void {
    const step = this.#bySeq.get(this.#oldest);
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
    this.#created.delete(step);
    this.#forgetCourse(step.entry);
    this.#oldest = this.#nextAfter(seq);
  }

  #forgetCourse(entry: EntryView): void {
    const deliveryId = deliveryOf(entry);
    if (deliveryId === undefined) return;
    const left = (this.#ofDeliveries.get(deliveryId) ?? []).filter((one) => one !== entry);
    if (left.length === 0) this.#ofDeliveries.delete(deliveryId);
    else this.#ofDeliveries.set(deliveryId, left);
  }

  #nextAfter(seq: number): number {
    for (let next = seq + 1; next <= this.#newest; next += 1) if (this.#bySeq.has(next)) return next;
    return Infinity;
  }
}

/** The root cause of a step. */
export function rootOf(step: Step): Step {
  let root = step;
  while (root.parent !== undefined) root = root.parent;
  return root;
}

/** A step and all that followed from it, parents first. */
export function* following(step: Step): Generator<Step> {
  yield step;
  for (const child of step.children) yield* following(child);
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

/** Keeps a list in the order of numbers; what is new mostly comes last. */
function insert<Item>(list: Item[], item: Item, numberOf: (item: Item) => number): void {
  let at = list.length;
  for (; at > 0; at -= 1) {
    const before = list[at - 1];
    if (before === undefined || numberOf(before) <= numberOf(item)) break;
  }
  list.splice(at, 0, item);
}

function remove<Item>(list: Item[], item: Item): void {
  const at = list[0] === item ? 0 : list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
