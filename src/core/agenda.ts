import { removeInPlace } from './table.js';

/**
 * Lists the kinds in execution order for items due at the same instant: faults end and start first, and state
 * changes precede their webhooks.
 */
export const AGENDA_KINDS = [
  'fault.end',
  'fault.start',
  'charge.settle',
  'charge.expire',
  'session.decide',
  'session.lapse',
  'delivery.attempt',
] as const;

export type AgendaKind = (typeof AGENDA_KINDS)[number];

/** Schedules work on the row with this ordinal at `at` (sandbox time, ms). */
export interface AgendaItem {
  readonly at: number;
  readonly kind: AgendaKind;
  readonly ordinal: number;
}

/** Sorts items by time and ordinal within each kind, so most insertions append. */
export type Agenda = Readonly<Record<AgendaKind, AgendaItem[]>>;

export function createAgenda(): Agenda {
  return Object.fromEntries(AGENDA_KINDS.map((kind) => [kind, []])) as unknown as Agenda;
}

export function scheduleItem(agenda: Agenda, at: number, kind: AgendaKind, ordinal: number): void {
  const items = agenda[kind];
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = items[middle];
    if (other !== undefined && (other.at - at || other.ordinal - ordinal) <= 0) low = middle + 1;
    else high = middle;
  }
  items.splice(low, 0, { at, kind, ordinal });
}

export function unscheduleItems(agenda: Agenda, kind: AgendaKind, ordinals: ReadonlySet<number>): void {
  removeInPlace(agenda[kind], ({ ordinal }) => ordinals.has(ordinal));
}

export function getFirstItem(
  agenda: Agenda,
  kinds: readonly AgendaKind[] = AGENDA_KINDS,
): AgendaItem | undefined {
  let first: AgendaItem | undefined;
  for (const kind of kinds) {
    const [item] = agenda[kind];
    if (item !== undefined && (first === undefined || item.at < first.at)) first = item;
  }
  return first;
}
