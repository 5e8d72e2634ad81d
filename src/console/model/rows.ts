import type { EntryView } from '../../http/control/schema.js';
import type { Step, Stories } from './stories.js';
import { following } from './stories.js';

/** One line of the live list. */
export interface Row {
  readonly step: Step;
  readonly isRoot: boolean;
  /** Undefined when there is nothing beneath to open. */
  readonly isOpen: boolean | undefined;
}

/** How something ended, for its colour and sign. */
export type Tone = 'good' | 'bad' | 'waiting' | 'plain';

export interface Outcome {
  readonly text: string;
  readonly tone: Tone;
}

export interface Shown {
  readonly test: (entry: EntryView) => boolean;
  /** Later entries are held back. */
  readonly upTo: number;
  /** The stories that are closed, by the number of their first entry. */
  readonly closed: ReadonlySet<number>;
}

/** The lines of the live list, the newest story first and what followed beneath it in order. */
export function rowsOf(stories: Stories, { test, upTo, closed }: Shown): Row[] {
  const rows: Row[] = [];
  for (let index = stories.roots.length - 1; index >= 0; index -= 1) {
    const root = stories.roots[index];
    if (root === undefined || root.entry.seq > upTo || !holds(root, test, upTo)) continue;
    const beneath = [...following(root)].filter((step) => step !== root && isLine(step, upTo));
    const isOpen = beneath.length === 0 ? undefined : !closed.has(root.entry.seq);
    rows.push({ step: root, isRoot: true, isOpen });
    if (isOpen) for (const step of beneath) rows.push({ step, isRoot: false, isOpen: undefined });
  }
  return rows;
}

/** How many stories that match have begun since the list was held. */
export function countSince(stories: Stories, test: Shown['test'], upTo: number): number {
  let count = 0;
  for (let index = stories.roots.length - 1; index >= 0; index -= 1) {
    const root = stories.roots[index];
    if (root === undefined || root.entry.seq <= upTo) break;
    if (holds(root, test, Infinity)) count += 1;
  }
  return count;
}

function holds(root: Step, test: Shown['test'], upTo: number): boolean {
  for (const { entry } of following(root)) if (entry.seq <= upTo && test(entry)) return true;
  return false;
}

/** Attempts stand in the line of their delivery, and an event in those of its deliveries. */
function isLine({ entry, parent, children }: Step, upTo: number): boolean {
  if (entry.seq > upTo) return false;
  if (entry.kind === 'attempt') return false;
  if (entry.kind === 'delivery') return entry.from === null || parent?.entry.kind !== 'attempt';
  if (entry.kind === 'event') return !children.some((child) => child.entry.kind === 'delivery');
  return entry.kind !== 'command' || parent === undefined;
}

/** What happened to a delivery since a step of it: its attempts and changes, also those that another story led to. */
function courseOf(stories: Stories, delivery: Step): EntryView[] {
  if (delivery.entry.from === null) return stories.courseFrom(delivery.entry);
  return Array.from(following(delivery), ({ entry }) => entry);
}

/** The attempts of a delivery in order; of a retry, those that it led to. */
export function attemptsOf(stories: Stories, delivery: Step): EntryView[] {
  return courseOf(stories, delivery).filter(({ kind }) => kind === 'attempt');
}

/** The states that a delivery went through. */
export function statesOf(stories: Stories, delivery: Step): string[] {
  return courseOf(stories, delivery)
    .filter(({ kind }) => kind === 'delivery')
    .map(({ to }) => to ?? '');
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

export function toneOfState(state: string): Tone {
  return STATE_TONES[state] ?? 'plain';
}

/** The tone of what a trace says of how a step ended. */
export function toneOfOutcome(kind: EntryView['kind'], outcome: string): Tone {
  if (outcome === '' || (kind !== 'call' && kind !== 'attempt')) return toneOfState(outcome);
  return /^2\d\d$/.test(outcome) ? 'good' : 'bad';
}

/** How a call or an attempt ended. */
export function endOf({ status, error }: EntryView): Outcome {
  if (status == null) return { text: error ?? '', tone: error == null ? 'plain' : 'bad' };
  const text = error == null || error === 'HTTP_STATUS' ? String(status) : `${status} ${error}`;
  return { text, tone: status >= 200 && status < 300 && error == null ? 'good' : 'bad' };
}

/** How one step ended; a delivery as it is now. */
export function outcomeOf(stories: Stories, step: Step): Outcome {
  const { entry } = step;
  if (entry.kind === 'call' || entry.kind === 'attempt') return endOf(entry);
  if (entry.kind === 'delivery') {
    const state = statesOf(stories, step).at(-1) ?? '';
    return { text: state, tone: toneOfState(state) };
  }
  const to = entry.kind === 'change' ? (entry.to ?? '') : '';
  return { text: to, tone: toneOfState(to) };
}

/** The page that shows an entry; undefined for one that has none of its own. */
export function pageOf({
  kind,
  id,
  resource,
  event_id: eventId,
  delivery_id: deliveryId,
  attempt,
  command,
}: EntryView) {
  if (id === null) return undefined;
  if (kind === 'call') return `/calls/${id}`;
  if (kind === 'event') return `/events/${id}`;
  if (kind === 'delivery') return `/deliveries/${id}`;
  if (kind === 'attempt') return `/deliveries/${deliveryId}#attempt-${attempt}`;
  if (kind === 'listener' || resource === 'endpoint') return `/endpoints/${id}`;
  if (resource === 'charge' || command?.startsWith('charge.')) return `/charges/${id}`;
  if (resource === 'withdrawal' || command?.startsWith('withdrawal.')) return `/withdrawals/${id}`;
  if (resource === 'session') return `/identity/${id}`;
  return eventId === undefined ? undefined : `/events/${eventId}`;
}

/** The code of the payment that a story is about. */
export function codeOf(step: Step): string | undefined {
  for (const { entry } of following(step)) if (entry.code !== undefined) return entry.code;
  return undefined;
}
