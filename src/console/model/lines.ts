import type { Filter } from './filter.js';
import type { Step, Stories } from './stories.js';
import { following } from './stories.js';

/** One line of the live list; the same object until its story changes. */
export interface Row {
  readonly step: Step;
  readonly isRoot: boolean;
  /** Undefined when there is nothing beneath to open. */
  readonly isOpen: boolean | undefined;
  /** The code of the payment that the line is about; of a story, that of its first line with one. */
  readonly code: string | undefined;
}

export interface Shown {
  /** Another function where it, or `hides`, may return something else. */
  readonly test: Filter['test'];
  readonly hides: Filter['hides'];
  /** Later entries are held back. */
  readonly upTo: number;
  /** The stories that are closed, by the number of their first entry. */
  readonly closed: ReadonlySet<number>;
}

/** The lines of one story, and what they were made from. */
interface Made {
  readonly rows: readonly Row[];
  readonly version: number;
  readonly test: Shown['test'];
  readonly isClosed: boolean;
  /** The number after which entries were held back; `Infinity` where none was. */
  readonly upTo: number;
  /** The number of the story's last entry. */
  readonly last: number;
}

/** The lines of the live list. Those of a story are made when it changes, so that each new entry costs little. */
export class Lines {
  readonly #made = new WeakMap<Step, Made>();

  /** The newest story first, and what followed beneath it in order. */
  rows(stories: Stories, shown: Shown): Row[] {
    const rows: Row[] = [];
    for (let index = stories.roots.length - 1; index >= 0; index -= 1) {
      const root = stories.roots[index];
      if (root !== undefined && root.entry.seq <= shown.upTo) rows.push(...this.#of(root, shown));
    }
    return rows;
  }

  /** How many stories that match have begun since the list was held. */
  countSince(stories: Stories, shown: Shown): number {
    let count = 0;
    for (let index = stories.roots.length - 1; index >= 0; index -= 1) {
      const root = stories.roots[index];
      if (root === undefined || root.entry.seq <= shown.upTo) break;
      if (this.#of(root, { ...shown, upTo: Infinity }).length > 0) count += 1;
    }
    return count;
  }

  #of(root: Step, shown: Shown): readonly Row[] {
    const { test, upTo, closed } = shown;
    const isClosed = closed.has(root.entry.seq);
    const known = this.#made.get(root);
    if (
      known?.version === root.version &&
      known.test === test &&
      known.isClosed === isClosed &&
      known.upTo === (known.last <= upTo ? Infinity : upTo)
    ) {
      return known.rows;
    }
    const steps = [...following(root)];
    const last = Math.max(...steps.map(({ entry }) => entry.seq));
    const made = {
      rows: linesOf(steps, shown),
      version: root.version,
      test,
      isClosed,
      upTo: last <= upTo ? Infinity : upTo,
      last,
    };
    this.#made.set(root, made);
    return made.rows;
  }
}

/** The lines of a story; none where no entry matches, or where every line beneath its first is hidden. */
function linesOf(steps: readonly Step[], { test, hides, upTo, closed }: Shown): Row[] {
  const [root] = steps;
  const left = leftBy(steps, hides);
  if (root === undefined || !left.some(({ entry }) => entry.seq <= upTo && test(entry))) return [];
  const lines = (from: readonly Step[]) => from.filter((step) => step !== root && isLine(step, upTo));
  const beneath = lines(left);
  if (!left.includes(root) || (beneath.length === 0 && lines(steps).length > 0)) return [];
  const isOpen = beneath.length === 0 ? undefined : !closed.has(root.entry.seq);
  const code = left.find(({ entry }) => entry.code !== undefined)?.entry.code;
  const first = { step: root, isRoot: true, isOpen, code };
  if (isOpen !== true) return [first];
  return [
    first,
    ...beneath.map((step) => ({ step, isRoot: false, isOpen: undefined, code: step.entry.code })),
  ];
}

/** The steps that are not hidden, by themselves or with what led to them; an attempt hides the line in which it stands. */
function leftBy(steps: readonly Step[], hides: Shown['hides']): readonly Step[] {
  const hidden = new Set<Step | undefined>();
  for (const step of steps) {
    if (hidden.has(step.parent)) hidden.add(step);
    else if (hides(step.entry)) {
      hidden.add(step);
      if (step.entry.kind === 'attempt') hidden.add(step.parent);
    }
  }
  return steps.filter((step) => !hidden.has(step));
}

/** Attempts stand in the line of their delivery, and an event in those of its deliveries. */
function isLine({ entry, parent, children }: Step, upTo: number): boolean {
  if (entry.seq > upTo) return false;
  if (entry.kind === 'attempt') return false;
  if (entry.kind === 'delivery') return entry.from === null || parent?.entry.kind !== 'attempt';
  if (entry.kind === 'event') return !children.some((child) => child.entry.kind === 'delivery');
  return entry.kind !== 'command' || parent === undefined;
}
