import { formatIsoTime } from '../contract/time.js';
import { findSystemError } from '../text/system-errors.js';
import { quoteForShell } from '../text/shell/words.js';

/**
 * `held`: another process owns the directory. `damaged`: a file's content has changed. `other-version`: a
 * file was written by another version of the core. `exists`: a file would be overwritten. `unusable`: the
 * system cannot read or create the path. `lost`: the directory or a file was deleted, replaced or taken over
 * during use.
 */
type StoreErrorKind = 'held' | 'damaged' | 'other-version' | 'exists' | 'unusable' | 'lost';

/**
 * Thrown for a directory or journal that cannot be opened. The message contains the position, the expected
 * and actual content, and the fix.
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

/** Returns the code of a system error, such as ENOSPC. */
export function getSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns null for a missing file. Throws any other error. */
export function catchMissingFile(error: unknown): null {
  const code = getSystemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

const UNWRITABLE = new Set(['EACCES', 'EDQUOT', 'EIO', 'ENOSPC', 'EPERM', 'EROFS']);

/** Returns true if a path exists but is full, read-only, broken or not writable by this user. */
export function isUnwritable(error: unknown): error is Error {
  return UNWRITABLE.has(getSystemCode(error) ?? '');
}

/** Converts a system error into a StoreError. Returns other errors unchanged. */
export function toStoreError(error: unknown, path: string, wanted: string): unknown {
  const code = getSystemCode(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const known = findSystemError(code);
  const described = known === undefined ? error.message : `${error.message} (${known.reason})`;
  // An existing directory is not an error, so EEXIST means that a file has the directory's name.
  const actual = code === 'EEXIST' ? 'a file' : described;
  const message =
    `: Expected ${wanted}, got ${actual}. Nothing was changed. ` +
    (known?.fix ?? 'Check the path and its permissions.');
  return new StoreError('unusable', path, message, error);
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** A file to read, with the fix for each problem. */
export interface FileSource {
  readonly path: string;
  readonly ifDamaged: string;
  readonly ifOtherVersion: (packageVersion: string) => string;
}

/** A position in a file. Lines count from 1, bytes from 0. */
export interface FilePosition {
  readonly line?: number;
  readonly byte?: number;
}

/** Creates the error for a damaged file; `came` describes the actual content. */
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

/** Creates the source for a file in a data directory, with shell commands as fixes. */
export function createDataSource(directory: string, path: string): FileSource {
  const folder = quoteForShell(directory);
  return {
    path,
    ifDamaged:
      'Restore the whole folder from a backup. To start fresh, keep the folder under another ' +
      `name: mv ${folder} ${quoteForShell(`${directory}.damaged`)}; to restore an exported ` +
      'state: npx sandbox state import FILE',
    ifOtherVersion: (version) =>
      `To start over, keep the folder under another name: mv ${folder} ` +
      `${quoteForShell(`${directory}.old`)}; to continue with it: npx pix-sandbox@${version} start ` +
      `--data ${folder}`,
  };
}

/** Creates the source for a single file. */
export function createRecordingSource(path: string): FileSource {
  return {
    path,
    ifDamaged: 'Use an undamaged copy of the file.',
    ifOtherVersion: (version) =>
      `Use it with that version: npx pix-sandbox@${version}; or start over with a new recording.`,
  };
}

/** Maximum number of lock renewals between two attempts to save again: half a minute. */
const MOST_BEATS = 15;
const EXPORT = 'To save everything elsewhere before the sandbox stops: npx sandbox state export > state.json';

/** A period in which saving fails, with the attempts to recover. */
export class SaveFailure {
  readonly #atMs = Date.now();
  /** The latest cause. */
  error: Error;
  #attempts = 0;
  /** Number of lock renewals until the next attempt. The first attempt follows the next change. */
  #beatsLeft = 0;

  constructor(error: Error) {
    this.error = error;
  }

  /** True if the next attempt can start. */
  get isDue(): boolean {
    return this.#beatsLeft === 0;
  }

  /** Counts a lock renewal. */
  beat(): void {
    this.#beatsLeft = Math.max(0, this.#beatsLeft - 1);
  }

  /** Postpones the next attempt. Returns a reminder if the cause is new or after the longest pause. */
  postpone(error: Error): string | undefined {
    this.#attempts += 1;
    this.#beatsLeft = Math.min(2 ** (this.#attempts - 1), MOST_BEATS);
    const isOther = causeOf(error) !== causeOf(this.error);
    if (isOther) this.error = error;
    if (!isOther && this.#beatsLeft < MOST_BEATS) return undefined;
    return `Changes since ${formatIsoTime(this.#atMs)} are still only in memory: ${error.message}. ${adviceFor(error)}`;
  }

  /** Returns the first warning; `path` is the file that could not be written. */
  warning(path: string | undefined): string {
    const { message } = this.error;
    const start =
      this.error instanceof StoreError
        ? message
        : `Could not write to the data directory: ${path === undefined ? '' : `${path}: `}${message}`;
    return `${start}. Changes from now on are only in memory. ${adviceFor(this.error)}`;
  }

  /** Describes the recovery in one sentence. */
  recovery(): string {
    return (
      `All changes have been saved again since ${formatIsoTime(Date.now())}, including those that were ` +
      `only in memory. Saving had failed since ${formatIsoTime(this.#atMs)}: ${this.error.message}`
    );
  }
}

/** Prefers the code, because messages with the same cause can name different temporary files. */
function causeOf(error: Error): string {
  return getSystemCode(error) ?? error.message;
}

function adviceFor(error: Error): string {
  if (error instanceof StoreError) return EXPORT;
  return `The sandbox retries every few seconds; free some space or grant write permission. ${EXPORT}`;
}
