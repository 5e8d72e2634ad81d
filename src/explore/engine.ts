import { performance } from 'node:perf_hooks';
import type { ExploreOptions, ExploreReport, Runner } from './explore.js';
import { pairsOf, singlesOf, togetherOf } from './plan.js';
import { BASELINE_RUNS, isSuiteFlaky, Runs } from './runs.js';
import { Search } from './search.js';
import { pointText } from './words.js';

/** Failures without any reproduction that raise the question whether the suite itself is flaky. */
const SUSPICIOUS = 2;

/**
 * Finds the faults under which code breaks that passes without them. Throws BaselineError where it does not pass without; rejects
 * with what the runner rejects with, and with the reason of the signal.
 */
export async function explore(runner: Runner, options: ExploreOptions): Promise<ExploreReport> {
  const startedMs = performance.now();
  const { only, faults, seed } = options;
  const runs = new Runs(runner, options);
  const { facts, unstable } = await runs.learn();
  const search = new Search(runner, runs, options);
  if (only === undefined) await search.try(singlesOf(facts, faults), pairsOf(facts, faults));
  else await search.try([togetherOf(only)], []);
  const { findings, flaky, unconfirmed } = search.causes;
  const recheck = unconfirmed >= SUSPICIOUS ? await runs.recheck() : null;
  const counts = search.counts();
  return {
    seed,
    baseline: { runs: BASELINE_RUNS, points: facts.points.length, unstable: unstable.map(pointText) },
    ...counts,
    findings,
    flaky,
    recheck,
    ok: findings.length === 0 && counts.left === 0 && !isSuiteFlaky({ recheck }),
    durationMs: Math.round(performance.now() - startedMs),
  };
}
