import type { ControlClient } from '../client/control.js';
import type { CheckLevel, CheckResult, CheckScope, CheckSettings, CheckVerdict } from './public.js';

/** A catalog entry. The guide explains why each check matters. */
export interface CheckEntry {
  readonly id: string;
  readonly level: CheckLevel;
  readonly clause: string;
  readonly sends: string;
  readonly passes: string;
  /** Effect required to pass, checked only with a probe. */
  readonly effect?: string | undefined;
  readonly likely: string;
  readonly fix: string;
  /** The check applies only if all of these requirements are met. */
  readonly needs?: readonly CheckRequirement[] | undefined;
  readonly runsAlone?: boolean | undefined;
  /** Maps gating checks to reasons. This check is gated if a gating check also fails. */
  readonly gates?: Readonly<Record<string, string>> | undefined;
  /** Additional gates if the receiver crashed. */
  readonly crashGates?: Readonly<Record<string, string>> | undefined;
}

/** `amount` requires an order command with `{amount}`. */
export type CheckRequirement = 'probe' | 'order' | 'restart' | 'amount';

export interface CheckedPayment {
  readonly code: string;
  readonly id: string;
}

/** An in-process webhook receiver. */
export interface FetchTarget {
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Reads an order's state from the application, as text. Rejects if the state cannot be read. */
export type Probe = (subject: CheckedPayment, signal: AbortSignal) => Promise<string>;
/** Makes the application create an order with this code and a charge of this amount, e.g. `73.19`. */
export type OrderHook = (order: NewOrder, signal: AbortSignal) => Promise<void>;

interface NewOrder {
  readonly code: string;
  readonly amount: string;
}

/**
 * Restarts the application. Resolves once the application runs again, or never if the command is the
 * application itself.
 */
export type RestartHook = (signal: AbortSignal) => Promise<void>;

/** Options for a check run. Times are in milliseconds of real time. */
export interface CheckOptions extends CheckSettings {
  readonly to: URL | FetchTarget;
  readonly secret: string;
  readonly probe?: Probe | undefined;
  /** Requires `sandbox`, where the application creates its charges. */
  readonly order?: OrderHook | undefined;
  readonly restart?: RestartHook | undefined;
  /** The application's sandbox. With `settles`, the checks also settle the application's charges there. */
  readonly sandbox?: { readonly control: ControlClient; readonly settles: boolean } | undefined;
  readonly budgetMs?: number | undefined;
  /** Time limit for a request. Defaults to 10 s, as in the contract (§6.3). */
  readonly attemptTimeoutMs?: number | undefined;
  /** Time limit for a crashed receiver to recover. Defaults to 3 s. */
  readonly revivalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once with a description of the compared and ignored paths in the probe output. */
  readonly onBaseline?: ((text: string) => void) | undefined;
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
}

export interface CheckProgress {
  readonly running: readonly string[];
  readonly done: number;
  readonly total: number;
}

export interface DeliveryExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly response: ReceiverResponse;
}

/** A receiver's response. `error` explains a null `status`. */
export interface ReceiverResponse {
  readonly status: number | null;
  readonly error: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly ms: number;
}

export interface CheckFinding {
  readonly outcome: 'holds' | 'fails' | 'unknown' | 'gated';
  /** Defaults to the catalog's `sends`, if anything was sent. */
  readonly sent?: string | undefined;
  readonly got?: string | undefined;
  readonly reason?: string | undefined;
  readonly gatedBy?: string | undefined;
  /** Observed cause and fix. Both default to the catalog's. */
  readonly likely?: string | undefined;
  readonly fix?: string | undefined;
  /** Reports whether a forged event changed the order. Undefined if the probe cannot show the effect. */
  readonly isApplied?: boolean | undefined;
  /** Set if the receiver crashed, which overrides the catalog's likely cause. */
  readonly hasCrashed?: boolean | undefined;
}

export interface CheckItem extends Omit<CheckResult, 'gated_by' | 'duration_ms'> {
  readonly link: string;
  readonly gatedBy: string | null;
  readonly durationMs: number;
  readonly exchanges: readonly DeliveryExchange[];
  /** Reports whether a forged event changed the order. Undefined if the effect is not observable. */
  readonly isApplied?: boolean | undefined;
}

export type CheckSummary = Readonly<Record<CheckVerdict, number>>;

export interface CheckReport {
  readonly target: string;
  readonly checks: readonly CheckItem[];
  readonly summary: CheckSummary;
  readonly scope: CheckScope;
  /** Unmet requirements of the selected checks and of the `effects` scope. */
  readonly missing: readonly CheckRequirement[];
  /** One-line result, e.g. `Signatures and transport: 31 passed, 0 failed.` */
  readonly headline: string;
  /** Reports whether every applicable *must* check was observed. */
  readonly isComplete: boolean;
  /** Reports whether every applicable *must* check passed and, with `strict`, every *should* check. */
  readonly ok: boolean;
  /** Reports whether the receiver accepted valid events until the end. Otherwise, verdicts are missing. */
  readonly isResponding: boolean;
  readonly isBudgetSpent: boolean;
  /** Notes to show first, e.g. about a probable secret mismatch. */
  readonly notes: readonly string[];
  readonly durationMs: number;
}
