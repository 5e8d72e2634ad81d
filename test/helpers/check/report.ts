import { CATALOGUE } from '../../../src/check/catalogue/catalogue.js';
import type { CheckResult, Report, Verdict } from '../../../src/check/check.js';
import type { Finding } from '../../../src/check/judge.js';
import { resultOf, summaryOf } from '../../../src/check/judge.js';

/** A result of a check with these texts. */
export function resultWith(
  id: string,
  outcome: Finding['outcome'],
  texts: Partial<Finding> = {},
): CheckResult {
  const entry = CATALOGUE.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`There is no check ${id}.`);
  return resultOf(entry, { outcome, sent: 'an event', got: '200', ...texts }, { durationMs: 12 });
}

/** A report with the results. */
export function reportWith(checks: readonly CheckResult[], more: Partial<Report> = {}): Report {
  const summary: Readonly<Record<Verdict, number>> = summaryOf(checks);
  return {
    target: 'http://localhost:3000/webhooks',
    checks,
    summary,
    ok: false,
    isAnswering: true,
    isBudgetSpent: false,
    notes: [],
    durationMs: 1_234,
    ...more,
  };
}
