import { beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../../src/check/check.js';
import { overlapping } from '../../src/check/plan/lanes.js';
import { checkShop, MISTAKES, surprises } from '../helpers/check/receivers/matrix.js';

const LANES = 22;
const PATIENCE_MS = 180_000;

describe('a receiver with one mistake fails the check of that mistake and no other', () => {
  const reports = new Map<string, Report | Error>();
  beforeAll(async () => {
    await overlapping(LANES, MISTAKES, async (mistake) => {
      // A thousand requests in each run; the soak sends them all.
      const skip = mistake === 'dup.evicted' ? [] : ['dup.evicted'];
      const report = checkShop([mistake], { check: { skip } });
      reports.set(mistake, await report.catch((error: Error) => error));
    });
  }, PATIENCE_MS);

  test.for(MISTAKES)('%s', (mistake) => {
    const report = reports.get(mistake);
    if (report === undefined || report instanceof Error) throw report ?? new Error('There is no report.');
    expect(surprises(mistake, report)).toEqual([]);
  });
});
