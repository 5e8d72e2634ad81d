import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether this process may use its terminal: the system stops a background process (`start &`) that changes the terminal or
 * reads from it. True if unknown.
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

/** Whether a line of `/proc/<pid>/stat` shows a process in its terminal's foreground group. */
export function groupHasTerminal(stat: string): boolean {
  // The program's name is in parentheses and may contain any characters.
  const [, , group, , , terminalGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === terminalGroup;
}

function byProcessList(): boolean {
  const { stdout, status } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], {
    encoding: 'utf8',
  });
  return status !== 0 || stdout.includes('+');
}
