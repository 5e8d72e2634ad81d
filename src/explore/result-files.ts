import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../folders.js';
import type { ExploreReport } from './explore.js';
import { faultFileJson } from './report.js';

/** Holds a directory for each search, ignored by git. */
const PARENT = join('.sandbox', 'explore');
const IGNORE_ALL = '*\n';
const REPORT = 'report.json';

/** The directory of `out` cannot take results. */
export class ResultsError extends Error {}

interface ResultsPlace {
  readonly cwd: string;
  /** A directory that does not exist or is empty; by default a new one, named after time and seed. */
  readonly out?: string | undefined;
  readonly seed: string;
  /** Real time in milliseconds. */
  readonly now: number;
}

/** Creates the directory of a search's results and returns its name. Throws ResultsError, or a system error. */
export function createResultsDirectory({ cwd, out, seed, now }: ResultsPlace): string {
  if (out !== undefined) {
    const path = resolve(cwd, out);
    const isFree = !existsSync(path) || (statSync(path).isDirectory() && readdirSync(path).length === 0);
    if (!isFree) throw new ResultsError(`${out} exists and is not an empty directory.`);
    makeFolder(path);
    return out;
  }
  makeFolder(resolve(cwd, PARENT));
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

/** Removes the directory of a search that ended without results. */
export function removeResultsDirectory(cwd: string, directory: string): void {
  try {
    rmdirSync(resolve(cwd, directory));
  } catch {
    // It holds results, or has been removed.
  }
}

/** The files for the faults of findings, in their order. */
export function faultFileNames(directory: string, { findings }: Pick<ExploreReport, 'findings'>): string[] {
  return findings.map((_, index) => join(directory, `faults-${index + 1}.json`));
}

/** Writes a file of faults for each finding, and the report as JSON. Throws system errors. */
export function writeResults(
  cwd: string,
  directory: string,
  { findings, seed }: Pick<ExploreReport, 'findings' | 'seed'>,
  json: object,
): void {
  const write = (name: string, value: object) =>
    writeFileSync(resolve(cwd, name), `${JSON.stringify(value, null, 2)}\n`);
  const names = faultFileNames(directory, { findings });
  for (const [index, finding] of findings.entries()) write(names[index] ?? '', faultFileJson(finding, seed));
  write(join(directory, REPORT), json);
}
