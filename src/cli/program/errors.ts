import { ForeignStateError, NoHomeError } from '../../client/run-file.js';
import { BUG_HINT } from '../../text/bug-report.js';
import { findSystemError } from '../../text/system-errors.js';
import { closestMatches, isSuggestible, editDistance, findNearest } from '../../text/closest.js';
import { toOneLine } from '../terminal/text.js';

/** Exit codes shared by all commands. */
export const EXIT_CODES = {
  done: 0,
  /** Negative result, e.g. an invalid signature, an unmet expectation or a failed delivery. */
  no: 1,
  /** Usage or configuration error. */
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

/** Default meaning of each exit code. Commands can override the default. */
const MEANINGS: Closer = {
  [EXIT_CODES.done]: 'done',
  [EXIT_CODES.no]: 'refused, failed, or not as expected',
  [EXIT_CODES.usage]: 'the command line, a setting or a file is invalid; nothing was done',
  [EXIT_CODES.notRunning]: 'no sandbox is running',
  [EXIT_CODES.timedOut]: 'the time limit was reached',
  [EXIT_CODES.portTaken]: 'the port is in use',
  [EXIT_CODES.bug]: `a bug in the sandbox. ${BUG_HINT}`,
  '128+n': 'ended by signal n: 130 after Ctrl-C, 143 after SIGTERM',
};

/** Exit codes that every command can return. */
const ALWAYS: Closer = { 0: '', 2: '', 70: '', '128+n': '' };

export const REFUSED_MEANING = 'the sandbox refused the request, e.g. an unknown id';
/** Exit codes for commands that only query the running sandbox. */
const QUERY_EXITS: Closer = { 1: REFUSED_MEANING, 3: '' };
/** Exit codes for commands that use a running sandbox only if `--url` is passed. */
export const URL_ONLY_EXITS: Closer = { 3: 'with --url: no sandbox is running at that URL' };

/** Lists a command's exit codes and their meanings: numbers first, then strings such as `128+n`. */
export function listExitStatuses({
  exits = QUERY_EXITS,
}: {
  readonly exits?: Closer;
}): readonly ExitStatus[] {
  return Object.entries({ ...ALWAYS, ...exits }).map(([code, closer]) => {
    return { code, meaning: closer || (MEANINGS[code] ?? '') };
  });
}

/** Lists all exit codes with their default meanings. */
export function listGeneralExits(): readonly ExitStatus[] {
  return listExitStatuses({ exits: MEANINGS });
}

/**
 * The shell's exit code after Ctrl-C. Also used for prompts, where Ctrl-C is a key press instead of a signal.
 */
export const INTERRUPTED_EXIT_CODE = 130;

/** Hint for commands that require a running sandbox. */
export const START_HINT = 'Start one with `npx sandbox start`.';

/**
 * Thrown for an expected command failure. The message states the expected and received values; the hint
 * suggests the next step. `fixtures/guides/errors.md` documents the codes.
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

/** Converts an error from the service or another process to a CliError. */
export function wrapRemoteError(
  exitCode: number,
  error: Pick<CliError, 'code' | 'message' | 'details'> & Partial<Pick<CliError, 'hint'>>,
): CliError {
  return new CliError(exitCode, error.code, error.message, error);
}

export function createUsageError(message: string, hint?: string): CliError {
  return new CliError(EXIT_CODES.usage, 'USAGE', message, { hint });
}

/** Creates the error for commands that cannot find a running sandbox. */
export function createNotRunningError(message: string, hint = START_HINT): CliError {
  return new CliError(EXIT_CODES.notRunning, 'NOT_RUNNING', message, { hint });
}

/** Creates the error for commands that expect piped input but read from a terminal. */
export function createNothingPipedError(): CliError {
  return createUsageError(
    'Expected piped input on stdin, got a terminal.',
    'Pass a file name, or pipe the input: `… < body.json`.',
  );
}

/** Converts a system error to a CliError. Returns undefined for any other error. */
export function toSystemError(error: unknown): CliError | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const known = findSystemError(code);
  if (known === undefined) return undefined;
  const what = path === undefined ? syscall : `${syscall} ${path}`;
  const message = `The system call ${what} failed: ${known.reason} (${code}).`;
  return new CliError(EXIT_CODES.usage, 'SYSTEM_REFUSED', message, { hint: known.fix });
}

/** Describes why the state directory is not writable. Returns undefined for unrelated errors. */
export function describeUnwritable(error: unknown): string | undefined {
  if (error instanceof NoHomeError || error instanceof ForeignStateError) return error.message;
  const { code, path = 'the state directory' } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const known = findSystemError(code);
  return known && `${path} cannot be written (${known.reason})`;
}

/** Maximum number of suggested commands. */
const MAX_SUGGESTIONS = 3;

/**
 * Suggests commands with the same last word. If none match, suggests commands with the same prefix or a
 * similar spelling. Suggests destructive commands only for a fully typed word.
 */
export function suggestCommands(text: string, names: readonly string[]): readonly string[] {
  const exact = names.filter((name) => name.endsWith(` ${text}`));
  if (exact.length > 0) return exact;
  const groups = names.filter((name) => !name.includes(' '));
  const ways = [
    () => groups.filter((name) => name.startsWith(text)).filter(isSuggestible),
    () => names.filter((name) => lastWord(name).startsWith(text)).filter(isSuggestible),
    () => findNearest(text, groups, undefined, 1).filter(isSuggestible),
    () => findNearest(text, names, (name) => nameDistance(text, name)).filter(isSuggestible),
    () => closestMatches(text, names),
  ];
  for (const way of text === '' ? [] : ways) {
    const meant = way();
    if (meant.length > 0) return meant.slice(0, MAX_SUGGESTIONS);
  }
  return [];
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1);
}

/** Compares text with the full name and the last word, because users often omit the first word. */
function nameDistance(text: string, name: string): number {
  return Math.min(editDistance(text, name), editDistance(text, lastWord(name)));
}

const LONGEST_SHOWN = 60;

/**
 * Returns the choice equal to `text` in any letter case. If none matches, throws a usage error with suggestions
 * (close choices by default) and all choices.
 */
export function parseChoice<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
  suggest: (text: string, choices: readonly Choice[]) => readonly string[] = closestMatches,
  advice = '',
): Choice {
  const chosen = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (chosen !== undefined) return chosen;
  const close = suggest(text, choices);
  const suggestion = close.length === 0 ? '' : `Did you mean ${close.join(' or ')}? `;
  const shown = text === '' ? '""' : toOneLine(text, LONGEST_SHOWN);
  throw createUsageError(`Unknown ${what} ${shown}.`, `${suggestion}Known: ${choices.join(', ')}.${advice}`);
}

/** Parses comma-separated choices. Removes duplicates and returns the choices in the order of `choices`. */
export function parseChoices<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const named = new Set(text.split(',').map((part) => parseChoice(what, part.trim(), choices)));
  return choices.filter((choice) => named.has(choice));
}
