import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { onAbort } from '../delivery/abort-hooks.js';
import type { ExploreOptions, Failure, FaultFields, Runner, RunResult } from './explore.js';
import type { Learned } from './facts.js';
import { learnedOf } from './facts.js';
import type { Baseline } from './invariants.js';
import { baselineOf, judged } from './invariants.js';
import { kindOf } from './kinds.js';

export const BASELINE_RUNS = 3;
const LEAST_TIMEOUT_MS = 10_000;
const TIMEOUT_FACTOR = 10;
/** Real time that a run has to end after it was aborted. */
const GRACE_MS = 2_000;

/** The code fails without any fault: always (`red`), or in some runs (`flaky`). */
export class BaselineError extends Error {
  readonly kind: 'red' | 'flaky';
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
    const [first] = failures;
    const isRed = failures.length === BASELINE_RUNS;
    const when = isRed
      ? `in all ${BASELINE_RUNS} runs`
      : `in ${failures.length} of ${BASELINE_RUNS} runs: it is flaky`;
    const next = isRed ? 'Make it pass first.' : 'Make it pass each time first.';
    super(`It fails without faults ${when}. ${next}\n${first === undefined ? '' : failureText(first)}`);
    this.name = 'BaselineError';
    this.kind = isRed ? 'red' : 'flaky';
    this.failures = failures;
  }
}

/** A failure on one line or more, without its name where the message begins with that. */
export function failureText({ name, message }: Failure): string {
  return message.startsWith(name) || message === '' ? message || name : `${name}: ${message}`;
}

/** What became of a run. */
export interface Outcome {
  readonly failure: Failure | null;
  /** Each fault fired exactly once. */
  readonly isComplete: boolean;
  readonly fired: readonly number[];
  readonly trace: readonly string[];
}

const NOTHING_SEEN = {
  payments: [],
  ledger: [],
  unverified: [],
  refused: [],
  undelivered: [],
  abandoned: [],
  paged: [],
};

/** The runs of one search. */
export class Runs {
  readonly #runner: Runner;
  readonly #options: ExploreOptions;
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  readonly #untilMs: number;
  #timeoutMs: number;
  #baseline: Baseline = baselineOf([]);

  constructor(runner: Runner, options: ExploreOptions) {
    this.#runner = runner;
    this.#options = options;
    this.#untilMs = performance.now() + options.budgetMs;
    this.#timeoutMs = options.runTimeoutMs ?? options.budgetMs;
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
      results.push(await this.#run([]));
      longestMs = Math.max(longestMs, performance.now() - startedMs);
    }
    const failures = results.flatMap(({ failure }) => failure ?? []);
    if (failures.length > 0) throw new BaselineError(failures);
    this.#baseline = baselineOf(results.map(({ observed }) => observed));
    this.#timeoutMs = runTimeoutMs ?? Math.max(longestMs * TIMEOUT_FACTOR, LEAST_TIMEOUT_MS);
    return learnedOf(results);
  }

  /** Runs under these faults, unless that has been done. */
  try(faults: readonly FaultFields[]): Promise<Outcome> {
    const key = JSON.stringify(faults);
    const known = this.#outcomes.get(key);
    if (known !== undefined) return known;
    const outcome = this.again(faults);
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  async again(faults: readonly FaultFields[]): Promise<Outcome> {
    const result = await this.#run(faults);
    const { fired, trace } = result;
    const onlyInvariants = faults.some((fault) => kindOf(fault)?.class === 'outage');
    const failure = judged(result, this.#baseline, { onlyInvariants });
    return { failure, isComplete: fired.every((times) => times === 1), fired, trace };
  }

  /** One run; a run that does not end in time fails. */
  async #run(faults: readonly FaultFields[]): Promise<RunResult> {
    const { seed, signal: outer } = this.#options;
    outer?.throwIfAborted();
    const ending = new AbortController();
    const release = outer && onAbort(outer, () => ending.abort(outer.reason));
    const timeoutMs = Math.round(this.#timeoutMs);
    const timer = setTimeout(() => ending.abort(new Error(`Not ended within ${timeoutMs} ms.`)), timeoutMs);
    try {
      const running = this.#runner.run({ faults, seed, signal: ending.signal }).catch((error: unknown) => {
        if (!ending.signal.aborted) throw error;
        return undefined;
      });
      const ended = await Promise.race([running, aborted(ending.signal)]);
      if (!ending.signal.aborted && ended !== undefined) return ended;
      outer?.throwIfAborted();
      const late = await Promise.race([running, soon()]);
      const message = `It did not end within ${timeoutMs} ms.`;
      return {
        // What cannot be asked any more is taken for fired.
        ...(late ?? { points: [], fired: faults.map(() => 1), trace: [], observed: NOTHING_SEEN }),
        failure: { category: 'invariant', name: 'no hang', message },
      };
    } finally {
      clearTimeout(timer);
      release?.();
    }
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    onAbort(signal, () => resolve(undefined));
  });
}

function soon(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), GRACE_MS).unref();
  });
}
