import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { ProcessTable } from './process-table.js';
import { ignoreFailure, replaceFile, writeDraft } from './checksummed-file.js';
import { toStoreError, createLostError, catchMissingFile, StoreError, getSystemCode } from './store-error.js';

const LOCK_NAME = 'lock';
const TAKING_NAME = 'lock.taking';
/** Real time between lock renewals, which update the file's modification time. */
export const RENEW_MS = 2_000;
/**
 * Time since the last renewal after which a lock counts as abandoned, if its owner's process is not visible.
 */
export const STALE_AFTER_MS = 10_000;
const POLL_MS = 500;
/** Time to wait for another process to finish acquiring a lock, which takes milliseconds. */
const ACQUIRE_TIMEOUT_MS = 2_000;
const TAKING_POLL_MS = 20;

/**
 * Expected contents of a directory, recorded by its last owner before acknowledging changes. Each new owner
 * copies the record.
 */
export interface LockRecord {
  /** Minimum snapshot generation; 0 if no snapshot is expected. */
  readonly generation: number;
  /** True if a snapshot of this generation requires its journal. */
  readonly hasJournal: boolean;
}

/** The current or last owner of a data directory, as recorded in its lock. */
interface Holder {
  /** Unique per owner. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
  readonly processTable: string | null;
  readonly released: boolean;
  readonly mark: LockRecord | null;
}

export interface Lock {
  /** Expected contents of the directory at takeover; null for an unused directory. */
  readonly mark: LockRecord | null;
  /**
   * Throws a StoreError if the directory was deleted, moved, replaced, or taken over by another process. A
   * new owner replaces the lock before reading anything, so a write is valid if `check` passes afterward.
   */
  check(): Promise<void>;
  /** Records the directory's new expected contents. */
  note(mark: LockRecord): Promise<void>;
  /** Releases the directory and records its expected contents. */
  release(mark?: LockRecord): Promise<void>;
}

const GONE = 'The data directory or its lock was deleted, moved or replaced while the sandbox was using it';
const OVERTAKEN =
  'Another process has taken over the data directory, because this process did not renew its lock in time';

/** Returns the content of a directory's lock, or null if the directory was never locked. */
export async function readLock(directory: string): Promise<string | null> {
  const path = join(directory, LOCK_NAME);
  try {
    return await readFile(path, 'utf8').catch(catchMissingFile);
  } catch (error) {
    throw toStoreError(error, path, 'a readable lock file');
  }
}

export function parseLockRecord(text: string | null): LockRecord | null {
  return text === null ? null : (holderOf(text)?.mark ?? null);
}

/**
 * Makes this process the only owner of a directory. Resolves to undefined if the lock's content differs from
 * `expected`. Throws a StoreError if another process owns the directory, and a system error if writing is
 * impossible. The process table shows whether an owner in the same container is still running. Processes in
 * other containers are not visible, and Node has no kernel file locks, so only lock renewals show whether
 * such an owner is running. A suspended owner detects a takeover at its next write (`Lock.check`), before
 * acknowledging anything.
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

async function heldLock(directory: string, acquired: Holder): Promise<Lock> {
  const path = join(directory, LOCK_NAME);
  const inode = async () => (await stat(path, { bigint: true }).catch(catchMissingFile))?.ino;
  let self = acquired;
  let own = await inode();
  const renewing = setInterval(() => void ignoreFailure(renew(path)), RENEW_MS).unref();
  const check = async () => {
    const [text, found] = await Promise.all([readLock(directory), inode()]);
    if (text === textOfHolder(self) && found === own) return;
    const holder = text === null ? null : holderOf(text);
    throw createLostError(directory, holder === null || holder.id === self.id ? GONE : OVERTAKEN);
  };
  const rewrite = async (holder: Holder) => {
    // Check before writing as well, so that nothing is written to another owner's directory.
    await check();
    await exclusively(directory, async () => {
      await replaceFile(path, textOfHolder(holder), check);
      self = holder;
      own = await inode();
    });
  };
  return {
    mark: acquired.mark,
    check,
    note: (mark) => rewrite({ ...self, mark }),
    release: async (mark = self.mark ?? undefined) => {
      clearInterval(renewing);
      await rewrite({ ...self, released: true, mark: mark ?? null });
    },
  };
}

/** Renews a lock by rewriting its first byte, so that the file system's clock sets the modification time. */
async function renew(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write('{', 0);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Runs brief work (milliseconds) under a mutex shared by all processes. */
async function exclusively<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const path = join(directory, TAKING_NAME);
  for (let waitedMs = 0; ; waitedMs += TAKING_POLL_MS) {
    try {
      await mkdir(path);
      break;
    } catch (error) {
      if (getSystemCode(error) !== 'EEXIST') throw error;
      if (waitedMs >= ACQUIRE_TIMEOUT_MS) await ignoreFailure(rmdir(path));
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

/** Resolves when the lock can be taken over. Throws a StoreError if the lock is held or invalid. */
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
      `${path} is not a valid lock file. If no sandbox uses the directory, delete this file.`,
    );
  }
  const state = ownerState(holder, processes);
  if (state === 'gone') return;
  if (state === 'unknown') return await waitUntilAbandoned(directory, holder, onWait);
  throw held(
    directory,
    `The data directory is locked by process ${holder.pid} on this host ` +
      `(${holder.host}). Stop that sandbox, or use another directory with --data. ` +
      `If process ${holder.pid} is not a sandbox, delete ${path}.`,
  );
}

/**
 * Looks up an owner in the process table. Returns `unknown` for a process in another container or on another
 * host, and for this process's own id if start times are unavailable; lock renewals then decide.
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

/** Waits until a lock has not been renewed for `STALE_AFTER_MS`. Throws as soon as the lock is renewed. */
async function waitUntilAbandoned(
  directory: string,
  holder: Holder,
  onWait: (message: string) => void,
): Promise<void> {
  const path = join(directory, LOCK_NAME);
  const renewed = async () => (await stat(path).catch(catchMissingFile))?.mtimeMs;
  const host = JSON.stringify(holder.host);
  const owner = `process ${holder.pid} in another container or on another machine (host ${host})`;
  const renewedMs = await renewed();
  if (renewedMs === undefined) return;
  const ageMs = Math.max(0, (await fileSystemNow(path)) - renewedMs);
  if (ageMs >= STALE_AFTER_MS) return;
  onWait(
    `${directory}: ${owner} used the data directory ${Math.ceil(ageMs / 1_000)} s ago. ` +
      `Waiting up to ${Math.ceil((STALE_AFTER_MS - ageMs) / 1_000)} s to see whether that process is still ` +
      'running.',
  );
  for (let leftMs = STALE_AFTER_MS - ageMs; leftMs > 0; leftMs -= POLL_MS) {
    await setTimeout(POLL_MS);
    if ((await renewed()) === renewedMs) continue;
    const text = await readLock(directory);
    if (text === null || holderOf(text)?.released === true) return;
    throw held(
      directory,
      `The data directory is locked by ${owner}, which has just renewed ` +
        'its lock. Stop that sandbox, or use another directory with --data.',
    );
  }
}

/** Returns a new file's timestamp, because a remote disk's clock can differ from the local clock. */
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

/** Parses a lock's content. Returns null for invalid content. */
function holderOf(text: string): Holder | null {
  try {
    const { id, pid, host, started, processTable, released, mark } = JSON.parse(text) as Holder;
    // Reject 0 and negative ids, because signals to them would reach process groups.
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
