import { removeInPlace } from './table.js';

/**
 * The kinds of due work, in their order within one instant: states change before messages about them are sent.
 */
export const AGENDA_KINDS = [
  'charge.settle',
  'charge.expire',
  'session.decide',
  'session.lapse',
  'delivery.attempt',
] as const;

export type AgendaKind = (typeof AGENDA_KINDS)[number];

/** One thing to be done at `at` (sandbox time, ms) to the row with this ordinal. */
export interface AgendaItem {
  readonly at: number;
  readonly kind: number;
  readonly ordinal: number;
}

/** Sorted by time, then kind, then ordinal. The first item is at the end, where removing it moves no other. */
export type Agenda = AgendaItem[];

function compare(a: AgendaItem, b: AgendaItem): number {
  return a.at - b.at || a.kind - b.kind || a.ordinal - b.ordinal;
}

export function schedule(agenda: Agenda, at: number, kind: AgendaKind, ordinal: number): void {
  const item: AgendaItem = { at, kind: AGENDA_KINDS.indexOf(kind), ordinal };
  let low = 0;
  let high = agenda.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(item, agenda[middle] ?? item) < 0) low = middle + 1;
    else high = middle;
  }
  agenda.splice(low, 0, item);
}

/** Removes the items of one kind for these rows. */
export function unschedule(agenda: Agenda, kind: AgendaKind, ordinals: ReadonlySet<number>): void {
  const number = AGENDA_KINDS.indexOf(kind);
  removeInPlace(agenda, ({ kind: itemKind, ordinal }) => itemKind === number && ordinals.has(ordinal));
}
