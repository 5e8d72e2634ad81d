import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Shown } from '../../../src/console/model/lines.js';
import { Lines } from '../../../src/console/model/lines.js';
import { Stories } from '../../../src/console/model/stories.js';
import type { EntryView } from '../../../src/http/control/schema.js';

const LIMIT = 12;
const KINDS = ['call', 'event', 'delivery', 'attempt', 'clock'] as const;
const TESTS: readonly Shown['test'][] = [() => true, ({ seq }) => seq % 3 === 0];

function entry(seq: number, draw: number): EntryView {
  const at = '2026-01-31T12:00:00.000Z';
  const kind = KINDS[draw % KINDS.length] ?? 'call';
  const cause = seq === 1 || draw % 3 === 0 ? null : 1 + (draw % (seq - 1));
  return { seq, cause, by: 'control', at, real_at: at, id: `d${draw % 2}`, from: null, title: '', kind };
}

/** An entry that arrives, and how the list is looked at then. */
const LIFE = fc.array(
  fc.record({ draw: fc.nat(), filter: fc.nat(1), upTo: fc.nat(45), closed: fc.nat(40) }),
  { minLength: 1, maxLength: 40 },
);

test('kept lines are those that are made afresh', () => {
  fc.assert(
    fc.property(LIFE, (life) => {
      const stories = new Stories(LIMIT);
      const kept = new Lines();
      for (const [index, { draw, filter, upTo, closed }] of life.entries()) {
        stories.add(entry(index + 1, draw));
        const shown = {
          test: TESTS[filter] ?? (() => true),
          upTo: upTo > 40 ? Infinity : upTo,
          closed: new Set([closed]),
        };
        expect(kept.rows(stories, shown)).toEqual(new Lines().rows(stories, shown));
        expect(kept.countSince(stories, shown)).toBe(new Lines().countSince(stories, shown));
      }
    }),
  );
});

test('lines of a story that did not change stay the same objects', () => {
  const stories = new Stories();
  const lines = new Lines();
  const shown = { test: () => true, upTo: Infinity, closed: new Set<number>() };
  stories.add(entry(1, 0));
  const [before] = lines.rows(stories, shown);
  stories.add(entry(2, 3));
  const [newer, same] = lines.rows(stories, shown);
  expect(newer?.step.entry.seq).toBe(2);
  expect(same).toBe(before);
});
