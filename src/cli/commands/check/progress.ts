import { clearInterval, setInterval } from 'node:timers';
import type { Progress } from '../../../check/check.js';
import type { Io } from '../../program/io.js';
import { fit } from '../../terminal/text.js';

const LINE_EVERY_MS = 5_000;
const STARTING = 'waiting for the receiver to listen…';

/** Shows the progress of a run. */
export interface ProgressLine {
  readonly show: (progress: Progress) => void;
  readonly end: () => void;
}

/** Calls a function again and again, until the returned one is called. */
type Repeat = (run: () => void) => () => void;

const everyFiveSeconds: Repeat = (run) => {
  const timer = setInterval(run, LINE_EVERY_MS);
  return () => clearInterval(timer);
};

/** Draws a line on a terminal; elsewhere it prints one every five seconds, also while a check takes longer. */
export function progressLine(
  io: Pick<Io, 'columns' | 'json' | 'note' | 'progress'>,
  repeat: Repeat = everyFiveSeconds,
): ProgressLine {
  let text = STARTING;
  const isPrinted = io.columns === 0 && !io.json;
  const stop = isPrinted ? repeat(() => io.note(text)) : undefined;
  return {
    show: (progress) => {
      text = progressText(progress);
      io.progress(fit(text, Math.max(io.columns - 1, 0)));
    },
    end: () => {
      stop?.();
      io.progress('');
    },
  };
}

/** Names the check that runs longest. */
function progressText({ done, total, running }: Progress): string {
  const [oldest] = running;
  return `${done} of ${total} checks${oldest === undefined ? '' : `, ${oldest}…`}`;
}
