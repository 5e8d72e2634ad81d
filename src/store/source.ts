import { shellQuoted } from '../text/shell/words.js';
import { StoreError } from './store-error.js';

/** A file to read, and what the user can do when it cannot be used. */
export interface Source {
  readonly path: string;
  readonly ifDamaged: string;
  readonly ifOtherVersion: (packageVersion: string) => string;
}

/** A place in a file: the line counts from 1, the byte from 0. */
export interface Place {
  readonly line?: number;
  readonly byte?: number;
}

/** The file is not what was written; `came` says what is there instead. */
export function damaged(
  source: Source,
  place: Place,
  expected: string,
  came: string,
  cause?: unknown,
): StoreError {
  const { line, byte } = place;
  const where = (line === undefined ? '' : `, line ${line}`) + (byte === undefined ? '' : `, byte ${byte}`);
  const message = `${where}: Expected ${expected}, got ${came}. Nothing was changed. ${source.ifDamaged}`;
  return new StoreError('damaged', source.path, message, cause);
}

/** The remedies for the files of a data directory, as shell commands. */
export function dataSource(directory: string, path: string): Source {
  const folder = shellQuoted(directory);
  return {
    path,
    ifDamaged: `Restore the whole folder from a backup. To start fresh, keep the folder under another name: mv ${folder} ${shellQuoted(`${directory}.damaged`)}; to bring back an exported state: npx sandbox state import FILE`,
    ifOtherVersion: (version) =>
      `To convert it: npx pix-sandbox@${version} state export --data ${folder} > state.json, then start with another folder, and: npx sandbox state import state.json`,
  };
}

/** The same for a single file. */
export function recordingSource(path: string): Source {
  return {
    path,
    ifDamaged: 'Use an undamaged copy of the file.',
    ifOtherVersion: (version) => `Use it with that version: npx pix-sandbox@${version}`,
  };
}
