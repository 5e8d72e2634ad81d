import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../directories.js';
import { escapeControlCharacters } from '../text/control-characters.js';
import { type JunitCase, createJunitXml } from '../text/junit.js';
import type { ExploreReport, RunFailure, PlannedFault, ExploreFinding } from './explore.js';
import { formatFault, getKindName } from './kinds.js';

/** Summarizes the planned runs: `12 points × 6 kinds of faults: 48 planned = 40 green + 3 failing …`. */
export function formatSummary(report: ExploreReport): string {
  const { baseline, kinds, planned, run, failing, missed, notRun, left, findings, flaky } = report;
  const causes = findings.length + flaky.length;
  const failed =
    failing === 0 ? '0 failing' : `${failing} failing (${causes} ${causes === 1 ? 'cause' : 'causes'})`;
  const parts = [`${run - failing} green`, failed, `${missed.length} missed`, `${notRun.length} not run`];
  if (left > 0) parts.push(`${left} left`);
  const { points } = baseline;
  return (
    `${points} ${points === 1 ? 'point' : 'points'} × ${kinds} ` +
    `${kinds === 1 ? 'kind' : 'kinds'} of faults: ${planned} planned = ${parts.join(' + ')}`
  );
}

/** Describes untried faults. `all` and `more` name the options that add outages and pairs. */
export function formatUntried(
  { untried }: Pick<ExploreReport, 'untried'>,
  { all, more }: { readonly all: string; readonly more: string },
): string[] {
  const { outageKinds, pairs } = untried;
  return [
    ...(outageKinds === 0 ? [] : [`Outages not tried: ${outageKinds} kinds; add ${all}.`]),
    ...(pairs === 0 ? [] : [`Pairs of faults not tried: ${pairs}; add ${more}.`]),
  ];
}

/** Reports a flaky suite if additional fault-free runs failed; otherwise returns an empty string. */
export function formatFlakySuite({ recheck }: Pick<ExploreReport, 'recheck'>): string {
  if (recheck === null || recheck.failures.length === 0) return '';
  const { runs, failures } = recheck;
  return `Your suite is flaky: it failed in ${failures.length} of ${runs} additional runs without faults.`;
}

/** Formats a finding with its faults, failure and trace. */
export function formatFinding({ faults, failure, fix, confirmed, trace, runs }: ExploreFinding): string {
  const causing = runs === 1 ? 'one failing run' : `${runs} failing runs`;
  return [
    ...faults.map((fault, index) => `${index === 0 ? 'When' : '  and'} ${formatFault(fault)}`),
    ...indented(failureLines(failure)),
    `  Fix: ${fix}`,
    `  Reproduced in ${confirmed.replace('/', ' of ')} runs; causes ${causing}.`,
    '  What happened:',
    ...indented(trace, '    '),
  ].join('\n');
}

function failureLines({ name, message }: RunFailure): string[] {
  const lines = escapeControlCharacters(message).trimEnd().split('\n');
  return message === '' ? [name] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

function indented(lines: readonly string[], by = '  '): string[] {
  return lines.map((line) => `${by}${line}`);
}

/** A finding's fault file, and the command or code that reproduces the finding. */
export interface Reproduction {
  readonly file: string | null;
  readonly repeat: string;
}

/** Converts a report to JSON. `repeats` has the same order as the findings. */
export function toExploreJson(report: ExploreReport, repeats: readonly Reproduction[]) {
  const {
    kinds: _kinds,
    findings,
    flaky,
    missed,
    notRun,
    untried,
    isBudgetSpent,
    durationMs,
    ...rest
  } = report;
  return {
    ...rest,
    missed,
    not_run: notRun,
    findings: findings.map((finding, index) =>
      Object.assign(findingJson(finding), repeats[index] ?? NO_REPEAT),
    ),
    flaky: flaky.map(findingJson),
    untried: { outage_kinds: untried.outageKinds, pairs: untried.pairs },
    budget_spent: isBudgetSpent,
    duration_ms: durationMs,
  };
}

const NO_REPEAT: Reproduction = { file: null, repeat: '' };

function findingJson({ faults, class: faultClass, failure, fix, confirmed, trace, runs }: ExploreFinding) {
  return { faults, words: faults.map(formatFault), class: faultClass, failure, fix, confirmed, runs, trace };
}

/** Returns the content of a fault file for `--faults`. */
export function toFaultFileJson({ faults, failure }: ExploreFinding, seed: string) {
  return {
    about: `Found by sandbox explore: ${faults.map(formatFault).join('; ')}: ${failure.name}`,
    seed,
    faults,
  };
}

/** Creates JUnit XML with test cases for the summary and findings. Other runs are skipped, with a reason. */
export function toExploreJunit(report: ExploreReport): string {
  const { findings, flaky, missed, notRun, durationMs } = report;
  const cases: JunitCase[] = [
    { name: formatSummary(report), classname: 'explore', durationMs },
    ...findings.map((finding) =>
      caseOf(finding.faults, { failure: { message: finding.failure.name, text: formatFinding(finding) } }),
    ),
    ...flaky.map(({ faults, confirmed, failure }) =>
      caseOf(faults, { skipped: `flaky ${confirmed}: ${failure.name}` }),
    ),
    ...missed.map(({ faults, fired }) =>
      caseOf(faults, { skipped: `missed: fired ${fired.join(', ')} times instead of once` }),
    ),
    ...notRun.map(({ faults, reason }) => caseOf(faults, { skipped: `not run: ${reason}` })),
  ];
  return createJunitXml('pix-sandbox explore', cases, durationMs);
}

function caseOf(faults: readonly PlannedFault[], outcome: Pick<JunitCase, 'failure' | 'skipped'>): JunitCase {
  return {
    name: faults.map(formatFault).join(' and '),
    classname: `explore.${faults.map(getKindName).join('+')}`,
    durationMs: 0,
    ...outcome,
  };
}

/** Parent directory of all results, ignored by git. */
const PARENT = join('.sandbox', 'explore');
const IGNORE_ALL = '*\n';
const REPORT = 'report.json';

export class ResultsError extends Error {}

interface ResultsPlace {
  readonly cwd: string;
  /** A missing or empty directory. Defaults to a new directory named after the time and seed. */
  readonly out?: string | undefined;
  readonly seed: string;
  readonly now: number;
}

/** Creates a results directory and returns its name. Throws ResultsError or a system error. */
export function createResultsDirectory({ cwd, out, seed, now }: ResultsPlace): string {
  if (out !== undefined) {
    const path = resolve(cwd, out);
    const isFree = !existsSync(path) || (statSync(path).isDirectory() && readdirSync(path).length === 0);
    if (!isFree) throw new ResultsError(`${out} exists and is not an empty directory.`);
    makeDirectory(path);
    return out;
  }
  makeDirectory(resolve(cwd, PARENT));
  const ignore = resolve(cwd, PARENT, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, IGNORE_ALL);
  const second = new Date(now).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replaceAll(':', '-');
  const name = join(PARENT, `${second}-${seed.replaceAll(/[^\w.-]/g, '_').slice(0, LONGEST_SEED)}`);
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name}-${number}`;
    if (isCreated(resolve(cwd, numbered))) return numbered;
  }
}

const LONGEST_SEED = 60;

function isCreated(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

export function removeResultsDirectory(cwd: string, directory: string): void {
  try {
    rmdirSync(resolve(cwd, directory));
  } catch {
    // The directory contains results or no longer exists.
  }
}

export function listFaultFiles(directory: string, { findings }: Pick<ExploreReport, 'findings'>): string[] {
  return findings.map((_, index) => join(directory, `faults-${index + 1}.json`));
}

/** Writes a fault file per finding and the report as JSON. Throws system errors. */
export function writeResults(
  cwd: string,
  directory: string,
  { findings, seed }: Pick<ExploreReport, 'findings' | 'seed'>,
  json: object,
): void {
  const write = (name: string, value: object) =>
    writeFileSync(resolve(cwd, name), `${JSON.stringify(value, null, 2)}\n`);
  const names = listFaultFiles(directory, { findings });
  for (const [index, finding] of findings.entries())
    write(names[index] ?? '', toFaultFileJson(finding, seed));
  write(join(directory, REPORT), json);
}
