import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { SIGNAL_CODES } from '../../../../child.js';
import type { SandboxServer } from '../../../../http/server/start.js';
import type { Io } from '../../../program/io.js';
import { openPage } from '../../../terminal/open-page.js';
import { formatHanging } from '../../../terminal/text.js';
import { KEYS_HINT, StartKeys } from './start-keys.js';

/**
 * Returns true if this process can use its terminal, or if the platform cannot tell. The system stops a
 * background process (`start &`) that reads or changes the terminal.
 */
function isInForeground(platform: NodeJS.Platform = process.platform): boolean {
  if (platform === 'win32') return true;
  return platform === 'linux' ? bySystemFile() : byProcessList();
}

function bySystemFile(): boolean {
  try {
    return hasTerminal(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return true;
  }
}

/** Returns true if a line of `/proc/<pid>/stat` shows a process in its terminal's foreground group. */
export function hasTerminal(stat: string): boolean {
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

const ESCAPE = '\u001b';
const ENTER = '\r';
/** Maps arrow key codes after ESC, in both terminal modes. */
const ARROWS = new Map([
  ['[A', 'up'],
  ['OA', 'up'],
  ['[B', 'down'],
  ['OB', 'down'],
]);

/**
 * Parses typed keys: single characters, `up` and `down`. Fast typing can combine a key, arrows and Enter in
 * one chunk; any other chunk is pasted text and has no keys.
 */
export function parseKeys(typed: string): readonly string[] {
  if (Array.from(typed).length === 1) return [typed];
  const enter = typed.endsWith(ENTER) ? ENTER : '';
  const [before = '', ...sequences] = typed.slice(0, typed.length - enter.length).split(ESCAPE);
  const moves = sequences.map((sequence) => ARROWS.get(sequence) ?? '');
  const isText = moves.length === 0 || moves.includes('') || Array.from(before).length > 1;
  return isText ? [] : [before, ...moves, enter].filter((key) => key !== '');
}

const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';
const CTRL_BACKSLASH = '\u001c';

export function runKeys(server: SandboxServer, io: Io): () => void {
  const keys = new StartKeys(server, {
    io,
    quit: () => process.kill(process.pid, 'SIGINT'),
    open: (url) => openPage(url, io.env),
  });
  const end = listenToKeys((key) => void keys.press(key));
  io.say(io.colors.dim(formatHanging(KEYS_HINT, io.columns)));
  return end;
}

/**
 * Reports typed keys, but not pasted text, while this process is in the foreground. Ctrl-C, Ctrl-Z and Ctrl-\
 * work as usual. Returns a function that restores the terminal.
 */
function listenToKeys(onKey: (key: string) => void): () => void {
  const { stdin } = process;
  let isGrabbed = false;
  const takeTerminal = () => {
    if (isGrabbed || !isInForeground()) return;
    isGrabbed = true;
    process.off('exit', endAsSignaled);
    process.on('exit', endAsSignaled);
    stdin.setRawMode(true);
    stdin.resume();
  };
  const restoreTerminal = () => {
    if (!isGrabbed) return;
    isGrabbed = false;
    stdin.setRawMode(false);
    stdin.pause();
  };
  const onData = (data: Buffer) => {
    const typed = data.toString();
    if (typed.includes(CTRL_C)) signalGroup('SIGINT');
    else if (typed === CTRL_BACKSLASH) signalGroup('SIGQUIT');
    else if (typed === CTRL_Z) {
      restoreTerminal();
      signalGroup('SIGTSTP');
    } else parseKeys(typed).forEach(onKey);
  };
  stdin.on('data', onData);
  process.on('SIGCONT', takeTerminal);
  process.on('exit', restoreTerminal);
  takeTerminal();
  if (!isGrabbed) stdin.pause();
  return () => {
    stdin.off('data', onData);
    process.off('SIGCONT', takeTerminal);
    process.off('exit', restoreTerminal);
    restoreTerminal();
  };
}

/**
 * Ends a background process with the signal that matches its exit code. Otherwise, the system would stop the
 * process when Node resets the terminal.
 */
function endAsSignaled(exitCode: number): void {
  const signal = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).find(
    (name) => constants.signals[name] + SIGNAL_CODES === exitCode,
  );
  if (signal === undefined || isInForeground()) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Signals the process group, including a waiting parent such as npx, as a terminal does. */
function signalGroup(signal: NodeJS.Signals): void {
  process.kill(0, signal);
}
