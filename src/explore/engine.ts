import { performance } from 'node:perf_hooks';
import { overlapping } from '../check/plan/lanes.js';
import { Causes } from './causes.js';
import type {
  ExploreOptions,
  ExploreReport,
  Failure,
  MissedRun,
  NotRun,
  PlannedRun,
  Progress,
  Runner,
} from './explore.js';
import { planOf, togetherOf } from './plan.js';
import type { Outcome } from './runs.js';
import { BASELINE_RUNS, isSuiteFlaky, Runs } from './runs.js';
import { pointText } from './words.js';

/**
 * Finds the faults under which code breaks that passes without them. Throws BaselineError where it does not pass without; rejects
 * with what the runner rejects with, and with the reason of the signal.
 */
export async function explore(runner: Runner, options: ExploreOptions): Promise<ExploreReport> {
  const startedMs = performance.now();
  const runs = new Runs(runner, options);
  const { facts, unstable } = await runs.learn();
  const plan = options.only === undefined ? planOf(facts, options) : [togetherOf(options.only)];
  const { ready, notRun } = sorted(plan, runner);
  const progress = new Counting(ready.length, options);
  const outcomes = await overlapping(options.jobs ?? 1, ready, async (planned) => {
    if (runs.isTimeUp) return undefined;
    const outcome = await runs.try(planned.faults);
    if (outcome.isCut) return undefined;
    progress.add(outcome);
    return outcome;
  });
  const { missed, broken, left } = accounted(ready, outcomes);
  const causes = new Causes(runs);
  for (const { planned, failure } of broken) {
    progress.tell('shrinking');
    await causes.add(planned, failure);
  }
  const { findings, flaky, unconfirmed } = causes;
  const recheck = unconfirmed >= SUSPICIOUS ? await runs.recheck() : null;
  return {
    seed: options.seed,
    baseline: { runs: BASELINE_RUNS, points: facts.points.length, unstable: unstable.map(pointText) },
    kinds: new Set(plan.flatMap(({ kinds }) => kinds)).size,
    planned: plan.length,
    run: ready.length - missed.length - left,
    failing: broken.length,
    missed,
    notRun,
    left,
    findings,
    flaky,
    recheck,
    isBudgetSpent: left > 0,
    ok: findings.length === 0 && left === 0 && !isSuiteFlaky({ recheck }),
    durationMs: Math.round(performance.now() - startedMs),
  };
}

/** Failures without any reproduction that raise the question whether the suite itself is flaky. */
const SUSPICIOUS = 2;

/** The runs for which everything is there, and the others. */
function sorted(plan: readonly PlannedRun[], { can }: Runner) {
  const ready: PlannedRun[] = [];
  const notRun: NotRun[] = [];
  for (const planned of plan) {
    const lacking = planned.needs.find((need) => !can.has(need));
    if (lacking === undefined) ready.push(planned);
    else notRun.push({ faults: planned.faults, reason: `It needs a way to ${NEEDED[lacking]}.` });
  }
  return { ready, notRun };
}

const NEEDED = { restart: 'restart the application', probe: 'probe the application' } as const;

/** Each run that was ready is one of these: run, missed, or left by the budget. */
function accounted(ready: readonly PlannedRun[], outcomes: readonly (Outcome | undefined)[]) {
  const missed: MissedRun[] = [];
  const broken: { readonly planned: PlannedRun; readonly failure: Failure }[] = [];
  let left = 0;
  for (const [index, planned] of ready.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) left += 1;
    else if (!outcome.isComplete) missed.push({ faults: planned.faults, fired: outcome.fired });
    else if (outcome.failure !== null) broken.push({ planned, failure: outcome.failure });
  }
  return { missed, broken, left };
}

/** Tells how far it is. */
class Counting {
  readonly #total: number;
  readonly #onProgress: ExploreOptions['onProgress'];
  #done = 0;
  #failing = 0;

  constructor(total: number, { onProgress }: ExploreOptions) {
    this.#total = total;
    this.#onProgress = onProgress;
    this.tell('faults');
  }

  add({ isComplete, failure }: Outcome): void {
    this.#done += 1;
    if (isComplete && failure !== null) this.#failing += 1;
    this.tell('faults');
  }

  tell(doing: Progress['doing']): void {
    this.#onProgress?.({ doing, done: this.#done, total: this.#total, failing: this.#failing });
  }
}
