import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { getSystemCode } from './store-error.js';

/** This process and the other visible ones; replaced in tests. */
export interface ProcessTable {
  readonly host: string;
  readonly pid: number;
  /** Identifies the table: the running kernel and the pid namespace; null where unknown. */
  readonly id: string | null;
  /**
   * A running process, with its start time as the system writes it, which tells it from a later one with the
   * same id.
   */
  readonly find: (pid: number) => { readonly started: string | null } | null;
}

export const currentProcess: ProcessTable = { host: hostname(), pid: process.pid, id: tableId(), find };

/** Containers have the same kernel, often the same host name, and each a process 1; their pid namespaces differ. */
function tableId(): string | null {
  const boot = bootId();
  const namespace = orNull(() => readlinkSync('/proc/self/ns/pid'));
  return boot === null || namespace === null ? null : `${boot}/${namespace}`;
}

function find(pid: number): { readonly started: string | null } | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (getSystemCode(error) !== 'EPERM') return null;
  }
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const boot = bootId();
  // A container with its host's /proc finds other processes under these ids.
  const isOurs = orNull(() => readlinkSync('/proc/self')) === String(process.pid);
  if (stat === null || boot === null || !isOurs) return { started: null };
  // The command's name comes second, in brackets, and may hold anything; the state is field 3, the start field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  // A killed process keeps its id until its parent has collected its exit status.
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
