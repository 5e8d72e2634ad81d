import type { NewFault } from '../client/routes.js';

export type PlannedFault = NewFault;

/** Under `promised` faults, the tests' own assertions must hold; under an `outage`, only the invariants. */
export type FaultClass = 'promised' | 'outage';

/**
 * An API request of the code under test, identified by charge code or, if codes are random, by creation
 * order.
 */
export interface CallPoint {
  readonly on: 'call';
  readonly api: string;
  readonly method: string;
  /** The route, such as `/api/public/v1/accounts/:id/transactions`. */
  readonly route: string;
  readonly code: string | null;
  /** Creation order from 1; null for a request without a single resource. */
  readonly resource: number | null;
  /** Occurrence, from 1, among otherwise identical requests. */
  readonly nth: number;
}

/** A delivery attempt. */
export interface DeliveryPoint {
  readonly on: 'delivery';
  readonly event: string;
  readonly code: string | null;
  /** Creation order of the event's resource, from 1, among charges or withdrawals. */
  readonly resource: number | null;
  /** Pattern for the endpoint's URL; null with only one endpoint. */
  readonly endpoint: string | null;
  readonly attempt: number;
  readonly nth: number;
}

/** The target of a fault, stable across runs of the same code. */
export type FaultPoint = CallPoint | DeliveryPoint;

/** The failure of a run; failures with equal category and name are the same. */
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
  /** Creation order from 1 among payments of the same type. */
  readonly rank: number;
  readonly status: string;
  /** Identifies the intent: amount, account and metadata. */
  readonly intent: string;
  /** Set if an API request of the code under test created the payment. */
  readonly isCalled: boolean;
  /** The application's state of the payment; null without a probe. */
  readonly probed: string | null;
}

/** Results of a run, checked by the invariants. */
export interface Observation {
  readonly payments: readonly ObservedPayment[];
  /** Violation messages by invariant name. */
  readonly violations: Readonly<Record<string, readonly string[]>>;
  /** Set if expired charges can still be paid (§3). */
  readonly hasLateWindow: boolean;
  readonly paged: readonly CallPoint[];
}

export interface RunResult {
  /** Failure of the tests or the runner; the engine adds invariant failures. */
  readonly failure: RunFailure | null;
  readonly points: readonly FaultPoint[];
  readonly fired: readonly number[];
  readonly trace: readonly string[];
  readonly observed: Observation;
}

export interface RunnerOptions {
  readonly faults: readonly PlannedFault[];
  readonly seed: string;
  /** Ends a hanging run, which may then resolve or reject. */
  readonly signal: AbortSignal;
}

export type RunnerAbility = 'restart' | 'probe';

/** Runs the code under test in a separate sandbox. */
export interface Runner {
  /** Complete only after the first run. */
  readonly can: ReadonlySet<RunnerAbility>;
  readonly run: (options: RunnerOptions) => Promise<RunResult>;
}

export interface ExploreOptions {
  readonly faults: 'promised' | 'all';
  /** Number of fault pairs to try after single faults; by default as many as the budget allows. */
  readonly pairs?: number | undefined;
  readonly seed: string;
  /** Tries only these faults, together, e.g. to reproduce a finding. */
  readonly only?: readonly PlannedFault[] | undefined;
  /** Budget in real time; runs beyond it are not started. */
  readonly budgetMs: number;
  readonly jobs?: number | undefined;
  /**
   * Real time limit of a run before it counts as hanging; by default ten times the longest run without
   * faults.
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

/** A cause: the smallest set of faults that breaks the code, with the failure. */
export interface ExploreFinding {
  readonly faults: readonly PlannedFault[];
  readonly kinds: readonly string[];
  readonly class: FaultClass;
  readonly failure: RunFailure;
  readonly fix: string;
  /** Share of confirming runs that failed, such as `3/3`. */
  readonly confirmed: string;
  readonly trace: readonly string[];
  readonly runs: number;
}

interface UntriedFaults {
  readonly outageKinds: number;
  /** Number of fault pairs neither planned nor reached. */
  readonly pairs: number;
}

/** Results of a search; `planned` is the sum of `run`, `missed`, `notRun` and `left`. */
export interface ExploreReport {
  readonly seed: string;
  readonly baseline: { readonly runs: number; readonly points: number; readonly unstable: readonly string[] };
  readonly kinds: number;
  readonly planned: number;
  /** Number of runs in which each fault fired exactly once. */
  readonly run: number;
  readonly failing: number;
  readonly missed: readonly UnfiredRun[];
  readonly notRun: readonly SkippedRun[];
  readonly left: number;
  readonly findings: readonly ExploreFinding[];
  /** Failures not reproduced in every confirming run. */
  readonly flaky: readonly ExploreFinding[];
  /** Additional runs without faults, after failures that could not be reproduced; null if not needed. */
  readonly recheck: { readonly runs: number; readonly failures: readonly RunFailure[] } | null;
  readonly untried: UntriedFaults;
  readonly isBudgetSpent: boolean;
  readonly ok: boolean;
  readonly durationMs: number;
}
