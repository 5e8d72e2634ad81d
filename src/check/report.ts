import type { ControlClient } from '../client/control.js';
import { NotReachableError, SandboxError } from '../client/control.js';
import type { CheckReportView } from '../http/control/system.js';
import type { JunitCase } from '../text/junit.js';
import { junitXml } from '../text/junit.js';
import { advice, isEffect, missingNeeds, missingOf, scopeOf } from './catalogue.js';
import type { CheckEntry, CheckOptions, Result, Report } from './check.js';
import type { ExitPolicy } from './judge.js';
import {
  decisiveIn,
  isFailure,
  isOk,
  isUnobserved,
  linkOf,
  meetsRequirement,
  resultOf,
  summaryOf,
} from './judge.js';

/** The facts of a run, before a policy judges them. */
export type RunFacts = Omit<Report, 'summary' | 'headline' | 'isComplete' | 'ok'>;

/** Ids shown of the unobserved checks; the report lists all below. */
const MOST_IDS = 4;
/** The longest that a sandbox may take to accept a report. */
const MOST_MS = 2_000;

/** Adds the checks that do not apply, each with what it needs. */
export function addUnapplied(
  results: readonly Result[],
  entries: readonly CheckEntry[],
  options: CheckOptions,
): Pick<Report, 'checks' | 'scope' | 'missing'> {
  const checks = entries.map((entry): Result => {
    const reason = `Not checked: ${advice(missingNeeds(entry, options))}.`;
    const unapplied = { ...resultOf(entry, { outcome: 'unknown', reason }), applies: false };
    return results.find(({ id }) => id === entry.id) ?? unapplied;
  });
  return { checks, scope: scopeOf(options), missing: missingOf(entries, options) };
}

/** Judges a run by a policy. */
export function reportOf(run: RunFacts, policy: ExitPolicy): Report {
  return {
    ...run,
    summary: summaryOf(run.checks),
    headline: headlineOf(run, policy),
    isComplete: !run.checks.some((result) => result.level === 'must' && isUnobserved(result)),
    ok: isOk(run, policy),
  };
}

function headlineOf(run: RunFacts, policy: ExitPolicy): string {
  const applicable = run.checks.filter(({ applies }) => applies);
  const allowed = applicable.filter((one) => isUnobserved(one) && policy.allowed.has(one.id));
  const sentences = [
    groupText(
      'Signatures and transport',
      applicable.filter(({ id }) => !isEffect(id)),
      policy,
    ),
    groupText(
      'Effects',
      applicable.filter(({ id }) => isEffect(id)),
      policy,
    ),
    missingText(run, policy),
    allowed.length === 0 ? '' : `Allowed to be unobserved: ${allowed.map(({ id }) => id).join(', ')}.`,
    run.isBudgetSpent ? 'The time budget was spent.' : '',
  ];
  return sentences.filter(Boolean).join(' ') || 'Nothing was checked.';
}

function groupText(name: string, checks: readonly Result[], { known }: ExitPolicy): string {
  if (checks.length === 0) return '';
  const { pass, fail, warn } = summaryOf(checks);
  const excused = checks.filter((one) => isFailure(one) && known.has(one.id)).length;
  const unobserved = checks.filter(isUnobserved).map(({ id }) => id);
  const ids = unobserved.slice(0, MOST_IDS).join(', ') + (unobserved.length > MOST_IDS ? ', …' : '');
  const parts = [
    `${pass} passed`,
    `${fail} failed`,
    warn === 0 ? '' : `${warn} ${warn === 1 ? 'warning' : 'warnings'}`,
    excused === 0 ? '' : `${excused} of them known`,
    unobserved.length === 0 ? '' : `${unobserved.length} not observed: ${ids}`,
  ];
  return `${name}: ${parts.filter(Boolean).join(', ')}.`;
}

function missingText({ checks, missing, scope }: RunFacts, policy: ExitPolicy): string {
  const isRequired = !meetsRequirement({ checks, scope }, policy);
  const count = checks.filter(({ applies }) => !applies).length;
  if (isRequired && scope === 'effects') return 'Effects are required, but no check of them was chosen.';
  if (count === 0 && !isRequired) return '';
  const what = isRequired ? 'Effects are required, but were not checked' : 'Effects not checked';
  const checksText = count === 0 ? '' : ` (${count} ${count === 1 ? 'check' : 'checks'})`;
  return `${what}: ${advice(missing)}${checksText}.`;
}

/** A report as JSON; `known` are the checks of the baseline, `stale` its outdated entries. */
export function reportJson(
  report: Report,
  { known, stale }: { readonly known: ReadonlySet<string>; readonly stale: readonly string[] },
) {
  const { target, headline, scope, checks, summary, ok, isComplete, isBudgetSpent, notes, durationMs } =
    report;
  return {
    target,
    headline,
    scope,
    checks: checks.map((check) => {
      const { exchanges: _exchanges, isApplied: _isApplied, durationMs: ms, gatedBy, ...result } = check;
      return { ...result, gated_by: gatedBy, duration_ms: ms, known: known.has(check.id) };
    }),
    not_observed: checks.filter(isUnobserved).map(({ id, level, reason }) => ({ id, level, reason })),
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

/**
 * Writes a report as JUnit XML, one test case for each check. What does not decide the exit code is skipped
 * with its reason; an unobserved check that does is a failure of its own type.
 */
export function checkJunit(report: Report, policy: ExitPolicy): string {
  const { checks, durationMs, headline } = report;
  const decisive = new Set(decisiveIn(checks, policy));
  const cases = checks.map((result) => caseOf(result, decisive.has(result)));
  const message = 'Effects are required, but were not checked.';
  const failure = { message, text: headline, type: 'not-observed' };
  if (!meetsRequirement(report, policy))
    cases.push({ name: 'scope', classname: 'check', durationMs: 0, failure });
  return junitXml('pix-sandbox check', cases, durationMs);
}

function caseOf(result: Result, isDecisive: boolean): JunitCase {
  const { id, verdict, sent, got, expected, likely, fix, link, reason, durationMs } = result;
  const own = { name: id, classname: `check.${id.split('.')[0]}`, durationMs };
  if (verdict === 'pass') return own;
  const message = reason ?? got;
  if (!isDecisive) return { ...own, skipped: `${verdict}: ${message}` };
  if (isUnobserved(result)) return { ...own, failure: { message, text: message, type: 'not-observed' } };
  const facts = { sent, got, expected, likely, fix: `${fix} (${link})` };
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`);
  return { ...own, failure: { message, text: lines.join('\n') } };
}

/** Stores a report in a sandbox, whose console then shows it; false where that cannot accept it. */
export async function keepReport(control: ControlClient, report: CheckReportView): Promise<boolean> {
  const signal = AbortSignal.timeout(MOST_MS);
  try {
    await control.put('check', { body: report, signal });
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof SandboxError || error instanceof NotReachableError) return false;
    throw error;
  }
}
