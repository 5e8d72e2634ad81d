import type { JsonSchema } from './json-schema.js';
import type { Read, Reading, Schema } from './schema.js';
import { WRONG } from './schema.js';

/** What a value turned out to be; or that another was expected; or what is wrong with it, in a whole sentence. */
export type Found<Value> =
  | { readonly value: Value }
  | { readonly expected: string }
  | { readonly problem: string };

function kept<Value>(found: Found<Value>, got: unknown, reading: Reading): Read<Value> {
  if ('value' in found) return found.value;
  return 'problem' in found ? reading.rule(found.problem) : reading.expected(found.expected, got);
}

/** A kind of value with its own code to read it. */
export function custom<Value>(
  what: string,
  json: JsonSchema,
  parse: (value: unknown) => Found<Value>,
): Schema<Value> {
  return { what, json, read: (value, reading) => kept(parse(value), value, reading) };
}

/** A value for which `is` holds. */
function simple<Value>(
  what: string,
  json: JsonSchema,
  is: (value: unknown) => value is Value,
): Schema<Value> {
  return { what, json, read: (value, reading) => (is(value) ? value : reading.expected(what, value)) };
}

/** The value of another schema, checked further or made into something else. */
export function refine<From, To>(
  schema: Schema<From>,
  parse: (value: From) => Found<To>,
  json: JsonSchema = {},
  what: string = schema.what,
): Schema<To> {
  return {
    what,
    known: schema.known,
    json: { ...schema.json, ...json },
    read: (value, reading) => {
      const from = schema.read(value, reading);
      return from === WRONG ? WRONG : kept(parse(from), value, reading);
    },
  };
}

/** The value of another schema, in the form in which the code takes it. */
export function map<From, To>(schema: Schema<From>, make: (value: From) => To): Schema<To> {
  return refine(schema, (value) => ({ value: make(value) }));
}

/** Any text, or one of a form. */
export function text(what = 'a string', pattern?: RegExp, json: JsonSchema = {}): Schema<string> {
  const form = pattern === undefined ? {} : { pattern: pattern.source };
  return simple(
    what,
    { type: 'string', ...form, ...json },
    (value): value is string => typeof value === 'string' && (pattern?.test(value) ?? true),
  );
}

/** A number for which `least <= n <= most`, or `above < n`. */
export interface Range {
  readonly least?: number | undefined;
  readonly above?: number | undefined;
  readonly most?: number | undefined;
}

function ranged(what: string, type: string, is: (value: unknown) => boolean, range: Range): Schema<number> {
  const { least, above, most } = range;
  const json = {
    type,
    ...(least === undefined ? {} : { minimum: least }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(most === undefined ? {} : { maximum: most }),
  };
  return simple(what, json, (value): value is number => {
    if (typeof value !== 'number' || !is(value)) return false;
    return value >= (least ?? -Infinity) && value <= (most ?? Infinity) && value > (above ?? -Infinity);
  });
}

export function number(what: string, range: Range = {}): Schema<number> {
  return ranged(what, 'number', Number.isFinite, range);
}

export function whole(what: string, range: Range = {}): Schema<number> {
  return ranged(what, 'integer', Number.isSafeInteger, range);
}

export const flag: Schema<boolean> = simple(
  'true or false',
  { type: 'boolean' },
  (value) => typeof value === 'boolean',
);

/** Any JSON at all, but there. */
export const anything: Schema<unknown> = simple(
  'a value',
  {},
  (value): value is unknown => value !== undefined,
);

/** One value and no other. */
export function always<const Value extends string | number | boolean>(only: Value): Schema<Value> {
  const is = (value: unknown): value is Value => value === only;
  return { ...simple(String(only), { const: only }, is), known: [String(only)] };
}

/** One of some words. A mistake names them, so `what` may leave them out. */
export function oneOf<const Word extends string>(
  known: readonly Word[],
  what = `one of ${known.join(', ')}`,
): Schema<Word> {
  return {
    what,
    json: { type: 'string', enum: known },
    read: (value, reading) => known.find((word) => word === value) ?? reading.expected(what, value, known),
    known,
  };
}

/** A key of a table of words. */
export function keyOf<Key extends string>(table: Readonly<Record<Key, unknown>>, what?: string): Schema<Key> {
  return oneOf(Object.keys(table) as Key[], what);
}

/** The same with a sentence for whoever reads the JSON Schema. */
export function described<Of extends Schema<unknown>>(description: string, schema: Of): Of {
  return { ...schema, json: { description, ...schema.json } };
}
