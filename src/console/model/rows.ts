import type { EntryView } from '../../http/control/schema.js';
import type { Step, Stories } from './stories.js';
import { following } from './stories.js';

/** How something ended, for its colour and sign. */
export type Tone = 'good' | 'bad' | 'waiting' | 'plain';

export interface Outcome {
  readonly text: string;
  readonly tone: Tone;
}

/** What happened to a delivery since a step of it: its attempts and changes, also those that another story led to. */
function courseOf(stories: Stories, delivery: Step): readonly EntryView[] {
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

/** The page that a line of the list opens: the entry's, or the story of the first thing that it led to. */
export function pageOfLine(step: Step): string | undefined {
  const own = pageOf(step.entry);
  if (own !== undefined) return own;
  for (const { entry } of following(step)) {
    const [page] = pageOf(entry)?.split('#') ?? [];
    if (page !== undefined) return `${page}#story`;
  }
  return undefined;
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
