import { overlapping } from '../check/plan/lanes.js';
import { Causes } from './causes.js';
import type {
  Ability,
  ExploreOptions,
  ExploreReport,
  MissedRun,
  NotRun,
  PlannedRun,
  Progress,
  Runner,
} from './explore.js';
import { KINDS } from './kinds.js';
import type { PlannedPair } from './plan.js';
import { rankedPairs } from './plan.js';
import type { Outcome, Runs } from './runs.js';

/** Fewer pairs are all planned; of more, as many are tried as fit into the budget. */
const ALL_PAIRS_BELOW = 200;

const NEEDED = { restart: 'restart the application', probe: 'probe the application' } as const;

/** Tries planned runs, finds the causes of failures, and counts the outcomes. */
export class Search {
  readonly causes: Causes;
  readonly #runner: Runner;
  readonly #runs: Runs;
  readonly #options: ExploreOptions;
  readonly #progress: ProgressReporter;
  readonly #kinds = new Set<string>();
  readonly #missed: MissedRun[] = [];
  readonly #notRun: NotRun[] = [];
  /** Single faults that broke the code, as JSON. */
  readonly #failed = new Set<string>();
  #planned = 0;
  #failing = 0;
  #left = 0;
  #untriedPairs = 0;

  constructor(runner: Runner, runs: Runs, options: ExploreOptions) {
    this.#runner = runner;
    this.#runs = runs;
    this.#options = options;
    this.#progress = new ProgressReporter(options);
    this.causes = new Causes(runs);
  }

  /** Tries runs, then pairs as far as the options and the budget go. */
  async try(plan: readonly PlannedRun[], pairs: readonly PlannedPair[]): Promise<void> {
    const { seed, pairs: wanted } = this.#options;
    const possible = pairs.filter((pair) => this.#lackingOf(pair) === undefined);
    const count = Math.min(wanted ?? Infinity, possible.length);
    this.#progress.begin(plan.filter((run) => this.#lackingOf(run) === undefined).length + count);
    await this.#tryPlanned(plan);
    const chosen = rankedPairs(possible, { seed, failed: this.#failed }).slice(0, count);
    const fillsBudget = wanted === undefined && count >= ALL_PAIRS_BELOW;
    this.#untriedPairs = possible.length - count;
    await this.#tryPairs(chosen, fillsBudget);
  }

  /** Counts the outcomes; `planned` is the sum of `run`, `missed`, `notRun` and `left`. */
  counts() {
    const outages = KINDS.filter((kind) => kind.class === 'outage').length;
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
        outageKinds: faults === 'promised' && only === undefined ? outages : 0,
        pairs: this.#untriedPairs,
      },
      isBudgetSpent: this.#left > 0,
    } satisfies Partial<ExploreReport>;
  }

  /** Tries pairs a few at a time, so that their failures can still be reduced within the budget. */
  async #tryPairs(pairs: readonly PlannedPair[], fillsBudget: boolean): Promise<void> {
    const { jobs = 1 } = this.#options;
    const leftBefore = this.#left;
    for (let at = 0; at < pairs.length; at += jobs) await this.#tryPlanned(pairs.slice(at, at + jobs));
    if (!fillsBudget) return;
    const unreached = this.#left - leftBefore;
    this.#untriedPairs += unreached;
    this.#planned -= unreached;
    this.#left = leftBefore;
  }

  async #tryPlanned(plan: readonly PlannedRun[]): Promise<void> {
    this.#planned += plan.length;
    for (const { kinds } of plan) for (const kind of kinds) this.#kinds.add(kind);
    const ready = plan.filter((planned) => {
      const lacking = this.#lackingOf(planned);
      if (lacking === undefined) return true;
      this.#notRun.push({ faults: planned.faults, reason: `It needs a way to ${NEEDED[lacking]}.` });
      return false;
    });
    const outcomes = await overlapping(this.#options.jobs ?? 1, ready, ({ faults }) =>
      this.#outcomeOf(faults),
    );
    for (const [index, planned] of ready.entries()) await this.#count(planned, outcomes[index]);
  }

  async #outcomeOf(faults: PlannedRun['faults']): Promise<Outcome | undefined> {
    if (this.#runs.isTimeUp) return undefined;
    const outcome = await this.#runs.try(faults);
    if (outcome.isCut) return undefined;
    this.#progress.add(outcome);
    return outcome;
  }

  async #count(planned: PlannedRun, outcome: Outcome | undefined): Promise<void> {
    const { faults } = planned;
    if (outcome === undefined) this.#left += 1;
    else if (!outcome.isComplete) this.#missed.push({ faults, fired: outcome.fired });
    else if (outcome.failure !== null) {
      this.#failing += 1;
      if (faults.length === 1) this.#failed.add(JSON.stringify(faults[0]));
      this.#progress.report('shrinking');
      await this.causes.add(planned, outcome.failure);
    }
  }

  #lackingOf({ needs }: PlannedRun): Ability | undefined {
    return needs.find((need) => !this.#runner.can.has(need));
  }
}

/** Reports the progress of a search. */
class ProgressReporter {
  readonly #onProgress: ExploreOptions['onProgress'];
  #total = 0;
  #done = 0;
  #failing = 0;

  constructor({ onProgress }: ExploreOptions) {
    this.#onProgress = onProgress;
  }

  begin(total: number): void {
    this.#total = total;
    this.report('faults');
  }

  add({ isComplete, failure }: Outcome): void {
    this.#done += 1;
    if (isComplete && failure !== null) this.#failing += 1;
    this.report('faults');
  }

  report(doing: Progress['doing']): void {
    this.#onProgress?.({ doing, done: this.#done, total: this.#total, failing: this.#failing });
  }
}
