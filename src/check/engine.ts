import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { LIMITS } from '../contract/limits.js';
import { CATALOGUE, checksNamed } from './catalogue/catalogue.js';
import { isExcluded, missingNeeds } from './applicability.js';
import type { CheckEntry, CheckOptions, CheckResult, Exchange, Report } from './check.js';
import { inProcessTarget } from './exchange/in-process.js';
import { socketTarget } from './exchange/socket.js';
import type { Target } from './exchange/target.js';
import { gated } from './gating.js';
import type { Finding } from './judge.js';
import { isFailure, policyOf, resultOf } from './judge.js';
import { messageOf } from '../text/errors.js';
import { KnownSecrets } from '../text/known-secrets.js';
import type { Opening } from './opening.js';
import { open } from './opening.js';
import { OrderError, Orders } from './order.js';
import type { Kit } from './plan/bench.js';
import { Bench, Gated, isTimeout } from './plan/bench.js';
import { overlapping } from './plan/lanes.js';
import { PLANS } from './plan/plans.js';
import { waitedMs } from './plan/processor.js';
import { RestartError } from './plan/restart.js';
import { ProbeError } from './probe/observer.js';
import { addUnapplied, reportOf } from './report/report.js';

const DEFAULT_BUDGET_MS = 120_000;
const AT_ONCE = 8;
/** How many checks that timed out are tried again. */
const FEW_TIMEOUTS = 2;
/** How long a receiver that died may take to come back. */
const REVIVAL_MS = 3_000;
const REVIVAL_PAUSE_MS = 100;

/** The time is up. */
class BudgetSpent extends Error {}

/**
 * Checks a webhook receiver by what it answers and, with a probe, by what it holds afterwards. Throws TypeError for ids that no check has, and
 * OrderError where the order command does not lead to a charge.
 */
export async function runChecks(options: CheckOptions): Promise<Report> {
  const startedMs = performance.now();
  const entries = chosen(options);
  const policy = policyOf(options);
  const applicable = entries.filter((entry) => missingNeeds(entry, options).length === 0);
  const budget = new AbortController();
  const timer = setTimeout(
    () => budget.abort(new BudgetSpent('The time for the checks is up.')),
    options.budgetMs ?? DEFAULT_BUDGET_MS,
  );
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
    twins: undefined,
    burst: undefined,
  };
  const run = new Run(kit, applicable);
  try {
    await run.all();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    target.close();
  }
  outer?.throwIfAborted();
  const results = addUnapplied(gated(run.results(), CATALOGUE, run.crashed), entries, options);
  const isBudgetSpent = budget.signal.aborted;
  const durationMs = Math.round(performance.now() - startedMs);
  const { notes, isAnswering } = run;
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

/** What the receiver or a command did that keeps a check from being made. */
const GATING = [Gated, OrderError, RestartError];

/** An application that has died creates no orders, either. */
function ifRefused(error: unknown): false {
  if (error instanceof Gated || error instanceof OrderError) return false;
  throw error;
}

/** One run over the chosen checks. */
class Run {
  notes: readonly string[] = [];
  /** Whether right events were accepted from the first to the last. */
  isAnswering = false;
  readonly #kit: Kit;
  readonly #entries: readonly CheckEntry[];
  readonly #results = new Map<string, CheckResult>();
  readonly #running = new Set<string>();
  /** The checks that failed by a crash. */
  readonly crashed = new Set<string>();
  /** What an answer or a probe may repeat. */
  readonly #secrets: KnownSecrets;
  #blind: string | undefined;
  /** The check after which right events were no longer accepted. */
  #diedBy: string | undefined;

  constructor(kit: Kit, entries: readonly CheckEntry[]) {
    this.#kit = kit;
    this.#entries = entries;
    const { secret, headers = {} } = kit.options;
    this.#secrets = new KnownSecrets([secret, secret.slice('whsec_'.length), ...Object.values(headers)]);
  }

  /** Checks that were not finished are unknown. */
  results(): CheckResult[] {
    const reason = 'The time was up before it was finished.';
    return this.#entries.map(
      (entry) =>
        this.#results.get(entry.id) ?? resultOf(entry, { outcome: 'unknown', sent: '', got: '', reason }),
    );
  }

  async all(): Promise<void> {
    const bench = new Bench(this.#kit);
    const { closed, blind, notes } = await open(bench);
    this.notes = notes;
    this.#blind = blind;
    this.isAnswering = closed === undefined;
    if (closed !== undefined) return this.#close(closed, bench.exchanges);
    const ready = this.#entries.filter((entry) => !this.#isLacking(entry));
    const together = ready.filter(({ isAlone }) => !isAlone);
    await overlapping(AT_ONCE, together, (entry) => this.#check(entry));
    // What failed in company is tried again alone, so that it fails by its own mistake.
    await this.#tryAgain(this.#toTryAgain(together));
    for (const entry of ready.filter(({ isAlone }) => isAlone)) await this.#checkAlone(entry);
  }

  #close({ by, finding, reason }: NonNullable<Opening['closed']>, exchanges: readonly Exchange[]): void {
    // Shown with the failed check, or with the first one where that was not chosen.
    const shown = this.#entries.find(({ id }) => id === by) ?? this.#entries[0];
    const hasResponse = exchanges.some(({ answer }) => answer.status !== null);
    const gatedFinding: Finding = {
      outcome: 'gated',
      sent: '',
      got: '',
      reason: `${by} failed: ${reason}`,
      gatedBy: by,
    };
    for (const entry of this.#entries) {
      const { id } = entry;
      const seen = entry === shown ? { exchanges } : {};
      if (id === by) this.#note(resultOf(entry, finding, seen));
      else if (id === 'answer.redirect' && hasResponse)
        this.#note(resultOf(entry, { ...finding, outcome: 'holds' }, seen));
      else this.#note(resultOf(entry, gatedFinding, seen));
    }
  }

  #isLacking(entry: CheckEntry): boolean {
    const needsTwins = entry.needs?.includes('probe') === true;
    if (!needsTwins || this.#kit.twins !== undefined) return false;
    const reason = this.#blind;
    this.#note(resultOf(entry, { outcome: 'unknown', sent: '', got: '', reason }));
    return true;
  }

  /** Those that did not pass. Where many timed out, they are not worth another ten seconds each. */
  #toTryAgain(entries: readonly CheckEntry[]): CheckEntry[] {
    const failed = entries.filter(({ id }) => {
      const result = this.#results.get(id);
      return result !== undefined && result.verdict !== 'pass' && result.exchanges.length > 0;
    });
    const isLate = ({ id }: CheckEntry) =>
      this.#results.get(id)?.exchanges.some(({ answer }) => isTimeout(answer)) === true;
    return failed.filter(isLate).length <= FEW_TIMEOUTS ? failed : failed.filter((one) => !isLate(one));
  }

  /** If the receiver has died meanwhile, the first failure stands, and the others are gated by it. */
  async #tryAgain(entries: readonly CheckEntry[]): Promise<void> {
    const failed = new Set(entries.map(({ id }) => id));
    const first = [...this.#results.keys()].find((id) => failed.has(id));
    if (first === undefined) return;
    if (await this.#isAlive()) {
      for (const entry of entries) await this.#checkAlone(entry);
      return;
    }
    this.#diedBy = first;
    for (const entry of entries.filter(({ id }) => id !== first)) this.#gate(entry, first);
  }

  async #checkAlone(entry: CheckEntry): Promise<void> {
    const last = [...this.#results.values()].at(-1);
    const isInDoubt = this.#diedBy === undefined && last !== undefined && isFailure(last);
    if (isInDoubt && !(await this.#isAlive())) this.#diedBy = last.id;
    if (this.#diedBy === undefined) await this.#check(entry);
    else this.#gate(entry, this.#diedBy);
  }

  #gate(entry: CheckEntry, by: string): void {
    const reason = `${by} failed: the receiver no longer accepts a right event.`;
    this.isAnswering = false;
    this.#note(resultOf(entry, { outcome: 'gated', sent: '', got: '', reason, gatedBy: by }));
  }

  async #isAlive(): Promise<boolean> {
    const until = performance.now() + (this.#kit.options.revivalMs ?? REVIVAL_MS);
    const bench = new Bench(this.#kit);
    for (;;) {
      if (await bench.control().then(() => true, ifRefused)) return true;
      if (performance.now() > until) return false;
      await bench.pause(REVIVAL_PAUSE_MS);
    }
  }

  async #check(entry: CheckEntry): Promise<void> {
    const bench = new Bench(this.#kit);
    const startedMs = performance.now();
    this.#running.add(entry.id);
    this.#showProgress();
    const finding = await this.#find(entry, bench);
    const durationMs = Math.round(performance.now() - startedMs);
    if (finding.hasCrashed === true) this.crashed.add(entry.id);
    else this.crashed.delete(entry.id);
    this.#note(resultOf(entry, finding, { exchanges: bench.exchanges, durationMs }));
  }

  async #find({ id, sends }: CheckEntry, bench: Bench): Promise<Finding> {
    const plan = PLANS[id];
    if (plan === undefined) throw new TypeError(`${id} has no plan.`);
    try {
      return await plan(bench);
    } catch (error) {
      if (GATING.some((kind) => error instanceof kind))
        return { outcome: 'gated', sent: sends, got: '', reason: messageOf(error) };
      if (error instanceof ProbeError)
        return { outcome: 'unknown', sent: sends, got: '', reason: error.message };
      throw error;
    }
  }

  #note(result: CheckResult): void {
    const { reason } = result;
    const hidden = {
      got: this.#secrets.hide(result.got),
      reason: reason === null ? null : this.#secrets.hide(reason),
    };
    const shown = { ...result, ...hidden };
    this.#results.delete(result.id);
    this.#results.set(result.id, shown);
    this.#running.delete(result.id);
    this.#showProgress();
  }

  #showProgress(): void {
    const { onProgress } = this.#kit.options;
    onProgress?.({
      running: [...this.#running],
      done: this.#results.size,
      total: this.#entries.length,
    });
  }
}
