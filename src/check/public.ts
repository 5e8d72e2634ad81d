// Published declarations: this file imports nothing.

export type CheckLevel = 'must' | 'should';
/**
 * `fail` is a *must* that does not hold, `warn` a *should*; `unknown` could not be observed, `gated` depends
 * on what failed.
 */
export type CheckVerdict = 'pass' | 'fail' | 'warn' | 'unknown' | 'gated';

/** An application may do without these. */
export type CheckPart = 'withdrawals';
/**
 * `wire` covers signatures and transport; `effects` also what events change, for which a probe and an order
 * are needed.
 */
export type CheckScope = 'wire' | 'effects';

/** The settings of a check that are plain values. */
export interface CheckSettings {
  /** The webhook path of a target with `fetch`; by default `/webhooks`. */
  readonly path?: string | undefined;
  /**
   * True if the order creates charges of the requested amount; by default if it is a string with `{amount}`.
   */
  readonly takesAmount?: boolean | undefined;
  /** Ids such as `refuse.prefix`, groups such as `dup`, or patterns. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Excludes the checks of these parts. */
  readonly without?: readonly CheckPart[] | undefined;
  /** A *should* that failed or was not observed makes `ok` false, too. */
  readonly strict?: boolean | undefined;
  /** A missing probe or order makes `ok` false. */
  readonly requireEffects?: boolean | undefined;
  /** Ids and groups, such as `dup`, that need not be observed; never all of them. */
  readonly allowUnobserved?: readonly string[] | undefined;
  /** Places in the output of the probe to ignore, such as `updated_at`. */
  readonly probeIgnore?: readonly string[] | undefined;
  /** Real time for the effect of an event; by default 15 s. */
  readonly effectTimeoutMs?: number | undefined;
  /** Real time until the receiver listens; by default 10 s. */
  readonly waitMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The result of a check: request, response, and the usual cause of a failure. */
export interface CheckResult {
  readonly id: string;
  readonly level: CheckLevel;
  readonly verdict: CheckVerdict;
  /** True if all its inputs were provided; otherwise it counts nowhere. */
  readonly applies: boolean;
  readonly clause: string;
  readonly sent: string;
  readonly got: string;
  readonly expected: string;
  readonly likely: string;
  readonly fix: string;
  /** Reason for `unknown` or `gated`; null otherwise. */
  readonly reason: string | null;
  /** The failed check that gates it, or null. */
  readonly gated_by: string | null;
  readonly duration_ms: number;
}
