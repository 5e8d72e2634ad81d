import { join } from 'node:path';
import { lost } from './check-file.js';
import { createFile, nullIfMissing, readFully, regardless, statusAt, withFile, writeAll } from './files.js';
import type { Files, OpenFile } from './files.js';
import { holderOf, ownerState } from './lock-holder.js';
import type { Holder, Mark } from './lock-holder.js';
import type { Machine } from './machine.js';
import { asStoreError, StoreError, systemCodeOf } from './store-error.js';
import { draftKindOf, draftPath, replaceFile } from './temporary-files.js';

export type { Mark } from './lock-holder.js';

const LOCK = /^lock\.([1-9]\d{0,14})$/;
const LOCK_BYTES_MAX = 4096;
/** The error codes of `link` on a file system without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
/** Real time between two renewals of a lock, each a write that changes its modification time. */
export const RENEW_MS = 2_000;
/** Age at which a lock counts as abandoned, where its owner's process table cannot be read. */
export const STALE_MS = 10_000;
const POLL_MS = 500;

export interface Lock {
  readonly number: number;
  /** What the directory must hold when it is taken over; null if it was never used, or an earlier version wrote it. */
  readonly mark: Mark | null;
  /**
   * Throws a StoreError if the directory was deleted, moved, replaced, or taken over by another process. Resolves to the names in
   * it. A successor removes this lock before it reads anything, so a write counts if this check passes after it.
   */
  check(): Promise<string[]>;
  /** Records what it must hold from now on. If a power failure undoes this, the previous mark requires less. */
  note(mark: Mark): Promise<void>;
  /** Releases the directory, with a mark of what it must hold. The file stays, because the numbers must only grow. */
  release(mark?: Mark): Promise<void>;
}

export interface LockOptions {
  readonly files: Files;
  readonly directory: string;
  readonly machine: Machine;
  /** Called once before waiting until a lock is abandoned. */
  readonly onWait: (message: string) => void;
}

/**
 * Makes this process the only owner of a directory. The files are `lock.<n>`, and the highest number counts. Taking over means
 * creating the next one, which only one process can do, so no process ever deletes a lock in force. Throws a StoreError if another
 * process owns the directory, and the system's error if nothing can be written.
 *
 * The process table decides whether an owner in the same container still runs. The owner's renewals decide for any other one: Node
 * has no kernel lock on files, and one container cannot see the processes of the next. A lock is compared with a new file instead of
 * the clock, because another machine may hold the disk. An owner that was suspended for long enough to be taken over notices at its
 * next write (`Lock.check`), before anything is acknowledged.
 */
export async function takeLock(
  files: Files,
  directory: string,
  machine: Machine,
  onWait: (message: string) => void = () => undefined,
): Promise<Lock> {
  const options: LockOptions = { files, directory, machine, onWait };
  const started = machine.processOf(machine.pid)?.started ?? null;
  const { pid, host, processTable } = machine;
  for (;;) {
    const last = highest(await list(files, directory));
    const before = last > 0 ? await freeHolder(options, lockPath(directory, last)) : undefined;
    if (before === null) continue;
    const mark = before?.mark ?? null;
    const self: Holder = { pid, host, started, processTable, released: false, mark };
    const number = last + 1;
    const path = lockPath(directory, number);
    const file = await create(files, path, self);
    if (file === null) continue;
    const giveUp = async () => {
      await regardless(file.close());
      await regardless(files.remove(path));
    };
    const names = await list(files, directory).catch(async (error: unknown) => {
      await giveUp();
      throw error;
    });
    if (highest(names) > number) {
      // Our lock has the number of one that its owner's successor had already removed.
      await giveUp();
      continue;
    }
    const isOver = (name: string) => numberOf(name) <= last && numberOf(name) > 0;
    for (const name of names)
      if (isOver(name) || draftKindOf(name) === 'lock') await regardless(files.remove(join(directory, name)));
    return heldLock(options, number, self, file);
  }
}

function heldLock(
  { files, directory, machine }: LockOptions,
  number: number,
  taken: Holder,
  created: OpenFile,
): Lock {
  const path = lockPath(directory, number);
  let self = taken;
  let file = created;
  const renew = async () => {
    await file.write(Buffer.from('{'), 0);
    await file.datasync();
  };
  const stopRenewing = machine.every(RENEW_MS, () => void regardless(renew()));
  const check = async () => {
    const names = await files.list(directory).catch(nullIfMissing);
    if (names === null || highest(names) < number) throw lost(directory, GONE);
    if (highest(names) > number) throw lost(directory, OVERTAKEN);
    if ((await statusAt(files, path, file)) === null) throw lost(directory, GONE);
    return names;
  };
  const rewrite = async (holder: Holder) => {
    await check();
    // Windows cannot replace an open file.
    if (process.platform === 'win32') await regardless(file.close());
    const before = file;
    file = await replaceFile(files, path, writeHolder(holder));
    await regardless(before.close());
    self = holder;
  };
  return {
    number,
    mark: taken.mark,
    check,
    note: (mark) => rewrite({ ...self, mark }),
    release: async (mark = self.mark ?? undefined) => {
      stopRenewing();
      try {
        await rewrite({ ...self, released: true, mark: mark ?? null });
      } finally {
        await regardless(file.close());
      }
    },
  };
}

const GONE = 'The data directory or its lock was deleted, moved or replaced while the sandbox was using it';
const OVERTAKEN =
  'Another process has taken over the data directory, because this one did not renew its lock in time';

/** The latest lock of a directory that cannot be owned: its number, or 0, and what the directory must hold. */
export async function latestLock(
  files: Files,
  directory: string,
): Promise<{ readonly number: number; readonly mark: Mark | null }> {
  const number = highest(await list(files, directory));
  const text = number === 0 ? null : await readText(files, lockPath(directory, number));
  return { number, mark: text === null ? null : (holderOf(text)?.mark ?? null) };
}

function lockPath(directory: string, number: number): string {
  return join(directory, `lock.${number}`);
}

async function list(files: Files, directory: string): Promise<string[]> {
  try {
    return await files.list(directory);
  } catch (error) {
    throw asStoreError(error, directory, 'a folder that can be read');
  }
}

/** 0 for any name that is not a lock. */
function numberOf(name: string): number {
  return Number(LOCK.exec(name)?.[1] ?? 0);
}

function highest(names: readonly string[]): number {
  return Math.max(0, ...names.map(numberOf));
}

/** Creates the lock in one step, complete from the start, and leaves it open; null if another process was faster. */
async function create(files: Files, path: string, self: Holder): Promise<OpenFile | null> {
  const draft = draftPath(path);
  const file = await createFile(files, draft, writeHolder(self));
  try {
    await files.link(draft, path);
    return file;
  } catch (error) {
    await regardless(file.close());
    const code = systemCodeOf(error) ?? '';
    // ENOENT: the process that now owns the directory removed the draft.
    if (code === 'EEXIST' || code === 'ENOENT') return null;
    if (NO_LINKS.has(code)) return await createWithoutLink(files, path, self);
    throw error;
  } finally {
    await regardless(files.remove(draft));
  }
}

async function createWithoutLink(files: Files, path: string, self: Holder): Promise<OpenFile | null> {
  try {
    return await createFile(files, path, writeHolder(self));
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return null;
    throw error;
  }
}

function writeHolder(holder: Holder): (file: OpenFile) => Promise<void> {
  return (file) => writeAll(file, Buffer.from(`${JSON.stringify(holder)}\n`), 0);
}

/** The last owner of a lock that may be taken over; null if the lock is gone. Throws if it is held. */
async function freeHolder(options: LockOptions, path: string): Promise<Holder | null> {
  const { files, directory, machine } = options;
  const holder = await readHolder(files, directory, path);
  if (holder === null) return null;
  const state = ownerState(holder, machine);
  if (state === 'gone') return holder;
  if (state === 'running')
    throw held(
      directory,
      `Expected a folder that no sandbox uses, got one that process ${holder.pid} on this host (${holder.host}) uses. Stop that sandbox, or give this one another folder with --data. If process ${holder.pid} is not a sandbox, delete ${path}.`,
    );
  return await abandonedHolder(options, path, holder);
}

/** Waits until an owner has not renewed its lock for `STALE_MS`. Throws as soon as it renews it. */
async function abandonedHolder(options: LockOptions, path: string, holder: Holder): Promise<Holder | null> {
  const { files, directory, machine, onWait } = options;
  const owner = `process ${holder.pid} in another container or machine (host ${JSON.stringify(holder.host)})`;
  const renewedMs = await modifiedMs(files, path);
  if (renewedMs === null) return null;
  const ageMs = Math.max(0, (await newFileMs(files, path)) - renewedMs);
  if (ageMs >= STALE_MS) return holder;
  onWait(
    `${directory}: ${owner} used the data directory ${Math.ceil(ageMs / 1_000)} s ago. Waiting up to ${Math.ceil((STALE_MS - ageMs) / 1_000)} s to see whether it still does.`,
  );
  for (let leftMs = STALE_MS - ageMs; leftMs > 0; leftMs -= POLL_MS) {
    await machine.wait(POLL_MS);
    if ((await modifiedMs(files, path)) === renewedMs) continue;
    const now = await readHolder(files, directory, path);
    if (now === null || now.released) return now;
    throw held(
      directory,
      `Expected a folder that no sandbox uses, got one that ${owner} uses; it has just renewed its lock. Stop that sandbox, or give this one another folder with --data.`,
    );
  }
  return holder;
}

/** Opens the file, because network file systems ask their server again only then. */
async function modifiedMs(files: Files, path: string): Promise<number | null> {
  const status = await withFile(files, path, (file) => file.stat()).catch(nullIfMissing);
  return status?.modifiedMs ?? null;
}

/** The present time by the clock of the file system. */
async function newFileMs(files: Files, lock: string): Promise<number> {
  const path = draftPath(lock);
  const file = await createFile(files, path, () => Promise.resolve());
  try {
    return (await file.stat()).modifiedMs;
  } finally {
    await regardless(file.close());
    await regardless(files.remove(path));
  }
}

function held(directory: string, message: string): StoreError {
  return new StoreError('held', directory, `: ${message}`);
}

async function readHolder(files: Files, directory: string, path: string): Promise<Holder | null> {
  const text = await readText(files, path);
  if (text === null) return null;
  const holder = holderOf(text);
  if (holder !== null) return holder;
  throw held(
    directory,
    `Expected ${path} to say which process uses the folder, got something else. If no sandbox uses it, delete that file.`,
  );
}

async function readText(files: Files, path: string): Promise<string | null> {
  try {
    return await withFile(files, path, async (file) => {
      return Buffer.from(await readFully(file, Buffer.alloc(LOCK_BYTES_MAX), 0)).toString('utf8');
    });
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw asStoreError(error, path, 'a lock file that can be read');
  }
}
