import { harmless } from '../text/harmless.js';
import { allowedIds, isEffect } from './applicability.js';
import { causeOf } from './causes.js';
import type {
  CheckEntry,
  CheckOptions,
  CheckResult,
  Exchange,
  Level,
  Report,
  Summary,
  Verdict,
} from './check.js';

/** What a plan found. */
export interface Finding {
  readonly outcome: 'holds' | 'fails' | 'unknown' | 'gated';
  readonly sent: string;
  readonly got: string;
  readonly reason?: string | undefined;
  /** The failed check that gates it. */
  readonly gatedBy?: string | undefined;
  /** Its cause and fix, where they were found out; by default the catalogue's. */
  readonly likely?: string | undefined;
  readonly fix?: string | undefined;
  /** Whether a forgery changed the order; undefined without a probe that shows it. */
  readonly isApplied?: boolean | undefined;
  /** It failed by a crash, which has another cause than the catalogue's likely one. */
  readonly hasCrashed?: boolean | undefined;
}

const LONGEST_SHOWN = 100;
const CONTRACT = 'INTERFACE.md';
const LINKS: Readonly<Record<string, string>> = {
  'Standard Webhooks':
    'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  'RFC 9110 §9.3.1': 'https://www.rfc-editor.org/rfc/rfc9110#section-9.3.1',
  'RFC 9112 §7.1': 'https://www.rfc-editor.org/rfc/rfc9112#section-7.1',
};

/** Foreign text on one line, cut. */
export function oneLineOf(text: string): string {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN - 1)}…` : line;
}

/** Where a clause can be read: a section of the contract, or an address. */
export function linkOf(clause: string): string {
  return LINKS[clause] ?? `${CONTRACT} ${clause}`;
}

function verdictOf({ level }: CheckEntry, { outcome }: Finding): Verdict {
  if (outcome === 'holds') return 'pass';
  if (outcome === 'fails') return level === 'must' ? 'fail' : 'warn';
  return outcome;
}

/** The result of a check. */
export function resultOf(
  entry: CheckEntry,
  finding: Finding,
  { exchanges = [], durationMs = 0 }: { exchanges?: readonly Exchange[]; durationMs?: number } = {},
): CheckResult {
  const { id, level, clause, passes } = entry;
  const { sent, got, reason = null, gatedBy = null, isApplied } = finding;
  const { likely, fix } = causeOf(entry, finding, exchanges) ?? entry;
  const verdict = verdictOf(entry, finding);
  const texts = { sent, got, expected: passes, likely, fix, reason };
  const link = linkOf(clause);
  const facts = { gatedBy, durationMs, exchanges, isApplied };
  return { id, level, verdict, applies: true, clause, link, ...texts, ...facts };
}

export function isFailure({ verdict }: Pick<CheckResult, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

/** Returns the failures: an order that is never paid first, then each *must*, then each *should*. */
export function failuresIn<Result extends Pick<CheckResult, 'id' | 'verdict'>>(
  checks: readonly Result[],
): Result[] {
  const rank = ({ id, verdict }: Result) => (id === 'effect.paid' ? 0 : verdict === 'fail' ? 1 : 2);
  return checks.filter(isFailure).toSorted((one, other) => rank(one) - rank(other));
}

/** Returns whether an applicable check ended without an observation. */
export function isUnobserved({ applies, verdict }: Pick<CheckResult, 'applies' | 'verdict'>): boolean {
  return applies && (verdict === 'unknown' || verdict === 'gated');
}

/** Counts the verdicts of the applicable checks. */
export function summaryOf(results: readonly Pick<CheckResult, 'applies' | 'verdict'>[]): Summary {
  const summary = { pass: 0, fail: 0, warn: 0, unknown: 0, gated: 0 };
  for (const { verdict } of results.filter(({ applies }) => applies)) summary[verdict] += 1;
  return summary;
}

/** Decides which results make a run fail. */
export interface ExitPolicy {
  /** A *should* counts like a *must*. */
  readonly isStrict: boolean;
  readonly requiresEffects: boolean;
  /** Checks in the baseline, whether failed or not observed. */
  readonly known: ReadonlySet<string>;
  /** Checks that need not be observed. */
  readonly allowed: ReadonlySet<string>;
}

type PolicyOptions = Pick<CheckOptions, 'strict' | 'requireEffects' | 'allowUnobserved'>;

/** Reads the policy of a run. Throws TypeError for ids that may not be allowed. */
export function policyOf(
  { strict = false, requireEffects = false, allowUnobserved = [] }: PolicyOptions,
  known: ReadonlySet<string> = new Set(),
): ExitPolicy {
  return { isStrict: strict, requiresEffects: requireEffects, known, allowed: allowedIds(allowUnobserved) };
}

/**
 * Returns the results that make a run fail: what failed or was not observed, unless the policy excuses it. A gated check is
 * covered by the failure that gates it, if that counts or is in the baseline.
 */
export function decisiveIn(checks: readonly CheckResult[], policy: ExitPolicy): CheckResult[] {
  const counts = ({ level }: { readonly level: Level }) => level === 'must' || policy.isStrict;
  const isCovered = (result: CheckResult) => {
    const cause = gateOf(result, checks);
    return cause !== undefined && isFailure(cause) && (counts(cause) || policy.known.has(cause.id));
  };
  return checks.filter((result) => {
    if (policy.known.has(result.id) || !counts(result)) return false;
    if (isFailure(result)) return true;
    return isUnobserved(result) && !policy.allowed.has(result.id) && !isCovered(result);
  });
}

/** Follows a gated check to the failure that gates it. */
function gateOf(result: CheckResult, checks: readonly CheckResult[]): CheckResult | undefined {
  const passed = new Set<string>();
  let cause: CheckResult | undefined = result;
  while (cause?.verdict === 'gated' && !passed.has(cause.id)) {
    passed.add(cause.id);
    const { gatedBy }: CheckResult = cause;
    cause = checks.find(({ id }) => id === gatedBy);
  }
  return cause;
}

/** Returns whether effects were checked as far as the policy requires them. */
export function meetsRequirement({ scope, checks }: Pick<Report, 'scope' | 'checks'>, policy: ExitPolicy) {
  return (
    !policy.requiresEffects ||
    (scope === 'effects' && checks.some(({ id, applies }) => applies && isEffect(id)))
  );
}

/** Returns whether every applicable *must* was observed. */
export function isComplete(checks: readonly CheckResult[]): boolean {
  return !checks.some((result) => result.level === 'must' && isUnobserved(result));
}

/** Returns whether a run succeeds; one without an applicable check does not. */
export function isOk(
  report: Pick<Report, 'checks' | 'scope' | 'isAnswering' | 'isBudgetSpent'>,
  policy: ExitPolicy,
): boolean {
  const { checks, isAnswering, isBudgetSpent } = report;
  return (
    isAnswering &&
    !isBudgetSpent &&
    checks.some(({ applies }) => applies) &&
    meetsRequirement(report, policy) &&
    decisiveIn(checks, policy).length === 0
  );
}

/** Returns how a report is shown: `pass` only where every chosen check was made and passed. */
export function toneOf({ ok, checks }: Pick<Report, 'ok' | 'checks'>): 'pass' | 'warn' | 'fail' {
  if (!ok) return 'fail';
  return checks.every(({ verdict }) => verdict === 'pass') ? 'pass' : 'warn';
}
