import type { ControlClient } from '../client/control.js';
import type { CheckLevel, CheckResult, CheckScope, CheckSettings, CheckVerdict } from './public.js';

/** A check as the catalog declares it; the guide says why it matters. */
export interface CheckEntry {
  readonly id: string;
  readonly level: CheckLevel;
  readonly clause: string;
  readonly sends: string;
  readonly passes: string;
  /** Effect needed to pass, if a probe shows it. */
  readonly effect?: string | undefined;
  readonly likely: string;
  readonly fix: string;
  /** Without these it is `unknown`. */
  readonly needs?: readonly CheckRequirement[] | undefined;
  readonly runsAlone?: boolean | undefined;
  /** Checks whose failure explains a failure of this one, which then is `gated`, and why. */
  readonly gates?: Readonly<Record<string, string>> | undefined;
  /** The same for a failure by a crash. */
  readonly crashGates?: Readonly<Record<string, string>> | undefined;
}

/** `amount` is an order command that takes `{amount}`. */
export type CheckRequirement = 'probe' | 'order' | 'restart' | 'amount';

export interface CheckedPayment {
  readonly code: string;
  readonly id: string;
}

/** Something with a `fetch` that receives webhooks in this process. */
export interface FetchTarget {
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Prints what the application holds for an order. Rejects where it cannot say. */
export type Probe = (subject: CheckedPayment, signal: AbortSignal) => Promise<string>;
/** Makes the application create its order of this code, and with it a charge of this amount, such as `73.19`. */
export type OrderHook = (order: NewOrder, signal: AbortSignal) => Promise<void>;

interface NewOrder {
  readonly code: string;
  readonly amount: string;
}

/** Restarts the application; resolves when it was started again, and not while it goes on as the application itself. */
export type RestartHook = (signal: AbortSignal) => Promise<void>;

/** Options of a check. Times are real milliseconds. */
export interface CheckOptions extends CheckSettings {
  readonly to: URL | FetchTarget;
  readonly secret: string;
  readonly probe?: Probe | undefined;
  /** Goes with `sandbox`, where the application creates its charges. */
  readonly order?: OrderHook | undefined;
  readonly restart?: RestartHook | undefined;
  /** The sandbox of the application; `settles` lets its charges be settled there, too. */
  readonly sandbox?: { readonly control: ControlClient; readonly settles: boolean } | undefined;
  readonly budgetMs?: number | undefined;
  /** The time limit of a request; by default the 10 s of the contract (§6.3). */
  readonly attemptTimeoutMs?: number | undefined;
  /** Time for a crashed receiver to return; 3 s by default. */
  readonly revivalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the compared and ignored places of the probe's output, once known. */
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

/** Response of a receiver; `error` explains a missing status. */
export interface ReceiverResponse {
  readonly status: number | null;
  readonly error: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly ms: number;
}

export interface CheckFinding {
  readonly outcome: 'holds' | 'fails' | 'unknown' | 'gated';
  /** By default as the catalog says, if anything was sent. */
  readonly sent?: string | undefined;
  readonly got?: string | undefined;
  readonly reason?: string | undefined;
  readonly gatedBy?: string | undefined;
  /** The observed cause and its fix; by default the catalog's. */
  readonly likely?: string | undefined;
  readonly fix?: string | undefined;
  /** True if a forgery changed the order; undefined without a probe able to show it. */
  readonly isApplied?: boolean | undefined;
  /** It failed by a crash, which has another cause than the catalog's likely one. */
  readonly hasCrashed?: boolean | undefined;
}

export interface CheckItem extends Omit<CheckResult, 'gated_by' | 'duration_ms'> {
  readonly link: string;
  readonly gatedBy: string | null;
  readonly durationMs: number;
  readonly exchanges: readonly DeliveryExchange[];
  /** True if a forgery changed the order; undefined if not observable. */
  readonly isApplied?: boolean | undefined;
}

export type CheckSummary = Readonly<Record<CheckVerdict, number>>;

export interface CheckReport {
  readonly target: string;
  readonly checks: readonly CheckItem[];
  readonly summary: CheckSummary;
  readonly scope: CheckScope;
  /** Missing inputs of the chosen checks or the scope `effects`. */
  readonly missing: readonly CheckRequirement[];
  /** The result in one line, such as `Signatures and transport: 31 passed, 0 failed.` */
  readonly headline: string;
  /** Every applicable *must* was observed: it passed or failed. */
  readonly isComplete: boolean;
  /** Every applicable *must* was observed and passed; with `strict`, every *should*, too. */
  readonly ok: boolean;
  /** It accepted the first event, and did so to the end; otherwise nothing or not all could be judged. */
  readonly isResponding: boolean;
  readonly isBudgetSpent: boolean;
  /** Notes to read first, for example on a probably different secret. */
  readonly notes: readonly string[];
  readonly durationMs: number;
}
