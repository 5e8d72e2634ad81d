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

/**
 * The timeline as trees: each story begins with a root cause. Entries may arrive in any order; the result
 * depends on the set of entries only. The oldest are dropped when there are more than the sandbox itself
 * keeps.
 */
export class Stories {
  /** The beginnings of the stories, oldest first. */
  readonly roots: Step[] = [];
  /** The steps in which deliveries were created. */
  readonly deliveries = new Set<Step>();
  /** The lowest and the highest number; `Infinity` and 0 while there are none. */
  oldest = Infinity;
  newest = 0;
  readonly #bySeq = new Map<number, Step>();
  /** Steps whose cause has not arrived, or is no longer kept. */
  readonly #orphans = new Map<number, Step[]>();
  /** What happened to each delivery in order, whatever caused it: the schedule, a moved clock, or a retry. */
  readonly #histories = new Map<string, readonly EntryView[]>();
  readonly #parts = new WeakMap<
    EntryView,
    { readonly whole: unknown; readonly part: readonly EntryView[] }
  >();
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

  /**
   * A delivery's changes and attempts in order, from its creation on, as the same list until it changes.
   * Ids come again after the sandbox starts over.
   */
  historyFrom(creation: EntryView): readonly EntryView[] {
    const whole = this.#histories.get(creation.id ?? '') ?? [];
    const known = this.#parts.get(creation);
    if (known?.whole === whole) return known.part;
    const from = whole.findIndex(({ seq }) => seq === creation.seq);
    const end = whole.findIndex((one, index) => index > from && isCreation(one));
    const part = whole.slice(from, end < 0 ? undefined : end);
    this.#parts.set(creation, { whole, part });
    return part;
  }

  add(entry: EntryView): void {
    const { seq, cause } = entry;
    if (this.#bySeq.has(seq)) return;
    const step: Step = { entry, parent: undefined, children: [], version: 0 };
    this.#bySeq.set(seq, step);
    this.oldest = Math.min(this.oldest, seq);
    this.newest = Math.max(this.newest, seq);
    const deliveryId = deliveryOf(entry);
    if (deliveryId !== undefined) {
      const history = [...(this.#histories.get(deliveryId) ?? [])];
      this.#histories.set(deliveryId, history);
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

  /** Each step, in the order of arrival. */
  steps(): Iterable<Step> {
    return this.#bySeq.values();
  }

  /** A cause is older than what it caused, so the oldest step begins a story. */
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
    const deliveryId = deliveryOf(step.entry);
    if (deliveryId !== undefined) {
      const left = (this.#histories.get(deliveryId) ?? []).filter((one) => one !== step.entry);
      if (left.length === 0) this.#histories.delete(deliveryId);
      else this.#histories.set(deliveryId, left);
    }
    this.oldest = this.#nextAfter(seq);
  }

  #nextAfter(seq: number): number {
    for (let next = seq + 1; next <= this.newest; next += 1) if (this.#bySeq.has(next)) return next;
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
  const at = list[0] === item ? 0 : list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
