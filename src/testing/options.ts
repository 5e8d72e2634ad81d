import { suggest } from '../text/closest.js';
import { describeValue } from '../text/errors.js';
import { array, record } from '../schema/compound.js';
import { type FieldSchemas, isObject, object, partial } from '../schema/object.js';
import { formatPath, read, type Schema } from '../schema/schema.js';
import { rawText, boolean, number, parseableText, createValueSchema, integer } from '../schema/values.js';
import { mapTriggerOptions } from '../contract/trigger-options.js';
import { DELAY_FORMS, DELAY_PATTERN, parseDelay } from '../contract/delay.js';
import { parseRateLimit, RATE_FORM, RATE_SOURCE } from '../contract/rate-limit.js';
import { DAY_MS, isInstant, parseInstant } from '../contract/time.js';

/** Schemas by option. Omitted options are valid. */
export type OptionSchemas<Options> = { readonly [Name in keyof Options]-?: Schema<unknown> };

/** Creates a schema from a predicate. In messages, `what` follows the word "expects". */
export function predicate(what: string, is: (value: unknown) => boolean): Schema<unknown> {
  return createValueSchema(what, {}, is as (value: unknown) => value is unknown);
}

export function matchesSchema(schema: Schema<unknown>, value: unknown): boolean {
  return read(schema, value).issues.length === 0;
}

export const TEXT_OPTION = rawText();
export const FUNCTION_OPTION = predicate('a function', (value) => typeof value === 'function');
export const FUNCTION_OR_COMMAND = predicate('a function or a command', (value) =>
  ['function', 'string'].includes(typeof value),
);
export const OBJECT_OPTION = predicate('an object', isObject);
export const COUNT_OPTION = integer('a whole number of 0 or more', { min: 0 });
export const PORT_OPTION = integer('a port from 0 to 65535', { min: 0, max: 65_535 });
/** Accepts a count, or Infinity for no limit. */
export const LIMIT_OPTION = predicate(
  COUNT_OPTION.what,
  (value) => value === Infinity || matchesSchema(COUNT_OPTION, value),
);
export const TIMEOUT_OPTION = number(`milliseconds from 0 to ${DAY_MS}`, { min: 0, max: DAY_MS });
export const DELAY_OPTION = parseableText(DELAY_FORMS, DELAY_PATTERN, parseDelay);
export const RATE_OPTION = parseableText(RATE_FORM, { source: RATE_SOURCE }, parseRateLimit);
export const TEXTS_OPTION = record(TEXT_OPTION, 'an object whose values are strings');

export function defineList(item: Schema<unknown>): Schema<unknown> {
  return array(item, { what: `a list, each item ${item.what}` });
}

/** Checks options and returns them. Throws TypeError for unknown names and invalid values. */
export function checkOptions<Options extends object>(
  what: string,
  options: Options,
  schemas: OptionSchemas<Options>,
): Options {
  if (!isObject(options))
    throw new TypeError(`${what} expects an object with options; got ${shown(options)}.`);
  checkArgument(what, options, object(what, partial(schemas as FieldSchemas)));
  return options;
}

/** Throws TypeError for an invalid value. */
export function checkArgument(what: string, value: unknown, schema: Schema<unknown>): void {
  const [mistake] = read(schema, value, { max: 1 }).issues;
  if (mistake?.kind === 'unknown') {
    const { path, known } = mistake;
    const names = known.join(', ');
    const near = suggest(String(path.at(-1)), known);
    throw new TypeError(`${what} has no option ${formatPath(path)}.${near} Valid options: ${names}.`);
  }
  if (mistake?.kind !== 'value') return;
  const place = [what, formatPath(mistake.path)].filter((part) => part !== '').join(': ');
  throw new TypeError(`${place} expects ${mistake.expected}; got ${shown(mistake.got)}.`);
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return typeof value === 'number' || typeof value === 'bigint'
    ? `the number ${String(value)}`
    : describeValue(value);
}

/** Parses an instant from ISO 8601, a Date or milliseconds. Throws TypeError. */
export function parseFreezeAt(at: string | number | Date | undefined): number | undefined {
  if (at === undefined) return undefined;
  const isTime = typeof at === 'number' || at instanceof Date;
  const ms = typeof at === 'string' ? parseInstant(at) : isTime ? Number(at) : undefined;
  if (ms !== undefined && isInstant(ms)) return ms;
  throw new TypeError(`freezeAt must be an instant such as 2026-01-31T12:00:00Z; got ${String(at)}.`);
}

const TRIGGER_KINDS = {
  text: TEXT_OPTION,
  flag: boolean,
  choice: TEXT_OPTION,
  count: COUNT_OPTION,
  overrides: OBJECT_OPTION,
};

/** Schemas of method options by name. All other options are strings. */
const KINDS: Readonly<Record<string, Schema<unknown>>> = {
  limit: LIMIT_OPTION,
  timeoutMs: TIMEOUT_OPTION,
  kyc: boolean,
  scopes: defineList(TEXT_OPTION),
  events: defineList(TEXT_OPTION),
  with: OBJECT_OPTION,
  ...mapTriggerOptions(({ kind }) => TRIGGER_KINDS[kind]),
};

/** Checks a method's options, of which only these names are allowed. Throws TypeError. @internal */
export function checkNamedOptions<Options extends object>(
  what: string,
  options: Options,
  ...names: readonly (keyof Options & string)[]
): Options {
  const kinds = Object.fromEntries(names.map((name) => [name, KINDS[name] ?? TEXT_OPTION]));
  return checkOptions(what, options, kinds as OptionSchemas<Options>);
}

/** Default real-time timeout, shorter than a test runner's, so that this error is shown. @internal */
export const TIMEOUT_DEFAULT_MS = 4_000;

/** Returns the timeout in real milliseconds. Throws TypeError for unknown options. @internal */
export function resolveTimeout(what: string, options: { readonly timeoutMs?: number | undefined }): number {
  return checkNamedOptions(what, options, 'timeoutMs').timeoutMs ?? TIMEOUT_DEFAULT_MS;
}
