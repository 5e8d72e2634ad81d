import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { ProcessTable } from './process-table.js';
import { ignoreFailure, replaceFile, writeDraft } from './sealed-file.js';
import {
  toStoreError,
  createLostError,
  returnNullIfMissing,
  StoreError,
  getSystemCode,
} from './store-error.js';

const LOCK_NAME = 'lock';
const TAKING_NAME = 'lock.taking';
/** Real time between two renewals of a lock, each a write that changes its modification time. */
export const RENEW_MS = 2_000;
/** Age at which a lock counts as abandoned, where its owner's process table cannot be read. */
export const STALE_MS = 10_000;
const POLL_MS = 500;
/** Acquiring a lock takes milliseconds; a process killed meanwhile delays others at most this long. */
const TAKING_MS = 2_000;
const TAKING_POLL_MS = 20;

/**
 * Expected content of a directory, as recorded by its last owner: nothing is acknowledged before its lock is
 * updated. Each new owner passes it on.
 */
export interface LockRecord {
  /** A snapshot of this generation or a later one; 0 is none. */
  readonly generation: number;
  /** Also the journal of this generation, while its snapshot is the latest. */
  readonly hasJournal: boolean;
}

/** The present or last owner of a data directory, as its lock says. */
interface Holder {
  /** Differs for each owner. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
  readonly processTable: string | null;
  readonly released: boolean;
  readonly mark: LockRecord | null;
}

export interface Lock {
  /** Expected content of the directory at takeover; null for an unused directory. */
  readonly mark: LockRecord | null;
  /**
   * Throws a StoreError if the directory was deleted, moved, replaced, or taken over by another process. A
   * successor replaces this lock before it reads anything, so a write counts if this check passes after it.
   */
  check(): Promise<void>;
  /** Records what the directory must hold from now on. */
  note(mark: LockRecord): Promise<void>;
  /** Releases the directory, with a mark of what it must hold. */
  release(mark?: LockRecord): Promise<void>;
}

const GONE = 'The data directory or its lock was deleted, moved or replaced while the sandbox was using it';
const OVERTAKEN =
  'Another process has taken over the data directory, because this one did not renew its lock in time';

/** The content of a directory's lock; null if it was never locked. */
export async function readLock(directory: string): Promise<string | null> {
  const path = join(directory, LOCK_NAME);
  try {
    return await readFile(path, 'utf8').catch(returnNullIfMissing);
  } catch (error) {
    throw toStoreError(error, path, 'a readable lock file');
  }
}

export function parseLockRecord(text: string | null): LockRecord | null {
  return text === null ? null : (holderOf(text)?.mark ?? null);
}

/**
 * Makes this process the only owner of a directory whose lock has this content, or any by default; undefined
 * if the content differs. Throws a StoreError if another process owns the directory, and the system's error
 * if writing is impossible. For an owner in the same container, the process table decides whether it still
 * runs; for any other, its renewals do: Node has no kernel lock on files, and containers cannot see each
 * other's processes. A suspended owner whose lock was taken over notices at its next write (`Lock.check`),
 * before acknowledging anything.
 */
export async function acquireLock(
  directory: string,
  processes: ProcessTable,
  onWait: (message: string) => void,
  expected?: string | null,
): Promise<Lock | undefined> {
  const { pid, host, id: processTable } = processes;
  const started = processes.find(pid)?.started ?? null;
  for (;;) {
    const before = await readLock(directory);
    if (expected !== undefined && before !== expected) return undefined;
    if (before !== null) await checkFree(directory, before, processes, onWait);
    const self = {
      id: randomUUID(),
      pid,
      host,
      started,
      processTable,
      released: false,
      mark: parseLockRecord(before),
    };
    const isOurs = await exclusively(directory, async () => {
      if ((await readLock(directory)) !== before) return false;
      await replaceFile(join(directory, LOCK_NAME), textOfHolder(self));
      return true;
    });
    if (isOurs) return heldLock(directory, self);
  }
}

async function heldLock(directory: string, taken: Holder): Promise<Lock> {
  const path = join(directory, LOCK_NAME);
  const inode = async () => (await stat(path, { bigint: true }).catch(returnNullIfMissing))?.ino;
  let self = taken;
  let own = await inode();
  const renewing = setInterval(() => void ignoreFailure(renew(path)), RENEW_MS).unref();
  const check = async () => {
    const [text, found] = await Promise.all([readLock(directory), inode()]);
    if (text === textOfHolder(self) && found === own) return;
    const holder = text === null ? null : holderOf(text);
    throw createLostError(directory, holder === null || holder.id === self.id ? GONE : OVERTAKEN);
  };
  const rewrite = async (holder: Holder) => {
    // Also before, to write nothing into a directory owned by another process.
    await check();
    await exclusively(directory, async () => {
      await replaceFile(path, textOfHolder(holder), check);
      self = holder;
      own = await inode();
    });
  };
  return {
    mark: taken.mark,
    check,
    note: (mark) => rewrite({ ...self, mark }),
    release: async (mark = self.mark ?? undefined) => {
      clearInterval(renewing);
      await rewrite({ ...self, released: true, mark: mark ?? null });
    },
  };
}

/** Writes the first byte again, so that the file system's own clock marks the lock. */
async function renew(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write('{', 0);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Runs some work while no other process runs any here, which takes milliseconds. */
async function exclusively<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const path = join(directory, TAKING_NAME);
  for (let waitedMs = 0; ; waitedMs += TAKING_POLL_MS) {
    try {
      await mkdir(path);
      break;
    } catch (error) {
      if (getSystemCode(error) !== 'EEXIST') throw error;
      if (waitedMs >= TAKING_MS) await ignoreFailure(rmdir(path));
      else await setTimeout(TAKING_POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    await ignoreFailure(rmdir(path));
  }
}

function textOfHolder(holder: Holder): string {
  return `${JSON.stringify(holder)}\n`;
}

/** Resolves when a lock may be taken over. Throws a StoreError if it is held, and if it is no lock. */
async function checkFree(
  directory: string,
  text: string,
  processes: ProcessTable,
  onWait: (message: string) => void,
): Promise<void> {
  const path = join(directory, LOCK_NAME);
  const holder = holderOf(text);
  if (holder === null) {
    throw held(
      directory,
      `Expected ${path} to say which process uses the folder, got something else. If no ` +
        'sandbox uses it, delete that file.',
    );
  }
  const state = ownerState(holder, processes);
  if (state === 'gone') return;
  if (state === 'unknown') return await waitUntilAbandoned(directory, holder, onWait);
  throw held(
    directory,
    `Expected an unused folder, got one used by process ${holder.pid} on this host ` +
      `(${holder.host}). Stop that sandbox, or give this one another folder with --data. ` +
      `If process ${holder.pid} is not a sandbox, delete ${path}.`,
  );
}

/**
 * Decides from the process table whether an owner still runs. Returns `unknown` for a process of another
 * container or host, and for a process with our own id where start times are not readable: then only the
 * renewals of its lock can tell.
 */
function ownerState(holder: Holder, processes: ProcessTable): 'running' | 'gone' | 'unknown' {
  const { pid, host, started, processTable, released } = holder;
  if (released) return 'gone';
  const isVisible = processTable === processes.id && (processTable !== null || host === processes.host);
  if (!isVisible) return 'unknown';
  const running = processes.find(pid);
  if (running === null) return 'gone';
  if (started !== null && running.started !== null) return started === running.started ? 'running' : 'gone';
  return pid === processes.pid ? 'unknown' : 'running';
}

/** Waits until an owner has not renewed its lock for `STALE_MS`. Throws as soon as it renews it. */
async function waitUntilAbandoned(
  directory: string,
  holder: Holder,
  onWait: (message: string) => void,
): Promise<void> {
  const path = join(directory, LOCK_NAME);
  const renewed = async () => (await stat(path).catch(returnNullIfMissing))?.mtimeMs;
  const owner = `process ${holder.pid} in another container or machine (host ${JSON.stringify(holder.host)})`;
  const renewedMs = await renewed();
  if (renewedMs === undefined) return;
  const ageMs = Math.max(0, (await fileSystemNow(path)) - renewedMs);
  if (ageMs >= STALE_MS) return;
  onWait(
    `${directory}: ${owner} used the data directory ${Math.ceil(ageMs / 1_000)} s ago. ` +
      `Waiting up to ${Math.ceil((STALE_MS - ageMs) / 1_000)} s to see whether it still does.`,
  );
  for (let leftMs = STALE_MS - ageMs; leftMs > 0; leftMs -= POLL_MS) {
    await setTimeout(POLL_MS);
    if ((await renewed()) === renewedMs) continue;
    const text = await readLock(directory);
    if (text === null || holderOf(text)?.released === true) return;
    throw held(
      directory,
      `Expected an unused folder, got one used by ${owner}; it has just renewed ` +
        'its lock. Stop that sandbox, or give this one another folder with --data.',
    );
  }
}

/** The time of a new file, because the clock of the machine that holds the disk may differ from ours. */
async function fileSystemNow(path: string): Promise<number> {
  const { file, discard } = await writeDraft(path, '');
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await discard();
  }
}

function held(directory: string, message: string): StoreError {
  return new StoreError('held', directory, `: ${message}`);
}

/** Parses a lock; null if it is something else. */
function holderOf(text: string): Holder | null {
  try {
    const { id, pid, host, started, processTable, released, mark } = JSON.parse(text) as Holder;
    // Signals to 0 and to negative numbers would go to whole groups.
    const isPid = Number.isInteger(pid) && pid > 0;
    const areTexts = [started, processTable].every((value) => value === null || typeof value === 'string');
    const isMark =
      mark === null || (Number.isSafeInteger(mark.generation) && typeof mark.hasJournal === 'boolean');
    if (!isPid || !areTexts || !isMark || typeof host !== 'string' || typeof id !== 'string') return null;
    return { id, pid, host, started, processTable, released: released, mark };
  } catch {
    return null;
  }
}
