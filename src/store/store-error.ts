import { systemErrorOf } from '../text/system-errors.js';
import { shellQuoted } from '../text/shell/words.js';

/**
 * `held`: another process owns the directory. `damaged`: a file is not what was written. `other-version`:
 * written by another version of the core. `exists`: a file would be overwritten. `unusable`: the system does
 * not let us read or create it. `lost`: the directory or a file was deleted, replaced or taken over while it
 * was in use.
 */
type StoreErrorKind = 'held' | 'damaged' | 'other-version' | 'exists' | 'unusable' | 'lost';

/**
 * Thrown for a directory or journal that can't be opened. The message contains the place, what was expected
 * and found, and the fix.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;
  /** The file or directory with the problem. */
  readonly path: string;

  constructor(kind: StoreErrorKind, path: string, message: string, cause?: unknown) {
    super(`${path}${message}`, { cause });
    this.kind = kind;
    this.path = path;
  }
}

export const FILE_GONE = 'The file was deleted, moved or replaced while the sandbox was using it';

export function lost(path: string, message: string): StoreError {
  return new StoreError('lost', path, `: ${message}`);
}

/** The code of a system error, such as ENOSPC. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns null for the error of a missing file; throws any other. */
export function nullIfMissing(error: unknown): null {
  const code = systemCodeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

const UNWRITABLE = new Set(['EACCES', 'EDQUOT', 'EIO', 'ENOSPC', 'EPERM', 'EROFS']);

/** The place exists, but cannot be written now: full, read-only, without permission or broken. */
export function saysUnwritable(error: unknown): error is Error {
  return UNWRITABLE.has(systemCodeOf(error) ?? '');
}

/** A system error as an error of the store; returns other errors unchanged. */
export function asStoreError(error: unknown, path: string, wanted: string): unknown {
  const code = systemCodeOf(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const known = systemErrorOf(code);
  const described = known === undefined ? error.message : `${error.message} (${known.reason})`;
  // A folder that exists already is no error, so a file has the name of the wanted folder.
  const came = code === 'EEXIST' ? 'a file' : described;
  const message =
    `: Expected ${wanted}, got ${came}. Nothing was changed. ` +
    (known?.remedy ?? 'Check the path and its permissions.');
  return new StoreError('unusable', path, message, error);
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

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
    ifDamaged:
      'Restore the whole folder from a backup. To start fresh, keep the folder under another ' +
      `name: mv ${folder} ${shellQuoted(`${directory}.damaged`)}; to bring back an exported ` +
      'state: npx sandbox state import FILE',
    ifOtherVersion: (version) =>
      `To start over, keep the folder under another name: mv ${folder} ` +
      `${shellQuoted(`${directory}.old`)}; to go on with it: npx pix-sandbox@${version} start ` +
      `--data ${folder}`,
  };
}

/** The same for a single file. */
export function recordingSource(path: string): Source {
  return {
    path,
    ifDamaged: 'Use an undamaged copy of the file.',
    ifOtherVersion: (version) =>
      `Use it with that version: npx pix-sandbox@${version}; or start over with a new recording.`,
  };
}
