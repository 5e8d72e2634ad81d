import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether this process may use its terminal: one that was put into the background (`start &`) is stopped by the system when it
 * changes the terminal or reads from it. Where nobody knows, it may.
 */
export function isInForeground(platform: NodeJS.Platform = process.platform): boolean {
  if (platform === 'win32') return true;
  return platform === 'linux' ? bySystemFile() : byProcessList();
}

function bySystemFile(): boolean {
  try {
    return groupHasTerminal(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return true;
  }
}

/** Whether a line of `/proc/<pid>/stat` tells of a process whose group its terminal belongs to. */
export function groupHasTerminal(stat: string): boolean {
  // The name of the program stands in parentheses and may hold anything.
  const [, , group, , , terminalGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === terminalGroup;
}

function byProcessList(): boolean {
  const { stdout, status } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], {
    encoding: 'utf8',
  });
  return status !== 0 || stdout.includes('+');
}
