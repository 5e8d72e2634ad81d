import { EventEmitter } from 'node:events';
import { Chalk } from 'chalk';
import type { Environment } from '../../../src/client/run-file.js';
import { createNothingPipedError } from '../../../src/cli/program/errors.js';
import { loadCommands } from '../../../src/cli/commands/table.js';
import type { CommandDeclaration } from '../../../src/cli/program/declaration.js';
import { PROGRAM_NAME } from '../../../src/text/program-name.js';
import type { Io } from '../../../src/cli/program/io.js';
import { ExitCode } from '../../../src/cli/program/io.js';
import { formatJsonLine } from '../../../src/cli/terminal/text.js';

export interface FakeIoOptions {
  readonly json?: boolean;
  /** Columns of the terminal; 0, the default, is no terminal. */
  readonly columns?: number;
  readonly env?: Environment;
  readonly cwd?: string;
  /** What the program is called as. */
  readonly program?: string;
  readonly interactive?: boolean;
  /** What is piped into stdin; without it, stdin is a terminal. */
  readonly stdin?: Uint8Array | string;
  /** 0, the default, is no color. */
  readonly colorLevel?: 0 | 1;
}

export interface FakeIo {
  readonly io: Io;
  /** What was written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Emits `progress` at each text. */
  readonly progress: EventEmitter;
  /** The first Ctrl-C. */
  readonly stop: () => void;
}

/** What the commands of tests are called as: as long as PROGRAM, so that lines break where they do for it. */
export const CALLED = 'NPX sandbox';

/** What was written, with the program's usual name. Throws where a text does not name it as it was called. */
function asWritten(text: string, program: string): string {
  if (program === PROGRAM_NAME) return text;
  const at = text.indexOf(PROGRAM_NAME);
  if (at >= 0) throw new Error(`Expected the program as it was called, ${program}; got ${text.slice(at)}`);
  return text.replaceAll(program, PROGRAM_NAME);
}

/** An Io that records, and behaves like the one of a process. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const { json = false, program = CALLED } = options;
  const stopping = new AbortController();
  const progress = new EventEmitter();
  let stdout = '';
  let stderr = '';
  const out = (text: string) => {
    stdout += text;
    progress.emit('progress');
  };
  const err = (text: string) => {
    stderr += text;
    progress.emit('progress');
  };
  const io: Io = {
    env: options.env ?? {},
    cwd: options.cwd ?? '/nowhere',
    program,
    json,
    interactive: options.interactive ?? false,
    columns: options.columns ?? 0,
    colors: new Chalk({ level: options.colorLevel ?? 0 }),
    readInput: () =>
      options.stdin === undefined
        ? Promise.reject(createNothingPipedError())
        : Promise.resolve(Buffer.from(options.stdin)),
    say: (text) => {
      if (!json) out(`${text}\n`);
    },
    note: (text) => err(`${text}\n`),
    progress: (text) => {
      if (io.columns > 0) err(`${text}\n`);
    },
    emit: (value) => {
      if (json) out(`${formatJsonLine(value)}\n`);
    },
    stopping: stopping.signal,
    stop: () => stopping.abort(),
  };
  return {
    io,
    stdout: () => asWritten(stdout, program),
    stderr: () => asWritten(stderr, program),
    progress,
    stop: () => stopping.abort(),
  };
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A command by its name, such as `charges list`. */
export async function commandNamed(name: string): Promise<CommandDeclaration> {
  const { commands } = await loadCommands(name.split(' ')[0]);
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new Error(`There is no command ${name}.`);
  return command;
}

/** Runs a command to its end, with arguments and options as commander would hand them over. */
export async function runBody(
  command: string,
  options: FakeIoOptions & {
    readonly args?: readonly string[];
    readonly options?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<Ran> {
  const { io, stdout, stderr } = fakeIo(options);
  const { args = [], options: given = {} } = options;
  const exitCode = await (await commandNamed(command)).invoke({ io, args, given });
  const code = exitCode instanceof ExitCode ? exitCode.code : (exitCode ?? 0);
  return { stdout: stdout(), stderr: stderr(), exitCode: code };
}
