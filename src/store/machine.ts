import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCodeOf } from './store-error.js';

/** A running process. Its start time, as the system writes it, tells it from a later one with the same id; null: unknown. */
export interface Process {
  readonly started: string | null;
}

/** The part of the machine that a lock needs; tests replace it. */
export interface Machine {
  readonly host: string;
  readonly pid: number;
  /** Null if no such process runs. */
  processOf(pid: number): Process | null;
}

export const thisMachine: Machine = { host: hostname(), pid: process.pid, processOf };

function processOf(pid: number): Process | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (systemCodeOf(error) !== 'EPERM') return null;
  }
  const stat = textOfFile(`/proc/${pid}/stat`);
  const boot = textOfFile('/proc/sys/kernel/random/boot_id')?.trim();
  if (stat === null || boot === undefined) return { started: null };
  // The command's name comes second, in brackets, and may hold anything; the state is field 3, the start field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  // A killed process keeps its id until its parent has collected its exit status.
  if (state === 'Z' || state === 'X') return null;
  return { started: ticks === undefined ? null : `${boot}/${ticks}` };
}

function textOfFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
