import { readFileSync } from 'node:fs';
import { kill } from 'node:process';

/** Whether a process is running; on Linux, a zombie does not count. */
export function isRunning(pid: number): boolean {
  try {
    kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}
