import { join } from 'node:path';
import { draftKindOf, writeDraft } from './temporary-files.js';
import { readFully, regardless, withFile, writeAll } from './files.js';
import type { Files } from './files.js';
import type { Machine } from './machine.js';
import { asStoreError, StoreError, systemCodeOf } from './store-error.js';

const LOCK = /^lock\.([1-9]\d{0,14})$/;
const LOCK_BYTES_MAX = 4096;
/** What `link` answers where a file system has no hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Who owns a data directory, or did. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
  readonly released: boolean;
  readonly mark: Mark | null;
}

/**
 * What a directory must hold, as those who owned it left it: nothing is acknowledged before its lock says so. Whoever takes it
 * over passes it on.
 */
export interface Mark {
  /** A snapshot of this generation or a later one; 0 is none. */
  readonly generation: number;
  /** Also the journal of this generation, while its snapshot is the last. */
  readonly hasJournal: boolean;
}

export interface Lock {
  /** What the directory must hold when it is taken; null where nothing was ever begun, or an earlier version wrote it. */
  readonly mark: Mark | null;
  /** Says what it must hold from now on. Should a power failure undo this, the mark before asks for less. */
  note(mark: Mark): Promise<void>;
  /** Gives the directory free, with a mark of what it must hold. The file stays, because the numbers must only grow. */
  release(mark?: Mark): Promise<void>;
}

/**
 * Makes this process the one owner of a directory. The files are `lock.<n>`, of which the highest counts; taking over is
 * making the next one, which only one process can, so that nobody ever deletes a lock that still holds. Throws a StoreError
 * where somebody else owns the directory, and what the system says where nothing can be written.
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
      // Ours took the place of one that its owner's successor had already cleared away.
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
    const draft = await writeHolder(files, path, holder);
    try {
      await files.rename(draft, path);
    } catch (error) {
      await regardless(files.remove(draft));
      throw error;
    }
    self = holder;
  };
  return {
    mark: taken.mark,
    note: (mark) => rewrite({ ...self, mark }),
    release: (mark = self.mark ?? undefined) => rewrite({ ...self, released: true, mark: mark ?? null }),
  };
}

/** What a directory that cannot be owned must hold. */
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

/** 0 for a name that is no lock's. */
function numberOf(name: string): number {
  return Number(LOCK.exec(name)?.[1] ?? 0);
}

function highest(names: readonly string[]): number {
  return Math.max(0, ...names.map(numberOf));
}

/** Makes the lock, complete from the first moment on; false where somebody else was quicker. */
async function create(files: Files, path: string, self: Holder): Promise<boolean> {
  const draft = await writeHolder(files, path, self);
  try {
    await files.link(draft, path);
    return true;
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    // ENOENT: the draft was cleared away by one who owns the directory by now.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    if (NO_LINKS.has(code)) return await createWithoutLink(files, path, self);
    throw error;
  } finally {
    await regardless(files.remove(draft));
  }
}

async function createWithoutLink(files: Files, path: string, self: Holder): Promise<boolean> {
  let file;
  try {
    file = await files.open(path, 'create');
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    await writeAll(file, textOfHolder(self), 0);
    return true;
  } catch (error) {
    await regardless(files.remove(path));
    throw error;
  } finally {
    await regardless(file.close());
  }
}

async function writeHolder(files: Files, path: string, holder: Holder): Promise<string> {
  const draft = await writeDraft(files, path, (file) => writeAll(file, textOfHolder(holder), 0));
  await regardless(draft.file.close());
  return draft.path;
}

function textOfHolder(holder: Holder): Buffer {
  return Buffer.from(`${JSON.stringify(holder)}\n`);
}

/** Who held a lock that may be taken over; null where it has gone meanwhile. Throws where somebody holds it. */
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
      `Expected to read in ${path} who uses it, got something else. If no sandbox does, delete that file.`,
    );
  if (holder.released) return holder;
  const { pid, host, started } = holder;
  if (host !== machine.host)
    throw held(
      directory,
      `Expected a folder that no sandbox uses, got one that process ${pid} on the host ${JSON.stringify(host)} has taken; from here nobody can tell whether it still runs. If it does not, delete ${path}.`,
    );
  const running = machine.processOf(pid);
  if (running === null) return holder;
  if (started !== null && running.started !== null && started !== running.started) return holder;
  throw held(
    directory,
    `Expected a folder that no sandbox uses, got one that process ${pid} on this host (${host}) uses. Stop that sandbox, or give this one another folder with --data. If ${pid} is no sandbox, delete ${path}.`,
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
    throw asStoreError(error, path, 'to read who uses the folder');
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
