import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FaultFields } from '../../explore/explore.js';
import { FAULT_FILE } from '../../sandbox/fault-file.js';
import { mistakesIn } from '../../scenario/format/shape.js';
import type { Path } from '../../schema/place.js';
import { pathText } from '../../schema/place.js';
import { readJsonText } from '../../schema/json-text.js';
import { usageError } from '../program/errors.js';
import { onFile } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';

/** The faults of a file, and the seed under which they were found. */
export interface FaultFile {
  readonly faults: readonly FaultFields[];
  readonly seed: string | undefined;
}

const EXAMPLE = 'For example: {"faults": [{"action": "duplicate", "event": "pix.settled"}]}';

/** Reads the file of `--faults`. Throws a usage error that names the place of the first mistake. */
export function readFaultFile({ cwd }: Pick<Io, 'cwd'>, file: string, canRestart: boolean): FaultFile {
  const written = onFile({ verb: 'read', name: file, hint: 'Name a file of faults with --faults.' }, () =>
    readFileSync(resolve(cwd, file), 'utf8'),
  );
  const json = readJsonText(written.replace(/^\uFEFF/, ''));
  if (!json.isJson)
    throw usageError(`${file}:${json.place.line}:${json.place.column} ${json.problem}.`, EXAMPLE);
  const refuse = (path: Path, message: string) => {
    const { line, column } = json.placeOf(path);
    const where = path.length === 0 ? '' : ` ${pathText(path)}`;
    return usageError(`${file}:${line}:${column}${where}: ${message}`, EXAMPLE);
  };
  const [mistake] = mistakesIn(FAULT_FILE, json.value);
  if (mistake !== undefined) throw refuse(mistake.path, mistake.message);
  const isList = Array.isArray(json.value);
  const { faults, seed } = (isList ? { faults: json.value } : json.value) as FaultFile;
  const restart = faults.findIndex(({ action }) => action === 'restart');
  if (restart >= 0 && !canRestart) {
    const path = [...(isList ? [] : ['faults']), restart, 'action'];
    throw refuse(path, 'The application has to be restarted; say how with --restart.');
  }
  return { faults, seed };
}
