import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { LIMITS } from '../contract/limits.js';
import type {
  ExploreOptions,
  ExploreReport,
  Failure,
  FaultFields,
  Observed,
  Runner,
  RunResult,
} from './explore.js';
import type { Baseline } from './invariants.js';
import { baselineOf, judged } from './invariants.js';
import { kindOf } from './kinds.js';
import type { Learned } from './points.js';
import { learnedOf } from './points.js';

export const BASELINE_RUNS = 3;
const RECHECK_RUNS = 5;
const LEAST_TIMEOUT_MS = 20_000;
const TIMEOUT_FACTOR = 10;
/** Real time that a run has to end after it was aborted. */
const GRACE_MS = 5_000;

/**
 * The code fails without any fault: always (`red`), or in some runs (`flaky`); or the budget ended before
 * that was known (`unknown`).
 */
export class BaselineError extends Error {
  readonly kind: 'red' | 'flaky' | 'unknown';
  readonly failures: readonly Failure[];
  /** The number of completed runs. */
  readonly runs: number;

  constructor(failures: readonly Failure[], ended: number) {
    const [first] = failures;
    const kind = first === undefined ? 'unknown' : failures.length === ended ? 'red' : 'flaky';
    const inAll = ended === 1 ? 'in the first run' : `in all ${ended} runs`;
    const says = {
      red: `It fails without faults ${inAll}. Make it pass first.`,
      flaky:
        `Your suite is flaky: it fails without faults in ${failures.length} of ${ended} runs. ` +
        'Make it pass every time first.',
      unknown:
        `The budget ended in run ${ended + 1} of ${BASELINE_RUNS} without faults. Give more ` +
        'time, or find out why it does not end.',
    };
    super(first === undefined ? says[kind] : `${says[kind]}\n${failureText(first)}`);
    this.name = 'BaselineError';
    this.kind = kind;
    this.failures = failures;
    this.runs = ended;
  }
}

/** A failure on one line or more, without its name where the message begins with that. */
function failureText({ name, message }: Failure): string {
  return message.startsWith(name) || message === '' ? message || name : `${name}: ${message}`;
}

/** Returns true where further runs without faults were not all green. */
export function isSuiteFlaky({ recheck }: Pick<ExploreReport, 'recheck'>): boolean {
  return recheck !== null && recheck.failures.length > 0;
}

/** The outcome of a run. */
export interface Outcome {
  readonly failure: Failure | null;
  /** Each fault fired exactly once. */
  readonly isComplete: boolean;
  /** The budget ended first. */
  readonly isCut: boolean;
  readonly fired: readonly number[];
  readonly trace: readonly string[];
}

const CUT: Outcome = { failure: null, isComplete: false, isCut: true, fired: [], trace: [] };

interface Until {
  /** The budget ends it, too. */
  readonly isCut: boolean;
}

/** Stands for the results of an unfinished run. */
export const NOTHING_SEEN: Observed = {
  payments: [],
  violations: {},
  hasLateWindow: false,
  paged: [],
};

/** The runs of one search. */
export class Runs {
  readonly #runner: Runner;
  readonly #options: ExploreOptions;
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  #untilMs: number;
  #timeoutMs: number;
  #baseline: Baseline = baselineOf([]);

  constructor(runner: Runner, options: ExploreOptions) {
    this.#runner = runner;
    this.#options = options;
    this.#untilMs = performance.now() + options.budgetMs;
    this.#timeoutMs = options.runTimeoutMs ?? Infinity;
  }

  get isTimeUp(): boolean {
    return performance.now() >= this.#untilMs;
  }

  /** Runs without faults, and learns from it. Throws BaselineError. */
  async learn(): Promise<Learned> {
    const { onProgress, runTimeoutMs } = this.#options;
    const results: RunResult[] = [];
    let longestMs = 0;
    for (let done = 0; done < BASELINE_RUNS; done += 1) {
      onProgress?.({ doing: 'baseline', done, total: BASELINE_RUNS, failing: 0 });
      const startedMs = performance.now();
      const result = await this.#run([], { isCut: true });
      if (result === undefined) throw new BaselineError(failuresOf(results), done);
      results.push(result);
      longestMs = Math.max(longestMs, performance.now() - startedMs);
    }
    const failures = failuresOf(results);
    if (failures.length > 0) throw new BaselineError(failures, BASELINE_RUNS);
    this.#baseline = baselineOf(results.map(({ observed }) => observed));
    this.#timeoutMs = runTimeoutMs ?? Math.max(longestMs * TIMEOUT_FACTOR, LEAST_TIMEOUT_MS);
    return learnedOf(results);
  }

  /** Runs under these faults, unless that has been done. */
  try(faults: readonly FaultFields[]): Promise<Outcome> {
    const key = JSON.stringify(faults);
    const known = this.#outcomes.get(key);
    if (known !== undefined) return known;
    const outcome = this.#outcome(faults, { isCut: true });
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  /** Runs under these faults to the end, whatever the budget. */
  again(faults: readonly FaultFields[]): Promise<Outcome> {
    return this.#outcome(faults, { isCut: false });
  }

  /** Runs without faults again, whatever the budget. */
  async recheck(): Promise<{ readonly runs: number; readonly failures: readonly Failure[] }> {
    const failures: Failure[] = [];
    for (let run = 0; run < RECHECK_RUNS; run += 1) {
      const { failure } = await this.again([]);
      if (failure !== null) failures.push(failure);
    }
    return { runs: RECHECK_RUNS, failures };
  }

  async #outcome(faults: readonly FaultFields[], until: Until): Promise<Outcome> {
    const result = await this.#run(faults, until);
    if (result === undefined) return CUT;
    const { fired, trace } = result;
    const kinds = faults.map(kindOf);
    const failure = judged(result, this.#baseline, {
      onlyInvariants: kinds.some((kind) => kind?.class === 'outage'),
      comparesProbe: !kinds.some((kind) => kind?.isRecorded),
    });
    return { failure, isComplete: fired.every((times) => times === 1), isCut: false, fired, trace };
  }

  /** One run; a run that does not end in time fails, and undefined is one that the budget cuts off. */
  async #run(faults: readonly FaultFields[], { isCut }: Until): Promise<RunResult | undefined> {
    const { seed, signal: outer, runTimeoutMs } = this.#options;
    outer?.throwIfAborted();
    const timeUp = new AbortController();
    const ending = AbortSignal.any([timeUp.signal, ...(outer === undefined ? [] : [outer])]);
    const leftMs = isCut ? Math.max(this.#untilMs - performance.now(), 0) : Infinity;
    const longestMs = this.#timeoutMs + (runTimeoutMs === undefined ? restartMsOf(faults) : 0);
    const timeoutMs = Math.round(Math.min(longestMs, leftMs));
    const timer = setTimeout(() => timeUp.abort(new Error(`Not ended within ${timeoutMs} ms.`)), timeoutMs);
    try {
      const running = this.#runner.run({ faults, seed, signal: ending }).catch((error: unknown) => {
        if (!ending.aborted) throw error;
        return undefined;
      });
      const ended = await Promise.race([running, aborted(ending)]);
      if (!ending.aborted && ended !== undefined) return ended;
      outer?.throwIfAborted();
      const late = await Promise.race([running, soon()]);
      if (leftMs < longestMs) {
        // Timers may fire a moment early, and another run would then begin.
        this.#untilMs = performance.now();
        return undefined;
      }
      const output = late?.failure?.message ?? '';
      const message = `It did not end within ${timeoutMs} ms.\n${output}`.trimEnd();
      return {
        // A fault that cannot be asked about any more counts as fired.
        ...(late ?? { points: [], fired: faults.map(() => 1), trace: [], observed: NOTHING_SEEN }),
        failure: { category: 'invariant', name: 'no hang', message },
      };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Sums up the time limits of restarts. */
function restartMsOf(faults: readonly FaultFields[]): number {
  return faults.filter(({ action }) => action === 'restart').length * LIMITS.restartMs;
}

function failuresOf(results: readonly RunResult[]): Failure[] {
  return results.flatMap(({ failure }) => failure ?? []);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function soon(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), GRACE_MS).unref();
  });
}
