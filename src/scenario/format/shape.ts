import type { Path } from '../../schema/json-text.js';
import { didYouMean } from '../../text/closest.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Something wrong in a document. */
export interface Mistake {
  readonly path: Path;
  readonly message: string;
}

/** Takes one thing that is wrong, and where. */
export type Report = (path: Path, message: string) => void;

/** One declaration of what a JSON value may be, for the parser and for the published schema alike. */
export interface Shape<Value> {
  /** How a message calls it. */
  readonly what: string;
  /** The JSON type that it has, by which `either` chooses; `any` for all of them. */
  readonly type: string;
  readonly schema: JsonSchema;
  /** Whether a value has it; reports everything that is wrong. */
  readonly holds: (value: unknown, path: Path, report: Report) => value is Value;
}

export type ValueOf<S> = S extends Shape<infer Value> ? Value : never;

/** Any text may hold a reference such as `${order.id}`, whose value is not known before the step runs. */
const REFERENCE = '\\$\\{';
const LONGEST_SHOWN = 60;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function describe(value: unknown): string {
  const type = typeOf(value);
  if (type === 'null') return 'null';
  if (type === 'array') return 'a list';
  if (type === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function wrong(what: string, value: unknown, hint = ''): string {
  return `Expected ${what}; got ${describe(value)}.${hint}`;
}

/** A text, of a form where a pattern is given. */
export function text(what: string, pattern?: string): Shape<string> {
  const form = pattern === undefined ? undefined : new RegExp(`${pattern}|${REFERENCE}`, 'u');
  return {
    what,
    type: 'string',
    schema: { type: 'string', ...(form === undefined ? {} : { pattern: form.source }) },
    holds: (value, path, report): value is string => {
      if (typeof value === 'string' && (form?.test(value) ?? true)) return true;
      report(path, wrong(what, value));
      return false;
    },
  };
}

/** One of some words. */
export function word<Word extends string>(what: string, words: readonly Word[]): Shape<Word> {
  const isReference = new RegExp(REFERENCE);
  return {
    what: `${what} (${words.join(', ')})`,
    type: 'string',
    schema: { anyOf: [{ enum: words }, { type: 'string', pattern: REFERENCE }] },
    holds: (value, path, report): value is Word => {
      if (typeof value !== 'string') report(path, wrong(what, value));
      else if (words.some((known) => known === value) || isReference.test(value)) return true;
      else report(path, wrong(`${what}: ${words.join(', ')}`, value, didYouMean(value, words)));
      return false;
    },
  };
}

/** A number from `least` to `most`, whole unless said otherwise. */
export function number(what: string, least: number, most: number, { isWhole = true } = {}): Shape<number> {
  return {
    what,
    type: 'number',
    schema: { type: isWhole ? 'integer' : 'number', minimum: least, maximum: most },
    holds: (value, path, report): value is number => {
      const fits = typeof value === 'number' && value >= least && value <= most;
      if (fits && (!isWhole || Number.isInteger(value))) return true;
      report(path, wrong(what, value));
      return false;
    },
  };
}

/** True or false, or the one of them that makes sense. */
export function flag(only?: boolean): Shape<boolean> {
  const what = only === undefined ? 'true or false' : String(only);
  return {
    what,
    type: 'boolean',
    schema: only === undefined ? { type: 'boolean' } : { const: only },
    holds: (value, path, report): value is boolean => {
      if (typeof value === 'boolean' && value === (only ?? value)) return true;
      report(path, wrong(what, value));
      return false;
    },
  };
}

/** Any JSON value. */
export const anything: Shape<unknown> = {
  what: 'anything',
  type: 'any',
  schema: {},
  holds: (value): value is unknown => value !== undefined,
};

export function list<Item>(what: string, item: Shape<Item>, least = 0): Shape<readonly Item[]> {
  return {
    what,
    type: 'array',
    schema: { type: 'array', items: item.schema, ...(least === 0 ? {} : { minItems: least }) },
    holds: (value, path, report): value is readonly Item[] => {
      if (!Array.isArray(value) || value.length < least) {
        report(path, wrong(what, Array.isArray(value) ? 'an empty one' : value));
        return false;
      }
      return value.map((one: unknown, index) => item.holds(one, [...path, index], report)).every(Boolean);
    },
  };
}

/** An object with any keys. */
export function record<Item>(what: string, item: Shape<Item>): Shape<Readonly<Record<string, Item>>> {
  return {
    what,
    type: 'object',
    schema: { type: 'object', additionalProperties: item.schema },
    holds: (value, path, report): value is Readonly<Record<string, Item>> => {
      if (typeOf(value) !== 'object') {
        report(path, wrong(what, value));
        return false;
      }
      const entries = Object.entries(value as object);
      return entries
        .map(([key, one]: [string, unknown]) => item.holds(one, [...path, key], report))
        .every(Boolean);
    },
  };
}

export type Fields = Readonly<Record<string, Shape<unknown>>>;
type Values<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };
type Optional<F extends Fields> = { readonly [Name in keyof F]?: ValueOf<F[Name]> | undefined };

/** An object with these fields and no others. */
export function object<R extends Fields, O extends Fields>(
  what: string,
  required: R,
  optional: O,
): Shape<Values<R> & Optional<O>> {
  return choice(what, required, optional, {});
}

/** An object that has exactly one of some fields besides. */
export function choice<R extends Fields, O extends Fields, One extends Fields>(
  what: string,
  required: R,
  optional: O,
  exactlyOne: One,
): Shape<Values<R> & Optional<O> & Optional<One>> {
  const fields: Fields = { ...required, ...optional, ...exactlyOne };
  const choices = Object.keys(exactlyOne);
  const names = Object.keys(required);
  return {
    what,
    type: 'object',
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
      additionalProperties: false,
      ...(names.length === 0 ? {} : { required: names }),
      ...(choices.length === 0 ? {} : { oneOf: choices.map((name) => ({ required: [name] })) }),
    },
    holds: (value, path, report): value is Values<R> & Optional<O> & Optional<One> => {
      if (typeOf(value) !== 'object') {
        report(path, wrong(what, value));
        return false;
      }
      const known = new Map(Object.entries(fields));
      const given = Object.entries(value as object);
      const verdicts = given.map(([key, one]: [string, unknown]) => {
        const place = [...path, key];
        const shape = known.get(key);
        if (shape !== undefined) return shape.holds(one, place, report);
        report(place, unknownField(what, key, [...known.keys()]));
        return false;
      });
      const keys = new Set(given.map(([key]) => key));
      const missing = names.filter((name) => !keys.has(name));
      for (const name of missing) report(path, `Expected ${what} with the field ${name}; it is missing.`);
      const chosen = choices.filter((name) => keys.has(name));
      const isChosen = choices.length === 0 || chosen.length === 1;
      if (!isChosen) report(path, wrongChoice(what, choices, chosen));
      return verdicts.every(Boolean) && missing.length === 0 && isChosen;
    },
  };
}

function unknownField(what: string, key: string, known: readonly string[]): string {
  const suggestion = didYouMean(key, known);
  const choices = suggestion === '' ? ` It has ${known.join(', ')}.` : suggestion;
  return `There is no field ${JSON.stringify(key)} in ${what}.${choices}`;
}

function wrongChoice(what: string, choices: readonly string[], chosen: readonly string[]): string {
  const got = chosen.length === 0 ? 'none' : chosen.join(' and ');
  return `Expected ${what} with exactly one of ${choices.join(', ')}; got ${got}.`;
}

/** An object that says anything at all. */
export function nonEmpty<Value>(shape: Shape<Value>): Shape<Value> {
  return {
    ...shape,
    schema: { ...shape.schema, minProperties: 1 },
    holds: (value, path, report): value is Value => {
      const isEmpty = typeOf(value) === 'object' && Object.keys(value as object).length === 0;
      if (isEmpty) report(path, `Expected ${shape.what} with at least one field; got none.`);
      return !isEmpty && shape.holds(value, path, report);
    },
  };
}

/** One of several shapes, each of another JSON type. */
export function either<Shapes extends readonly Shape<unknown>[]>(
  ...shapes: Shapes
): Shape<ValueOf<Shapes[number]>> {
  const what = shapes.map((shape) => shape.what).join(', or ');
  return {
    what,
    type: 'any',
    schema: { anyOf: shapes.map(({ schema }) => schema) },
    holds: (value, path, report): value is ValueOf<Shapes[number]> => {
      const shape = shapes.find(({ type }) => type === typeOf(value));
      if (shape !== undefined) return shape.holds(value, path, report);
      report(path, wrong(what, value));
      return false;
    },
  };
}

/** The same with a sentence for whoever writes a file with the schema in an editor. */
export function documented<Value>(description: string, shape: Shape<Value>): Shape<Value> {
  return { ...shape, schema: { description, ...shape.schema } };
}
