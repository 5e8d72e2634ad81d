import type {
  RunnerAbility,
  CallPoint,
  DeliveryPoint,
  RunFailure,
  PlannedFault,
  Observation,
  FaultPoint,
  Runner,
  RunResult,
} from '../../../src/explore/explore.js';
import { EMPTY_OBSERVATION } from '../../../src/explore/search.js';
import type { ExploreResult, ExploredScenario, ExploreFields } from '../../../src/testing/explore.js';
import { explore, ExploreError } from '../../../src/testing/explore.js';
import type { Plant } from './plants.js';
import { Shop } from './shop.js';
import { Bank, runSuite, SUITE } from './suite.js';

export const NOTHING_OBSERVED: Observation = EMPTY_OBSERVATION;

export const CALL: CallPoint = {
  on: 'call',
  api: 'api',
  method: 'POST',
  route: '/api/public/v1/pix',
  code: 'order-1',
  resource: 1,
  nth: 1,
};
export const SETTLED: DeliveryPoint = {
  on: 'delivery',
  event: 'pix.settled',
  code: 'order-1',
  resource: 1,
  endpoint: null,
  attempt: 1,
  nth: 1,
};

export const BROKEN: RunFailure = {
  category: 'test',
  name: 'an order is paid',
  message: 'expected 1, got 2',
};

interface Fake {
  readonly points?: readonly FaultPoint[];
  readonly can?: readonly RunnerAbility[];
  readonly observed?: Partial<Observation>;
  /** How a run under these faults ends; `run` counts all runs from 0. */
  readonly play?: (faults: readonly PlannedFault[], run: number) => Partial<RunResult>;
}

/** A runner that plays instead of running anything, and remembers the faults of each run. */
export function fakeRunner({
  points = [CALL, SETTLED],
  can = [],
  observed = {},
  play = () => ({}),
}: Fake = {}) {
  const runs: (readonly PlannedFault[])[] = [];
  const runner: Runner = {
    can: new Set(can),
    run: ({ faults }) => {
      runs.push(faults);
      return Promise.resolve({
        failure: null,
        points,
        fired: faults.map(() => 1),
        trace: ['pix.settled of order-1'],
        observed: { ...NOTHING_OBSERVED, ...observed },
        ...play(faults, runs.length - 1),
      });
    },
  };
  return { runner, runs };
}

/** A fake whose runs go on until they are aborted where `hangs` says so. */
export function hanging(
  hangs: (faults: readonly PlannedFault[], run: number) => boolean,
  fake: Fake = {},
): ReturnType<typeof fakeRunner> {
  const { runner, runs } = fakeRunner(fake);
  const run: Runner['run'] = async (options) => {
    const result = await runner.run(options);
    if (!hangs(options.faults, runs.length - 1)) return result;
    return new Promise<never>((_, reject) => {
      options.signal.addEventListener('abort', () => reject(options.signal.reason as Error));
    });
  };
  return { runner: { ...runner, run }, runs };
}

export const OPTIONS = { faults: 'promised', pairs: 0, seed: '1', budgetMs: 60_000 } as const;

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
  readonly report: ExploreResult;
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
export function sumOf({ run, missed, not_run, left }: ExploreResult): number {
  return run + missed.length + not_run.length + left;
}
