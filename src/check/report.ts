import type { ControlClient } from '../client/control.js';
import { NotReachableError, SandboxError } from '../client/control.js';
import type { CheckReportView } from '../http/control/system.js';
import { createHtmlPage } from '../text/html-page.js';
import { escapeXml, type JunitCase, createJunitXml } from '../text/junit.js';
import {
  describeMissingRequirements,
  isEffectCheck,
  findMissingRequirements,
  collectMissingRequirements,
  MANUAL_REVIEW,
  resolveScope,
} from './catalog.js';
import type { CheckEntry, CheckOptions, CheckReport, CheckItem } from './check.js';
import {
  filterDecisive,
  type ExitPolicy,
  filterFailures,
  isFailure,
  hasPassed,
  isUnobserved,
  getContractLink,
  meetsRequirement,
  describeExpectation,
  toCheckResult,
  summarize,
  getTone,
} from './judge.js';
import { createTimeout } from '../delivery/abort.js';

/** Results of a run before the exit policy is applied. */
export type CheckRunFacts = Omit<CheckReport, 'summary' | 'headline' | 'isComplete' | 'ok'>;

const MOST_IDS = 4;
const MOST_MS = 2_000;

export function addNotApplicable(
  results: readonly CheckItem[],
  entries: readonly CheckEntry[],
  options: CheckOptions,
): Pick<CheckReport, 'checks' | 'scope' | 'missing'> {
  const checks = entries.map((entry): CheckItem => {
    const reason = `Not checked: ${describeMissingRequirements(findMissingRequirements(entry, options))}.`;
    const unapplied = { ...toCheckResult(entry, { outcome: 'unknown', reason }), applies: false };
    return results.find(({ id }) => id === entry.id) ?? unapplied;
  });
  return { checks, scope: resolveScope(options), missing: collectMissingRequirements(entries, options) };
}

export function createReport(run: CheckRunFacts, policy: ExitPolicy): CheckReport {
  return {
    ...run,
    // A report judged again by another policy already has a note.
    notes: [...run.notes.filter((note) => !note.startsWith(UNOBSERVED)), ...unobservedNote(run, policy)],
    summary: summarize(run.checks),
    headline: headlineOf(run, policy),
    isComplete: !run.checks.some((result) => result.level === 'must' && isUnobserved(result)),
    ok: hasPassed(run, policy),
  };
}

const UNOBSERVED = 'The exit code is 1 only because of unobserved checks.';

/** Explains a run that fails only because of unobserved checks. */
function unobservedNote(run: CheckRunFacts, policy: ExitPolicy): string[] {
  const decisive = filterDecisive(run.checks, policy);
  const hasOtherCause = !run.isResponding || run.isBudgetSpent || !meetsRequirement(run, policy);
  if (hasOtherCause || decisive.length === 0 || !decisive.every(isUnobserved)) return [];
  const ids = decisive.map(({ id }) => id).join(',');
  // With many unobserved checks, the probe or the order command is the problem.
  const advice = decisive.length > MOST_IDS ? '' : ` To accept them: --allow-unobserved ${ids}.`;
  return [UNOBSERVED + advice];
}

function headlineOf(run: CheckRunFacts, policy: ExitPolicy): string {
  const applicable = run.checks.filter(({ applies }) => applies);
  const allowed = applicable.filter((one) => isUnobserved(one) && policy.allowed.has(one.id));
  const ofEffects = (areEffects: boolean) => applicable.filter(({ id }) => isEffectCheck(id) === areEffects);
  const sentences = [
    groupText('Signatures and transport', ofEffects(false), policy),
    groupText('Effects', ofEffects(true), policy),
    missingText(run, policy),
    allowed.length === 0 ? '' : `Allowed to be unobserved: ${allowed.map(({ id }) => id).join(', ')}.`,
    run.isBudgetSpent ? 'The time budget ran out.' : '',
  ];
  return sentences.filter(Boolean).join(' ') || 'Nothing was checked.';
}

function groupText(name: string, checks: readonly CheckItem[], { known }: ExitPolicy): string {
  if (checks.length === 0) return '';
  const { pass, fail, warn } = summarize(checks);
  const excused = checks.filter((one) => isFailure(one) && known.has(one.id)).length;
  const parts = [
    `${pass} passed`,
    `${fail} failed`,
    warn === 0 ? '' : `${warn} ${warn === 1 ? 'warning' : 'warnings'}`,
    excused === 0 ? '' : `${excused} of them known`,
    namedText('not observed', withVerdict(checks, 'unknown')),
    namedText('gated', withVerdict(checks, 'gated')),
  ];
  return `${name}: ${parts.filter(Boolean).join(', ')}.`;
}

function withVerdict(checks: readonly CheckItem[], wanted: CheckItem['verdict']): CheckItem[] {
  return checks.filter(({ applies, verdict }) => applies && verdict === wanted);
}

/** Returns the number of checks and the first ids, or an empty string for no checks. */
function namedText(what: string, checks: readonly CheckItem[]): string {
  const more = checks.length > MOST_IDS ? ', …' : '';
  const ids = checks.slice(0, MOST_IDS).map(({ id }) => id);
  return ids.length === 0 ? '' : `${checks.length} ${what}: ${ids.join(', ')}${more}`;
}

function missingText({ checks, missing, scope }: CheckRunFacts, policy: ExitPolicy): string {
  const isRequired = !meetsRequirement({ checks, scope }, policy);
  const count = checks.filter(({ applies }) => !applies).length;
  if (isRequired && scope === 'effects') return 'Effects are required, but no effect check was selected.';
  if (count === 0 && !isRequired) return '';
  const what = isRequired ? 'Effects are required, but were not checked' : 'Effects not checked';
  const checksText = count === 0 ? '' : ` (${count} ${count === 1 ? 'check' : 'checks'})`;
  return `${what}: ${describeMissingRequirements(missing)}${checksText}.`;
}

/** Converts a report to JSON. `known` lists the baseline's checks, and `stale` describes outdated entries. */
export function toReportJson(
  report: CheckReport,
  { known, stale }: { readonly known: ReadonlySet<string>; readonly stale: readonly string[] },
) {
  const { checks, isComplete, isBudgetSpent, notes, durationMs } = report;
  const { target, headline, scope, summary, ok } = report;
  return {
    target,
    headline,
    scope,
    checks: checks.map(
      ({ exchanges: _exchanges, isApplied: _isApplied, durationMs: ms, gatedBy, ...result }) =>
        Object.assign(result, { gated_by: gatedBy, duration_ms: ms, known: known.has(result.id) }),
    ),
    not_observed: checks.filter(isUnobserved).map(({ id, level, reason }) => ({ id, level, reason })),
    summary,
    ok,
    complete: isComplete,
    budget_spent: isBudgetSpent,
    notes: [...notes, ...stale],
    duration_ms: durationMs,
  };
}

export function toEntryJson(entry: CheckEntry) {
  const { id, level, clause, sends, likely, fix, needs = [] } = entry;
  return {
    id,
    level,
    clause,
    link: getContractLink(clause),
    sends,
    passes: describeExpectation(entry),
    likely,
    fix,
    needs,
  };
}

/** Creates JUnit XML with one test case per check. Only checks that decide the exit code are failures. */
export function checkJunit(report: CheckReport, policy: ExitPolicy): string {
  const { checks, durationMs, headline } = report;
  const decisive = new Set(filterDecisive(checks, policy));
  const cases = checks.map((result) => caseOf(result, decisive.has(result)));
  const message = 'Effects are required, but were not checked.';
  const failure = { message, text: headline, type: 'not-observed' };
  if (!meetsRequirement(report, policy))
    cases.push({ name: 'scope', classname: 'check', durationMs: 0, failure });
  return createJunitXml('pix-sandbox check', cases, durationMs);
}

function caseOf(result: CheckItem, isDecisive: boolean): JunitCase {
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

/** Stores a report for the sandbox's console. Returns false if the sandbox does not accept the report. */
export async function storeReport(control: ControlClient, report: CheckReportView): Promise<boolean> {
  const signal = createTimeout(MOST_MS);
  try {
    await control.put('check', { body: report, signal });
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof SandboxError || error instanceof NotReachableError) return false;
    throw error;
  }
}

const STYLE = `
summary { display: grid; grid-template-columns: 5.5rem 14rem 1fr; gap: .5rem; }
.warn { color: light-dark(#8a5a00, #ffc14d); }
.unknown, .gated { color: light-dark(#666, #aaa); }
@media (max-width: 40rem) { summary { grid-template-columns: 1fr; gap: 0; } }
`;

/** Creates a self-contained HTML report. `date` is shown unchanged. */
export function checkHtml(report: CheckReport, date: string): string {
  const { target, headline, notes } = report;
  const paragraphs = [...notes, `Verify manually that ${MANUAL_REVIEW}.`, date].map(
    (text) => `<p>${escapeXml(text)}</p>`,
  );
  const verdict = `<p class="${getTone(report)}">${escapeXml(headline)}</p>`;
  const content = [verdict, ...sectionsOf(report), ...paragraphs].join('\n');
  return createHtmlPage(`Webhook check of ${target}`, STYLE, content);
}

function sectionsOf({ checks }: CheckReport): string[] {
  const sections: readonly (readonly [string, readonly CheckItem[]])[] = [
    ['Failures', filterFailures(checks)],
    ['Not observed', withVerdict(checks, 'unknown')],
    ['Gated', withVerdict(checks, 'gated')],
    ['Passed', checks.filter(({ verdict }) => verdict === 'pass')],
    ['Not checked', checks.filter(({ applies }) => !applies)],
  ];
  return sections
    .filter(([, results]) => results.length > 0)
    .map(([title, results]) => `<h2>${title}</h2>\n${results.map(detailsOf).join('\n')}`);
}

function detailsOf(result: CheckItem): string {
  const { id, level, verdict, clause, link, sent, got, expected, likely, fix, reason, durationMs } = result;
  const failed = verdict === 'fail' || verdict === 'warn';
  const facts: readonly (readonly [string, string | null])[] = [
    ['reason', reason],
    ['level', level],
    ['sent', sent],
    ['got', got],
    ['expected', expected],
    ['likely', failed ? likely : null],
    ['fix', failed ? fix : null],
    ['reference', link],
    ['duration', `${durationMs} ms`],
  ];
  const list = facts
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `<dt>${name}</dt><dd>${escapeXml(value ?? '')}</dd>`);
  const head =
    '<span ' +
    `class="${verdict}">${verdict}</span><b>${escapeXml(id)}</b><span>${escapeXml(expected)} ` +
    `(${escapeXml(clause)})</span>`;
  return `<details${failed ? ' open' : ''}><summary>${head}</summary><dl>${list.join('')}</dl></details>`;
}
