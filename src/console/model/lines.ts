import type { EntryView } from '../../http/control/schema.js';
import type { Step, Stories } from './stories.js';
import { following } from './stories.js';

/** One line of the live list; the same object until its story changes. */
export interface Row {
  readonly step: Step;
  readonly isRoot: boolean;
  /** Undefined when there is nothing beneath to open. */
  readonly isOpen: boolean | undefined;
}

export interface Shown {
  /** Another function where it may answer differently. */
  readonly test: (entry: EntryView) => boolean;
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
  countSince(stories: Stories, { test, upTo, closed }: Shown): number {
    let count = 0;
    for (let index = stories.roots.length - 1; index >= 0; index -= 1) {
      const root = stories.roots[index];
      if (root === undefined || root.entry.seq <= upTo) break;
      if (this.#of(root, { test, upTo: Infinity, closed }).length > 0) count += 1;
    }
    return count;
  }

  #of(root: Step, { test, upTo, closed }: Shown): readonly Row[] {
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
      rows: linesOf(steps, test, upTo, isClosed),
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

/** The lines of a story; none where no entry matches. */
function linesOf(steps: readonly Step[], test: Shown['test'], upTo: number, isClosed: boolean): Row[] {
  const [root] = steps;
  if (root === undefined || !steps.some(({ entry }) => entry.seq <= upTo && test(entry))) return [];
  const beneath = steps.filter((step) => step !== root && isLine(step, upTo));
  const isOpen = beneath.length === 0 ? undefined : !isClosed;
  const first = { step: root, isRoot: true, isOpen };
  if (isOpen !== true) return [first];
  return [first, ...beneath.map((step) => ({ step, isRoot: false, isOpen: undefined }))];
}

/** Attempts stand in the line of their delivery, and an event in those of its deliveries. */
function isLine({ entry, parent, children }: Step, upTo: number): boolean {
  if (entry.seq > upTo) return false;
  if (entry.kind === 'attempt') return false;
  if (entry.kind === 'delivery') return entry.from === null || parent?.entry.kind !== 'attempt';
  if (entry.kind === 'event') return !children.some((child) => child.entry.kind === 'delivery');
  return entry.kind !== 'command' || parent === undefined;
}
