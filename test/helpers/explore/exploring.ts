import type { Explored, ExploredScenario, ExploreFields } from '../../../src/testing/explore.js';
import { explore, ExploreError } from '../../../src/testing/explore.js';
import type { Plant } from './plants.js';
import { Shop } from './shop.js';
import { Bank, runSuite, SUITE } from './suite.js';

/** The suite on a shop with a mistake, or on the right one; `tests` are the names of some. */
export function scenarioOf(plant?: Plant, tests: readonly string[] = Object.keys(SUITE)): ExploredScenario {
  const chosen = Object.fromEntries(Object.entries(SUITE).filter(([name]) => tests.includes(name)));
  return async (sandbox, { restart, probe }) => {
    const shop = new Shop({ env: sandbox.env, fetch: sandbox.fetch, plant: plant?.plant });
    restart(() => shop.restart());
    probe(({ code }) => shop.holds(code));
    sandbox.forwardTo(shop);
    await runSuite(shop, new Bank(sandbox.fetch), chosen);
  };
}

/** What exploring ends with: the report, and the message of the error where something was found. */
export interface Ended {
  readonly report: Explored;
  readonly message: string | null;
}

const SANDBOX = { port: false, freezeAt: '2026-01-31T12:00:00Z' } as const;

/** Explores without a port, from a fixed instant on. */
export async function explored(scenario: ExploredScenario, fields: ExploreFields = {}): Promise<Ended> {
  try {
    return { report: await explore(scenario, { sandbox: SANDBOX, ...fields }), message: null };
  } catch (error) {
    if (error instanceof ExploreError) return { report: error.report, message: error.message };
    throw error;
  }
}

/** How a shop with a mistake is explored in short: by the tests that can find it, and in pairs where one fault is not enough. */
export function exploredShop(plant: Plant): Promise<Ended> {
  const faults = OF_CALLS.has(plant.id) ? 'all' : 'promised';
  return explored(scenarioOf(plant, plant.tests), { faults, pairs: plant.size === 2 ? PAIRS : 0, seed: '7' });
}

const OF_CALLS = new Set(['new-code', 'no-retry']);
const PAIRS = 40;

/** The planned runs, each of which was run, missed, not run or left. */
export function sumOf({ run, missed, not_run, left }: Explored): number {
  return run + missed.length + not_run.length + left;
}
