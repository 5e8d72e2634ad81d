import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { LIMITS } from '../contract/limits.js';
import { isExcluded, missingNeeds } from './applicability.js';
import { Budget } from './budget.js';
import { CATALOGUE, checksNamed } from './catalogue/catalogue.js';
import type { CheckEntry, CheckOptions, Report } from './check.js';
import { inProcessTarget } from './exchange/in-process.js';
import { socketTarget } from './exchange/socket.js';
import type { Target } from './exchange/target.js';
import { gated } from './gating.js';
import { policyOf } from './judge.js';
import { awaitListening } from './listening.js';
import { Orders } from './order.js';
import type { Kit } from './plan/bench.js';
import { waitedMs } from './plan/processor.js';
import { addUnapplied, reportOf } from './report/report.js';
import { LANES, Run } from './run.js';

const DEFAULT_BUDGET_MS = 120_000;

/**
 * Checks a webhook receiver by its responses and, with a probe, by what it holds afterwards. Throws TypeError for ids of no check,
 * NotListeningError where nothing listens, and OrderError where the order command creates no charge.
 */
export async function runChecks(options: CheckOptions): Promise<Report> {
  const startedMs = performance.now();
  const entries = chosen(options);
  const policy = policyOf(options);
  const applicable = entries.filter((entry) => missingNeeds(entry, options).length === 0);
  const budget = new Budget(options.budgetMs ?? DEFAULT_BUDGET_MS);
  const { signal: outer } = options;
  const signal = outer === undefined ? budget.signal : AbortSignal.any([budget.signal, outer]);
  // Each request and each pause listens to it.
  setMaxListeners(0, signal);
  const target = targetOf(options);
  const kit: Kit = {
    options,
    target,
    orders: new Orders(options),
    signal,
    waitedMs,
    responseMs: 0,
    lanes: LANES,
    twins: undefined,
    burst: undefined,
  };
  const extend = (ms: number) => {
    if (options.budgetMs === undefined) budget.allow(DEFAULT_BUDGET_MS + ms);
  };
  const run = new Run(kit, applicable, extend);
  try {
    await awaitListening(options, signal);
    await run.all();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    budget.stop();
    target.close();
  }
  outer?.throwIfAborted();
  const results = addUnapplied(gated(run.results(), CATALOGUE, run.crashed), entries, options);
  const durationMs = Math.round(performance.now() - startedMs);
  const { notes, isAnswering } = run;
  const isBudgetSpent = budget.isSpent;
  return reportOf({ target: target.url, ...results, isAnswering, isBudgetSpent, notes, durationMs }, policy);
}

/** Returns the checks of `only`, except those of `skip` and of the excluded parts. Throws TypeError. */
export function chosen({
  only,
  skip = [],
  without,
}: Pick<CheckOptions, 'only' | 'skip' | 'without'>): readonly CheckEntry[] {
  const wanted = only === undefined || only.length === 0 ? undefined : checksNamed(only);
  const unwanted = checksNamed(skip);
  return CATALOGUE.filter(
    ({ id }) => (wanted?.has(id) ?? true) && !unwanted.has(id) && !isExcluded(id, without),
  );
}

function targetOf({
  to,
  path = '/webhooks',
  attemptTimeoutMs = LIMITS.attemptTimeoutMs,
}: CheckOptions): Target {
  return to instanceof URL ? socketTarget(to, attemptTimeoutMs) : inProcessTarget(to, path, attemptTimeoutMs);
}
