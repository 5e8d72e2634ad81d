import { CHECK_CATALOG } from '../../../src/check/catalog.js';
import type { CheckItem, CheckReport, CheckFinding } from '../../../src/check/check.js';
import type { ExitPolicy } from '../../../src/check/judge.js';
import { resolveExitPolicy, toCheckResult } from '../../../src/check/judge.js';
import type { CheckRunFacts } from '../../../src/check/report.js';
import { createReport } from '../../../src/check/report.js';

/** A result of a check with these texts. */
export function resultWith(
  id: string,
  outcome: CheckFinding['outcome'],
  texts: Partial<CheckFinding> = {},
): CheckItem {
  const entry = CHECK_CATALOG.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`There is no check ${id}.`);
  return toCheckResult(entry, { outcome, sent: 'an event', got: '200', ...texts }, { durationMs: 12 });
}

/** Returns a report of a run with the results. */
export function reportWith(
  checks: readonly CheckItem[],
  more: Partial<CheckRunFacts> = {},
  policy: ExitPolicy = resolveExitPolicy({}),
): CheckReport {
  const run: CheckRunFacts = {
    target: 'http://localhost:3000/webhooks',
    checks,
    scope: 'effects',
    missing: [],
    isResponding: true,
    isBudgetSpent: false,
    notes: [],
    durationMs: 1_234,
    ...more,
  };
  return createReport(run, policy);
}
