import type { BigIntStats } from 'node:fs';
import { link, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { makeFolder } from '../folders.js';
import { systemCodeOf } from './store-error.js';

/** A file's identity and size. */
export interface FileStatus {
  /** Equal for two paths or handles of the same file while one of them is open. */
  readonly id: string;
  /** In bytes. */
  readonly size: number;
  /** Time of the last write by the clock of the file system. */
  readonly modifiedMs: number;
}

/** An open file. Positions and sizes are in bytes. */
export interface OpenFile {
  /** Resolves to the number of bytes read; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Resolves to the number of bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  stat(): Promise<FileStatus>;
  /** Flushes what was written to the disk; `datasync` skips metadata that reading does not need. */
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system operations that the store uses; tests make single ones fail. */
export interface Files {
  /** With its parents, for their user only; an existing one is not changed. */
  makeDirectory(path: string): Promise<void>;
  list(directory: string): Promise<string[]>;
  stat(path: string): Promise<FileStatus>;
  /** For reading; or creates one for writing that only its user may read, and fails with EEXIST if it exists. */
  open(path: string, how: 'read' | 'create'): Promise<OpenFile>;
  link(existing: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Flushes the names in a folder to the disk. */
  syncDirectory(path: string): Promise<void>;
}

function statusOf({ dev, ino, size, mtimeMs }: BigIntStats): FileStatus {
  // On Windows the device of a path and of its handle can differ.
  const id = process.platform === 'win32' ? String(ino) : `${dev}/${ino}`;
  return { id, size: Number(size), modifiedMs: Number(mtimeMs) };
}

async function openFile(path: string, how: 'read' | 'create'): Promise<OpenFile> {
  const handle = await open(path, how === 'read' ? 'r' : 'wx', 0o600);
  return {
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    truncate: (size) => handle.truncate(size),
    stat: async () => statusOf(await handle.stat({ bigint: true })),
    sync: () => handle.sync(),
    datasync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

export const nodeFiles: Files = {
  makeDirectory: async (path) => makeFolder(path, 0o700),
  list: (directory) => readdir(directory),
  stat: async (path) => statusOf(await stat(path, { bigint: true })),
  open: openFile,
  link,
  rename,
  remove: unlink,
  syncDirectory: async (path) => {
    // Windows cannot open directories; its file systems keep names consistent themselves.
    if (process.platform === 'win32') return;
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

/** Writes everything, even if the system takes only a part at a time. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const written = await file.write(bytes.subarray(done), position + done);
    if (written === 0) throw new Error(`Expected ${bytes.length} bytes to be written, got ${done}`);
    done += written;
  }
}

/** Fills the buffer, or as much of it as the file has. */
export async function readFully(file: OpenFile, into: Uint8Array, position: number): Promise<Uint8Array> {
  let done = 0;
  while (done < into.length) {
    const got = await file.read(into.subarray(done), position + done);
    if (got === 0) break;
    done += got;
  }
  return into.subarray(0, done);
}

export async function withFile<Result>(
  files: Files,
  path: string,
  use: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  const file = await files.open(path, 'read');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Creates a file, syncs and then finishes it, and leaves it open; if that fails, nothing of it remains. */
export async function createFile(
  files: Files,
  path: string,
  write: (file: OpenFile) => Promise<void>,
  finish?: () => Promise<void>,
): Promise<OpenFile> {
  const file = await files.open(path, 'create');
  try {
    await write(file);
    await file.sync();
    await finish?.();
    return file;
  } catch (error) {
    await regardless(file.close());
    await regardless(files.remove(path));
    throw error;
  }
}

/** Returns the status of a path if it still leads to an open file; null if that was deleted, moved or replaced. */
export async function statusAt(files: Files, path: string, file: OpenFile): Promise<FileStatus | null> {
  const [found, own] = await Promise.all([files.stat(path).catch(nullIfMissing), file.stat()]);
  return found?.id === own.id ? found : null;
}

/** Returns null for the error of a missing file; throws any other. */
export function nullIfMissing(error: unknown): null {
  const code = systemCodeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

/** Waits for a cleanup on an error path and ignores its failure, so that the first error is reported. */
export async function regardless(work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch(() => undefined);
}
