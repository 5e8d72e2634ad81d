import { addAbortSignal } from 'node:stream';
import { nothingPiped } from './errors.js';
import type { Colours, Io } from './io.js';
import { jsonLine } from '../terminal/text.js';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const plain = (text: string) => text;
const NO_COLOURS: Colours = {
  level: 0,
  bold: plain,
  cyan: plain,
  dim: plain,
  green: plain,
  magenta: plain,
  red: plain,
  yellow: plain,
};

/** The Io of this process. The first signal asks the command to stop, the second exits at once. */
export async function processIo(options: Readonly<Record<string, unknown>>, program: string) {
  const colour = await coloursFor(options);
  const { env, stdout, stderr } = process;
  const json = options.json === true;
  const { stopping, stop, signalExitCode, release } = listenToSignals();
  let isDrawn = false;
  const endProgress = () => {
    if (isDrawn) stderr.write('\n');
    isDrawn = false;
  };
  const io: Io = {
    env,
    cwd: process.cwd(),
    program,
    json,
    interactive: !json && options.input !== false && isWatched(),
    columns: stdout.isTTY ? stdout.columns : 0,
    colour,
    readInput: async () => {
      const { stdin } = process;
      if (stdin.isTTY) throw nothingPiped();
      const chunks: Buffer[] = [];
      for await (const chunk of addAbortSignal(stopping, stdin)) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    say: (text) => {
      endProgress();
      if (!json) stdout.write(`${text}\n`);
    },
    note: (text) => {
      endProgress();
      stderr.write(`${text}\n`);
    },
    progress: (text) => {
      if (!stderr.isTTY) return;
      stderr.write(`\r\u001B[2K${text}`);
      isDrawn = true;
    },
    emit: (value) => {
      if (json) stdout.write(`${jsonLine(value)}\n`);
    },
    stopping,
    stop,
  };
  return { io, signalExitCode, release };
}

/** Aborts at the first signal, or when the reader of stdout has gone; the second signal ends the process. */
function listenToSignals() {
  const stopping = new AbortController();
  let exitCode: number | undefined;
  const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];
  const release = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = (signal: keyof typeof SIGNALS) => {
    exitCode = SIGNALS[signal];
    if (stopping.signal.aborted) {
      release();
      process.kill(process.pid, signal);
    }
    stopping.abort();
  };
  const stop = () => {
    if (!stopping.signal.aborted) onSignal('SIGTERM');
  };
  for (const signal of signals) process.on(signal, onSignal);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early (`| head`) is not an error.
    if (error.code !== 'EPIPE') throw error;
    exitCode = 0;
    stopping.abort();
  });
  return { stopping: stopping.signal, stop, signalExitCode: () => exitCode, release };
}

/** Whether all three streams are terminals. The input comes last, because Node opens it when it is asked for. */
function isWatched(): boolean {
  const { env, stdout, stderr } = process;
  return stdout.isTTY && stderr.isTTY && !env.CI && env.TERM !== 'dumb' && process.stdin.isTTY;
}

/** The library is loaded only where there are colours. */
async function coloursFor(options: Readonly<Record<string, unknown>>): Promise<Colours> {
  const { env, stdout } = process;
  if (options.color === false || options.json === true || env.NO_COLOR) return NO_COLOURS;
  const { FORCE_COLOR: forced } = env;
  if (forced === '0' || forced === 'false') return NO_COLOURS;
  if (forced === undefined && (!stdout.isTTY || env.TERM === 'dumb' || env.CI)) return NO_COLOURS;
  const { Chalk, supportsColor } = await import('chalk');
  if (forced !== undefined) return new Chalk({ level: 1 });
  return supportsColor === false ? NO_COLOURS : new Chalk({ level: supportsColor.level });
}
