import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { findForeignOwner } from '../directories.js';

/** A process recorded in a run file. */
export interface ProcessRecord {
  readonly pid: number;
  /**
   * Distinguishes the process from later processes with the same id and from processes in other containers.
   * Undefined on systems without process identities.
   */
  readonly process_identity?: string | undefined;
}

/** The largest process id accepted by Node. */
const MAX_PID = 2 ** 31 - 1;

/**
 * Returns true only for ids of single processes, because `kill` interprets 0 and negative numbers as process
 * groups.
 */
export function isProcessId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_PID;
}

/** Checks whether a process is running. On Linux, zombies do not count as running. */
export function isRunning({ pid, process_identity: recorded }: ProcessRecord): boolean {
  if (!isProcessId(pid)) return false;
  try {
    kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  const { state } = statOf(pid) ?? {};
  if (state === undefined || state === 'Z' || state === 'X') return false;
  const identity = getProcessIdentity(pid);
  return recorded === undefined || identity === undefined || identity === recorded;
}

/**
 * Checks that the recorded process still exists, belongs to this user and is in this pid namespace. Call
 * before sending signals.
 */
export function isOwnProcess(record: ProcessRecord): boolean {
  const { pid, process_identity: recorded } = record;
  if (recorded === undefined || !isRunning(record) || getProcessIdentity(pid) !== recorded) return false;
  return findForeignOwner(`/proc/${pid}`) === undefined && existsSync(`/proc/${pid}`);
}

/** Returns a process's boot id, pid namespace and start time, or undefined if unavailable. */
export function getProcessIdentity(pid: number = process.pid): string | undefined {
  try {
    // In another namespace, /proc contains different process ids.
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const started = statOf(pid)?.started;
    return started && `${boot}/${readlinkSync('/proc/self/ns/pid')}/${started}`;
  } catch {
    return undefined;
  }
}

function statOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2 is the command name in parentheses and can contain anything. Field 3 is the state; field 22 is
    // the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
