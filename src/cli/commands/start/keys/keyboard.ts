import { constants } from 'node:os';
import type { SandboxServer } from '../../../../http/server/start.js';
import type { Io } from '../../../program/io.js';
import { hanging } from '../../../terminal/text.js';
import { isInForeground } from './foreground.js';
import { openPage } from './open-page.js';
import { KEYS_HINT, StartKeys } from './start-keys.js';
import { keysIn } from './typed-keys.js';

/** Exit codes above it are those of processes ended by a signal. */
const SIGNAL_CODES = 128;
const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';
const CTRL_BACKSLASH = '\u001c';

/** Lets single keys control a running sandbox; returns a function that stops it. */
export function runKeys(server: SandboxServer, io: Io): () => void {
  const keys = new StartKeys(server, {
    io,
    quit: () => process.kill(process.pid, 'SIGINT'),
    open: (url) => openPage(url, io.env),
  });
  const end = listenToKeys((key) => void keys.press(key));
  io.say(io.colour.dim(hanging(KEYS_HINT, io.columns)));
  return end;
}

/**
 * Passes on the keys typed into the terminal while this process is in the foreground, but no pasted text. Ctrl-C, Ctrl-Z and
 * Ctrl-\ work as usual. Returns a function that restores the terminal.
 */
function listenToKeys(onKey: (key: string) => void): () => void {
  const { stdin } = process;
  let isGrabbed = false;
  const grab = () => {
    if (isGrabbed || !isInForeground()) return;
    isGrabbed = true;
    process.off('exit', endAsSignalled);
    process.on('exit', endAsSignalled);
    stdin.setRawMode(true);
    stdin.resume();
  };
  const giveBack = () => {
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
      giveBack();
      signalGroup('SIGTSTP');
    } else keysIn(typed).forEach(onKey);
  };
  stdin.on('data', onData);
  process.on('SIGCONT', grab);
  process.on('exit', giveBack);
  grab();
  if (!isGrabbed) stdin.pause();
  return () => {
    stdin.off('data', onData);
    process.off('SIGCONT', grab);
    process.off('exit', giveBack);
    giveBack();
  };
}

/**
 * A process that used the terminal and exits in the background is stopped by the system when Node resets the terminal, so it
 * kills itself with the signal of its exit code instead.
 */
function endAsSignalled(exitCode: number): void {
  const signal = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).find(
    (name) => constants.signals[name] + SIGNAL_CODES === exitCode,
  );
  if (signal === undefined || isInForeground()) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Signals the whole group, as a terminal does, including a waiting parent such as npx. */
function signalGroup(signal: NodeJS.Signals): void {
  process.kill(0, signal);
}
