import { ForeignStateError, NoHomeError } from '../../client/run-file.js';
import { systemErrorOf } from '../../text/system-errors.js';
import type { Command } from './declaration.js';

/** The exit codes of commands, for scripts. */
export const EXIT = {
  done: 0,
  /** Negative result: an invalid signature, an expectation not met, a failed delivery. */
  no: 1,
  /** Usage or configuration. */
  usage: 2,
  notRunning: 3,
  timedOut: 4,
  portTaken: 5,
  bug: 70,
} as const;

export interface ExitStatus {
  readonly code: string;
  readonly meaning: string;
}

type Closer = Readonly<Record<string, string>>;

/** The meaning of each code, unless a command has a more specific one. */
const MEANINGS: Closer = {
  [EXIT.done]: 'done',
  [EXIT.no]: 'refused, failed, or not as expected',
  [EXIT.usage]: 'the command line, a setting or a file is invalid; nothing was done',
  [EXIT.notRunning]: 'no sandbox is running',
  [EXIT.timedOut]: 'the time limit was reached',
  [EXIT.portTaken]: 'the port is taken',
  [EXIT.bug]: 'a bug of the sandbox; please report it',
  '128+n': 'ended by signal n: 130 after Ctrl-C, 143 after SIGTERM',
};

/** Codes that every command may end with. */
const ALWAYS: Closer = { 0: '', 2: '', 70: '', '128+n': '' };

export const REFUSED = 'the sandbox refuses it, for instance an id that it does not have';
/** For a command that only asks the running sandbox. */
const ASKS: Closer = { 1: REFUSED, 3: '' };
/** For a command that uses a running sandbox only if `--url` names one. */
export const ASKS_WHERE_NAMED: Closer = { 3: 'with --url: no sandbox is running there' };

/**
 * Every exit code of a command, with its meaning: numbers in order, as objects have them, then words such as
 * `128+n`.
 */
export function exitStatusesOf({ exits = ASKS }: Pick<Command, 'exits'>): readonly ExitStatus[] {
  return Object.entries({ ...ALWAYS, ...exits }).map(([code, closer]) => {
    return { code, meaning: closer || (MEANINGS[code] ?? '') };
  });
}

/** The exit codes of all commands together. */
export function generalExits(): readonly ExitStatus[] {
  return exitStatusesOf({ exits: MEANINGS });
}

/** The shell's exit code for Ctrl-C, which arrives as a key during a question. */
export const LEFT_EXIT_CODE = 130;

/** Every error code of the commands, with its meaning and remedy. Those of the service are `REFUSAL_STATUSES`. */
export const CLI_ERRORS = {
  USAGE: {
    meaning: 'An argument or option is unknown, missing or malformed.',
    remedy: 'The message says which; `--help` shows what is allowed.',
  },
  NOT_ANSWERED: {
    meaning: 'A question was left with Ctrl-C or Ctrl-D, or answered with no; nothing was done.',
    remedy: 'Give the answer as an argument or option; `--no-input` never asks.',
  },
  NOTHING_TO_CHOOSE: {
    meaning: 'A command asks which one, but there are none to choose from.',
    remedy: 'The hint says how to create one.',
  },
  CONFIG_INVALID: {
    meaning: '`sandbox.config.json` or a `SANDBOX_*` variable contains a mistake.',
    remedy: 'The details name file, line and column; `npx sandbox config --schema` prints the schema.',
  },
  INVALID_SCENARIO: {
    meaning: 'A scenario file is invalid; nothing ran.',
    remedy: 'The details name each place. With `"$schema"`, an editor finds mistakes as you type.',
  },
  SCENARIO_FAILED: {
    meaning: 'The scenario of `--scenario` failed.',
    remedy: 'The details name the step, what was expected and what happened.',
  },
  NOT_READ: {
    meaning: 'A running sandbox could not be read to record a scenario.',
    remedy: 'The message says what was missing; `npx sandbox status` says whether it is still running.',
  },
  FILE_EXISTS: {
    meaning: 'A file with different content exists; nothing was written.',
    remedy: 'Choose another folder, or overwrite with `--force`.',
  },
  DATA_NOT_USABLE: {
    meaning: 'The folder of `--data`, or the file of `--record`, is in use, damaged or of another version.',
    remedy: 'The message says which. Use another folder, or stop the sandbox that uses it.',
  },
  DATA_NOT_SAVED: {
    meaning: 'The sandbox has stopped, and changes are not in the folder of `--data`.',
    remedy: 'The warnings before say why. Export the state before a sandbox stops that cannot save.',
  },
  SYSTEM_REFUSED: {
    meaning: 'The system refused a file or a process, for example because a disk is full.',
    remedy: 'The message says what was refused and why; the hint says what helps.',
  },
  PORT_TAKEN: {
    meaning: 'The port is already in use.',
    remedy: '`--port 0`, or `npx sandbox stop` in the folder that the message names.',
  },
  ALREADY_RUNNING: {
    meaning: '`start --detach`: the sandbox of this project is already running.',
    remedy: 'Use it, or `npx sandbox stop` first.',
  },
  NOT_STARTED: {
    meaning: 'The sandbox in the background ended before it was ready.',
    remedy: 'The message ends with its last lines; the hint names the log.',
  },
  NOT_RUNNING: {
    meaning: 'No sandbox answers, or it went away.',
    remedy: '`npx sandbox start`, or `--url`.',
  },
  NOT_A_SANDBOX: {
    meaning: 'Something else answers at the address.',
    remedy: 'Check `--url` and `SANDBOX_URL`.',
  },
  TIMED_OUT: {
    meaning: 'The awaited state was not reached in time.',
    remedy: '`--timeout`; `npx sandbox status` and `npx sandbox deliveries list` show why.',
  },
  TUNNEL_FAILED: {
    meaning: 'The tunnel could not be opened.',
    remedy: 'Check the connection, or choose another relay with `--tunnel-host`.',
  },
  TUNNEL_LOST: {
    meaning: 'The tunnel broke and could not be opened again.',
    remedy: 'As for `TUNNEL_FAILED`; then start again, and register the new address.',
  },
  NOT_LISTENING: {
    meaning: '`check`: nothing accepts connections at the address of the receiver.',
    remedy: 'Start the application, or correct `--forward-to`; `--wait` sets how long to wait for it.',
  },
  NOT_GREEN: {
    meaning: '`explore`: the command fails without faults, always or sometimes, so that nothing was tried.',
    remedy: 'The message ends with its last lines. Make it pass each time first.',
  },
  COMMAND_NOT_FOUND: { meaning: '`exec`: the command was not found.', remedy: 'Check its name and `PATH`.' },
  COMMAND_NOT_STARTED: { meaning: '`exec`: the command cannot be run.', remedy: 'The message says why.' },
} as const;

export type CliErrorCode = keyof typeof CLI_ERRORS;

/** The hint when a sandbox is needed and none is running. */
export const START_ONE = 'Start one with `npx sandbox start`.';

/** An expected failure of a command: what was expected, what came, and what to type next. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: readonly { readonly field: string; readonly message: string }[];

  /** A `foreign` code comes from the service or another process. */
  constructor(
    exitCode: number,
    code: CliErrorCode | { readonly foreign: string },
    message: string,
    more: { hint?: string | undefined; details?: CliError['details'] } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = typeof code === 'string' ? code : code.foreign;
    this.hint = more.hint;
    this.details = more.details ?? [];
  }
}

/** An error of the service or another process, as an error of the command. */
export function passedOn(
  exitCode: number,
  error: Pick<CliError, 'code' | 'message' | 'details'> & Partial<Pick<CliError, 'hint'>>,
): CliError {
  return new CliError(exitCode, { foreign: error.code }, error.message, error);
}

export function usageError(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, 'USAGE', message, { hint });
}

/** For a command that needs a running sandbox and finds none. */
export function notRunning(message: string, hint = START_ONE): CliError {
  return new CliError(EXIT.notRunning, 'NOT_RUNNING', message, { hint });
}

/** For a command that would read stdin when stdin is a terminal. */
export function nothingPiped(): CliError {
  return usageError(
    'Expected bytes on stdin, got a terminal.',
    'Name a file, or pipe one in: `… < body.json`.',
  );
}

/** A system error as an expected failure of a command; undefined for any other error. */
export function systemRefusal(error: unknown): CliError | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const known = systemErrorOf(code);
  if (known === undefined) return undefined;
  const what = path === undefined ? syscall : `${syscall} ${path}`;
  const message = `The system refused ${what}: ${known.reason} (${code}).`;
  return new CliError(EXIT.usage, 'SYSTEM_REFUSED', message, { hint: known.remedy });
}

/** Why the state directory cannot be written, as text; undefined for any other error. */
export function unwritableReason(error: unknown): string | undefined {
  if (error instanceof NoHomeError || error instanceof ForeignStateError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  const known = systemErrorOf(code);
  return known && `${path ?? 'the state directory'} cannot be written (${known.reason})`;
}
