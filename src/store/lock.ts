import { join } from 'node:path';
import { draftKindOf, draftPath, replaceFile } from './temporary-files.js';
import { createFile, readFully, regardless, withFile, writeAll } from './files.js';
import type { Files, OpenFile } from './files.js';
import type { Machine } from './machine.js';
import { asStoreError, StoreError, systemCodeOf } from './store-error.js';

const LOCK = /^lock\.([1-9]\d{0,14})$/;
const LOCK_BYTES_MAX = 4096;
/** The error codes of `link` on a file system without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** The present or last owner of a data directory. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
  readonly released: boolean;
  readonly mark: Mark | null;
}

/**
 * What a directory must hold, as its last owner left it: nothing is acknowledged before its lock says so. Each new owner
 * passes it on.
 */
export interface Mark {
  /** A snapshot of this generation or a later one; 0 is none. */
  readonly generation: number;
  /** Also the journal of this generation, while its snapshot is the latest. */
  readonly hasJournal: boolean;
}

export interface Lock {
  /** What the directory must hold when it is taken over; null if it was never used, or an earlier version wrote it. */
  readonly mark: Mark | null;
  /** Records what it must hold from now on. If a power failure undoes this, the previous mark requires less. */
  note(mark: Mark): Promise<void>;
  /** Releases the directory, with a mark of what it must hold. The file stays, because the numbers must only grow. */
  release(mark?: Mark): Promise<void>;
}

/**
 * Makes this process the only owner of a directory. The files are `lock.<n>`, and the highest number counts. Taking over means
 * creating the next one, which only one process can do, so no process ever deletes a lock in force. Throws a StoreError if another
 * process owns the directory, and the system's error if nothing can be written.
 */
export async function takeLock(files: Files, directory: string, machine: Machine): Promise<Lock> {
  const pathOf = (number: number): string => join(directory, `lock.${number}`);
  const started = machine.processOf(machine.pid)?.started ?? null;
  for (;;) {
    const last = highest(await list(files, directory));
    const before = last > 0 ? await freeHolder(files, directory, pathOf(last), machine) : undefined;
    if (before === null) continue;
    const mark = before?.mark ?? null;
    const self: Holder = { pid: machine.pid, host: machine.host, started, released: false, mark };
    const path = pathOf(last + 1);
    if (!(await create(files, path, self))) continue;
    const names = await list(files, directory);
    if (highest(names) > last + 1) {
      // Our lock has the number of one that its owner's successor had already removed.
      await regardless(files.remove(path));
      continue;
    }
    const isOver = (name: string) => numberOf(name) <= last && numberOf(name) > 0;
    for (const name of names)
      if (isOver(name) || draftKindOf(name) === 'lock') await regardless(files.remove(join(directory, name)));
    return heldLock(files, path, self);
  }
}

function heldLock(files: Files, path: string, taken: Holder): Lock {
  let self = taken;
  const rewrite = async (holder: Holder) => {
    const file = await replaceFile(files, path, writeHolder(holder));
    await regardless(file.close());
    self = holder;
  };
  return {
    mark: taken.mark,
    note: (mark) => rewrite({ ...self, mark }),
    release: (mark = self.mark ?? undefined) => rewrite({ ...self, released: true, mark: mark ?? null }),
  };
}

/** What a directory must hold that cannot be owned. */
export async function markIn(files: Files, directory: string): Promise<Mark | null> {
  const last = highest(await list(files, directory));
  const text = last === 0 ? null : await readText(files, join(directory, `lock.${last}`));
  return text === null ? null : (holderOf(text)?.mark ?? null);
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

/** Creates the lock in one step, complete from the start; false if another process was faster. */
async function create(files: Files, path: string, self: Holder): Promise<boolean> {
  const draft = draftPath(path);
  const file = await createFile(files, draft, writeHolder(self));
  await regardless(file.close());
  try {
    await files.link(draft, path);
    return true;
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    // ENOENT: the process that now owns the directory removed the draft.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    if (NO_LINKS.has(code)) return await createWithoutLink(files, path, self);
    throw error;
  } finally {
    await regardless(files.remove(draft));
  }
}

async function createWithoutLink(files: Files, path: string, self: Holder): Promise<boolean> {
  try {
    const file = await createFile(files, path, writeHolder(self));
    await regardless(file.close());
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function writeHolder(holder: Holder): (file: OpenFile) => Promise<void> {
  return (file) => writeAll(file, Buffer.from(`${JSON.stringify(holder)}\n`), 0);
}

/** The last owner of a lock that may be taken over; null if the lock is gone. Throws if it is held. */
async function freeHolder(
  files: Files,
  directory: string,
  path: string,
  machine: Machine,
): Promise<Holder | null> {
  const text = await readText(files, path);
  if (text === null) return null;
  const holder = holderOf(text);
  if (holder === null)
    throw held(
      directory,
      `Expected ${path} to say which process uses the folder, got something else. If no sandbox uses it, delete that file.`,
    );
  if (holder.released) return holder;
  const { pid, host, started } = holder;
  if (host !== machine.host)
    throw held(
      directory,
      `Expected a folder that no sandbox uses, got one that process ${pid} on the host ${JSON.stringify(host)} has taken; this machine cannot tell whether it still runs. If it does not, delete ${path}.`,
    );
  const running = machine.processOf(pid);
  if (running === null) return holder;
  if (started !== null && running.started !== null && started !== running.started) return holder;
  throw held(
    directory,
    `Expected a folder that no sandbox uses, got one that process ${pid} on this host (${host}) uses. Stop that sandbox, or give this one another folder with --data. If process ${pid} is not a sandbox, delete ${path}.`,
  );
}

function held(directory: string, message: string): StoreError {
  return new StoreError('held', directory, `: ${message}`);
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

function holderOf(text: string): Holder | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  return isHolder(json) ? { ...json, mark: json.mark ?? null } : null;
}

/** Locks of earlier versions have no mark. */
function isHolder(json: unknown): json is Omit<Holder, 'mark'> & { readonly mark?: Mark | null } {
  if (typeof json !== 'object' || json === null) return false;
  if (!('pid' in json && 'host' in json && 'started' in json && 'released' in json)) return false;
  const { pid, host, started, released } = json;
  // Signals to 0 and to negative numbers would go to whole groups.
  const isPid = typeof pid === 'number' && Number.isInteger(pid) && pid > 0;
  const isStart = started === null || typeof started === 'string';
  const hasMark = !('mark' in json) || json.mark === null || isMark(json.mark);
  return isPid && typeof host === 'string' && isStart && typeof released === 'boolean' && hasMark;
}

function isMark(json: unknown): json is Mark {
  if (typeof json !== 'object' || json === null || !('generation' in json && 'hasJournal' in json))
    return false;
  const { generation, hasJournal } = json;
  return Number.isSafeInteger(generation) && Number(generation) >= 0 && typeof hasJournal === 'boolean';
}
