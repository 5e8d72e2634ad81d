import { harmless } from '../../text/harmless.js';
import type { ExploreReport, Failure, Finding } from '../explore.js';
import { faultText } from '../words.js';

/** Sums up the planned runs, such as `12 points × 6 kinds of faults: 48 planned = 40 green + 3 failing (2 causes) + 4 missed + 1 not run`. */
export function sumText(report: ExploreReport): string {
  const { baseline, kinds, planned, run, failing, missed, notRun, left, findings, flaky } = report;
  const causes = findings.length + flaky.length;
  const failed =
    failing === 0 ? '0 failing' : `${failing} failing (${causes} ${causes === 1 ? 'cause' : 'causes'})`;
  const parts = [`${run - failing} green`, failed, `${missed.length} missed`, `${notRun.length} not run`];
  if (left > 0) parts.push(`${left} left`);
  const { points } = baseline;
  return `${points} ${points === 1 ? 'point' : 'points'} × ${kinds} ${kinds === 1 ? 'kind' : 'kinds'} of faults: ${planned} planned = ${parts.join(' + ')}`;
}

/** Names what the plan left out, a sentence each; `all` and `more` are the options that include it. */
export function untriedTexts(
  { untried }: Pick<ExploreReport, 'untried'>,
  { all, more }: { readonly all: string; readonly more: string },
): string[] {
  const { outageKinds, pairs } = untried;
  return [
    ...(outageKinds === 0 ? [] : [`Outages were not tried: add ${all}, ${outageKinds} kinds.`]),
    ...(pairs === 0 ? [] : [`Pairs of faults not tried: ${pairs}; add ${more}.`]),
  ];
}

/** Says that the suite is flaky where further runs without faults failed; otherwise empty. */
export function flakySuiteText({ recheck }: Pick<ExploreReport, 'recheck'>): string {
  if (recheck === null || recheck.failures.length === 0) return '';
  const { runs, failures } = recheck;
  return `Your suite is flaky: it failed in ${failures.length} of ${runs} more runs without faults.`;
}

/** A finding: its faults in words, the failure, and what happened. */
export function findingText({ faults, failure, fix, confirmed, trace, runs }: Finding): string {
  const causing = runs === 1 ? 'one failing run' : `${runs} failing runs`;
  return [
    ...faults.map((fault, index) => `${index === 0 ? 'When' : '  and'} ${faultText(fault)}`),
    ...indented(failureLines(failure)),
    `  Fix: ${fix}`,
    `  It failed again in ${confirmed.replace('/', ' of ')} runs, and it is the cause of ${causing}.`,
    '  What happened:',
    ...indented(trace, '    '),
  ].join('\n');
}

function failureLines({ name, message }: Failure): string[] {
  const lines = harmless(message).trimEnd().split('\n');
  return message === '' ? [name] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

function indented(lines: readonly string[], by = '  '): string[] {
  return lines.map((line) => `${by}${line}`);
}
