import { quoteForShell } from '../../text/shell/words.js';
import { toFlag } from '../program/declaration.js';

/** A command line without the program, quoted for a POSIX shell, from arguments and options as commander reads them. */
export function formatCommand(
  command: string,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): string {
  const flags = Object.entries(options).flatMap(([name, value]) => flagWords(name, value));
  // After `--` nothing is an option.
  const isOptionLike = args.some((arg) => arg.startsWith('-'));
  const words = isOptionLike ? [...flags, '--', ...args] : [...args, ...flags];
  return [command, ...words.map(quoteForShell)].join(' ');
}

function flagWords(name: string, value: unknown): string[] {
  const flag = toFlag(name);
  if (typeof value === 'string') return [flag, value];
  if (Array.isArray(value)) return value.flatMap((item) => [flag, String(item)]);
  if (value === false) return [flag.replace('--', '--no-')];
  // `--color` and `--input` cannot be typed: they hold unless `--no-color` or `--no-input` was.
  return value === true && name !== 'color' && name !== 'input' ? [flag] : [];
}

/** Converts parsed options back to typed ones: durations as written, flags only if set. */
export function toCommandOptions(
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const typed = (value: unknown) => {
    if (typeof value === 'number') return String(value);
    if (typeof value === 'object' && value !== null && 'text' in value) return value.text;
    return value === false ? undefined : value;
  };
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, typed(value)]));
}

/** One of several things to choose from. */
export interface PromptChoice<Value> {
  readonly value: Value;
  /** On one line, without control characters. */
  readonly name: string;
  /** Shown while the choice is highlighted. */
  readonly description?: string;
  /** Preselected, if several can be chosen. */
  readonly checked?: boolean;
}

/** Validates a text; undefined if valid. */
type PromptValidator = (text: string) => string | undefined;

/** Asks the user at the terminal. Every question rejects with a CliError if cancelled. */
export interface Prompter {
  /** Asks for one choice; the first is the likeliest, and a long list can be searched. */
  readonly choose: <Value>(question: string, choices: readonly PromptChoice<Value>[]) => Promise<Value>;
  /** Asks for one or more choices. */
  readonly chooseSome: <Value>(question: string, choices: readonly PromptChoice<Value>[]) => Promise<Value[]>;
  /** Asks for a text, trimmed; if the check finds a problem, shows it and asks again. */
  readonly write: (question: string, likely: string, check?: PromptValidator) => Promise<string>;
  readonly confirm: (question: string, likely: boolean) => Promise<boolean>;
}

/** Answers: all arguments, and the options to add to the typed ones. */
export interface PromptAnswers {
  readonly args: readonly string[];
  readonly options?: Readonly<Record<string, string | true | undefined>>;
}

/** Asks for what a command lacks. */
export type PromptFlow<Invocation> = (invocation: Invocation, asker: Prompter) => Promise<PromptAnswers>;
