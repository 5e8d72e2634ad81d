import type { EntryView } from '../../http/control/schema.js';
import type { EntryTest } from '../../sandbox/timeline/filter.js';
import { readFilterTerms } from '../../sandbox/timeline/filter.js';
import type { Step, Stories } from './stories.js';
import { following } from './stories.js';

/** A filter as it was typed, and as a test at an instant of sandbox time. */
export interface Filter {
  readonly text: string;
  /** In milliseconds; 0 for a filter that does not depend on time. */
  readonly now: number;
  readonly test: (entry: EntryView) => boolean;
  /** Whether a term after a minus hides an entry. */
  readonly hides: (entry: EntryView) => boolean;
  /** What is wrong with the text; such a filter lets everything pass. */
  readonly problem: string | undefined;
}

export function filterOf(text: string, now: number): Filter {
  try {
    const { matches, excludes } = readFilterTerms(text);
    const applied = (test: EntryTest) => (entry: EntryView) =>
      test({ ...entry, at: Date.parse(entry.at), realAt: null, facts: entry }, now);
    return { text, now, test: applied(matches), hides: applied(excludes), problem: undefined };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { text, now, test: () => true, hides: () => false, problem };
  }
}

/** One line of the live list; the same object until its story changes. */
export interface Row {
  readonly step: Step;
  readonly isRoot: boolean;
  /** Undefined when there is nothing beneath to open. */
  readonly isOpen: boolean | undefined;
  /** The code of the payment on the line; of a story, that of its first line with one. */
  readonly code: string | undefined;
}

/** What the list shows of the stories. */
export interface RowOptions extends Pick<Filter, 'test' | 'hides'> {
  /** Later entries are held back. */
  readonly upTo: number;
  /** The closed stories, by the number of their first entry. */
  readonly closed: ReadonlySet<number>;
}

/**
 * The lines of the live list. Those of a story are made again only when it changes, because thousands of
 * entries may pour in.
 */
export class Rows {
  readonly #known = new WeakMap<Step, { readonly key: readonly unknown[]; readonly rows: readonly Row[] }>();

  /** The newest story first, and its steps beneath it in order. */
  all(stories: Stories, options: RowOptions): Row[] {
    const roots = stories.roots.filter(({ entry }) => entry.seq <= options.upTo);
    return roots.toReversed().flatMap((root) => this.#of(root, options));
  }

  /** How many matching stories began since the list was held. */
  countSince(stories: Stories, options: RowOptions): number {
    const newer = stories.roots.slice(
      stories.roots.findLastIndex(({ entry }) => entry.seq <= options.upTo) + 1,
    );
    return newer.filter((root) => this.#of(root, { ...options, upTo: Infinity }).length > 0).length;
  }

  #of(root: Step, options: RowOptions): readonly Row[] {
    const { test, upTo, closed } = options;
    const key = [root.version, test, upTo, closed.has(root.entry.seq)];
    const known = this.#known.get(root);
    if (known?.key.every((one, index) => one === key[index]) === true) return known.rows;
    const rows = rowsOf([...following(root)], options);
    this.#known.set(root, { key, rows });
    return rows;
  }
}

/** The lines of a story; none where no entry matches, or where every line beneath its first is hidden. */
function rowsOf(steps: readonly Step[], { test, hides, upTo, closed }: RowOptions): Row[] {
  const [root] = steps;
  const visible = visibleSteps(steps, hides);
  if (root === undefined || !visible.some(({ entry }) => entry.seq <= upTo && test(entry))) return [];
  const lines = (from: readonly Step[]) => from.filter((step) => step !== root && isLine(step, upTo));
  const beneath = lines(visible);
  if (!visible.includes(root) || (beneath.length === 0 && lines(steps).length > 0)) return [];
  const isOpen = beneath.length === 0 ? undefined : !closed.has(root.entry.seq);
  const code = visible.find(({ entry }) => entry.code !== undefined)?.entry.code;
  const others = beneath.map((step) => ({ step, isRoot: false, isOpen: undefined, code: step.entry.code }));
  return [{ step: root, isRoot: true, isOpen, code }, ...(isOpen === true ? others : [])];
}

/** The steps that no term hides, nor hides what caused them; an attempt hides the line of its delivery. */
function visibleSteps(steps: readonly Step[], hides: RowOptions['hides']): readonly Step[] {
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

/** Attempts are in the line of their delivery, and an event in those of its deliveries. */
function isLine({ entry, parent, children }: Step, upTo: number): boolean {
  if (entry.seq > upTo || entry.kind === 'attempt') return false;
  if (entry.kind === 'delivery') return entry.from === null || parent?.entry.kind !== 'attempt';
  if (entry.kind === 'event') return !children.some((child) => child.entry.kind === 'delivery');
  return entry.kind !== 'command' || parent === undefined;
}

/** How something ended, for its color and sign. */
export type Tone = 'good' | 'bad' | 'waiting' | 'plain';

export interface Outcome {
  readonly text: string;
  readonly tone: Tone;
}

/** A delivery's attempts and changes since a step, also those caused by another story. */
function historyFrom(stories: Stories, delivery: Step): readonly EntryView[] {
  if (delivery.entry.from === null) return stories.historyFrom(delivery.entry);
  return Array.from(following(delivery), ({ entry }) => entry);
}

/** The attempts of a delivery in order; of a retry, its own. */
export function attemptsOf(stories: Stories, delivery: Step): EntryView[] {
  return historyFrom(stories, delivery).filter(({ kind }) => kind === 'attempt');
}

/** The states that a delivery went through. */
export function statesOf(stories: Stories, delivery: Step): string[] {
  const changes = historyFrom(stories, delivery).filter(({ kind }) => kind === 'delivery');
  return changes.map(({ to }) => to ?? '');
}

const STATE_TONES: Readonly<Record<string, Tone>> = {
  DELIVERED: 'good',
  SETTLED: 'good',
  approved: 'good',
  FAILED: 'bad',
  EXPIRED: 'bad',
  rejected: 'bad',
  PENDING: 'waiting',
  PROCESSING: 'waiting',
};

export function stateOutcome(state: string): Outcome {
  return { text: state, tone: STATE_TONES[state] ?? 'plain' };
}

/** How a step of a trace ended. */
export function traceOutcome(kind: EntryView['kind'], outcome: string): Outcome {
  if (outcome === '' || (kind !== 'call' && kind !== 'attempt')) return stateOutcome(outcome);
  return { text: outcome, tone: /^2\d\d$/.test(outcome) ? 'good' : 'bad' };
}

/** How a request or an attempt ended. */
export function exchangeOutcome({ status, error }: EntryView): Outcome {
  if (status == null) return { text: error ?? '', tone: error == null ? 'plain' : 'bad' };
  const text = error == null || error === 'HTTP_STATUS' ? String(status) : `${status} ${error}`;
  return { text, tone: status >= 200 && status < 300 && error == null ? 'good' : 'bad' };
}

/** How one step ended; a delivery as it is now. */
export function outcomeOf(stories: Stories, step: Step): Outcome {
  const { entry } = step;
  if (entry.kind === 'call' || entry.kind === 'attempt') return exchangeOutcome(entry);
  if (entry.kind === 'delivery') return stateOutcome(statesOf(stories, step).at(-1) ?? '');
  return stateOutcome(entry.kind === 'change' ? (entry.to ?? '') : '');
}

/** The page that a line of the list opens: the entry's, or the story of the first thing that it caused. */
export function pageOfLine(step: Step): string | undefined {
  const own = pageOf(step.entry);
  if (own !== undefined) return own;
  for (const { entry } of following(step)) {
    const [page] = pageOf(entry)?.split('#') ?? [];
    if (page !== undefined) return `${page}#story`;
  }
  return undefined;
}

/** The page that shows an entry; undefined for one without. */
export function pageOf(entry: EntryView): string | undefined {
  const { kind, id, resource, command } = entry;
  if (id === null) return undefined;
  if (kind === 'call') return `/calls/${id}`;
  if (kind === 'event') return `/events/${id}`;
  if (kind === 'delivery') return `/deliveries/${id}`;
  if (kind === 'attempt') return `/deliveries/${entry.delivery_id}#attempt-${entry.attempt}`;
  if (kind === 'listener' || resource === 'endpoint') return `/endpoints/${id}`;
  if (resource === 'charge' || command?.startsWith('charge.')) return `/charges/${id}`;
  if (resource === 'withdrawal' || command?.startsWith('withdrawal.')) return `/withdrawals/${id}`;
  if (resource === 'session') return `/identity/${id}`;
  return entry.event_id === undefined ? undefined : `/events/${entry.event_id}`;
}

/** A delivery of one of a payment's events: its first entry, its state now, and its attempts in order. */
export interface DeliveryCourse {
  readonly entry: EntryView;
  readonly state: string;
  readonly attempts: readonly EntryView[];
}

/** One thing that happened to a payment; an event has its deliveries. */
export interface HistoryItem {
  readonly step: Step;
  readonly deliveries: readonly DeliveryCourse[];
}

/**
 * What happened to a payment since it was made, oldest first: its changes and events, and each state that
 * was restored since. Ids come again after the sandbox starts over with its seed, so what is older than its
 * creation belongs to another.
 */
export function historyOf(stories: Stories, id: string): HistoryItem[] {
  const steps = [...stories.steps()]
    .filter(({ entry }) => entry.id === id || entry.resource_id === id || isRestored(entry))
    .sort((one, other) => one.entry.seq - other.entry.seq);
  const begins = Math.max(
    steps.findLastIndex(({ entry }) => isCreation(entry)),
    steps.findIndex(({ entry }) => entry.kind !== 'state'),
  );
  const own = begins < 0 ? [] : steps.slice(begins);
  const entries = own.map(({ entry }) => entry);
  return own
    .filter(({ entry: { kind } }) => kind === 'change' || kind === 'event' || kind === 'state')
    .map((step) => ({
      step,
      deliveries: step.entry.kind === 'event' ? deliveriesOf(entries, step.entry.id) : [],
    }));
}

/** Whether another state took the place of this one. */
function isRestored({ kind, to }: EntryView): boolean {
  return kind === 'state' && (to === 'restored' || to === 'imported');
}

function isCreation({ kind, from }: EntryView): boolean {
  return kind === 'change' && from === null;
}

function deliveriesOf(entries: readonly EntryView[], eventId: string | null): DeliveryCourse[] {
  const ofEvent = entries.filter(({ event_id: id }) => id === eventId);
  return ofEvent
    .filter(({ kind, from }) => kind === 'delivery' && from === null)
    .map((entry) => ({
      entry,
      state: ofEvent.findLast(({ kind, id }) => kind === 'delivery' && id === entry.id)?.to ?? '',
      attempts: ofEvent.filter(({ kind, delivery_id: id }) => kind === 'attempt' && id === entry.id),
    }));
}
