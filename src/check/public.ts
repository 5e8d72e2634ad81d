// This file contains public types and must not import anything.

export type CheckLevel = 'must' | 'should';
/**
 * `fail` means a failed *must* check, `warn` a failed *should* check, `unknown` an unobserved check, and
 * `gated` a check that depends on a failed one.
 */
export type CheckVerdict = 'pass' | 'fail' | 'warn' | 'unknown' | 'gated';

/** Optional features of an application. */
export type CheckPart = 'withdrawals';
/** `wire` covers signatures and transport; `effects` adds state changes and requires a probe and an order. */
export type CheckScope = 'wire' | 'effects';

/** Serializable check settings. */
export interface CheckSettings {
  /** Webhook path of an in-process target. Defaults to `/webhooks`. */
  readonly path?: string | undefined;
  /**
   * Set if the order creates charges for the requested amount. Defaults to true if `order` is a string with
   * `{amount}`.
   */
  readonly takesAmount?: boolean | undefined;
  /** Ids such as `refuse.prefix`, groups such as `dup`, or patterns such as `dup.*`. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Excludes the checks for these features. */
  readonly without?: readonly CheckPart[] | undefined;
  /** Makes `ok` false if a *should* check failed or was not observed. */
  readonly strict?: boolean | undefined;
  /** Makes `ok` false without a probe and an order. */
  readonly requireEffects?: boolean | undefined;
  /** Ids and groups, such as `dup`, allowed to be unobserved. Must not cover all checks. */
  readonly allowUnobserved?: readonly string[] | undefined;
  /** Paths to ignore in the probe output, e.g. `updated_at`. */
  readonly probeIgnore?: readonly string[] | undefined;
  /** Real time to wait for an event's effect. Defaults to 15 s. */
  readonly effectTimeoutMs?: number | undefined;
  /** Real time to wait for the receiver to start listening. Defaults to 10 s in the CLI, to 0 in tests. */
  readonly waitMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A check's result: request, response, and the likely cause of a failure. */
export interface CheckResult {
  readonly id: string;
  readonly level: CheckLevel;
  readonly verdict: CheckVerdict;
  /** Set if all requirements were met. Other checks are not counted. */
  readonly applies: boolean;
  readonly clause: string;
  readonly sent: string;
  readonly got: string;
  readonly expected: string;
  readonly likely: string;
  readonly fix: string;
  /** Reason for `unknown` or `gated`, otherwise null. */
  readonly reason: string | null;
  /** The failed check that gates this one, or null. */
  readonly gated_by: string | null;
  readonly duration_ms: number;
}
