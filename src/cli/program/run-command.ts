import { addAbortSignal } from 'node:stream';
import { NOT_A_SANDBOX, NotReachableError, SandboxError } from '../../client/control.js';
import { isConfigured } from '../../config/settings.js';
import { Refusal } from '../../contract/refusals.js';
import { withProgramName } from '../../text/program-name.js';
import { formatHanging, indent, formatJsonLine, toOneLine } from '../terminal/text.js';
import type { ConfiguredOptions } from './configured-options.js';
import type { CommandDeclaration, RawOptions } from './declaration.js';
import {
  CliError,
  EXIT_CODES,
  createNothingPipedError,
  createNotRunningError,
  wrapRemoteError,
  toSystemError,
} from './errors.js';
import { type Colors, ExitCode, type Io } from './io.js';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const plain = (text: string) => text;
const PLAIN = {
  bold: plain,
  cyan: plain,
  dim: plain,
  green: plain,
  magenta: plain,
  red: plain,
  yellow: plain,
};
export const NO_COLORS: Colors = { level: 0, ...PLAIN };

/**
 * Creates this process's Io. The first signal asks the command to stop; the second signal exits immediately.
 */
async function processIo(options: RawOptions, program: string) {
  const { env, stdout, stderr } = process;
  const json = options.json === true;
  // Check stdin last, because Node opens it on first access.
  const isWatched = () =>
    stdout.isTTY && stderr.isTTY && !env.CI && env.TERM !== 'dumb' && process.stdin.isTTY;
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
    colors: await detectColors(options),
    readInput: async () => {
      const { stdin } = process;
      if (stdin.isTTY) throw createNothingPipedError();
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
      if (json) stdout.write(`${formatJsonLine(value)}\n`);
    },
    stopping,
    stop,
  };
  return { io, signalExitCode, release };
}

/**
 * Aborts on the first signal, or when the reader of stdout closes the pipe. The second signal ends the
 * process.
 */
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
    // Ignore a reader that closes the pipe early (`| head`).
    if (error.code !== 'EPIPE') throw error;
    exitCode = 0;
    stopping.abort();
  });
  const stop = () => {
    if (!stopping.signal.aborted) onSignal('SIGTERM');
  };
  return { stopping: stopping.signal, stop, signalExitCode: () => exitCode, release };
}

/** Loads chalk only if colors are enabled. */
async function detectColors({ color, json }: RawOptions): Promise<Colors> {
  const { env, stdout } = process;
  const { FORCE_COLOR: forced } = env;
  const isTerminal = stdout.isTTY && env.TERM !== 'dumb' && !env.CI;
  const isOff = forced === undefined ? !isTerminal : forced === '0' || forced === 'false';
  if (color === false || json === true || env.NO_COLOR || isOff) return NO_COLORS;
  const { Chalk, supportsColor } = await import('chalk');
  if (forced !== undefined) return new Chalk({ level: 1 });
  return supportsColor === false ? NO_COLORS : new Chalk({ level: supportsColor.level });
}

/** Runs a command and converts its errors to a message and an exit code. */
export async function runCommand(
  command: CommandDeclaration,
  args: readonly string[],
  options: RawOptions,
  program: string,
): Promise<number> {
  const { io, signalExitCode, release } = await processIo(options, program);
  return runOn({ io, signalExitCode }, command, args, options).finally(release);
}

/**
 * Runs a command with the specified Io. `signalExitCode` returns the exit code for the signal that stopped
 * the command, if any.
 */
export async function runOn(
  { io, signalExitCode }: { readonly io: Io; readonly signalExitCode: () => number | undefined },
  command: CommandDeclaration,
  args: readonly string[],
  options: RawOptions,
): Promise<number> {
  let settings: ConfiguredOptions = { options, origins: [] };
  try {
    // Commands without settings do not read settings files.
    if (isConfigured(command.name)) {
      const { resolveConfiguredOptions } = await import('./configured-options.js');
      settings = resolveConfiguredOptions(command.name, options, io);
    }
    const exitCode = (await command.invoke({ io, args, given: settings.options })) ?? EXIT_CODES.done;
    return exitCode instanceof ExitCode ? exitCode.code : (signalExitCode() ?? exitCode);
  } catch (error) {
    const stoppedBy = signalExitCode();
    const isLoss = error instanceof CliError && error.code === 'DATA_NOT_SAVED';
    if (stoppedBy !== undefined && io.stopping.aborted && !isLoss) return stoppedBy;
    return report(withOrigins(toCliError(error, io), settings.origins), io);
  }
}

/** Adds the sources of configured options to a usage error. */
function withOrigins(error: CliError, origins: readonly string[]): CliError {
  if (error.exitCode !== EXIT_CODES.usage || origins.length === 0) return error;
  const { exitCode, code, message, details, hint } = error;
  const note = `Set outside the command line: ${origins.join(', ')}.`;
  return wrapRemoteError(exitCode, {
    code,
    message,
    details,
    hint: hint === undefined ? note : `${hint.replace(/(?<![.!?])$/, '.')} ${note}`,
  });
}

/** Converts an expected failure to a CliError. Rethrows other errors as bugs. */
export function toCliError(error: unknown, io: Pick<Io, 'program'>): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof NotReachableError)
    return createNotRunningError(`No sandbox responds at ${error.url}.`);
  if (error instanceof SandboxError) {
    const isUsage = error.status === 400 && error.code !== NOT_A_SANDBOX;
    return wrapRemoteError(isUsage ? EXIT_CODES.usage : EXIT_CODES.no, error.body);
  }
  if (error instanceof Refusal) return wrapRemoteError(EXIT_CODES.usage, error);
  // StoreError means that the data directory or recording is unusable.
  if (error instanceof Error && error.name === 'StoreError')
    return new CliError(EXIT_CODES.usage, 'DATA_NOT_USABLE', withProgramName(error.message, io.program));
  const expected = toSystemError(error);
  if (expected !== undefined) return expected;
  throw error;
}

/** Aligns continuation lines of a message with its first word. */
const INDENT = ' '.repeat('error '.length);

function report(error: CliError, io: Io): number {
  const { code, message, details, exitCode } = error;
  const hint = error.hint === undefined ? undefined : withProgramName(error.hint, io.program);
  if (io.json) {
    io.emit({ error: { code, message, details, hint }, exit_code: exitCode });
    return exitCode;
  }
  const { colors, columns } = io;
  io.note(`${colors.red('error')} ${indent(message, INDENT, columns)}`);
  for (const { field, message: problem } of details) {
    io.note(`  ${indent(`${field}: ${problem}`, INDENT, columns)}`);
  }
  if (hint !== undefined)
    io.note(`${colors.cyan('hint')}  ${formatHanging(toOneLine(hint, 0), columns, INDENT)}`);
  return exitCode;
}
