import type {
  Ability,
  CallPoint,
  DeliveryPoint,
  Failure,
  FaultFields,
  Observed,
  Point,
  Runner,
  RunResult,
} from '../../../src/explore/explore.js';
import { NOTHING_SEEN } from '../../../src/explore/runs.js';

export const NOTHING_OBSERVED: Observed = NOTHING_SEEN;

export const CALL: CallPoint = {
  on: 'call',
  door: 'api',
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

export const BROKEN: Failure = { category: 'test', name: 'an order is paid', message: 'expected 1, got 2' };

export interface Fake {
  readonly points?: readonly Point[];
  readonly can?: readonly Ability[];
  readonly observed?: Partial<Observed>;
  /** How a run under these faults ends; `run` counts all runs from 0. */
  readonly play?: (faults: readonly FaultFields[], run: number) => Partial<RunResult>;
}

/** A runner that plays instead of running anything, and remembers the faults of each run. */
export function fakeRunner({
  points = [CALL, SETTLED],
  can = [],
  observed = {},
  play = () => ({}),
}: Fake = {}) {
  const runs: (readonly FaultFields[])[] = [];
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
  hangs: (faults: readonly FaultFields[], run: number) => boolean,
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
