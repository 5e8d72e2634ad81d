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

/** A binary heap by time, then kind, then ordinal; a plain array, so that it is part of the world. */
export type Agenda = AgendaItem[];

function isBefore(a: AgendaItem, b: AgendaItem): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.kind !== b.kind) return a.kind < b.kind;
  return a.ordinal < b.ordinal;
}

export function schedule(agenda: Agenda, at: number, kind: AgendaKind, ordinal: number): void {
  const item: AgendaItem = { at, kind: AGENDA_KINDS.indexOf(kind), ordinal };
  let index = agenda.length;
  agenda.push(item);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = agenda[parentIndex];
    if (parent === undefined || !isBefore(item, parent)) break;
    agenda[index] = parent;
    index = parentIndex;
  }
  agenda[index] = item;
}

export function peek(agenda: Agenda): AgendaItem | undefined {
  return agenda[0];
}

export function takeFirst(agenda: Agenda): AgendaItem | undefined {
  const first = agenda[0];
  const last = agenda.pop();
  if (first === undefined || last === undefined || agenda.length === 0) return first;
  let index = 0;
  for (;;) {
    const leftIndex = 2 * index + 1;
    const left = agenda[leftIndex];
    if (left === undefined) break;
    const right = agenda[leftIndex + 1];
    const child = right !== undefined && isBefore(right, left) ? right : left;
    if (!isBefore(child, last)) break;
    agenda[index] = child;
    index = child === left ? leftIndex : leftIndex + 1;
  }
  agenda[index] = last;
  return first;
}

/** Takes off the agenda what it has of a kind for these rows. */
export function unschedule(agenda: Agenda, kind: AgendaKind, ordinals: ReadonlySet<number>): void {
  const number = AGENDA_KINDS.indexOf(kind);
  // A sorted array is a heap.
  const kept = inOrder(agenda.filter((item) => item.kind !== number || !ordinals.has(item.ordinal)));
  agenda.length = 0;
  for (const item of kept) agenda.push(item);
}

/** Takes the items of a copy in execution order, at the same small cost for each. */
export function* takingAll(agenda: Agenda): Generator<AgendaItem> {
  const left = [...agenda];
  for (let item = takeFirst(left); item !== undefined; item = takeFirst(left)) yield item;
}

/** The agenda in execution order, for comparison and export: the layout of a heap depends on its history. */
export function inOrder(agenda: Agenda): AgendaItem[] {
  return [...agenda].sort((a, b) => (isBefore(a, b) ? -1 : 1));
}
