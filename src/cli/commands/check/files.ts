import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Baseline } from '../../../check/judge.js';
import { BASELINE } from '../../../check/judge.js';
import { readJsonText } from '../../../schema/json-text.js';
import { pathText, placed } from '../../../schema/place.js';
import { mistakesIn } from '../../../schema/sentences.js';
import { usageError } from '../../program/errors.js';
import { onFile } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';

/** The baseline in a file. Throws a usage error that names the first mistake. */
export function readBaseline({ cwd }: Pick<Io, 'cwd'>, file: string): Baseline {
  const text = onFile({ verb: 'read', name: file, hint: '--write-baseline writes one.' }, () =>
    readFileSync(resolve(cwd, file), 'utf8'),
  );
  const json = readJsonText(text.replace(/^\ufeff/, ''));
  if (!json.isJson) throw usageError(`${file}:${json.place.line}:${json.place.column} ${json.problem}.`);
  const [mistake] = placed(mistakesIn(BASELINE, json.value), json.placeOf);
  if (mistake === undefined) return json.value as Baseline;
  const { line, column, path, message } = mistake;
  throw usageError(
    `${file}:${line}:${column} ${pathText(path)}: ${message}`,
    'An entry is {"id", "reason", "expires"}.',
  );
}

/** Refuses a file that cannot be written, and leaves one that is there as it is. */
export function prepareReport({ cwd }: Pick<Io, 'cwd'>, flag: string, file: string): void {
  onFile({ verb: 'write', name: file, hint: `Name another file with ${flag}.` }, () =>
    closeSync(openSync(resolve(cwd, file), 'a')),
  );
}

/** Writes a report; `flag` named the file. */
export function writeReport({ cwd }: Pick<Io, 'cwd'>, flag: string, file: string, text: string): void {
  onFile({ verb: 'write', name: file, hint: `Name another file with ${flag}.` }, () =>
    writeFileSync(resolve(cwd, file), text),
  );
}
