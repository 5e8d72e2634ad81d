import { BROWSER_LIMITS } from '../../contract/browser-limits.js';
import type { EntryView } from '../../http/control/timeline.js';

export interface HistoryStep {
  readonly entry: EntryView;
  /** Changes whenever a consequence is added. */
  version: number;
}

/**
 * Stores the timeline as trees of causes and consequences, which do not depend on the order in which entries
 * arrive. Drops the oldest entries, like the sandbox.
 */
export class Histories {
  readonly steps: HistoryStep[] = [];
  readonly #bySeq = new Map<number, HistoryStep>();
  readonly #byCause = new Map<number, HistoryStep[]>();
  /** Each delivery's changes and attempts in order, regardless of their cause. */
  readonly #histories = new Map<string, HistoryStep[]>();
  readonly #limit: number;

  constructor(limit: number = BROWSER_LIMITS.timelineKept) {
    this.#limit = limit;
  }

  get newest(): number {
    return this.steps.at(-1)?.entry.seq ?? 0;
  }

  /** Returns steps whose cause is unknown, dropped, or not yet received. */
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
   * Returns a delivery's changes and attempts since its creation; for a retry, only the retry's own. Ends at
   * the next creation with the same id, because a reset sandbox reuses ids.
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
