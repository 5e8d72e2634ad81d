import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Agenda,
  AGENDA_KINDS,
  type AgendaKind,
  createAgenda,
  getFirstItem,
  scheduleItem,
  unscheduleItems,
} from '../../src/core/agenda.js';

type Entry = [at: number, kind: AgendaKind, ordinal: number];

const anyEntry = fc.tuple(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom(...AGENDA_KINDS),
  fc.integer({ min: 0, max: 5 }),
);

function agendaOf(entries: readonly Entry[]): Agenda {
  const agenda = createAgenda();
  for (const [at, kind, ordinal] of entries) scheduleItem(agenda, at, kind, ordinal);
  return agenda;
}

/** Takes out item after item, as they are done. */
function inOrder(agenda: Agenda) {
  const items = [];
  for (let item = getFirstItem(agenda); item !== undefined; item = getFirstItem(agenda)) {
    items.push(item);
    agenda[item.kind].shift();
  }
  return items;
}

/** Time, then kind, then ordinal, by the plainest means. */
function sorted(entries: readonly Entry[]) {
  return entries
    .map(([at, kind, ordinal]) => ({ at, kind, ordinal }))
    .sort(
      (a, b) =>
        a.at - b.at || AGENDA_KINDS.indexOf(a.kind) - AGENDA_KINDS.indexOf(b.kind) || a.ordinal - b.ordinal,
    );
}

describe('the agenda', () => {
  test('orders its items by time, then kind, then ordinal', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 60 }), (entries) => {
        expect(inOrder(agendaOf(entries))).toEqual(sorted(entries));
      }),
    );
  });

  test('removes the items of one kind for some rows', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 30 }), (entries) => {
        const agenda = agendaOf(entries);
        unscheduleItems(agenda, 'charge.expire', new Set([1, 2]));
        const left = entries.filter(
          ([, kind, ordinal]) => kind !== 'charge.expire' || ![1, 2].includes(ordinal),
        );
        expect(inOrder(agenda)).toEqual(sorted(left));
      }),
    );
  });
});
