import { existsSync, statSync, truncateSync } from 'node:fs';
import { nodeFiles } from '../../../src/store/files.js';
import type { Files, OpenFile } from '../../../src/store/files.js';

export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
}

/** The real files, without the waiting for a disk that no test switches off. */
export const quickFiles: Files = {
  ...nodeFiles,
  open: async (path, how) => {
    const file = await nodeFiles.open(path, how);
    return { ...file, sync: () => Promise.resolve(), datasync: () => Promise.resolve() };
  },
  syncDirectory: () => Promise.resolve(),
};

/** What is about to happen to a file. */
export interface Operation {
  readonly name: string;
  readonly path: string;
  /** Of a write: does the first half of it. */
  readonly half?: () => Promise<unknown>;
}

/** Stands around each operation: it may do it, refuse it or wait. */
export type Around = <Result>(operation: Operation, work: () => Promise<Result>) => Promise<Result>;

/** Files with every operation handed to `around` first. */
export function filesAround(around: Around, inner: Files = quickFiles): Files {
  const fileOf = (file: OpenFile, path: string): OpenFile => ({
    read: (into, position) => around({ name: 'read', path }, () => file.read(into, position)),
    write: (bytes, position) => {
      const half = () => file.write(bytes.subarray(0, bytes.length >> 1), position);
      return around({ name: 'write', path, half }, () => file.write(bytes, position));
    },
    truncate: (size) => around({ name: 'truncate', path }, () => file.truncate(size)),
    stat: () => around({ name: 'stat', path }, () => file.stat()),
    sync: () => around({ name: 'sync', path }, () => file.sync()),
    datasync: () => around({ name: 'datasync', path }, () => file.datasync()),
    // A descriptor is closed whatever else happens, or the tests would run out of them.
    close: () => file.close().then(() => around({ name: 'close', path }, () => Promise.resolve())),
  });
  return {
    makeDirectory: (path) => around({ name: 'makeDirectory', path }, () => inner.makeDirectory(path)),
    list: (path) => around({ name: 'list', path }, () => inner.list(path)),
    stat: (path) => around({ name: 'stat', path }, () => inner.stat(path)),
    open: (path, how) => around({ name: how, path }, async () => fileOf(await inner.open(path, how), path)),
    link: (existing, path) => around({ name: 'link', path }, () => inner.link(existing, path)),
    rename: (from, path) => around({ name: 'rename', path }, () => inner.rename(from, path)),
    remove: (path) => around({ name: 'remove', path }, () => inner.remove(path)),
    syncDirectory: (path) => around({ name: 'syncDirectory', path }, () => inner.syncDirectory(path)),
  };
}

export interface FaultyFiles {
  readonly files: Files;
  /** How many operations there have been. */
  readonly count: () => number;
}

/** Files of which some operations, which count from 1, fail with a code. */
export function failingFiles(
  code: string,
  fails: (count: number, operation: Operation) => boolean,
): FaultyFiles {
  let count = 0;
  const files = filesAround((operation, work) => {
    count += 1;
    return fails(count, operation) ? Promise.reject(systemError(code, operation.name)) : work();
  });
  return { files, count: () => count };
}

/** From the given operation on nothing happens any more; if it is a write, half of it still does. */
export function crashingFiles(crashAt: number, inner: Files = quickFiles): FaultyFiles {
  let count = 0;
  const files = filesAround(async (operation, work) => {
    count += 1;
    if (count < crashAt) return await work();
    if (count === crashAt) await operation.half?.();
    throw systemError('EIO', 'the process is gone');
  }, inner);
  return { files, count: () => count };
}

/** Files that remember what was synced, so that the power can fail. */
export interface VolatileFiles {
  readonly files: Files;
  /** Cuts every file that was written to what is certainly on the disk. */
  readonly failPower: () => void;
}

export function volatileFiles(): VolatileFiles {
  const syncedBytes = new Map<string, { bytes: number }>();
  const files: Files = {
    ...quickFiles,
    open: async (path, how) => {
      const file = await quickFiles.open(path, how);
      if (how === 'read') return file;
      const synced = { bytes: 0 };
      syncedBytes.set(path, synced);
      const note = async (): Promise<void> => {
        synced.bytes = (await file.stat()).size;
      };
      return { ...file, sync: () => file.sync().then(note), datasync: () => file.datasync().then(note) };
    },
    link: async (existing, path) => {
      await quickFiles.link(existing, path);
      syncedBytes.set(path, syncedBytes.get(existing) ?? { bytes: 0 });
    },
    rename: async (from, to) => {
      await quickFiles.rename(from, to);
      syncedBytes.set(to, syncedBytes.get(from) ?? { bytes: 0 });
      syncedBytes.delete(from);
    },
  };
  const failPower = () => {
    for (const [path, { bytes }] of syncedBytes)
      if (existsSync(path) && statSync(path).size > bytes) truncateSync(path, bytes);
  };
  return { files, failPower };
}
