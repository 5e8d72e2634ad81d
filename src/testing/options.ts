import { didYouMean } from '../text/closest.js';
import { describe } from '../text/errors.js';
import { isObject } from '../schema/object.js';
import { ofTriggerOptions } from '../contract/trigger-options.js';
import { DAY_MS, isInstant, parseDuration, parseInstant } from '../contract/time.js';

/** What an option may be: in words that follow `takes`, and as a test. One that is absent is always right. */
export interface OptionKind {
  readonly wanted: string;
  readonly is: (value: unknown) => boolean;
}

export type OptionKinds<Options> = { readonly [Name in keyof Options]-?: OptionKind };

export const TEXT: OptionKind = { wanted: 'a string', is: (value) => typeof value === 'string' };
export const FLAG: OptionKind = { wanted: 'true or false', is: (value) => typeof value === 'boolean' };
export const FUNCTION: OptionKind = { wanted: 'a function', is: (value) => typeof value === 'function' };
export const OBJECT: OptionKind = { wanted: 'an object', is: isObject };
export const COUNT: OptionKind = {
  wanted: 'a whole number from 0 up',
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
export const PORT: OptionKind = {
  wanted: 'a port from 0 to 65535',
  is: (value) => COUNT.is(value) && Number(value) <= 65_535,
};
/** The number of rows of a list; Infinity means all. */
export const LIMIT: OptionKind = { ...COUNT, is: (value) => value === Infinity || COUNT.is(value) };
export const TIMEOUT_MS: OptionKind = {
  wanted: `milliseconds from 0 to ${DAY_MS}`,
  is: (value) => typeof value === 'number' && value >= 0 && value <= DAY_MS,
};
export const TEXTS_BY_NAME: OptionKind = {
  wanted: 'an object whose values are strings',
  is: (value) => isObject(value) && Object.values(value).every(TEXT.is),
};

export function oneOf(choices: readonly string[]): OptionKind {
  return {
    wanted: `one of ${choices.join(', ')}`,
    is: (value) => choices.some((choice) => choice === value),
  };
}

export function listOf({ wanted, is }: OptionKind): OptionKind {
  return { wanted: `a list, each ${wanted}`, is: (value) => Array.isArray(value) && value.every(is) };
}

/** Checks options and returns them. Throws TypeError for an unknown name and for a value of the wrong kind. */
export function checkedOptions<Options extends object>(
  what: string,
  options: Options,
  kinds: OptionKinds<Options>,
): Options {
  if (!isObject(options)) throw new TypeError(`${what} takes an object with options; got ${shown(options)}.`);
  const known = new Map(Object.entries<OptionKind>(kinds));
  for (const [name, value] of Object.entries(options)) {
    const kind = known.get(name);
    if (kind === undefined) {
      const names = [...known.keys()];
      throw new TypeError(
        `${what} has no option ${name}.${didYouMean(name, names)} It takes ${names.join(', ')}.`,
      );
    }
    if (value !== undefined) checkArgument(`${what}: ${name}`, value, kind);
  }
  return options;
}

/** Throws TypeError for a value of the wrong kind. */
export function checkArgument(what: string, value: unknown, { wanted, is }: OptionKind): void {
  if (!is(value)) throw new TypeError(`${what} takes ${wanted}; got ${shown(value)}.`);
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return typeof value === 'number' || typeof value === 'bigint'
    ? `the number ${String(value)}`
    : describe(value);
}

/** An instant as ISO 8601, Date or milliseconds. Throws TypeError. */
export function freezeAtMs(at: string | number | Date | undefined): number | undefined {
  if (at === undefined) return undefined;
  const isTime = typeof at === 'number' || at instanceof Date;
  const ms = typeof at === 'string' ? parseInstant(at) : isTime ? Number(at) : undefined;
  if (ms !== undefined && isInstant(ms)) return ms;
  throw new TypeError(`freezeAt takes an instant such as 2026-01-31T12:00:00Z; got ${String(at)}.`);
}

/** Throws TypeError. */
export function durationMs(option: string, duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const ms = TEXT.is(duration) ? parseDuration(duration) : undefined;
  if (ms !== undefined) return ms;
  throw new TypeError(`${option} takes a duration such as 5s; got ${duration}.`);
}

const TRIGGER_KINDS = { text: TEXT, flag: FLAG, choice: TEXT, count: COUNT, overrides: OBJECT };

/** The kinds of the options of verbs by name; all others are strings. */
const KINDS: Readonly<Record<string, OptionKind>> = {
  limit: LIMIT,
  timeoutMs: TIMEOUT_MS,
  kyc: FLAG,
  scopes: listOf(TEXT),
  events: listOf(TEXT),
  with: OBJECT,
  ...ofTriggerOptions(({ kind }) => TRIGGER_KINDS[kind]),
};

/** Checks the options of a verb, which has these. Throws TypeError. @internal */
export function namedOptions<Options extends object>(
  what: string,
  options: Options,
  ...names: readonly (keyof Options & string)[]
): Options {
  const kinds = Object.fromEntries(names.map((name) => [name, KINDS[name] ?? TEXT]));
  return checkedOptions(what, options, kinds as OptionKinds<Options>);
}

/** The default timeout of a wait in real time: less than a test runner's, so that our error is shown. @internal */
export const TIMEOUT_DEFAULT_MS = 4_000;

/** The timeout in real milliseconds. Throws TypeError for unknown options. @internal */
export function timeoutOf(what: string, options: { readonly timeoutMs?: number | undefined }): number {
  return namedOptions(what, options, 'timeoutMs').timeoutMs ?? TIMEOUT_DEFAULT_MS;
}
