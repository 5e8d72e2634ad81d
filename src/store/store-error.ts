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

/** Returns the code of a system error, e.g. ENOSPC. */
export function getSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns null for a missing file's error. Rethrows any other error. */
export function catchMissingFile(error: unknown): null {
  const code = getSystemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

const UNWRITABLE = new Set(['EACCES', 'EDQUOT', 'EIO', 'ENOSPC', 'EPERM', 'EROFS']);

/** Returns true for an error caused by a full, read-only or failing disk, or by missing permissions. */
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

/** A position in a file. Lines are counted from 1, bytes from 0. */
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
      'Restore the entire directory from a backup. To start fresh, rename the directory: ' +
      `mv ${folder} ${quoteForShell(`${directory}.damaged`)}; to restore an exported state: ` +
      'npx sandbox state import FILE',
    ifOtherVersion: (version) =>
      `To start over, rename the directory: mv ${folder} ` +
      `${quoteForShell(`${directory}.old`)}; to continue with the existing data: ` +
      `npx pix-sandbox@${version} start --data ${folder}`,
  };
}

/** Creates the source for a recording or another single journal file. */
export function createRecordingSource(path: string): FileSource {
  return {
    path,
    ifDamaged: 'Use an undamaged copy of the file.',
    ifOtherVersion: (version) =>
      `Use the file with that version: npx pix-sandbox@${version}; or start a new recording.`,
  };
}

/** Maximum lock renewals between save retries (about 30 seconds). */
const MOST_BEATS = 15;
const EXPORT = 'To save everything elsewhere before the sandbox stops: npx sandbox state export > state.json';

/** Tracks a period of failed saving and its retries. */
export class SaveFailure {
  readonly #atMs = Date.now();
  /** The most recent cause of the failure. */
  error: Error;
  #attempts = 0;
  /** Lock renewals until the next retry. The first retry follows the next change. */
  #beatsLeft = 0;

  constructor(error: Error) {
    this.error = error;
  }

  /** True if a retry can start. */
  get isDue(): boolean {
    return this.#beatsLeft === 0;
  }

  /** Counts a lock renewal. */
  beat(): void {
    this.#beatsLeft = Math.max(0, this.#beatsLeft - 1);
  }

  /** Postpones the next retry. Returns a reminder if the cause is new or the maximum delay is reached. */
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

  recovery(): string {
    return (
      `All changes have been saved again since ${formatIsoTime(Date.now())}, including changes that were ` +
      `only in memory. Saving had been failing since ${formatIsoTime(this.#atMs)}: ${this.error.message}`
    );
  }
}

/** Prefers the error code, because messages for the same cause can contain different temporary file names. */
function causeOf(error: Error): string {
  return getSystemCode(error) ?? error.message;
}

function adviceFor(error: Error): string {
  if (error instanceof StoreError) return EXPORT;
  return `The sandbox retries every few seconds; free some space or grant write permission. ${EXPORT}`;
}
