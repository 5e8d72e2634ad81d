import { CATALOGUE } from '../../../src/check/catalogue.js';
import type { Result, Report, CheckFinding } from '../../../src/check/check.js';
import type { ExitPolicy } from '../../../src/check/judge.js';
import { resolveExitPolicy, toResult } from '../../../src/check/judge.js';
import type { RunFacts } from '../../../src/check/report.js';
import { createReport } from '../../../src/check/report.js';

/** A result of a check with these texts. */
export function resultWith(
  id: string,
  outcome: CheckFinding['outcome'],
  texts: Partial<CheckFinding> = {},
): Result {
  const entry = CATALOGUE.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`There is no check ${id}.`);
  return toResult(entry, { outcome, sent: 'an event', got: '200', ...texts }, { durationMs: 12 });
}

/** Returns a report of a run with the results. */
export function reportWith(
  checks: readonly Result[],
  more: Partial<RunFacts> = {},
  policy: ExitPolicy = resolveExitPolicy({}),
): Report {
  const run: RunFacts = {
    target: 'http://localhost:3000/webhooks',
    checks,
    scope: 'effects',
    missing: [],
    isAnswering: true,
    isBudgetSpent: false,
    notes: [],
    durationMs: 1_234,
    ...more,
  };
  return createReport(run, policy);
}
