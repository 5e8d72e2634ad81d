import { describe, expect, test } from 'vitest';
import { explored, scenarioOf } from '../helpers/explore/fake-runner.js';
import { PLANTS } from '../helpers/explore/plants.js';

const repeats = Number(process.env.EXPLORE_REPEATS ?? 20);
const seed = Number(process.env.EXPLORE_SEED ?? Math.floor(Math.random() * 1_000_000));
const SEEDS = [seed, seed + 1, seed + 2].map(String);
const PAIRS = 200;

test.for(SEEDS)('finds and misses nothing in the correct shop by seed %s', async (seed) => {
  const { report } = await explored(scenarioOf(), { faults: 'all', pairs: PAIRS, seed });
  expect(report).toMatchObject({ findings: [], flaky: [], missed: [], not_run: [], ok: true });
  expect(report.run).toBe(report.planned);
});

describe(`a shop with one bug, explored by the whole suite and seed ${seed} (EXPLORE_SEED), ${repeats} of ${repeats} times`, () => {
  test.for(PLANTS.filter(({ isCovered }) => isCovered !== true))('finds a shop that $what', async (plant) => {
    const scenario = scenarioOf(plant);
    const { report } = await explored(scenario, { faults: 'all', pairs: PAIRS, seed: String(seed) });
    const [finding] = report.findings;
    if (finding === undefined) throw new Error('Nothing was found.');
    expect(report.findings.filter(({ faults }) => faults.length > 2)).toEqual([]);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const again = await explored(scenario, { seed: report.seed, only: finding.faults });
      expect(again.report.findings).toMatchObject([{ faults: finding.faults, failure: finding.failure }]);
    }
  });
});
