import { beforeAll, describe, expect, test } from 'vitest';
import type { CheckReport } from '../../src/check/check.js';
import { checkShop, MISTAKES, surprises } from '../helpers/check/receivers/matrix.js';
import { tries } from '../helpers/soak-scale.js';
import { mapConcurrently } from '../../src/delivery/abort.js';

const LANES = 8;
const PATIENCE_MS = 180_000;
/** Of so many receivers, one tries a check that is not about its own mistake. */
const TURNS = 6;
/** What most other checks build upon. */
const ALWAYS = ['accept.types', 'refuse.secret', 'dup.again'];

/** The checks that are tried on a receiver with a mistake: its own, those that others build upon, and some of the rest in their turn. */
function checksBeside(mistake: string): readonly string[] {
  const turn = MISTAKES.indexOf(mistake);
  const rest = MISTAKES.filter((_, at) => tries({ part: (at + turn) % TURNS === 0, whole: true }));
  return [...new Set([mistake, ...ALWAYS, ...rest])];
}

describe('a receiver with one bug', () => {
  const reports = new Map<string, CheckReport | Error>();
  beforeAll(async () => {
    await mapConcurrently(LANES, MISTAKES, async (mistake) => {
      // A thousand requests in each run; the soak sends them all.
      const only = checksBeside(mistake).filter((id) => id === mistake || id !== 'dup.evicted');
      const report = checkShop([mistake], { check: { only } });
      reports.set(mistake, await report.catch((error: Error) => error));
    });
  }, PATIENCE_MS);

  test.for(MISTAKES)('fails exactly the check of its bug: %s', (mistake) => {
    const report = reports.get(mistake);
    if (report === undefined || report instanceof Error) throw report ?? new Error('There is no report.');
    expect(surprises(mistake, report)).toEqual([]);
  });
});
