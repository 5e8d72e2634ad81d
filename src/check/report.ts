import type { ControlClient } from '../client/control.js';
import { NotReachableError, SandboxError } from '../client/control.js';
import type { CheckReportView } from '../http/control/check.js';
import type { JunitCase } from '../text/junit.js';
import { junitXml } from '../text/junit.js';
import { advice, isEffect, missingNeeds, missingOf, scopeOf } from './applicability.js';
import type { CheckEntry, CheckOptions, CheckResult, Report } from './check.js';
import type { ExitPolicy } from './judge.js';
import {
  decisiveIn,
  isComplete,
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

/** Adds the checks that do not apply, each with what it needs. */
export function addUnapplied(
  results: readonly CheckResult[],
  entries: readonly CheckEntry[],
  options: CheckOptions,
): Pick<Report, 'checks' | 'scope' | 'missing'> {
  const found = new Map(results.map((result) => [result.id, result]));
  const checks = entries.map((entry): CheckResult => {
    const reason = `Not checked: ${advice(missingNeeds(entry, options))}.`;
    const unapplied = resultOf(entry, { outcome: 'unknown', sent: '', got: '', reason });
    return found.get(entry.id) ?? { ...unapplied, applies: false };
  });
  return { checks, scope: scopeOf(options), missing: missingOf(entries, options) };
}

/** Judges a run by a policy. */
export function reportOf(run: RunFacts, policy: ExitPolicy): Report {
  return {
    ...run,
    summary: summaryOf(run.checks),
    headline: headlineOf(run, policy),
    isComplete: isComplete(run.checks),
    ok: isOk(run, policy),
  };
}

function headlineOf(run: RunFacts, policy: ExitPolicy): string {
  const { checks, isBudgetSpent } = run;
  const [effects, wire] = [true, false].map((wanted) =>
    checks.filter(({ id, applies }) => applies && isEffect(id) === wanted),
  );
  const sentences = [
    groupText('Signatures and transport', wire ?? [], policy),
    groupText('Effects', effects ?? [], policy),
    missingText(run, policy),
    allowedText(checks, policy),
    isBudgetSpent ? 'The time budget was spent.' : '',
  ].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? 'Nothing was checked.' : sentences.join(' ');
}

function groupText(name: string, checks: readonly CheckResult[], { known }: ExitPolicy): string {
  if (checks.length === 0) return '';
  const of = (verdict: CheckResult['verdict']) => checks.filter((one) => one.verdict === verdict).length;
  const excused = checks.filter((one) => isFailure(one) && known.has(one.id)).length;
  const unobserved = checks.filter(isUnobserved).map(({ id }) => id);
  const warnings = of('warn');
  const parts = [
    `${of('pass')} passed`,
    `${of('fail')} failed`,
    warnings === 0 ? '' : `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    excused === 0 ? '' : `${excused} of them known`,
    unobserved.length === 0 ? '' : `${unobserved.length} not observed: ${idsText(unobserved)}`,
  ];
  return `${name}: ${parts.filter((part) => part !== '').join(', ')}.`;
}

function idsText(ids: readonly string[]): string {
  return ids.slice(0, MOST_IDS).join(', ') + (ids.length > MOST_IDS ? ', …' : '');
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

function allowedText(checks: readonly CheckResult[], { allowed }: ExitPolicy): string {
  const used = checks.filter((one) => isUnobserved(one) && allowed.has(one.id)).map(({ id }) => id);
  return used.length === 0 ? '' : `Allowed to be unobserved: ${used.join(', ')}.`;
}

/** A result as JSON, and whether a baseline knows it. */
function resultJson(
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

/**
 * Writes a report as JUnit XML, one test case for each check. What does not decide the exit code is skipped with its reason; an
 * unobserved check that does is a failure of its own type.
 */
export function checkJunit(report: Report, policy: ExitPolicy): string {
  const { checks, durationMs, headline } = report;
  const decisive = new Set(decisiveIn(checks, policy));
  const cases = checks.map((result) => caseOf(result, decisive.has(result)));
  const message = 'Effects are required, but were not checked.';
  const scope: JunitCase = {
    name: 'scope',
    classname: 'check',
    durationMs: 0,
    failure: { message, text: headline, type: 'not-observed' },
  };
  const all = meetsRequirement(report, policy) ? cases : [...cases, scope];
  return junitXml('pix-sandbox check', all, durationMs);
}

function caseOf(result: CheckResult, isDecisive: boolean): JunitCase {
  const { id, verdict, sent, got, expected, likely, fix, link, reason, durationMs } = result;
  const own = { name: id, classname: `check.${id.split('.')[0]}`, durationMs };
  if (verdict === 'pass') return own;
  const message = reason ?? got;
  if (!isDecisive) return { ...own, skipped: `${verdict}: ${message}` };
  const facts = { sent, got, expected, likely, fix: `${fix} (${link})` };
  const text = Object.entries(facts)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  if (!isUnobserved(result)) return { ...own, failure: { message, text } };
  return { ...own, failure: { message, text: message, type: 'not-observed' } };
}

/** The longest that a sandbox may take, which has nothing to wait for. */
const MOST_MS = 2_000;

/** Leaves a report with a sandbox, whose console then shows it; false where that cannot take it. */
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
