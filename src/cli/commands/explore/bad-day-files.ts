import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ExploreReport } from '../../../explore/explore.js';
import { badDayJson } from '../../../explore/report/json.js';
import { usageError } from '../../program/errors.js';
import { onFile } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';

/** The text of `about` in a file of ours begins so. */
const OURS = 'Found by sandbox explore: ';
const HINT = 'Name another file with --out.';

/** Refuses a file that holds anything but faults that were found before, and one that cannot be written. */
export function checkOut({ cwd }: Pick<Io, 'cwd'>, file: string): void {
  const path = resolve(cwd, file);
  if (!onFile({ verb: 'read', name: file, hint: HINT }, () => isFree(path))) {
    throw usageError(`${file} exists, and explore did not write it; it is left as it is.`, HINT);
  }
  // Opening a file to append creates it, so one that is not there yet is tried by its folder.
  if (!existsSync(resolve(path, '..'))) throw usageError(`The folder of ${file} does not exist.`, HINT);
}

/**
 * Writes each finding to a file of its own: `bad-day.json`, `bad-day-2.json` and so on, over those of an earlier search and none else.
 * Returns their names, in the order of the findings.
 */
export function writeBadDays(
  { cwd }: Pick<Io, 'cwd'>,
  out: string,
  { seed, findings }: Pick<ExploreReport, 'seed' | 'findings'>,
): readonly string[] {
  let number = 0;
  return findings.map((finding) => {
    let file: string;
    do {
      number += 1;
      file = numbered(out, number);
    } while (!isFree(resolve(cwd, file)));
    const { about, ...others } = badDayJson(finding, seed);
    const text = `${JSON.stringify({ about: OURS + about, ...others }, null, 2)}\n`;
    onFile({ verb: 'write', name: file, hint: HINT }, () => writeFileSync(resolve(cwd, file), text));
    return file;
  });
}

function numbered(file: string, number: number): string {
  if (number === 1) return file;
  const [, stem = file, ending = ''] = /^(.*[^/\\])(\.[^./\\]+)$/.exec(file) ?? [];
  return `${stem}-${number}${ending}`;
}

/** Whether nothing is lost when the file is written. */
function isFree(path: string): boolean {
  if (!existsSync(path)) return true;
  try {
    const { about } = JSON.parse(readFileSync(path, 'utf8')) as { readonly about?: unknown };
    return typeof about === 'string' && about.startsWith(OURS);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return false;
    throw error;
  }
}
