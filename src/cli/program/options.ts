import { parseDuration, parseInstant } from '../../contract/time.js';
import { type ParsedPairs, readPairs } from '../../text/overrides.js';
import { completeList, type ValueSource, completeWords } from '../completion/sources.js';
import { parseChoice, parseChoices, createUsageError } from './errors.js';
import { type ArgumentSpec, type OptionSpec, toText } from './declaration.js';

/** Parses the texts of an option; throws a usage error for invalid ones. */
export function parsePairs<Value>(option: string, read: ParsedPairs<Value>): Readonly<Record<string, Value>> {
  if ('problem' in read) throw createUsageError(`${option} ${read.problem}`, read.hint);
  return read.values;
}

/** A repeatable option that takes `key=value`; undefined if not given. */
export function definePairs(
  placeholder: string,
  description: string,
): OptionSpec<Readonly<Record<string, string>> | undefined> {
  return {
    placeholder,
    description,
    repeats: true,
    read: (given, flag) =>
      Array.isArray(given) ? parsePairs(flag, readPairs(given.map(String))) : undefined,
  };
}

/** Whole Unix seconds from seconds or an instant with a zone. */
export function parseUnixSeconds(text: string, flag: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (/^\d{13}$/.test(text)) {
    throw createUsageError(
      `${flag} takes Unix seconds, got 13 digits, which looks like milliseconds.`,
      `Write ${flag} ${text.slice(0, -3)}.`,
    );
  }
  const ms = parseInstant(text);
  if (ms !== undefined) return Math.floor(ms / 1000);
  throw createUsageError(
    `${flag} takes Unix seconds or an instant with its zone; got ${text}.`,
    `Write ${flag} 1760000000 or ${flag} 2026-01-31T12:00:00Z.`,
  );
}

/** The current real time in whole Unix seconds. */
export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** A switch: `--late`. */
export function defineFlag(description: string): OptionSpec<boolean> {
  return { description, read: (given) => given === true };
}

/** A text validated by the command itself. */
export function defineText(
  placeholder: string,
  description: string,
  values?: ValueSource,
): OptionSpec<string | undefined> {
  return { placeholder, description, values, read: toText };
}

/** A repeatable text. */
export function defineTexts(
  placeholder: string,
  description: string,
  values?: ValueSource,
): OptionSpec<readonly string[]> {
  return {
    placeholder,
    description,
    values,
    repeats: true,
    read: (given) => (Array.isArray(given) ? given.map(String) : []),
  };
}

/** An option with a value read by `parse`; undefined if not given. */
export function defineValue<Value>(
  texts: Pick<OptionSpec<unknown>, 'placeholder' | 'description' | 'values'>,
  parse: (text: string, flag: string) => Value,
): OptionSpec<Value | undefined> {
  return {
    ...texts,
    read: (given, flag) => {
      const text = toText(given);
      return text === undefined ? undefined : parse(text, flag);
    },
  };
}

/** The same with a default value. */
export function withDefault<Value>(spec: OptionSpec<Value | undefined>, fallback: Value): OptionSpec<Value> {
  return { ...spec, read: (given, flag) => spec.read(given, flag) ?? fallback };
}

/**
 * One of a list of words; anything else is a usage error with a suggestion that names it as `what`: `charge
 * status`.
 */
export function defineChoice<const Choice extends string>(
  placeholder: string,
  description: string,
  of: readonly Choice[],
  what = placeholder,
): OptionSpec<Choice | undefined> {
  return defineValue({ placeholder, description, values: completeWords(of) }, (given) =>
    parseChoice(what, given, of),
  );
}

/** Several words separated by commas, each read like a `choice`. */
export function defineChoices<const Choice extends string>(
  placeholder: string,
  description: string,
  of: readonly Choice[],
  what = placeholder,
): OptionSpec<readonly Choice[] | undefined> {
  return defineValue({ placeholder, description, values: completeList(of) }, (given) =>
    parseChoices(what, given, of),
  );
}

/** A whole number from 1 up. */
export function defineCount(placeholder: string, description: string): OptionSpec<number | undefined> {
  return defineValue({ placeholder, description }, wholeNumber);
}

function wholeNumber(given: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw createUsageError(`${what} must be a whole number from 1 on; got ${given}.`);
}

export function defineNumber(placeholder: string, description: string): OptionSpec<number | undefined> {
  return defineValue({ placeholder, description }, (given, flag) => {
    const value = Number(given);
    if (given.trim() !== '' && !Number.isNaN(value)) return value;
    throw createUsageError(`${flag} takes a number; got ${given}.`);
  });
}

/** A duration as typed, for the control API, and in milliseconds. */
export interface Duration {
  readonly text: string;
  readonly ms: number;
}

/** Parses a duration; `what` names its option or argument. */
export function parseDurationOption(given: string, what: string): Duration {
  const ms = parseDuration(given);
  if (ms !== undefined) return { text: given, ms };
  throw createUsageError(
    `${what} must be a duration; got ${given}.`,
    'Write 90s, 5m, 2h, 1d, or combined 1d12h.',
  );
}

export function defineDuration(placeholder: string, description: string): OptionSpec<Duration | undefined> {
  return defineValue({ placeholder, description }, parseDurationOption);
}

export function requireArgument(values?: ValueSource): ArgumentSpec<string> {
  return { form: 'required', values, read: ([given = '']) => given };
}

/** A required argument, asked for on a terminal if missing. */
export function promptForArgument(
  question: string,
  hint: string,
  values?: ValueSource,
): ArgumentSpec<string> {
  return { ...requireArgument(values), form: 'optional', missing: createUsageError(question, hint) };
}

/** A required argument with a value read by `parse`. */
export function parseArgument<Value>(parse: (text: string) => Value): ArgumentSpec<Value> {
  return { form: 'required', read: ([given = '']) => parse(given) };
}

export function acceptArgument(values?: ValueSource): ArgumentSpec<string | undefined> {
  return { form: 'optional', values, read: ([given]) => given };
}

/** A whole number from 1 up, or nothing. */
export function acceptNumber(): ArgumentSpec<number | undefined> {
  return {
    form: 'optional',
    read: ([given]) => (given === undefined ? undefined : wholeNumber(given, 'An attempt')),
  };
}

/** All remaining arguments, possibly none. */
export function acceptRest(values?: ValueSource): ArgumentSpec<readonly string[]> {
  return { form: 'rest', values, read: (given) => given };
}

/** All remaining arguments, at least one. */
export function requireSome(values?: ValueSource): ArgumentSpec<readonly string[]> {
  return { ...acceptRest(values), form: 'some' };
}
