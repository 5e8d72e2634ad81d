import type { CheckEntry, CheckResult, Report } from '../check.js';
import { linkOf } from '../judge.js';

/** A result as JSON, and whether a baseline knows it. */
export function resultJson(
  { exchanges: _exchanges, durationMs, ...result }: CheckResult,
  known: ReadonlySet<string> = new Set(),
) {
  return { ...result, duration_ms: durationMs, known: known.has(result.id) };
}

/** A report as JSON; `known` are the failures of the baseline, `stale` its entries that are wrong. */
export function reportJson(
  report: Report,
  { known, stale }: { readonly known: ReadonlySet<string>; readonly stale: readonly string[] },
) {
  const { target, checks, summary, ok, isBudgetSpent, notes, durationMs } = report;
  return {
    target,
    checks: checks.map((result) => resultJson(result, known)),
    summary,
    ok,
    budget_spent: isBudgetSpent,
    notes: [...notes, ...stale],
    duration_ms: durationMs,
  };
}

/** An entry of the catalogue as JSON. */
export function entryJson({ id, level, clause, sends, passes, likely, fix, about, needs = [] }: CheckEntry) {
  return { id, level, clause, link: linkOf(clause), sends, passes, likely, fix, about, needs };
}
