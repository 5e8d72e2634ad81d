import type { EntryView } from '../../http/control/schema.js';
import type { Step, Stories } from './stories.js';

/** A delivery of one of a payment's events: its first entry, its state now, and its attempts in order. */
export interface DeliveryCourse {
  readonly entry: EntryView;
  readonly state: string;
  readonly attempts: readonly EntryView[];
}

/** One thing that happened to a payment; an event has its deliveries. */
export interface Happening {
  readonly step: Step;
  readonly deliveries: readonly DeliveryCourse[];
}

/**
 * What happened to a payment since it was made, oldest first: its changes and events, and each state that was restored since.
 * Ids come again after the sandbox starts over with its seed, so what is older than its creation belongs to another.
 */
export function historyOf(stories: Stories, id: string): Happening[] {
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
