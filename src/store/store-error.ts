import { formatIsoTime } from '../contract/time.js';
import { findSystemError } from '../text/system-errors.js';
import { quoteForShell } from '../text/shell/words.js';

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

export const FILE_GONE_MESSAGE = 'The file was deleted, moved or replaced while the sandbox was using it';

export function createLostError(path: string, message: string): StoreError {
  return new StoreError('lost', path, `: ${message}`);
}

/** The code of a system error, such as ENOSPC. */
export function getSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns null for the error of a missing file; throws any other. */
export function returnNullIfMissing(error: unknown): null {
  const code = getSystemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

const UNWRITABLE = new Set(['EACCES', 'EDQUOT', 'EIO', 'ENOSPC', 'EPERM', 'EROFS']);

/** The place exists, but cannot be written now: full, read-only, without permission or broken. */
export function isUnwritable(error: unknown): error is Error {
  return UNWRITABLE.has(getSystemCode(error) ?? '');
}

/** A system error as an error of the store; returns other errors unchanged. */
export function toStoreError(error: unknown, path: string, wanted: string): unknown {
  const code = getSystemCode(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const known = findSystemError(code);
  const described = known === undefined ? error.message : `${error.message} (${known.reason})`;
  // A folder that exists already is no error, so a file has the name of the wanted folder.
  const came = code === 'EEXIST' ? 'a file' : described;
  const message =
    `: Expected ${wanted}, got ${came}. Nothing was changed. ` +
    (known?.fix ?? 'Check the path and its permissions.');
  return new StoreError('unusable', path, message, error);
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** A file to read, and what the user can do when it cannot be used. */
export interface FileSource {
  readonly path: string;
  readonly ifDamaged: string;
  readonly ifOtherVersion: (packageVersion: string) => string;
}

/** A place in a file: the line counts from 1, the byte from 0. */
export interface FilePosition {
  readonly line?: number;
  readonly byte?: number;
}

/** The file is not what was written; `came` says what is there instead. */
export function createDamagedError(
  source: FileSource,
  place: FilePosition,
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
export function createDataSource(directory: string, path: string): FileSource {
  const folder = quoteForShell(directory);
  return {
    path,
    ifDamaged:
      'Restore the whole folder from a backup. To start fresh, keep the folder under another ' +
      `name: mv ${folder} ${quoteForShell(`${directory}.damaged`)}; to bring back an exported ` +
      'state: npx sandbox state import FILE',
    ifOtherVersion: (version) =>
      `To start over, keep the folder under another name: mv ${folder} ` +
      `${quoteForShell(`${directory}.old`)}; to go on with it: npx pix-sandbox@${version} start ` +
      `--data ${folder}`,
  };
}

/** The same for a single file. */
export function createRecordingSource(path: string): FileSource {
  return {
    path,
    ifDamaged: 'Use an undamaged copy of the file.',
    ifOtherVersion: (version) =>
      `Use it with that version: npx pix-sandbox@${version}; or start over with a new recording.`,
  };
}

/** The longest pause between two attempts to save again, in renewals of the lock: half a minute. */
const MOST_BEATS = 15;
const EXPORT = 'To save everything elsewhere before it stops: npx sandbox state export > state.json';

/** A time in which changes are not saved, and the attempts to end it. */
export class SaveFailure {
  readonly #atMs = Date.now();
  /** The latest cause. */
  error: Error;
  #attempts = 0;
  /** Renewals of the lock until the next attempt; a change makes the first one. */
  #beatsLeft = 0;

  constructor(error: Error) {
    this.error = error;
  }

  /** True if the next attempt may start. */
  get isDue(): boolean {
    return this.#beatsLeft === 0;
  }

  /** Counts a renewal of the lock. */
  beat(): void {
    this.#beatsLeft = Math.max(0, this.#beatsLeft - 1);
  }

  /** Postpones the next attempt. Returns a reminder where the cause is another one, or after the longest pause. */
  postpone(error: Error): string | undefined {
    this.#attempts += 1;
    this.#beatsLeft = Math.min(2 ** (this.#attempts - 1), MOST_BEATS);
    const isOther = causeOf(error) !== causeOf(this.error);
    if (isOther) this.error = error;
    if (!isOther && this.#beatsLeft < MOST_BEATS) return undefined;
    return `Changes since ${formatIsoTime(this.#atMs)} are still in memory only: ${error.message}. ${adviceFor(error)}`;
  }

  /** The first warning; `path` is the file that could not be written. */
  warning(path: string | undefined): string {
    const { message } = this.error;
    const start =
      this.error instanceof StoreError
        ? message
        : `Could not write to the data directory: ${path === undefined ? '' : `${path}: `}${message}`;
    return `${start}. Changes from now on are in memory only. ${adviceFor(this.error)}`;
  }

  /** The sentence about its end. */
  recovery(): string {
    return (
      `All changes are saved again since ${formatIsoTime(Date.now())}, including those of the time ` +
      `in memory only. Saving had failed since ${formatIsoTime(this.#atMs)}: ${this.error.message}`
    );
  }
}

/** Messages of the same cause can name different temporary files. */
function causeOf(error: Error): string {
  return getSystemCode(error) ?? error.message;
}

function adviceFor(error: Error): string {
  if (error instanceof StoreError) return EXPORT;
  return `The sandbox tries again every few seconds; free some space, or give it the permission to write. ${EXPORT}`;
}
