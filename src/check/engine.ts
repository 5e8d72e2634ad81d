import { once, setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { LIMITS } from '../contract/limits.js';
import { pause } from '../delivery/abort.js';
import { isExcluded, missingNeeds } from './applicability.js';
import type { Kit } from './bench.js';
import { CATALOGUE, checksNamed } from './catalogue/catalogue.js';
import type { CheckEntry, CheckOptions, Report } from './check.js';
import { gated, policyOf } from './judge.js';
import { Orders } from './orders.js';
import { waitedMs } from './plan/processor.js';
import { addUnapplied, reportOf } from './report.js';
import { LANES, Run } from './run.js';
import type { Target } from './send.js';
import { inProcessTarget, socketTarget } from './send.js';

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

/** Thrown into what runs when the time is over. */
class BudgetSpent extends Error {}

/** Real time for a run, which can be extended while it lasts. */
class Budget {
  readonly #controller = new AbortController();
  readonly #startedMs = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.allow(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isSpent(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Allows this much time from the start of the run. */
  allow(ms: number): void {
    clearTimeout(this.#timer);
    const leftMs = Math.max(ms - (performance.now() - this.#startedMs), 0);
    const spend = () => this.#controller.abort(new BudgetSpent('The time for the checks is over.'));
    this.#timer = setTimeout(spend, leftMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

const GAP_MS = 100;

/** Thrown when nothing accepts connections at the receiver's address in time. */
export class NotListeningError extends Error {}

/** Waits for `waitMs`, where it is set, until something accepts connections at the receiver's address. Rejects with NotListeningError. */
async function awaitListening(
  { to, waitMs }: Pick<CheckOptions, 'to' | 'waitMs'>,
  signal: AbortSignal,
): Promise<void> {
  if (!(to instanceof URL) || waitMs === undefined) return;
  const startedMs = performance.now();
  while (!(await accepts(to, signal))) {
    if (performance.now() - startedMs >= waitMs)
      throw new NotListeningError(`Nothing listens at ${to.host}; waited ${Math.round(waitMs / 1000)} s.`);
    await pause(GAP_MS, signal);
  }
}

async function accepts({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port || defaultPort) });
  try {
    await once(socket, 'connect', { signal });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    socket.destroy();
  }
}
