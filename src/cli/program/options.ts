import { type Delay, DELAY_FORMS, parseDelay } from '../../contract/delay.js';
import { parseDuration, parseInstant } from '../../contract/time.js';
import { type EnvironmentMapping, findMappingProblem } from '../../text/environment.js';
import { type ParsedPairs, readPairs } from '../../text/overrides.js';
import { completeList, type ValueSource, completeWords } from '../completion/sources.js';
import { parseChoice, parseChoices, createUsageError } from './errors.js';
import { type ArgumentSpec, type OptionSpec, toText } from './declaration.js';

/** Returns an option's parsed pairs. Throws a usage error for invalid pairs. */
export function parsePairs<Value>(option: string, read: ParsedPairs<Value>): Readonly<Record<string, Value>> {
  if ('problem' in read) throw createUsageError(`${option} ${read.problem}`, read.hint);
  return read.values;
}

/** Defines a repeatable `key=value` option. The value is undefined if the option is not passed. */
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

/** Parses `--env` values. Throws a usage error for an invalid name or source. */
export function parseMapping(pairs: readonly string[]): EnvironmentMapping {
  const mapping = parsePairs('--env', readPairs(pairs, 'NAME=SOURCE'));
  for (const [name, source] of Object.entries(mapping)) {
    const problem = findMappingProblem(name, source);
    if (problem !== undefined) throw createUsageError(`--env ${problem}.`);
  }
  return mapping;
}

/** Parses Unix seconds, or an instant with a time zone. */
export function parseUnixSeconds(text: string, flag: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (/^\d{13}$/.test(text)) {
    throw createUsageError(
      `${flag} expects Unix seconds; got 13 digits, which look like milliseconds.`,
      `Write ${flag} ${text.slice(0, -3)}.`,
    );
  }
  const ms = parseInstant(text);
  if (ms !== undefined) return Math.floor(ms / 1000);
  throw createUsageError(
    `${flag} expects Unix seconds or an instant with a time zone; got ${text}.`,
    `Write ${flag} 1760000000 or ${flag} 2026-01-31T12:00:00Z.`,
  );
}

/** Returns the current real time in whole Unix seconds. */
export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Defines a flag such as `--late`. */
export function defineFlag(description: string): OptionSpec<boolean> {
  return { description, read: (given) => given === true };
}

/** Defines a string option validated by the command. */
export function defineText(
  placeholder: string,
  description: string,
  values?: ValueSource,
): OptionSpec<string | undefined> {
  return { placeholder, description, values, read: toText };
}

/** Defines a repeatable string option. */
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

/** Defines an option parsed by `parse`. The value is undefined if the option is not passed. */
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

/** Adds a default value to an option. */
export function withDefault<Value>(spec: OptionSpec<Value | undefined>, fallback: Value): OptionSpec<Value> {
  return { ...spec, read: (given, flag) => spec.read(given, flag) ?? fallback };
}

/**
 * Defines an option with fixed choices. Errors suggest close choices and describe the value as `what`, e.g.
 * `charge status`.
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

/** Defines an option with comma-separated choices. */
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

/** Defines a positive integer option. */
export function defineCount(placeholder: string, description: string): OptionSpec<number | undefined> {
  return defineValue({ placeholder, description }, wholeNumber);
}

function wholeNumber(given: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw createUsageError(`${what} must be a positive integer; got ${given}.`);
}

export function defineNumber(placeholder: string, description: string): OptionSpec<number | undefined> {
  return defineValue({ placeholder, description }, (given, flag) => {
    const value = Number(given);
    if (given.trim() !== '' && !Number.isNaN(value)) return value;
    throw createUsageError(`${flag} must be a number; got ${given}.`);
  });
}

/** A duration, as typed (for the control API) and in milliseconds. */
export interface Duration {
  readonly text: string;
  readonly ms: number;
}

/** Parses a duration. `what` names the option or argument in errors. */
export function parseDurationOption(given: string, what: string): Duration {
  const ms = parseDuration(given);
  if (ms !== undefined) return { text: given, ms };
  throw createUsageError(
    `${what} must be a duration; got ${given}.`,
    'Write 90s, 5m, 2h, 1d, or a combination such as 1d12h.',
  );
}

export function defineDuration(placeholder: string, description: string): OptionSpec<Duration | undefined> {
  return defineValue({ placeholder, description }, parseDurationOption);
}

/** Parses a delay, as typed and in milliseconds. `what` names the option in errors. */
export function parseDelayOption(text: string, what: string): { readonly text: string; readonly ms: Delay } {
  const ms = parseDelay(text);
  if (ms !== undefined) return { text, ms };
  throw createUsageError(`${what} must be a delay; got ${text}.`, `Write ${DELAY_FORMS}.`);
}

export function defineDelay(description: string) {
  return defineValue({ placeholder: 'delay', description }, parseDelayOption);
}

export function requireArgument(values?: ValueSource): ArgumentSpec<string> {
  return { form: 'required', values, read: ([given = '']) => given };
}

/** Defines a required argument. Prompts for a missing value on a terminal. */
export function promptForArgument(
  question: string,
  hint: string,
  values?: ValueSource,
): ArgumentSpec<string> {
  return { ...requireArgument(values), form: 'optional', missing: createUsageError(question, hint) };
}

/** Defines a required argument parsed by `parse`. */
export function parseArgument<Value>(parse: (text: string) => Value): ArgumentSpec<Value> {
  return { form: 'required', read: ([given = '']) => parse(given) };
}

export function acceptArgument(values?: ValueSource): ArgumentSpec<string | undefined> {
  return { form: 'optional', values, read: ([given]) => given };
}

/** Defines an optional positive integer argument. */
export function acceptNumber(): ArgumentSpec<number | undefined> {
  return {
    form: 'optional',
    read: ([given]) => (given === undefined ? undefined : wholeNumber(given, 'The attempt number')),
  };
}

/** Accepts any number of remaining arguments. */
export function acceptRest(values?: ValueSource): ArgumentSpec<readonly string[]> {
  return { form: 'rest', values, read: (given) => given };
}

/** Accepts one or more remaining arguments. */
export function requireSome(values?: ValueSource): ArgumentSpec<readonly string[]> {
  return { ...acceptRest(values), form: 'some' };
}
