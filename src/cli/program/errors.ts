import { ForeignStateError, NoHomeError } from '../../client/run-file.js';
import { findSystemError } from '../../text/system-errors.js';
import { closestMatches, isSuggestible, editDistance, findNearest } from '../../text/closest.js';
import { toOneLine } from '../terminal/text.js';

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

export const REFUSED_MEANING = 'the sandbox refuses it, for instance an unknown id';
/** For commands which only query the running sandbox. */
const ASKS: Closer = { 1: REFUSED_MEANING, 3: '' };
/** For a command that uses a running sandbox only if `--url` names one. */
export const URL_ONLY_EXITS: Closer = { 3: 'with --url: no sandbox is running there' };

/**
 * Every exit code of a command, with its meaning: numbers in order, as objects have them, then words such as
 * `128+n`.
 */
export function listExitStatuses({ exits = ASKS }: { readonly exits?: Closer }): readonly ExitStatus[] {
  return Object.entries({ ...ALWAYS, ...exits }).map(([code, closer]) => {
    return { code, meaning: closer || (MEANINGS[code] ?? '') };
  });
}

/** The exit codes of all commands together. */
export function listGeneralExits(): readonly ExitStatus[] {
  return listExitStatuses({ exits: MEANINGS });
}

/** The shell's exit code for Ctrl-C, which arrives as a key during a question. */
export const INTERRUPTED_EXIT_CODE = 130;

/** The hint when a sandbox is needed and none is running. */
export const START_HINT = 'Start one with `npx sandbox start`.';

/**
 * An expected failure of a command: what was expected, what came, and what to type next. Meanings and remedies
 * of the codes are in `fixtures/guides/errors.md`.
 */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: readonly { readonly field: string; readonly message: string }[];

  constructor(
    exitCode: number,
    code: string,
    message: string,
    { hint, details = [] }: { hint?: string | undefined; details?: CliError['details'] } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
    this.details = details;
  }
}

/** An error of the service or another process, as an error of the command. */
export function wrapRemoteError(
  exitCode: number,
  error: Pick<CliError, 'code' | 'message' | 'details'> & Partial<Pick<CliError, 'hint'>>,
): CliError {
  return new CliError(exitCode, error.code, error.message, error);
}

export function createUsageError(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, 'USAGE', message, { hint });
}

/** For a command that needs a running sandbox and finds none. */
export function createNotRunningError(message: string, hint = START_HINT): CliError {
  return new CliError(EXIT.notRunning, 'NOT_RUNNING', message, { hint });
}

/** For a command that would read stdin when stdin is a terminal. */
export function createNothingPipedError(): CliError {
  return createUsageError(
    'Expected bytes on stdin, got a terminal.',
    'Name a file, or pipe one in: `… < body.json`.',
  );
}

/** A system error as an expected failure of a command; undefined for any other error. */
export function toSystemError(error: unknown): CliError | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const known = findSystemError(code);
  if (known === undefined) return undefined;
  const what = path === undefined ? syscall : `${syscall} ${path}`;
  const message = `The system refused ${what}: ${known.reason} (${code}).`;
  return new CliError(EXIT.usage, 'SYSTEM_REFUSED', message, { hint: known.fix });
}

/** Describes why the state directory is not writable; undefined for any other error. */
export function describeUnwritable(error: unknown): string | undefined {
  if (error instanceof NoHomeError || error instanceof ForeignStateError) return error.message;
  const { code, path = 'the state directory' } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const known = findSystemError(code);
  return known && `${path} cannot be written (${known.reason})`;
}

/** More close commands would not be read. */
const MOST = 3;

/**
 * Suggests commands for unknown words: those with that last word, otherwise with that beginning, otherwise
 * similar ones. Only a completely typed word suggests a destructive command.
 */
export function suggestCommands(text: string, names: readonly string[]): readonly string[] {
  const exact = names.filter((name) => name.endsWith(` ${text}`));
  if (exact.length > 0) return exact;
  const groups = names.filter((name) => !name.includes(' '));
  const ways = [
    () => groups.filter((name) => name.startsWith(text)).filter(isSuggestible),
    () => names.filter((name) => lastWord(name).startsWith(text)).filter(isSuggestible),
    () => findNearest(text, names, (name) => mistakesIn(text, name)).filter(isSuggestible),
    () => closestMatches(text, names),
  ];
  for (const way of text === '' ? [] : ways) {
    const meant = way();
    if (meant.length > 0) return meant.slice(0, MOST);
  }
  return [];
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1);
}

/** Compares with the whole name and with its last word, often typed without the first. */
function mistakesIn(text: string, name: string): number {
  return Math.min(editDistance(text, name), editDistance(text, lastWord(name)));
}

const LONGEST_SHOWN = 60;

/** The choice equal to a text; otherwise a usage error with suggestions, by default close choices, and all choices. */
export function parseChoice<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
  suggest: (text: string, choices: readonly Choice[]) => readonly string[] = closestMatches,
): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  const close = suggest(text, choices);
  const suggestion = close.length === 0 ? '' : `Did you mean ${close.join(' or ')}? `;
  const shown = text === '' ? '""' : toOneLine(text, LONGEST_SHOWN);
  throw createUsageError(`There is no ${what} ${shown}.`, `${suggestion}Known: ${choices.join(', ')}.`);
}

/** Parses choices separated by commas; returns each once, in the order of `choices`. */
export function parseChoices<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const named = new Set(text.split(',').map((part) => parseChoice(what, part.trim(), choices)));
  return choices.filter((choice) => named.has(choice));
}
