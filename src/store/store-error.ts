import { systemErrorOf } from '../text/system-errors.js';

/**
 * `held`: another process owns the directory. `damaged`: a file is not what was written. `other-version`: written by another
 * version of the core. `exists`: a file would be overwritten. `unusable`: the system does not let us read or create it. `lost`: the
 * directory or a file was deleted, replaced or taken over while it was in use.
 */
export type StoreErrorKind = 'held' | 'damaged' | 'other-version' | 'exists' | 'unusable' | 'lost';

/** Why a directory or journal cannot be opened. The message says where, what was expected, what came, and what to do. */
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

/** The code of a system error, such as ENOSPC. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
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
  const came = known === undefined ? error.message : `${error.message} (${known.reason})`;
  const message = `: Expected ${wanted}, got ${came}. Nothing was changed. ${known?.remedy ?? 'Check the path and its permissions.'}`;
  return new StoreError('unusable', path, message, error);
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error with its file, which the messages of system errors about open files lack. */
export function withPath(path: string, error: Error): string {
  return error instanceof StoreError ? error.message : `${path}: ${error.message}`;
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
