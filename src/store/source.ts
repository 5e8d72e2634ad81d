import { StoreError } from './store-error.js';

/** A file that is read, and what its reader can do when it cannot be used. */
export interface Source {
  readonly path: string;
  readonly ifDamaged: string;
  readonly ifOtherVersion: (packageVersion: string) => string;
}

/** Where in a file: the line counts from 1, the byte from 0. */
export interface Place {
  readonly line?: number;
  readonly byte?: number;
}

/** The file is not what was written; `came` says what stands there instead. */
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

/** How the files of a data directory are got out of, as one reads it in a shell. */
export function dataSource(directory: string, path: string): Source {
  const folder = quoted(directory);
  return {
    path,
    ifDamaged: `Put the whole folder back from a backup. To start afresh, keep the folder under another name: mv ${folder} ${quoted(`${directory}.damaged`)}; a state that was exported comes back with: npx pix-sandbox state import FILE`,
    ifOtherVersion: (version) =>
      `To bring it over: npx pix-sandbox@${version} state export --data ${folder} > state.json, then start with another folder, and: npx pix-sandbox state import state.json`,
  };
}

/** The same for a file of its own. */
export function recordingSource(path: string): Source {
  return {
    path,
    ifDamaged: 'Take a whole copy of the file.',
    ifOtherVersion: (version) => `Use it with that version: npx pix-sandbox@${version}`,
  };
}

function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
