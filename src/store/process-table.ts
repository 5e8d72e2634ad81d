import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { getSystemCode } from './store-error.js';

/** Information about this process and all visible processes; replaced in tests. */
export interface ProcessTable {
  readonly host: string;
  readonly pid: number;
  /** Identifies the table by boot id and pid namespace; null if unknown. */
  readonly id: string | null;
  /**
   * Finds a running process. The start time distinguishes a process from later processes with the same id.
   */
  readonly find: (pid: number) => { readonly started: string | null } | null;
}

export const currentProcess: ProcessTable = { host: hostname(), pid: process.pid, id: tableId(), find };

/** Includes the pid namespace, because containers share a kernel and often a host name. */
function tableId(): string | null {
  const boot = bootId();
  const namespace = orNull(() => readlinkSync('/proc/self/ns/pid'));
  return boot === null || namespace === null ? null : `${boot}/${namespace}`;
}

function find(pid: number): { readonly started: string | null } | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is running as another user.
    if (getSystemCode(error) !== 'EPERM') return null;
  }
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const boot = bootId();
  // If a container mounts its host's /proc, the ids there refer to other processes.
  const isOurs = orNull(() => readlinkSync('/proc/self')) === String(process.pid);
  if (stat === null || boot === null || !isOurs) return { started: null };
  // Field 2 is the command name in parentheses, which can contain any text; field 3 is the state, and field
  // 22 is the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  // A terminated process retains its id until its parent collects the exit status.
  if (state === 'Z' || state === 'X') return null;
  return { started: ticks === undefined ? null : `${boot}/${ticks}` };
}

function bootId(): string | null {
  return orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
