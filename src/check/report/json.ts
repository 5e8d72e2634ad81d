import type { CheckEntry, CheckResult, Report } from '../check.js';
import { isUnobserved, linkOf } from '../judge.js';

/** A result as JSON, and whether a baseline knows it. */
export function resultJson(
  { exchanges: _exchanges, isApplied: _isApplied, durationMs, gatedBy, ...result }: CheckResult,
  known: ReadonlySet<string> = new Set(),
) {
  return { ...result, gated_by: gatedBy, duration_ms: durationMs, known: known.has(result.id) };
}

/** A report as JSON; `known` are the checks of the baseline, `stale` its outdated entries. */
export function reportJson(
  report: Report,
  { known, stale }: { readonly known: ReadonlySet<string>; readonly stale: readonly string[] },
) {
  const { target, headline, scope, checks, summary, ok, isComplete, isBudgetSpent, notes, durationMs } =
    report;
  const unobserved = checks.filter(isUnobserved);
  return {
    target,
    headline,
    scope,
    checks: checks.map((result) => resultJson(result, known)),
    not_observed: unobserved.map(({ id, level, reason }) => ({ id, level, reason })),
    summary,
    ok,
    complete: isComplete,
    budget_spent: isBudgetSpent,
    notes: [...notes, ...stale],
    duration_ms: durationMs,
  };
}

/** An entry of the catalogue as JSON. */
export function entryJson({ id, level, clause, sends, passes, likely, fix, about, needs = [] }: CheckEntry) {
  return { id, level, clause, link: linkOf(clause), sends, passes, likely, fix, about, needs };
}
