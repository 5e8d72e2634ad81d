import { quoteForShell } from '../../text/shell/words.js';
import { toFlag } from '../program/declaration.js';

/** Formats commander's input as a command line without the program, quoted for a POSIX shell. */
export function formatCommand(
  command: string,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): string {
  const flags = Object.entries(options).flatMap(([name, value]) => flagWords(name, value));
  // Everything after `--` is an argument.
  const isOptionLike = args.some((arg) => arg.startsWith('-'));
  const words = isOptionLike ? [...flags, '--', ...args] : [...args, ...flags];
  return [command, ...words.map(quoteForShell)].join(' ');
}

function flagWords(name: string, value: unknown): string[] {
  const flag = toFlag(name);
  if (typeof value === 'string') return [flag, value];
  if (Array.isArray(value)) return value.flatMap((item) => [flag, String(item)]);
  if (value === false) return [flag.replace('--', '--no-')];
  // `--color` and `--input` are not options; commander sets them as defaults of `--no-color` and
  // `--no-input`.
  return value === true && name !== 'color' && name !== 'input' ? [flag] : [];
}

/**
 * Converts parsed options back to command-line values. Durations appear as typed; unset flags are omitted.
 */
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

export interface PromptChoice<Value> {
  readonly value: Value;
  /** A single line without control characters. */
  readonly name: string;
  /** Shown while the choice is highlighted. */
  readonly description?: string;
  /** Preselects the choice in a multiple-choice prompt. */
  readonly checked?: boolean;
}

/** Returns an error message, or undefined if the text is valid. */
type PromptValidator = (text: string) => string | undefined;

/** Prompts the user on the terminal. A cancelled prompt rejects with a CliError. */
export interface Prompter {
  /** Prompts for one choice. The first choice should be the most likely; long lists are searchable. */
  readonly choose: <Value>(question: string, choices: readonly PromptChoice<Value>[]) => Promise<Value>;
  /** Prompts for one or more choices. */
  readonly chooseSome: <Value>(question: string, choices: readonly PromptChoice<Value>[]) => Promise<Value[]>;
  /**
   * Prompts for text and trims the input. If `check` finds a problem, shows the problem and prompts again.
   */
  readonly write: (question: string, likely: string, check?: PromptValidator) => Promise<string>;
  readonly confirm: (question: string, likely: boolean) => Promise<boolean>;
}

/** All arguments, and options to add to the typed options. */
export interface PromptAnswers {
  readonly args: readonly string[];
  readonly options?: Readonly<Record<string, string | true | undefined>>;
}

/** Prompts for a command's missing input. */
export type PromptFlow<Invocation> = (invocation: Invocation, asker: Prompter) => Promise<PromptAnswers>;
