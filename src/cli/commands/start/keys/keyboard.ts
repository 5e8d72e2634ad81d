import { constants } from 'node:os';
import { isInForeground } from './foreground.js';

/** Above it stand the exit codes of what a signal ended. */
const SIGNAL_CODES = 128;
const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';
const CTRL_BACKSLASH = '\u001c';

/**
 * Hands over the single keys that are typed into the terminal of this process, while it is in the foreground. Several characters at once
 * are ignored: somebody pastes, or it is an arrow. Ctrl-C, Ctrl-Z and Ctrl-\ do what they always do. Returns what gives the
 * terminal back.
 */
export function listenToKeys(onKey: (key: string) => void): () => void {
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
    } else if (Array.from(typed).length === 1) onKey(typed);
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
 * Who once had the terminal, and ends in the background, is stopped by the system when Node sets the terminal back: it dies of
 * the signal that its exit code speaks of instead.
 */
function endAsSignalled(exitCode: number): void {
  const signal = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).find(
    (name) => constants.signals[name] + SIGNAL_CODES === exitCode,
  );
  if (signal === undefined || isInForeground()) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** As a terminal does it: also to whoever started this process and waits for it, such as npx. */
function signalGroup(signal: NodeJS.Signals): void {
  process.kill(0, signal);
}
