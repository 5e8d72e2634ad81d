import type { EntryView } from '../../http/control/schema.js';
import { LIMITS } from '../../contract/limits.js';

/** An entry of the timeline with what followed from it, oldest first. */
export interface Step {
  readonly entry: EntryView;
  parent: Step | undefined;
  readonly children: Step[];
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
  #oldest = Infinity;
  #newest = 0;
  readonly #limit: number;

  constructor(limit: number = LIMITS.timelineKept) {
    this.#limit = limit;
  }

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

  add(entry: EntryView): void {
    const { seq, cause } = entry;
    if (this.#bySeq.has(seq)) return;
    const step: Step = { entry, parent: undefined, children: [] };
    this.#bySeq.set(seq, step);
    this.#oldest = Math.min(this.#oldest, seq);
    this.#newest = Math.max(this.#newest, seq);
    const parent = cause === null ? undefined : this.#bySeq.get(cause);
    if (parent !== undefined) this.#attach(step, parent);
    else {
      insert(this.roots, step);
      if (cause !== null) this.#orphans.set(cause, [...(this.#orphans.get(cause) ?? []), step]);
    }
    this.#adopt(step);
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
    insert(parent.children, step);
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
      insert(this.roots, child);
    }
    this.#oldest = this.#nextAfter(seq);
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

/** Keeps a list of steps in the order of their numbers; new ones mostly come last. */
function insert(steps: Step[], step: Step): void {
  let at = steps.length;
  while (at > 0 && (steps[at - 1]?.entry.seq ?? 0) > step.entry.seq) at -= 1;
  steps.splice(at, 0, step);
}

function remove(steps: Step[], step: Step): void {
  const at = steps[0] === step ? 0 : steps.indexOf(step);
  if (at >= 0) steps.splice(at, 1);
}
