import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { isRestart } from '../contract/fault-kinds.js';
import { LIMITS } from '../contract/limits.js';
import { mapConcurrently, raceAbort } from '../delivery/abort.js';
import type {
  RunnerAbility,
  ExploreOptions,
  ExploreReport,
  RunFailure,
  PlannedFault,
  ExploreFinding,
  UnfiredRun,
  SkippedRun,
  Observation,
  PlannedRun,
  ExploreProgress,
  Runner,
  RunResult,
} from './explore.js';
import { type RunBaseline, createRunBaseline, suggestFix, judgeRun } from './invariants.js';
import {
  type RunFacts,
  findKind,
  EXPLORED_KINDS,
  haveFired,
  formatPoint,
  collectTraits,
  listWeakerFaults,
} from './kinds.js';
import { extractFacts, planPairs, type PlannedPair, rankPairs, planSingles, planRun } from './plan.js';

const BASELINE_RUNS = 3;
const RECHECK_RUNS = 5;
const LEAST_TIMEOUT_MS = 20_000;
const TIMEOUT_FACTOR = 10;
/** Grace period in milliseconds for an aborted run. */
const GRACE_MS = 5_000;
/** Minimum number of unreproducible failures to suspect a flaky suite. */
const SUSPICIOUS = 2;
/** All pairs are planned if fewer are possible; otherwise, as many as the budget allows. */
const ALL_PAIRS_BELOW = 200;
const CONFIRMATIONS = 3;
const NEEDED = { restart: 'restart the application', probe: 'probe the application' } as const;
const OUTAGES = EXPLORED_KINDS.filter((kind) => kind.class === 'outage').map(({ name }) => name);

/**
 * Thrown if fault-free runs always fail (`red`), sometimes fail (`flaky`) or exhaust the budget (`unknown`).
 */
export class BaselineError extends Error {
  readonly kind: 'red' | 'flaky' | 'unknown';
  readonly failures: readonly RunFailure[];
  readonly runs: number;

  constructor(failures: readonly RunFailure[], ended: number) {
    const [first] = failures;
    const kind = first === undefined ? 'unknown' : failures.length === ended ? 'red' : 'flaky';
    const inAll = ended === 1 ? 'in the first run' : `in all ${ended} runs`;
    const says = {
      red: `The tests fail without faults ${inAll}. Make the tests pass first.`,
      flaky:
        `Your suite is flaky: it fails without faults in ${failures.length} of ${ended} runs. ` +
        'Make the suite pass reliably first.',
      unknown:
        `The budget ran out in run ${ended + 1} of ${BASELINE_RUNS} without faults. Increase the ` +
        'budget, or find out why the run does not end.',
    };
    super(first === undefined ? says[kind] : `${says[kind]}\n${failureText(first)}`);
    this.kind = kind;
    this.failures = failures;
    this.runs = ended;
  }
}

function failureText({ name, message }: RunFailure): string {
  return message.startsWith(name) || message === '' ? message || name : `${name}: ${message}`;
}

/** Returns true if an additional fault-free run failed. */
export function isSuiteFlaky({ recheck }: Pick<ExploreReport, 'recheck'>): boolean {
  return recheck !== null && recheck.failures.length > 0;
}

interface Outcome {
  readonly failure: RunFailure | null;
  readonly isComplete: boolean;
  readonly isCut: boolean;
  readonly fired: readonly number[];
  readonly trace: readonly string[];
}

const CUT: Outcome = { failure: null, isComplete: false, isCut: true, fired: [], trace: [] };

export const EMPTY_OBSERVATION: Observation = {
  payments: [],
  violations: {},
  hasLateWindow: false,
  paged: [],
};

class Runs {
  readonly #runner: Runner;
  readonly #options: ExploreOptions;
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  #untilMs: number;
  #timeoutMs: number;
  #baseline: RunBaseline = createRunBaseline([]);

  constructor(runner: Runner, options: ExploreOptions) {
    this.#runner = runner;
    this.#options = options;
    this.#untilMs = performance.now() + options.budgetMs;
    this.#timeoutMs = options.runTimeoutMs ?? Infinity;
  }

  get isTimeUp(): boolean {
    return performance.now() >= this.#untilMs;
  }

  /** Performs the fault-free runs and extracts facts from the results. Rejects with BaselineError. */
  async learn(): Promise<{ readonly facts: RunFacts; readonly unstable: readonly string[] }> {
    const { onProgress, runTimeoutMs } = this.#options;
    const results: RunResult[] = [];
    const failures = () => results.flatMap(({ failure }) => failure ?? []);
    let longestMs = 0;
    for (let done = 0; done < BASELINE_RUNS; done += 1) {
      onProgress?.({ doing: 'baseline', done, total: BASELINE_RUNS, failing: 0 });
      const startedMs = performance.now();
      const result = await this.#run([], true);
      if (result === undefined) throw new BaselineError(failures(), done);
      results.push(result);
      longestMs = Math.max(longestMs, performance.now() - startedMs);
    }
    if (failures().length > 0) throw new BaselineError(failures(), BASELINE_RUNS);
    this.#baseline = createRunBaseline(results.map(({ observed }) => observed));
    this.#timeoutMs = runTimeoutMs ?? Math.max(longestMs * TIMEOUT_FACTOR, LEAST_TIMEOUT_MS);
    const { facts, unstable } = extractFacts(results);
    return { facts, unstable: unstable.map(formatPoint) };
  }

  /** Runs once with these faults and caches the outcome. */
  try(faults: readonly PlannedFault[]): Promise<Outcome> {
    const key = JSON.stringify(faults);
    const outcome = this.#outcomes.get(key) ?? this.#outcome(faults, true);
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  /** Runs again with these faults, regardless of the budget. */
  again(faults: readonly PlannedFault[]): Promise<Outcome> {
    return this.#outcome(faults, false);
  }

  /** Runs again without faults, regardless of the budget. */
  async recheck(): Promise<NonNullable<ExploreReport['recheck']>> {
    const failures: RunFailure[] = [];
    for (let run = 0; run < RECHECK_RUNS; run += 1) {
      const { failure } = await this.again([]);
      if (failure !== null) failures.push(failure);
    }
    return { runs: RECHECK_RUNS, failures };
  }

  async #outcome(faults: readonly PlannedFault[], endsWithBudget: boolean): Promise<Outcome> {
    const result = await this.#run(faults, endsWithBudget);
    if (result === undefined) return CUT;
    const { fired, trace } = result;
    const kinds = faults.map(findKind);
    const failure = judgeRun(result, this.#baseline, {
      onlyInvariants: kinds.some((kind) => kind?.class === 'outage'),
      comparesProbe: !kinds.some((kind) => kind?.isRecorded),
    });
    return { failure, isComplete: haveFired(faults, fired), isCut: false, fired, trace };
  }

  /** Performs one run. Reports a failure after the time limit; returns undefined once the budget is spent. */
  async #run(faults: readonly PlannedFault[], endsWithBudget: boolean): Promise<RunResult | undefined> {
    const { seed, signal: outer, runTimeoutMs } = this.#options;
    outer?.throwIfAborted();
    const restartCount = faults.filter(isRestart).length;
    const leftMs = endsWithBudget ? Math.max(this.#untilMs - performance.now(), 0) : Infinity;
    const longestMs = this.#timeoutMs + (runTimeoutMs === undefined ? restartCount * LIMITS.restartMs : 0);
    const timeoutMs = Math.round(Math.min(longestMs, leftMs));
    const timeUp = new AbortController();
    const signal = AbortSignal.any([timeUp.signal, ...(outer === undefined ? [] : [outer])]);
    const timer = setTimeout(
      () => timeUp.abort(new Error(`Not finished within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const running = this.#runner.run({ faults, seed, signal });
    try {
      return await raceAbort(running, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    outer?.throwIfAborted();
    const late = await Promise.race([running.catch(() => undefined), gracePeriod()]);
    if (leftMs < longestMs) {
      // Timers may fire slightly early, which would start another run.
      this.#untilMs = performance.now();
      return undefined;
    }
    const message =
      `The run did not finish within ${timeoutMs} ms.\n${late?.failure?.message ?? ''}`.trimEnd();
    return {
      // Count all faults as fired if the run reported nothing.
      ...(late ?? { points: [], fired: faults.map(() => 1), trace: [], observed: EMPTY_OBSERVATION }),
      failure: { category: 'invariant', name: 'no hang', message },
    };
  }
}

function gracePeriod(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), GRACE_MS).unref();
  });
}

/**
 * Finds the faults that break the code under test. Rejects with BaselineError if the code fails without
 * faults, with runner errors, and with the signal's reason.
 */
export async function searchFaults(runner: Runner, options: ExploreOptions): Promise<ExploreReport> {
  const startedMs = performance.now();
  const { only, faults, seed } = options;
  const runs = new Runs(runner, options);
  const { facts, unstable } = await runs.learn();
  const search = new Search(runner, runs, options);
  if (only === undefined) await search.try(planSingles(facts, faults), planPairs(facts, faults));
  else await search.try([planRun(only)], []);
  const { findings, flaky, unconfirmed } = search.causes;
  const recheck = unconfirmed >= SUSPICIOUS ? await runs.recheck() : null;
  const counts = search.counts();
  return {
    seed,
    baseline: { runs: BASELINE_RUNS, points: facts.points.length, unstable },
    ...counts,
    findings,
    flaky,
    recheck,
    ok: findings.length === 0 && counts.left === 0 && !isSuiteFlaky({ recheck }),
    durationMs: Math.round(performance.now() - startedMs),
  };
}

/** Tries planned runs, finds the causes of failures and counts the outcomes. */
class Search {
  readonly causes: Causes;
  readonly #runner: Runner;
  readonly #runs: Runs;
  readonly #options: ExploreOptions;
  readonly #kinds = new Set<string>();
  readonly #missed: UnfiredRun[] = [];
  readonly #notRun: SkippedRun[] = [];
  readonly #failed = new Set<string>();
  readonly #progress = { done: 0, total: 0, failing: 0 };
  #planned = 0;
  #failing = 0;
  #left = 0;
  #untriedPairs = 0;

  constructor(runner: Runner, runs: Runs, options: ExploreOptions) {
    this.#runner = runner;
    this.#runs = runs;
    this.#options = options;
    this.causes = new Causes(runs);
  }

  /** Tries the planned runs, then pairs in small batches, so that time remains to shrink failures. */
  async try(plan: readonly PlannedRun[], pairs: readonly PlannedPair[]): Promise<void> {
    const { seed, pairs: wanted, jobs = 1 } = this.#options;
    const possible = pairs.filter((pair) => this.#lackingOf(pair) === undefined);
    const count = Math.min(wanted ?? Infinity, possible.length);
    this.#progress.total = plan.filter((run) => this.#lackingOf(run) === undefined).length + count;
    this.#report('faults');
    await this.#tryPlanned(plan);
    this.#untriedPairs = possible.length - count;
    const chosen = rankPairs(possible, { seed, failed: this.#failed }).slice(0, count);
    const leftBefore = this.#left;
    for (let at = 0; at < chosen.length; at += jobs) await this.#tryPlanned(chosen.slice(at, at + jobs));
    if (wanted !== undefined || count < ALL_PAIRS_BELOW) return;
    // Pairs beyond the budget count as untried.
    const unreached = this.#left - leftBefore;
    this.#untriedPairs += unreached;
    this.#planned -= unreached;
    this.#left = leftBefore;
  }

  /** Counts the outcomes; `planned` is the sum of `run`, `missed`, `notRun` and `left`. */
  counts() {
    const { faults, only } = this.#options;
    return {
      kinds: this.#kinds.size,
      planned: this.#planned,
      run: this.#planned - this.#missed.length - this.#notRun.length - this.#left,
      failing: this.#failing,
      missed: this.#missed,
      notRun: this.#notRun,
      left: this.#left,
      untried: {
        outageKinds: faults === 'promised' && only === undefined ? OUTAGES.length : 0,
        pairs: this.#untriedPairs,
      },
      isBudgetSpent: this.#left > 0,
    } satisfies Partial<ExploreReport>;
  }

  async #tryPlanned(plan: readonly PlannedRun[]): Promise<void> {
    this.#planned += plan.length;
    for (const { kinds } of plan) for (const kind of kinds) this.#kinds.add(kind);
    const ready = plan.filter((planned) => {
      const lacking = this.#lackingOf(planned);
      if (lacking === undefined) return true;
      this.#notRun.push({
        faults: planned.faults,
        reason: `Cannot ${NEEDED[lacking]}: no command or function was provided.`,
      });
      return false;
    });
    const outcomes = await mapConcurrently(this.#options.jobs ?? 1, ready, async ({ faults }) => {
      if (this.#runs.isTimeUp) return undefined;
      const outcome = await this.#runs.try(faults);
      if (outcome.isCut) return undefined;
      this.#progress.done += 1;
      if (outcome.isComplete && outcome.failure !== null) this.#progress.failing += 1;
      this.#report('faults');
      return outcome;
    });
    for (const [index, planned] of ready.entries()) await this.#count(planned, outcomes[index]);
  }

  async #count(planned: PlannedRun, outcome: Outcome | undefined): Promise<void> {
    const { faults } = planned;
    if (outcome === undefined) this.#left += 1;
    else if (!outcome.isComplete) this.#missed.push({ faults, fired: outcome.fired });
    else if (outcome.failure !== null) {
      this.#failing += 1;
      if (faults.length === 1) this.#failed.add(JSON.stringify(faults[0]));
      this.#report('shrinking');
      await this.causes.add(planned, outcome.failure);
    }
  }

  #lackingOf({ needs }: PlannedRun): RunnerAbility | undefined {
    return needs.find((need) => !this.#runner.can.has(need));
  }

  #report(doing: ExploreProgress['doing']): void {
    this.#options.onProgress?.({ doing, ...this.#progress });
  }
}

type MutableFinding = { -readonly [Key in keyof ExploreFinding]: ExploreFinding[Key] };

/** Collects the causes of failed runs, reproducible or flaky. Each smallest set of faults is listed once. */
class Causes {
  readonly findings: MutableFinding[] = [];
  readonly flaky: MutableFinding[] = [];
  /** Failures not reproduced by any confirming run. */
  unconfirmed = 0;
  readonly #runs: Runs;

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  async add({ faults, kinds }: PlannedRun, failure: RunFailure): Promise<void> {
    if (this.#isKnown(kinds, failure)) return;
    const runs = this.#runs;
    const smallest = await shrinkFaults(
      faults,
      async (choice) => !runs.isTimeUp && isAgain(await runs.try(choice), failure),
    );
    const { kinds: smallestKinds, class: faultClass } = collectTraits(smallest);
    if (this.#isKnown(smallestKinds, failure)) return;
    const { trace, failure: shown } = await runs.try(smallest);
    let [times, of] = [0, 0];
    while (of < CONFIRMATIONS && !(of > 0 && runs.isTimeUp)) {
      if (isAgain(await runs.again(smallest), failure)) times += 1;
      of += 1;
    }
    if (times === 0 && of === CONFIRMATIONS) this.unconfirmed += 1;
    this.#list(times === of, {
      faults: smallest,
      kinds: smallestKinds,
      class: faultClass,
      failure: shown ?? failure,
      fix: suggestFix(failure, smallestKinds),
      confirmed: `${times}/${of}`,
      trace,
      runs: 1,
    });
  }

  /** Adds a cause. Merges a flaky cause into a listed cause with the same failure. */
  #list(isReproducible: boolean, finding: MutableFinding): void {
    const isOfFailure = (one: ExploreFinding) => isSame(one.failure, finding.failure);
    const known = [...this.findings, ...this.flaky].find(isOfFailure);
    if (!isReproducible) {
      if (known === undefined) this.flaky.push(finding);
      else known.runs += 1;
      return;
    }
    const flaky = this.flaky.findIndex(isOfFailure);
    const [replaced] = flaky < 0 ? [] : this.flaky.splice(flaky, 1);
    this.findings.push({ ...finding, runs: finding.runs + (replaced?.runs ?? 0) });
  }

  /** Counts a run and returns true for a known cause: the same failure with fewer kinds or another outage. */
  #isKnown(kinds: readonly string[], failure: RunFailure): boolean {
    const isOutage = (name: string) => OUTAGES.includes(name);
    const known = this.findings.find(
      (finding) =>
        isSame(finding.failure, failure) &&
        (finding.kinds.every((kind) => kinds.includes(kind)) ||
          (kinds.some(isOutage) && finding.kinds.every(isOutage))),
    );
    if (known === undefined) return false;
    known.runs += 1;
    return true;
  }
}

function isAgain({ isComplete, failure }: Outcome, wanted: RunFailure): boolean {
  return isComplete && failure !== null && isSame(failure, wanted);
}

function isSame(one: RunFailure, other: RunFailure): boolean {
  return one.category === other.category && one.name === other.name;
}

type Faults = readonly PlannedFault[];
type StillFails = (faults: Faults) => Promise<boolean>;

/** Finds the smallest failing set of faults: first fewer (ddmin), then weaker ones. */
export async function shrinkFaults(faults: Faults, stillFails: StillFails): Promise<Faults> {
  return weakest(await fewest(faults, stillFails), stillFails);
}

/** Applies Zeller's ddmin: every fault in the returned list is required. */
async function fewest(faults: Faults, stillFails: StillFails): Promise<Faults> {
  let current = faults;
  let parts = 2;
  while (current.length > 1) {
    const size = Math.ceil(current.length / parts);
    const count = Math.ceil(current.length / size);
    const chunks = Array.from({ length: count }, (_, at) => current.slice(at * size, (at + 1) * size));
    const rests = chunks.map((_, index) => chunks.filter((_chunk, at) => at !== index).flat());
    const smaller = await firstOf(parts === 2 ? chunks : [...chunks, ...rests], stillFails);
    if (smaller !== undefined) {
      parts = chunks.some((chunk) => chunk === smaller) ? 2 : Math.max(parts - 1, 2);
      current = smaller;
    } else if (parts < current.length) parts = Math.min(parts * 2, current.length);
    else break;
  }
  return current;
}

async function weakest(faults: Faults, stillFails: StillFails): Promise<Faults> {
  const weaker = faults.flatMap((fault, at) => listWeakerFaults(fault).map((less) => faults.with(at, less)));
  const found = await firstOf(weaker, stillFails);
  return found === undefined ? faults : weakest(found, stillFails);
}

async function firstOf(choices: readonly Faults[], stillFails: StillFails): Promise<Faults | undefined> {
  for (const choice of choices) if (await stillFails(choice)) return choice;
  return undefined;
}
