import { once, setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { LIMITS } from '../contract/limits.js';
import { pause } from '../delivery/abort.js';
import type { Kit } from './bench.js';
import { chosen, missingNeeds } from './catalogue.js';
import type { CheckOptions, Report } from './check.js';
import { gated, policyOf } from './judge.js';
import { Orders } from './orders.js';
import { addUnapplied, reportOf } from './report.js';
import { LANES, Run } from './run.js';
import { inProcessTarget, socketTarget } from './send.js';

const DEFAULT_BUDGET_MS = 120_000;
const LISTENING_GAP_MS = 100;

/** Thrown when nothing accepts connections at the receiver's address in time. */
export class NotListeningError extends Error {}

/**
 * Checks a webhook receiver by its responses and, with a probe, by what it holds afterwards. Throws TypeError
 * for ids of no check, NotListeningError where nothing listens, and OrderError where the order command
 * creates no charge.
 */
export async function runChecks(options: CheckOptions): Promise<Report> {
  const startedMs = performance.now();
  const entries = chosen(options);
  const policy = policyOf(options);
  const { signal: outer, budgetMs, to, path = '/webhooks', attemptTimeoutMs } = options;
  const timeoutMs = attemptTimeoutMs ?? LIMITS.attemptTimeoutMs;
  const budget = new AbortController();
  const spend = () => budget.abort(new Error('The time for the checks is over.'));
  let timer = setTimeout(spend, budgetMs ?? DEFAULT_BUDGET_MS);
  /** A slow receiver gets more time, unless the caller set a limit. */
  const extend = (ms: number) => {
    if (budgetMs !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(spend, DEFAULT_BUDGET_MS + ms - (performance.now() - startedMs));
  };
  const signal = outer === undefined ? budget.signal : AbortSignal.any([budget.signal, outer]);
  // Each request and each pause listens to it.
  setMaxListeners(0, signal);
  const target = to instanceof URL ? socketTarget(to, timeoutMs) : inProcessTarget(to, path, timeoutMs);
  const kit: Kit = {
    options,
    target,
    orders: new Orders(options),
    signal,
    responseMs: 0,
    lanes: LANES,
    twins: undefined,
    burst: undefined,
  };
  const applicable = entries.filter((entry) => missingNeeds(entry, options).length === 0);
  const run = new Run(kit, applicable, extend);
  try {
    await awaitListening(options, signal);
    await run.all();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    target.close();
  }
  outer?.throwIfAborted();
  const results = addUnapplied(gated(run.results(), run.crashed), entries, options);
  const { notes, isAnswering } = run;
  const isBudgetSpent = budget.signal.aborted;
  const durationMs = Math.round(performance.now() - startedMs);
  return reportOf({ target: target.url, ...results, isAnswering, isBudgetSpent, notes, durationMs }, policy);
}

/**
 * Waits for `waitMs`, where it is set, until something accepts connections at the receiver's address. Rejects
 * with NotListeningError.
 */
async function awaitListening(
  { to, waitMs }: Pick<CheckOptions, 'to' | 'waitMs'>,
  signal: AbortSignal,
): Promise<void> {
  if (!(to instanceof URL) || waitMs === undefined) return;
  const startedMs = performance.now();
  while (!(await accepts(to, signal))) {
    if (performance.now() - startedMs >= waitMs)
      throw new NotListeningError(`Nothing listens at ${to.host}; waited ${Math.round(waitMs / 1000)} s.`);
    await pause(LISTENING_GAP_MS, signal);
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
