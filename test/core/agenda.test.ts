import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Agenda, AgendaKind } from '../../src/core/agenda.js';
import { AGENDA_KINDS, inOrder, peek, schedule, takeFirst } from '../../src/core/agenda.js';

type Entry = [at: number, kind: AgendaKind, ordinal: number];

const anyEntry = fc.tuple(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom(...AGENDA_KINDS),
  fc.integer({ min: 0, max: 5 }),
);

function agendaOf(entries: readonly Entry[]): Agenda {
  const agenda: Agenda = [];
  for (const [at, kind, ordinal] of entries) schedule(agenda, at, kind, ordinal);
  return agenda;
}

function drain(agenda: Agenda) {
  const taken = [];
  for (let item = takeFirst(agenda); item !== undefined; item = takeFirst(agenda)) taken.push(item);
  return taken;
}

/** Time, then kind, then ordinal, by the plainest means. */
function sorted(entries: readonly Entry[]) {
  return entries
    .map(([at, kind, ordinal]) => ({ at, kind: AGENDA_KINDS.indexOf(kind), ordinal }))
    .sort((a, b) => a.at - b.at || a.kind - b.kind || a.ordinal - b.ordinal);
}

describe('agenda', () => {
  test('gives its items by time, then kind, then ordinal', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 60 }), (entries) => {
        expect(drain(agendaOf(entries))).toEqual(sorted(entries));
      }),
    );
  });

  test('always gives the earliest, while items come and go', () => {
    const anyMove = fc.oneof(anyEntry, fc.constant('take' as const));
    fc.assert(
      fc.property(fc.array(anyMove, { maxLength: 80 }), (moves) => {
        const agenda: Agenda = [];
        const model: Entry[] = [];
        for (const move of moves) {
          if (move !== 'take') {
            schedule(agenda, ...move);
            model.push(move);
            continue;
          }
          const [earliest] = sorted(model);
          expect(peek(agenda)).toEqual(earliest);
          expect(takeFirst(agenda)).toEqual(earliest);
          const index = model.findIndex(
            ([at, kind, ordinal]) =>
              at === earliest?.at &&
              AGENDA_KINDS.indexOf(kind) === earliest.kind &&
              ordinal === earliest.ordinal,
          );
          if (index >= 0) model.splice(index, 1);
        }
        expect(agenda).toHaveLength(model.length);
      }),
    );
  });

  test('changes states before it sends messages about them', () => {
    const agenda = agendaOf([
      [7, 'delivery.attempt', 0],
      [7, 'charge.expire', 9],
      [7, 'charge.settle', 9],
    ]);
    expect(drain(agenda).map(({ kind }) => AGENDA_KINDS[kind])).toEqual([
      'charge.settle',
      'charge.expire',
      'delivery.attempt',
    ]);
  });

  test('is shown in order without being changed, however its heap is laid out', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 30 }), (entries) => {
        const agenda = agendaOf(entries);
        const layout = [...agenda];
        expect(inOrder(agenda)).toEqual(sorted(entries));
        expect(inOrder(agendaOf([...entries].reverse()))).toEqual(inOrder(agenda));
        expect(agenda).toEqual(layout);
      }),
    );
  });

  test('is empty at the end', () => {
    expect(peek([])).toBeUndefined();
    expect(takeFirst([])).toBeUndefined();
  });
});
