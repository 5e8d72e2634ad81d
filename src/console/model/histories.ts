import { BROWSER_LIMITS } from '../../contract/browser-limits.js';
import type { EntryView } from '../../http/control/timeline.js';

export interface HistoryStep {
  readonly entry: EntryView;
  /** Another number after each new consequence. */
  version: number;
}

/**
 * The timeline as trees: each story begins with a root cause. Entries may arrive in any order; the result
 * depends only on the set of entries. Like the sandbox, it drops the oldest.
 */
export class Histories {
  readonly steps: HistoryStep[] = [];
  readonly #bySeq = new Map<number, HistoryStep>();
  readonly #byCause = new Map<number, HistoryStep[]>();
  /** The changes and attempts of each delivery in order, whatever caused them. */
  readonly #histories = new Map<string, HistoryStep[]>();
  readonly #limit: number;

  constructor(limit: number = BROWSER_LIMITS.timelineKept) {
    this.#limit = limit;
  }

  get newest(): number {
    return this.steps.at(-1)?.entry.seq ?? 0;
  }

  /** The first steps of the stories: their cause is unknown, was dropped, or has not arrived. */
  get roots(): HistoryStep[] {
    return this.steps.filter((step) => this.parentOf(step) === undefined);
  }

  get deliveries(): HistoryStep[] {
    return this.steps.filter(isCreation);
  }

  get(seq: number): HistoryStep | undefined {
    return this.#bySeq.get(seq);
  }

  parentOf({ entry: { cause } }: HistoryStep): HistoryStep | undefined {
    return cause === null ? undefined : this.#bySeq.get(cause);
  }

  childrenOf({ entry: { seq } }: HistoryStep): readonly HistoryStep[] {
    return this.#byCause.get(seq) ?? [];
  }

  rootOf(step: HistoryStep): HistoryStep {
    const parent = this.parentOf(step);
    return parent === undefined ? step : this.rootOf(parent);
  }

  *following(step: HistoryStep): Generator<HistoryStep> {
    yield step;
    for (const child of this.childrenOf(step)) yield* this.following(child);
  }

  /**
   * A delivery's changes and attempts since its creation; of a retry, only its own. A reset sandbox uses its
   * ids again.
   */
  historyFrom(step: HistoryStep): EntryView[] {
    let history: Iterable<HistoryStep> = this.following(step);
    if (isCreation(step)) {
      const all = this.#histories.get(step.entry.id ?? '') ?? [];
      const from = all.indexOf(step);
      const end = all.findIndex((one, index) => index > from && isCreation(one));
      history = all.slice(from, end < 0 ? undefined : end);
    }
    return Array.from(history, ({ entry }) => entry);
  }

  add(entry: EntryView): void {
    if (this.#bySeq.has(entry.seq)) return;
    const added: HistoryStep = { entry, version: 0 };
    this.#bySeq.set(entry.seq, added);
    for (const list of this.#listsOf(added)) {
      const at = list.findLastIndex((one) => one.entry.seq < entry.seq);
      list.splice(at + 1, 0, added);
    }
    for (let step: HistoryStep | undefined = added; step !== undefined; step = this.parentOf(step))
      step.version += 1;
    while (this.steps.length > this.#limit) this.#dropOldest();
  }

  #dropOldest(): void {
    const [step] = this.steps;
    if (step === undefined) return;
    this.#bySeq.delete(step.entry.seq);
    for (const list of this.#listsOf(step)) list.splice(list.indexOf(step), 1);
  }

  /** Returns the lists containing a step. */
  #listsOf({ entry }: HistoryStep): HistoryStep[][] {
    const { cause } = entry;
    const delivery = deliveryOf(entry);
    return [
      this.steps,
      ...(cause === null ? [] : [listIn(this.#byCause, cause)]),
      ...(delivery === undefined ? [] : [listIn(this.#histories, delivery)]),
    ];
  }
}

function listIn<Key>(lists: Map<Key, HistoryStep[]>, key: Key): HistoryStep[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function deliveryOf({ kind, id, delivery_id: deliveryId }: EntryView): string | undefined {
  if (kind === 'attempt') return deliveryId;
  return kind === 'delivery' && id !== null ? id : undefined;
}

function isCreation({ entry: { kind, from } }: HistoryStep): boolean {
  return kind === 'delivery' && from === null;
}
