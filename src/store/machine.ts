import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { systemCodeOf } from './store-error.js';

/** A running process. Its start time, as the system writes it, tells it from a later one with the same id; null: unknown. */
export interface Process {
  readonly started: string | null;
}

/** The part of the machine that a lock needs; tests replace it. */
export interface Machine {
  readonly host: string;
  readonly pid: number;
  /** Identifies the process table of `processOf`, so the running kernel and the pid namespace; null where unknown. */
  readonly processTable: string | null;
  /** Null if no such process runs. */
  processOf(pid: number): Process | null;
  /** Milliseconds since 1970. */
  now(): number;
  wait(ms: number): Promise<void>;
  /** Calls back at an interval, without keeping the process alive; returns a function that stops it. */
  every(ms: number, call: () => void): () => void;
}

export const thisMachine: Machine = {
  host: hostname(),
  pid: process.pid,
  processTable: processTable(),
  processOf,
  now: () => Date.now(),
  wait: (ms) => setTimeout(ms),
  every: (ms, call) => {
    const timer = setInterval(call, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Containers have the same kernel, often the same host name, and each a process 1; their pid namespaces differ. */
function processTable(): string | null {
  const boot = bootId();
  const namespace = linkOf('/proc/self/ns/pid');
  return boot === null || namespace === null ? null : `${boot}/${namespace}`;
}

function processOf(pid: number): Process | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (systemCodeOf(error) !== 'EPERM') return null;
  }
  const stat = textOfFile(`/proc/${pid}/stat`);
  const boot = bootId();
  // A container that has the /proc of its host finds other processes under these ids.
  const isOurs = linkOf('/proc/self') === String(process.pid);
  if (stat === null || boot === null || !isOurs) return { started: null };
  // The command's name comes second, in brackets, and may hold anything; the state is field 3, the start field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  // A killed process keeps its id until its parent has collected its exit status.
  if (state === 'Z' || state === 'X') return null;
  return { started: ticks === undefined ? null : `${boot}/${ticks}` };
}

function bootId(): string | null {
  return textOfFile('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
}

function textOfFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
