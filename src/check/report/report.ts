import { advice, isEffect, missingNeeds, missingOf, scopeOf } from '../applicability.js';
import type { CheckEntry, CheckOptions, CheckResult, Report } from '../check.js';
import type { ExitPolicy } from '../judge.js';
import {
  isComplete,
  isFailure,
  isOk,
  isUnobserved,
  meetsRequirement,
  resultOf,
  summaryOf,
} from '../judge.js';

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
