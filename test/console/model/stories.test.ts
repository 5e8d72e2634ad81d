import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Step } from '../../../src/console/model/stories.js';
import { Stories } from '../../../src/console/model/stories.js';
import type { EntryView } from '../../../src/http/control/schema.js';

function entry(seq: number, cause: number | null): EntryView {
  const at = '2026-01-31T12:00:00.000Z';
  return { seq, cause, by: 'control', at, real_at: at, id: null, title: `entry ${seq}`, kind: 'command' };
}

/** Stories as plain data. */
function treesOf(stories: Stories): unknown {
  const tree = (step: Step): unknown => [step.entry.seq, ...stories.childrenOf(step).map(tree)];
  return stories.roots.map(tree);
}

const LIVES = fc
  .array(fc.nat(), { minLength: 1, maxLength: 60 })
  .map((draws) =>
    draws.map((draw, index) => entry(index + 1, index === 0 || draw % 4 === 0 ? null : 1 + (draw % index))),
  );

test('are the same in whatever order their entries arrive', () => {
  fc.assert(
    fc.property(
      LIVES.chain((life) =>
        fc.tuple(fc.constant(life), fc.shuffledSubarray(life, { minLength: life.length })),
      ),
      ([life, shuffled]) => {
        const inOrder = new Stories();
        for (const one of life) inOrder.add(one);
        const mixed = new Stories();
        for (const one of [...shuffled, ...life]) mixed.add(one);
        expect(treesOf(mixed)).toEqual(treesOf(inOrder));
        expect(mixed.steps.length).toBe(life.length);
      },
    ),
  );
});

test('of a long life are those that are fetched afresh', () => {
  fc.assert(
    fc.property(LIVES, fc.integer({ min: 1, max: 30 }), (life, limit) => {
      const long = new Stories(limit);
      for (const one of life) long.add(one);
      const afresh = new Stories(limit);
      for (const one of life.slice(-limit)) afresh.add(one);
      expect(treesOf(long)).toEqual(treesOf(afresh));
      expect(long.steps.map(({ entry: { seq } }) => seq)).toEqual(life.slice(-limit).map(({ seq }) => seq));
    }),
  );
});
