import { statusAt } from './files.js';
import type { Files, OpenFile } from './files.js';
import { StoreError } from './store-error.js';

export const FILE_GONE = 'The file was deleted, moved or replaced while the sandbox was using it';

export function lost(path: string, message: string): StoreError {
  return new StoreError('lost', path, `: ${message}`);
}

/** Throws a StoreError unless a path leads to an open file with at least `size` bytes, so that a reader would find them. */
export async function checkFile(files: Files, path: string, file: OpenFile, size: number): Promise<void> {
  const status = await statusAt(files, path, file);
  if (status === null) throw lost(path, FILE_GONE);
  if (status.size >= size) return;
  throw lost(path, `The file was cut from ${size} to ${status.size} bytes while the sandbox was using it`);
}
