import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { isListening, RestartError } from '../child.js';
import { LIMITS } from '../contract/limits.js';
import { mapConcurrently, sleep } from '../delivery/abort.js';
import { getErrorMessage } from '../text/errors.js';
import { KnownSecrets } from '../text/redaction.js';
import { CheckContext, type Check, GatedError, type CheckContextOptions, RESTART_DELAY_MS } from './bench.js';
import { CHECK_CATALOG, selectChecks, findMissingRequirements } from './catalog.js';
import type {
  ReceiverResponse,
  CheckOptions,
  DeliveryExchange,
  CheckFinding,
  CheckReport,
  CheckItem,
} from './check.js';
import { gateResults, isFailure, resolveExitPolicy, toCheckResult } from './judge.js';
import { OrderError, Orders } from './orders.js';
import { ProbeError } from './probe.js';
import { addNotApplicable, createReport } from './report.js';
import { formatResponses, isTimeout } from './receiver-response.js';
import { createFetchTarget, createSocketTarget } from './send.js';
import { openTwinOrders, type TwinOrdersResult } from './twins.js';

const DEFAULT_BUDGET_MS = 120_000;
const LISTENING_GAP_MS = 100;
/** Maximum number of concurrent checks. A serial receiver gets fewer. */
const LANES = 8;
/** Response time in milliseconds from which the receiver's concurrency is measured. */
const SLOW_MS = 500;
/** A receiver is serial if two concurrent requests take longer than this multiple of a single request. */
const SERIAL_FACTOR = 1.6;
/** Time limit in milliseconds for concurrent requests to a serial receiver, below the attempt timeout. */
const SERIAL_MS = 6_000;
/** Estimated requests per run, used to extend the budget for a slow receiver. */
const REQUESTS = 250;
const FEW_TIMEOUTS = 2;
/** Assumed maximum length of a receiver's queue, in events. */
const BURST = 24;
/** Checks performed by the run itself. */
const ALIVE = 'answer.alive';
const LOAD = 'answer.load';
/** Sequential checks to run first and last. */
const FIRST = new Set(['time.limit', 'time.advice']);
const LAST = new Set(['dup.evicted']);

export class NotListeningError extends Error {}

/**
 * Checks a webhook receiver's responses and, with a probe, its effects. Rejects with TypeError for unknown
 * ids, NotListeningError if nothing is listening, and OrderError if the order command creates no charge.
 */
export async function runChecks(options: CheckOptions): Promise<CheckReport> {
  const startedMs = performance.now();
  const entries = selectChecks(options);
  const policy = resolveExitPolicy(options);
  const { signal: outer, budgetMs, to, path = '/webhooks', attemptTimeoutMs } = options;
  const timeoutMs = attemptTimeoutMs ?? LIMITS.attemptTimeoutMs;
  const budget = new AbortController();
  const spend = () => budget.abort(new Error('The time budget for the checks ran out.'));
  let timer = setTimeout(spend, budgetMs ?? DEFAULT_BUDGET_MS);
  /** Extends the budget for a slow receiver, unless the caller set a limit. */
  const extend = (ms: number) => {
    if (budgetMs !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(spend, DEFAULT_BUDGET_MS + ms - (performance.now() - startedMs));
  };
  const signal = outer === undefined ? budget.signal : AbortSignal.any([budget.signal, outer]);
  setMaxListeners(0, signal);
  const target =
    to instanceof URL ? createSocketTarget(to, timeoutMs) : createFetchTarget(to, path, timeoutMs);
  const orders = new Orders(options);
  const contextOptions: CheckContextOptions = {
    options,
    target,
    orders,
    signal,
    responseMs: 0,
    concurrency: LANES,
    twins: undefined,
    burst: undefined,
  };
  const applicable = entries.filter((entry) => findMissingRequirements(entry, options).length === 0);
  const run = new Run(contextOptions, applicable, extend);
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
  const results = addNotApplicable(gateResults(run.results(), run.crashed), entries, options);
  const { notes, isResponding } = run;
  const isBudgetSpent = budget.signal.aborted;
  const durationMs = Math.round(performance.now() - startedMs);
  return createReport(
    { target: target.url, ...results, isResponding, isBudgetSpent, notes, durationMs },
    policy,
  );
}

/** Waits up to `waitMs`, if set, for the receiver to start listening. Rejects with NotListeningError. */
async function awaitListening({ to, waitMs }: CheckOptions, signal: AbortSignal): Promise<void> {
  if (!(to instanceof URL) || waitMs === undefined) return;
  const startedMs = performance.now();
  while (!(await isListening(to, signal))) {
    if (performance.now() - startedMs >= waitMs)
      throw new NotListeningError(`Nothing is listening on ${to.host} after ${Math.round(waitMs / 1000)} s.`);
    await sleep(LISTENING_GAP_MS, signal);
  }
}

class Run {
  notes: readonly string[] = [];
  /** Set while the receiver accepts valid events. */
  isResponding = false;
  readonly crashed = new Set<string>();
  readonly #options: CheckContextOptions;
  readonly #entries: readonly Check[];
  readonly #extend: (ms: number) => void;
  readonly #running = new Set<string>();
  readonly #results = new Map<string, CheckItem>();
  /** Secrets to redact from responses and probe output. */
  readonly #secrets: KnownSecrets;
  /** Checks in flight when the receiver crashed. */
  readonly #fatal = new Set<string>();
  #isDead = false;

  constructor(options: CheckContextOptions, entries: readonly Check[], extend: (ms: number) => void) {
    this.#options = options;
    this.#entries = entries;
    this.#extend = extend;
    const { secret, headers = {} } = options.options;
    this.#secrets = new KnownSecrets([secret, secret.slice('whsec_'.length), ...Object.values(headers)]);
  }

  results(): CheckItem[] {
    const unfinished: CheckFinding = {
      outcome: 'unknown',
      reason: 'The time budget ran out before this check finished.',
    };
    return this.#entries.map((entry) => this.#results.get(entry.id) ?? toCheckResult(entry, unfinished));
  }

  async all(): Promise<void> {
    const context = new CheckContext(this.#options);
    const first = this.#options.options.probe === undefined ? 'accept.types' : 'effect.paid';
    this.#running.add(first);
    this.#showProgress();
    const opening = await openTwinOrders(context);
    this.#running.delete(first);
    const { exchanges } = context;
    this.notes = opening.notes;
    this.isResponding = opening.closed === undefined;
    if (opening.closed !== undefined) return this.#close(opening.closed, exchanges);
    for (const entry of this.#entries) {
      const finding = opening.findings.get(entry.id);
      if (finding !== undefined) this.#note(entry, finding, exchanges);
    }
    await this.#measurePace();
    const ready = this.#entries.filter(
      (entry) =>
        !this.#results.has(entry.id) && !this.#gateUnobservable(entry, opening) && entry.plan !== undefined,
    );
    await this.#checkTogether(ready.filter(({ runsAlone }) => !runsAlone));
    await this.#checkEachAlone(ready.filter(({ runsAlone }) => runsAlone));
    await this.#finish();
  }

  async #checkTogether(entries: readonly Check[]): Promise<void> {
    await mapConcurrently(this.#options.concurrency, entries, (entry) => this.#check(entry));
    // Repeat each failed check separately to rule out interference between checks.
    const again = this.#listRetries(entries);
    const inCompany = again.flatMap(({ id }) => this.#results.get(id) ?? []);
    if (again.length > 0) await this.#checkSurvival(again);
    for (const entry of again.filter(({ id }) => !this.#fatal.has(id))) await this.#checkAlone(entry);
    this.#noteLoad(inCompany);
  }

  async #checkEachAlone(entries: readonly Check[]): Promise<void> {
    const rank = ({ id }: Check) => (FIRST.has(id) ? 0 : LAST.has(id) ? 2 : 1);
    const sorted = entries.toSorted((a, b) => rank(a) - rank(b));
    for (const [index, entry] of sorted.entries()) {
      const before = sorted[index - 1];
      // Drain the queue before the first check, and again after the bursts.
      if (before === undefined || (rank(before) === 0 && rank(entry) > 0)) await this.#drain();
      await this.#checkAlone(entry);
    }
  }

  /** Waits until the receiver has processed all earlier events. */
  async #drain(): Promise<void> {
    const timeLimit = this.#results.get('time.limit');
    const context = new CheckContext(this.#options);
    if (timeLimit !== undefined && isFailure(timeLimit)) await context.isAlive();
    try {
      if (!this.#isDead) await context.drained(BURST);
    } catch (error) {
      if (!isNoVerdict(error)) throw error;
    }
  }

  /** Detects failures under load: checks that fail concurrently but pass separately. */
  #noteLoad(inCompany: readonly CheckItem[]): void {
    const entry = this.#entries.find(({ id }) => id === LOAD);
    if (entry === undefined) return;
    if (this.#fatal.size > 0) return this.#gateOnDeath(entry);
    const sent = `the concurrent checks, ${this.#options.concurrency} at a time`;
    const isOverload = (response: ReceiverResponse) =>
      response.status === null ? response.error !== 'CUT' && !isTimeout(response) : response.status >= 500;
    const failed = inCompany
      .filter(({ id }) => this.#results.get(id)?.verdict === 'pass')
      .flatMap(({ exchanges }) => exchanges.map(({ response }) => response).filter(isOverload));
    if (failed.length === 0) return this.#note(entry, { outcome: 'holds', sent });
    const got = `${failed.length} requests failed concurrently but not separately: ${formatResponses(failed)}`;
    return this.#note(entry, { outcome: 'fails', sent, got });
  }

  /** Measures the concurrency of a slow receiver and extends its time budget. */
  async #measurePace(): Promise<void> {
    const options = this.#options;
    const delayMs = options.twins?.observer.timeoutMs ?? 0;
    if (options.responseMs >= SLOW_MS) {
      const startedMs = performance.now();
      await Promise.allSettled([new CheckContext(options).control(), new CheckContext(options).control()]);
      options.signal.throwIfAborted();
      const isSerial = performance.now() - startedMs > SERIAL_FACTOR * options.responseMs;
      if (isSerial)
        options.concurrency = Math.min(Math.max(Math.floor(SERIAL_MS / options.responseMs), 1), LANES);
    }
    this.#extend(REQUESTS * options.responseMs + this.#entries.length * delayMs);
  }

  #close(
    { by, finding, reason }: NonNullable<TwinOrdersResult['closed']>,
    exchanges: readonly DeliveryExchange[],
  ): void {
    // Show the exchanges with the failed check, or with the first check if the failed one was not selected.
    const shown = this.#entries.find(({ id }) => id === by) ?? this.#entries[0];
    const hasResponse = exchanges.some(({ response }) => response.status !== null);
    for (const entry of this.#entries) {
      const seen = entry === shown ? exchanges : [];
      if (entry.id === by) this.#note(entry, finding, seen);
      else if (entry.id === 'answer.redirect' && hasResponse)
        this.#note(entry, { ...finding, outcome: 'holds' }, seen);
      else this.#gate(entry, by, reason, seen);
    }
  }

  /** Records a result and returns true if an effect check is impossible without an observed payment. */
  #gateUnobservable(entry: Check, { findings, blind }: TwinOrdersResult): boolean {
    if (entry.needs?.includes('probe') !== true || this.#options.twins !== undefined) return false;
    const failed = CHECK_CATALOG.find(({ id }) => findings.get(id)?.outcome === 'fails');
    if (failed !== undefined) this.#gate(entry, failed.id, failed.likely);
    else this.#note(entry, { outcome: 'unknown', reason: blind });
    return true;
  }

  /** Lists the failed checks to repeat. Omits timeouts if there are many: each costs another ten seconds. */
  #listRetries(entries: readonly Check[]): Check[] {
    const failed = entries.filter(({ id }) => this.#results.get(id)?.verdict !== 'pass');
    const isLate = ({ id }: Check) => this.#listResponses(id).some(isTimeout);
    return failed.filter(isLate).length <= FEW_TIMEOUTS ? failed : failed.filter((one) => !isLate(one));
  }

  #listResponses(id: string): readonly ReceiverResponse[] {
    return (this.#results.get(id)?.exchanges ?? []).map(({ response }) => response);
  }

  async #checkAlone(entry: Check): Promise<void> {
    if (this.#isDead) return this.#gateOnDeath(entry);
    await this.#check(entry);
    const result = this.#results.get(entry.id);
    if (result !== undefined && (isFailure(result) || result.verdict === 'gated'))
      await this.#checkSurvival([entry]);
  }

  async #finish(): Promise<void> {
    if (!this.#isDead && !(await new CheckContext(this.#options).isAlive())) {
      this.#isDead = true;
      this.#fatal.add([...this.#results.keys()].at(-1) ?? ALIVE);
    }
    this.isResponding = !this.#isDead;
    const got = this.#describeDeath();
    for (const entry of this.#isDead ? this.#entries : []) {
      const { verdict = 'unknown', gatedBy = null } = this.#results.get(entry.id) ?? {};
      const isUnjudged = (verdict === 'unknown' || verdict === 'gated') && gatedBy === null;
      if (isUnjudged && entry.id !== ALIVE) this.#gateOnDeath(entry);
    }
    const entry = this.#entries.find(({ id }) => id === ALIVE);
    if (entry !== undefined) this.#note(entry, { outcome: got === '' ? 'holds' : 'fails', got });
    else if (this.#isDead) this.notes = [...this.notes, `Crash: ${got}.`];
  }

  /**
   * Checks that the receiver survived the failed checks. Restarts a crashed receiver, if possible, and
   * repeats the suspected checks one by one. Gates all suspects if the receiver stays down and no suspect
   * crashed it again.
   */
  async #checkSurvival(entries: readonly Check[]): Promise<void> {
    const context = new CheckContext(this.#options);
    if (await context.isAlive()) return;
    const isCutOff = (response: ReceiverResponse) =>
      response.status === null && response.error !== 'CUT' && !isTimeout(response);
    // Suspect the checks without a response, or all checks if each got a response.
    const cutOff = entries.filter(({ id }) => this.#listResponses(id).some(isCutOff));
    const suspects = cutOff.length > 0 ? cutOff : entries;
    const culprits: Check[] = [];
    let isUp = false;
    for (const suspect of suspects) {
      isUp ||= await this.#restart();
      if (!isUp) break;
      await this.#check(suspect);
      // A crashing process can still send a response.
      await context.pause(RESTART_DELAY_MS);
      isUp = await context.isAlive();
      if (!isUp) culprits.push(suspect);
    }
    for (const { id } of culprits.length > 0 ? culprits : suspects) this.#fatal.add(id);
    this.#isDead = !isUp && !(await this.#restart());
    if (this.#isDead && culprits.length === 0 && suspects.length > 1)
      for (const entry of suspects) this.#gateOnDeath(entry);
  }

  async #restart(): Promise<boolean> {
    const { restart } = this.#options.options;
    if (restart === undefined) return false;
    const context = new CheckContext(this.#options);
    try {
      await context.restarted(restart);
    } catch (error) {
      if (error instanceof RestartError) return false;
      throw error;
    }
    return context.isAlive();
  }

  #describeDeath(): string {
    if (this.#fatal.size === 0) return '';
    const until = this.#isDead ? '' : ', until the restart';
    return `the receiver stopped accepting valid events during ${[...this.#fatal].join(', ')}${until}`;
  }

  #gateOnDeath(entry: Check): void {
    this.#gate(entry, ALIVE, this.#describeDeath());
  }

  #gate(entry: Check, by: string, why: string, exchanges: readonly DeliveryExchange[] = []): void {
    this.#note(entry, { outcome: 'gated', sent: '', reason: `${by} failed: ${why}`, gatedBy: by }, exchanges);
  }

  async #check(entry: Check): Promise<void> {
    const context = new CheckContext(this.#options);
    const startedMs = performance.now();
    this.#running.add(entry.id);
    this.#showProgress();
    const finding = await this.#find(entry, context);
    if (finding.hasCrashed === true) this.crashed.add(entry.id);
    else this.crashed.delete(entry.id);
    this.#note(entry, finding, context.exchanges, Math.round(performance.now() - startedMs));
  }

  async #find({ id, sends, plan }: Check, context: CheckContext): Promise<CheckFinding> {
    if (plan === undefined) throw new TypeError(`${id} has no plan.`);
    try {
      return await plan(context);
    } catch (error) {
      if (!isNoVerdict(error)) throw error;
      const outcome = error instanceof ProbeError ? 'unknown' : 'gated';
      return { outcome, sent: sends, reason: getErrorMessage(error) };
    }
  }

  #note(
    entry: Check,
    finding: CheckFinding,
    exchanges: readonly DeliveryExchange[] = [],
    durationMs = 0,
  ): void {
    const isObserved = this.#options.twins !== undefined;
    const result = toCheckResult(entry, finding, { exchanges, durationMs, isObserved });
    const { id, got, reason } = result;
    const hidden = { got: this.#secrets.hide(got), reason: reason && this.#secrets.hide(reason) };
    this.#results.delete(id);
    this.#results.set(id, { ...result, ...hidden });
    this.#running.delete(id);
    this.#showProgress();
  }

  #showProgress(): void {
    const { onProgress } = this.#options.options;
    onProgress?.({ running: [...this.#running], done: this.#results.size, total: this.#entries.length });
  }
}

/** Returns true if the receiver or a command prevented a verdict. */
function isNoVerdict(error: unknown): boolean {
  return [GatedError, OrderError, RestartError, ProbeError].some((kind) => error instanceof kind);
}
