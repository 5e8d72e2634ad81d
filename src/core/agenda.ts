import { removeInPlace } from './table.js';

/** The kinds of due work, in their order within one instant: states change before messages about them are sent. */
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
  readonly kind: AgendaKind;
  readonly ordinal: number;
}

/** The items of each kind, by time, then ordinal: a new item is mostly the last of its kind and moves no other. */
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

export function getFirstItem(agenda: Agenda): AgendaItem | undefined {
  let first: AgendaItem | undefined;
  for (const kind of AGENDA_KINDS) {
    const [item] = agenda[kind];
    if (item !== undefined && (first === undefined || item.at < first.at)) first = item;
  }
  return first;
}
