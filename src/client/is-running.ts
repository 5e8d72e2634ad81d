import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { findForeignOwner } from '../directories.js';

/** A process as a run file records it. */
export interface ProcessRecord {
  readonly pid: number;
  /**
   * Distinguishes it from later processes with its id, and from processes of other containers; absent on
   * systems without one.
   */
  readonly process_identity?: string | undefined;
}

/** The largest process id that Node accepts. */
const MAX_PID = 2 ** 31 - 1;

/** Recognizes the id of a single process: to `kill`, 0 and negative numbers mean whole groups. */
export function isProcessId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_PID;
}

/** Checks whether a process is running; on Linux, a zombie does not count. */
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
 * Verifies it is still the recorded process, of this user and in this pid namespace: the condition for
 * sending signals.
 */
export function isOwnProcess(record: ProcessRecord): boolean {
  const { pid, process_identity: recorded } = record;
  if (recorded === undefined || !isRunning(record) || getProcessIdentity(pid) !== recorded) return false;
  return findForeignOwner(`/proc/${pid}`) === undefined && existsSync(`/proc/${pid}`);
}

/** The boot, the pid namespace and the start time of a process; undefined if the system does not provide them. */
export function getProcessIdentity(pid: number = process.pid): string | undefined {
  try {
    // Another namespace's /proc numbers processes differently.
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
    // The command's name comes second, in brackets, and may hold anything; the state is field 3, the start field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
