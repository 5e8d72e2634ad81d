import type { NewFault } from '../client/routes.js';

export type PlannedFault = NewFault;

/** With `promised` faults, tests and invariants must pass. During an `outage`, only invariants must hold. */
export type FaultClass = 'promised' | 'outage';

/**
 * An API request from the code under test, identified by charge code or, for random codes, creation order.
 */
export interface CallPoint {
  readonly on: 'call';
  readonly api: string;
  readonly method: string;
  /** Route pattern, e.g. `/api/public/v1/accounts/:id/transactions`. */
  readonly route: string;
  readonly code: string | null;
  /** Creation order, from 1. Null for requests without a single resource. */
  readonly resource: number | null;
  /** Occurrence number among otherwise identical requests, from 1. */
  readonly nth: number;
}

/** A delivery attempt. */
export interface DeliveryPoint {
  readonly on: 'delivery';
  readonly event: string;
  readonly code: string | null;
  /** Creation order of the event's resource, from 1, counted separately for charges and withdrawals. */
  readonly resource: number | null;
  /** Pattern for the endpoint's URL. Null if only one endpoint exists. */
  readonly endpoint: string | null;
  readonly attempt: number;
  readonly nth: number;
}

/** The target of a fault, stable across runs of the same code. */
export type FaultPoint = CallPoint | DeliveryPoint;

/** A run's failure. Failures with the same category and name are considered equal. */
export interface RunFailure {
  readonly category: 'test' | 'invariant';
  readonly name: string;
  readonly message: string;
}

/** Final state of a charge or withdrawal. */
export interface ObservedPayment {
  readonly type: 'charge' | 'withdrawal';
  readonly id: string;
  readonly code: string;
  /** Creation order, from 1, among payments of the same type. */
  readonly rank: number;
  readonly status: string;
  /** Identifies the payment's intent by amount, account and metadata. */
  readonly intent: string;
  /** Set if an API request from the code under test created the payment. */
  readonly isCalled: boolean;
  /** The payment's state in the application. Null without a probe. */
  readonly probed: string | null;
}

/** Results of a run, checked against the invariants. */
export interface Observation {
  readonly payments: readonly ObservedPayment[];
  /** Violation messages by invariant name. */
  readonly violations: Readonly<Record<string, readonly string[]>>;
  /** Set if expired charges can still be paid (§3). */
  readonly hasLateWindow: boolean;
  readonly paged: readonly CallPoint[];
}

export interface RunResult {
  /** Failure reported by the tests or the runner. The engine adds invariant failures. */
  readonly failure: RunFailure | null;
  readonly points: readonly FaultPoint[];
  readonly fired: readonly number[];
  readonly trace: readonly string[];
  readonly observed: Observation;
}

export interface RunnerOptions {
  readonly faults: readonly PlannedFault[];
  readonly seed: string;
  /** Aborts a hanging run, which can then resolve or reject. */
  readonly signal: AbortSignal;
}

export type RunnerAbility = 'restart' | 'probe';

/** Runs the code under test in a separate sandbox. */
export interface Runner {
  /** The runner's abilities, known only after the first run. */
  readonly can: ReadonlySet<RunnerAbility>;
  readonly run: (options: RunnerOptions) => Promise<RunResult>;
}

export interface ExploreOptions {
  readonly faults: 'promised' | 'all';
  /** Number of fault pairs to try after single faults. Defaults to as many as the budget allows. */
  readonly pairs?: number | undefined;
  readonly seed: string;
  /** Tries only these faults, all in one run, e.g. to reproduce a finding. */
  readonly only?: readonly PlannedFault[] | undefined;
  /** Real-time budget in milliseconds. No run starts after the budget is spent. */
  readonly budgetMs: number;
  readonly jobs?: number | undefined;
  /**
   * Real time in milliseconds after which a run counts as hanging. Defaults to ten times the longest
   * fault-free run, but at least 20 s.
   */
  readonly runTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ExploreProgress) => void) | undefined;
}

export interface ExploreProgress {
  readonly doing: 'baseline' | 'faults' | 'shrinking';
  readonly done: number;
  readonly total: number;
  readonly failing: number;
}

/** Faults tried together in one run. */
export interface PlannedRun {
  readonly faults: readonly PlannedFault[];
  readonly kinds: readonly string[];
  readonly class: FaultClass;
  readonly needs: readonly RunnerAbility[];
}

export interface UnfiredRun {
  readonly faults: readonly PlannedFault[];
  readonly fired: readonly number[];
}

export interface SkippedRun {
  readonly faults: readonly PlannedFault[];
  readonly reason: string;
}

/** The smallest set of faults that breaks the code under test, with the resulting failure. */
export interface ExploreFinding {
  readonly faults: readonly PlannedFault[];
  readonly kinds: readonly string[];
  readonly class: FaultClass;
  readonly failure: RunFailure;
  readonly fix: string;
  /** Failed and total confirming runs, e.g. `3/3`. */
  readonly confirmed: string;
  readonly trace: readonly string[];
  readonly runs: number;
}

interface UntriedFaults {
  readonly outageKinds: number;
  /** Number of fault pairs that were not planned or not reached. */
  readonly pairs: number;
}

/** Results of a search. `planned` is the sum of `run`, `missed`, `notRun` and `left`. */
export interface ExploreReport {
  readonly seed: string;
  readonly baseline: { readonly runs: number; readonly points: number; readonly unstable: readonly string[] };
  readonly kinds: number;
  readonly planned: number;
  /** Number of runs in which each fault fired exactly once, and each incident at all. */
  readonly run: number;
  readonly failing: number;
  readonly missed: readonly UnfiredRun[];
  readonly notRun: readonly SkippedRun[];
  readonly left: number;
  readonly findings: readonly ExploreFinding[];
  /** Failures that some confirming runs did not reproduce. */
  readonly flaky: readonly ExploreFinding[];
  /** Additional fault-free runs after failures that could not be reproduced. Null if not needed. */
  readonly recheck: { readonly runs: number; readonly failures: readonly RunFailure[] } | null;
  readonly untried: UntriedFaults;
  readonly isBudgetSpent: boolean;
  readonly ok: boolean;
  readonly durationMs: number;
}
