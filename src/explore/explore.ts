import type { NewFault } from '../client/routes.js';

export type PlannedFault = NewFault;

/** The own assertions hold under `promised` faults; under an `outage` only the invariants do. */
export type FaultClass = 'promised' | 'outage';

/** A call of the code under test. It is named by its code, or by the rank of its resource where the code is random. */
export interface CallPoint {
  readonly on: 'call';
  readonly api: string;
  readonly method: string;
  /** The route, such as `/api/public/v1/accounts/:id/transactions`. */
  readonly route: string;
  readonly code: string | null;
  /** From 1, in order of creation; null for a request without a single resource. */
  readonly resource: number | null;
  /** From 1, among the calls that everything else matches. */
  readonly nth: number;
}

/** An attempt of a delivery. */
export interface DeliveryPoint {
  readonly on: 'delivery';
  readonly event: string;
  readonly code: string | null;
  /** The rank of the event's resource, from 1, among the charges or the withdrawals. */
  readonly resource: number | null;
  /** A pattern for the endpoint's URL; null with only one endpoint. */
  readonly endpoint: string | null;
  readonly attempt: number;
  readonly nth: number;
}

/** The target of a fault: the same in every run of the same code. */
export type Point = CallPoint | DeliveryPoint;

/** The failure of a run. The same category and name is the same failure. */
export interface RunFailure {
  readonly category: 'test' | 'invariant';
  readonly name: string;
  readonly message: string;
}

/** A charge or withdrawal as it is at the end of a run. */
export interface ObservedPayment {
  readonly type: 'charge' | 'withdrawal';
  readonly id: string;
  readonly code: string;
  /** From 1, in order of creation, among deliveries of its type. */
  readonly rank: number;
  readonly status: string;
  /** Identifies the intent: amount, account and metadata. */
  readonly intent: string;
  /** True where an API request of the code under test created it. */
  readonly isCalled: boolean;
  /** The application's state of it; null without a probe. */
  readonly probed: string | null;
}

/** The results of a run that invariants check. */
export interface Observation {
  readonly payments: readonly ObservedPayment[];
  /** Violations in words, by the name of their invariant. */
  readonly violations: Readonly<Record<string, readonly string[]>>;
  /** True where expired charges can still be paid (§3). */
  readonly hasLateWindow: boolean;
  readonly paged: readonly CallPoint[];
}

export interface RunResult {
  /** Failure of the tests or of the runner; the engine adds failures of invariants. */
  readonly failure: RunFailure | null;
  readonly points: readonly Point[];
  readonly fired: readonly number[];
  readonly trace: readonly string[];
  readonly observed: Observation;
}

export interface RunnerOptions {
  readonly faults: readonly PlannedFault[];
  readonly seed: string;
  /** Ends a run that hangs; it may resolve or reject then. */
  readonly signal: AbortSignal;
}

export type RunnerAbility = 'restart' | 'probe';

/** Runs the code under test in a sandbox of its own. */
export interface Runner {
  /** Complete after the first run. */
  readonly can: ReadonlySet<RunnerAbility>;
  readonly run: (options: RunnerOptions) => Promise<RunResult>;
}

export interface ExploreOptions {
  readonly faults: 'promised' | 'all';
  /** Number of pairs of faults to try after the single ones; by default as many as fit into the budget. */
  readonly pairs?: number | undefined;
  readonly seed: string;
  /** Only these faults together, as they were found before. */
  readonly only?: readonly PlannedFault[] | undefined;
  /** Real time; what does not fit is left. */
  readonly budgetMs: number;
  readonly jobs?: number | undefined;
  /** Real time after which a run hangs; by default ten times the longest run without faults. */
  readonly runTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ExploreProgress) => void) | undefined;
}

/** The progress of a search; `doing` is `baseline`, `faults` or `shrinking`. */
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

/** A cause: the smallest faults under which the code breaks, and how. */
export interface ExploreFinding {
  readonly faults: readonly PlannedFault[];
  readonly kinds: readonly string[];
  readonly class: FaultClass;
  readonly failure: RunFailure;
  readonly fix: string;
  /** Failures among the confirming runs, such as `3/3`. */
  readonly confirmed: string;
  readonly trace: readonly string[];
  readonly runs: number;
}

interface UntriedFaults {
  readonly outageKinds: number;
  /** The number of pairs of faults neither planned nor reached. */
  readonly pairs: number;
}

/** The results of a search. `planned` is the sum of `run`, `missed`, `not_run` and `left`. */
export interface ExploreReport {
  readonly seed: string;
  readonly baseline: { readonly runs: number; readonly points: number; readonly unstable: readonly string[] };
  readonly kinds: number;
  readonly planned: number;
  /** Runs in which each fault fired exactly once. */
  readonly run: number;
  readonly failing: number;
  readonly missed: readonly UnfiredRun[];
  readonly notRun: readonly SkippedRun[];
  readonly left: number;
  readonly findings: readonly ExploreFinding[];
  /** Failures not reproduced in every confirming run. */
  readonly flaky: readonly ExploreFinding[];
  /** Further runs without faults, made when failures could not be reproduced; null where they were not needed. */
  readonly recheck: { readonly runs: number; readonly failures: readonly RunFailure[] } | null;
  readonly untried: UntriedFaults;
  readonly isBudgetSpent: boolean;
  readonly ok: boolean;
  readonly durationMs: number;
}
