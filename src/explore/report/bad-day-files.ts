import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ExploreReport } from '../explore.js';
import { badDayJson, OURS } from './json.js';

/** Why bad days cannot be written to a file without losing anything, as a sentence; undefined where they can. Throws system errors. */
export function problemOfOut(cwd: string, file: string): string | undefined {
  const path = resolve(cwd, file);
  if (!isFree(path)) return `${file} exists, and explore did not write it; it is left as it is.`;
  // Opening a file to append creates it, so one that is not there yet is tried by its folder.
  return existsSync(resolve(path, '..')) ? undefined : `The folder of ${file} does not exist.`;
}

/**
 * Writes each finding to a file of its own: `bad-day.json`, `bad-day-2.json` and so on, over those of an earlier search and none else.
 * Returns their names, in the order of the findings. Throws system errors.
 */
export function writeBadDays(
  cwd: string,
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
    writeFileSync(resolve(cwd, file), `${JSON.stringify(badDayJson(finding, seed), null, 2)}\n`);
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
