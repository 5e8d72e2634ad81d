// Public type declarations: this file imports nothing.

export type CheckLevel = 'must' | 'should';
/**
 * `fail` is a violated *must* and `warn` a violated *should*; `unknown` was not observed, and `gated` depends
 * on a failed check.
 */
export type CheckVerdict = 'pass' | 'fail' | 'warn' | 'unknown' | 'gated';

/** Optional features of an application. */
export type CheckPart = 'withdrawals';
/**
 * `wire` covers signatures and transport; `effects` also covers state changes, and requires a probe and an
 * order.
 */
export type CheckScope = 'wire' | 'effects';

/** Check settings with plain values. */
export interface CheckSettings {
  /** Webhook path of an in-process target; by default `/webhooks`. */
  readonly path?: string | undefined;
  /**
   * Set if the order creates charges of the requested amount; by default if it is a string with `{amount}`.
   */
  readonly takesAmount?: boolean | undefined;
  /** Ids such as `refuse.prefix`, groups such as `dup`, or patterns. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Excludes the checks of these parts. */
  readonly without?: readonly CheckPart[] | undefined;
  /** Makes `ok` false if a *should* failed or was not observed. */
  readonly strict?: boolean | undefined;
  /** Makes `ok` false without a probe and an order. */
  readonly requireEffects?: boolean | undefined;
  /** Ids and groups allowed to be unobserved, such as `dup`; never all checks. */
  readonly allowUnobserved?: readonly string[] | undefined;
  /** Paths in the probe's output to ignore, such as `updated_at`. */
  readonly probeIgnore?: readonly string[] | undefined;
  /** Time limit for the effect of an event, in real time; by default 15 s. */
  readonly effectTimeoutMs?: number | undefined;
  /** Time limit for the receiver to start listening, in real time; by default 10 s. */
  readonly waitMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The result of a check: request, response, and the usual cause of a failure. */
export interface CheckResult {
  readonly id: string;
  readonly level: CheckLevel;
  readonly verdict: CheckVerdict;
  /** Set if all requirements were met; otherwise the check is not counted. */
  readonly applies: boolean;
  readonly clause: string;
  readonly sent: string;
  readonly got: string;
  readonly expected: string;
  readonly likely: string;
  readonly fix: string;
  /** Reason for `unknown` or `gated`; null otherwise. */
  readonly reason: string | null;
  /** The failed check that gates this one, or null. */
  readonly gated_by: string | null;
  readonly duration_ms: number;
}
