import { clearInterval, setInterval } from 'node:timers';
import type { Io } from '../program/io.js';
import { fit } from './text.js';

const LINE_EVERY_MS = 5_000;

export interface ProgressLine {
  readonly show: (text: string) => void;
  readonly end: () => void;
}

/** Calls a function again and again, until the returned one is called. */
type Repeat = (run: () => void) => () => void;

const everyFiveSeconds: Repeat = (run) => {
  const timer = setInterval(run, LINE_EVERY_MS);
  return () => clearInterval(timer);
};

/** Draws a line on a terminal; elsewhere it prints one every five seconds, also without news. */
export function progressLine(
  io: Pick<Io, 'columns' | 'json' | 'note' | 'progress'>,
  first: string,
  repeat: Repeat = everyFiveSeconds,
): ProgressLine {
  let line = first;
  const isPrinted = io.columns === 0 && !io.json;
  const stop = isPrinted ? repeat(() => io.note(line)) : undefined;
  return {
    show: (text) => {
      line = text;
      io.progress(fit(line, Math.max(io.columns - 1, 0)));
    },
    end: () => {
      stop?.();
      io.progress('');
    },
  };
}
