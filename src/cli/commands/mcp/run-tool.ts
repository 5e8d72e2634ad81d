import { type CliError, EXIT_CODES } from '../../program/errors.js';
import type { CommandDeclaration, RawOptions } from '../../program/declaration.js';
import { ExitCode, type Io } from '../../program/io.js';
import { NO_COLORS, toCliError } from '../../program/run-command.js';
import { resolveConfiguredOptions } from '../../program/configured-options.js';
import { BUG_HINT } from '../../../text/bug-report.js';
import { getErrorMessage } from '../../../text/errors.js';
import { isConfigured } from '../../../config/settings.js';

/** Result of a command that ran for a tool. */
export interface CommandResult {
  /** The printed text. */
  readonly text: string;
  /** The JSON that the command prints with `--json`. */
  readonly json: readonly object[];
  readonly exitCode: number;
  readonly error?: CommandError;
}

/** Why a command failed. */
export interface CommandError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly details: CliError['details'];
}

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: RawOptions;
  readonly stdin?: string | undefined;
  readonly signal: AbortSignal;
  readonly onNote?: (text: string) => void;
  readonly onJson?: (value: object) => void;
}

/** Runs a command in this process, and returns both its text and its JSON. Never prompts. */
export async function runForTool(
  declared: CommandDeclaration,
  { args, options, stdin, signal, onNote = () => undefined, onJson = () => undefined }: CommandInput,
  own: Pick<Io, 'env' | 'cwd' | 'program'>,
): Promise<CommandResult> {
  const text: string[] = [];
  const json: object[] = [];
  const { env, cwd, program } = own;
  const io: Io = {
    env: { ...env, GITHUB_ACTIONS: undefined },
    cwd,
    program,
    colors: NO_COLORS,
    json: false,
    interactive: false,
    columns: 0,
    readInput: () => Promise.resolve(Buffer.from(stdin ?? '')),
    say: (line) => {
      text.push(line);
    },
    note: onNote,
    progress: onNote,
    emit: (value) => {
      json.push(value);
      onJson(value);
    },
    stopping: signal,
    stop: () => undefined,
  };
  const result = (exitCode: number) => ({ text: text.join('\n'), json, exitCode });
  try {
    const given = isConfigured(declared.name)
      ? resolveConfiguredOptions(declared.name, options, io).options
      : options;
    const code = (await declared.invoke({ io, args, given })) ?? EXIT_CODES.done;
    return result(code instanceof ExitCode ? code.code : code);
  } catch (error) {
    return { ...result(EXIT_CODES.no), error: toCommandError(error, io) };
  }
}

/** Converts any error; a server must not end because of a bug in one command. */
export function toCommandError(error: unknown, io: Pick<Io, 'program'>): CommandError {
  try {
    const { code, message, hint = null, details } = toCliError(error, io);
    return { code, message, hint, details };
  } catch (bug) {
    return {
      code: 'BUG',
      message: getErrorMessage(bug),
      hint: `This is a bug in pix-sandbox. ${BUG_HINT}`,
      details: [],
    };
  }
}
