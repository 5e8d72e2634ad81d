import { addAbortSignal } from 'node:stream';
import { Chalk, supportsColor } from 'chalk';
import { nothingPiped } from './errors.js';
import type { Io } from './io.js';
import { jsonLine } from '../terminal/text.js';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The Io of this process. The first signal asks the command to stop, the second exits at once. */
export function processIo(options: Readonly<Record<string, unknown>>, program: string) {
  const { env, stdout, stderr } = process;
  const json = options.json === true;
  const { stopping, signalExitCode, release } = listenToSignals();
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
    colour: new Chalk({ level: colourLevel(env, options, stdout.isTTY) }),
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
  for (const signal of signals) process.on(signal, onSignal);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early (`| head`) is not an error.
    if (error.code !== 'EPIPE') throw error;
    exitCode = 0;
    stopping.abort();
  });
  return { stopping: stopping.signal, signalExitCode: () => exitCode, release };
}

/** Whether all three streams are terminals. The input comes last, because Node opens it when it is asked for. */
function isWatched(): boolean {
  const { env, stdout, stderr } = process;
  return stdout.isTTY && stderr.isTTY && !env.CI && env.TERM !== 'dumb' && process.stdin.isTTY;
}

function colourLevel(
  env: NodeJS.ProcessEnv,
  options: Readonly<Record<string, unknown>>,
  isTerminal: boolean,
): 0 | 1 | 2 | 3 {
  if (options.color === false || options.json === true || env.NO_COLOR) return 0;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR === '0' || env.FORCE_COLOR === 'false' ? 0 : 1;
  if (!isTerminal || env.TERM === 'dumb' || env.CI) return 0;
  return supportsColor === false ? 0 : supportsColor.level;
}
