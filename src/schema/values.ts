import { omitEmpty, type JsonSchema, type Schema, INVALID } from './schema.js';

/** Result of a refinement: the value, the expected noun phrase, or a problem as a full sentence. */
export type Refinement<Value> =
  | { readonly value: Value }
  | { readonly expected: string }
  | { readonly problem: string };

export function createValueSchema<Value>(
  what: string,
  json: JsonSchema,
  is: (value: unknown) => value is Value,
): Schema<Value> {
  return { what, json, read: (value, reading) => (is(value) ? value : reading.expected(what, value)) };
}

/** Adds a check or conversion to a schema. */
export function refine<From, To, Json = From>(
  schema: Schema<From, Json>,
  parse: (value: From) => Refinement<To>,
  json: JsonSchema = {},
): Schema<To, Json> {
  return {
    what: schema.what,
    known: schema.known,
    json: { ...schema.json, ...json },
    read: (value, reading) => {
      const from = schema.read(value, reading);
      if (from === INVALID) return INVALID;
      const found = parse(from);
      if ('value' in found) return found.value;
      if ('expected' in found) return reading.expected(found.expected, value);
      return reading.note({ kind: 'rule', says: found.problem });
    },
  };
}

export function mapValue<From, To, Json>(
  schema: Schema<From, Json>,
  make: (value: From) => To,
): Schema<To, Json> {
  return refine(schema, (value) => ({ value: make(value) }));
}

/** Returns true for text without lone surrogates, which neither UTF-8 nor URLs can encode. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

export const LONE_SURROGATE = { problem: 'Must not contain lone surrogates.' } as const;

export function text(what?: string, pattern?: RegExp, json?: JsonSchema): Schema<string> {
  return refine(rawText(what, pattern, json), (value) => (isWellFormed(value) ? { value } : LONE_SURROGATE));
}

/** Accepts any text that matches the pattern, if one is provided. Lone surrogates are allowed. */
export function rawText(what = 'a string', pattern?: RegExp, json: JsonSchema = {}): Schema<string> {
  return createValueSchema(
    what,
    omitEmpty({ type: 'string', pattern: pattern?.source, ...json }),
    (value): value is string => typeof value === 'string' && (pattern?.test(value) ?? true),
  );
}

/** Accepts any text that `reads` can parse; `pattern` is used only in the JSON Schema. */
export function parseableText(
  what: string,
  pattern: Pick<RegExp, 'source'>,
  reads: (text: string) => unknown,
): Schema<string> {
  return refine(
    text(what),
    (value): Refinement<string> => (reads(value) === undefined ? { expected: what } : { value }),
    { pattern: pattern.source },
  );
}

/** Bounds: `min <= n <= max`, or `above < n`. */
interface Range {
  readonly min?: number | undefined;
  readonly above?: number | undefined;
  readonly max?: number | undefined;
}

const ranged =
  (type: string, is: (value: unknown) => boolean) =>
  (what: string, { min, above, max }: Range = {}): Schema<number> =>
    createValueSchema(
      what,
      omitEmpty({ type, minimum: min, exclusiveMinimum: above, maximum: max }),
      (value): value is number =>
        typeof value === 'number' &&
        is(value) &&
        value >= (min ?? -Infinity) &&
        value > (above ?? -Infinity) &&
        value <= (max ?? Infinity),
    );

export const number = ranged('number', Number.isFinite);
export const integer = ranged('integer', Number.isSafeInteger);

export const boolean = createValueSchema(
  'true or false',
  { type: 'boolean' },
  (value) => typeof value === 'boolean',
);

export const anyValue = createValueSchema('a value', {}, (value): value is unknown => value !== undefined);

export function literal<const Value extends string | number | boolean>(only: Value): Schema<Value> {
  const is = (value: unknown): value is Value => value === only;
  return { ...createValueSchema(String(only), { const: only }, is), known: [String(only)] };
}

/** Accepts one of these values. Issues list the values, so `what` can omit them. */
export function enumOf<const Word extends string>(
  known: readonly Word[],
  what = `one of ${known.join(', ')}`,
): Schema<Word> {
  return {
    what,
    json: { type: 'string', enum: known },
    read: (value, reading) =>
      known.includes(value as Word) ? (value as Word) : reading.expected(what, value, known),
    known,
  };
}

export function deriveKey<Key extends string>(
  table: Readonly<Record<Key, unknown>>,
  what?: string,
): Schema<Key> {
  return enumOf(Object.keys(table) as Key[], what);
}

/** Adds a description to the JSON Schema. */
export function withDoc<Of extends Schema<unknown>>(description: string, schema: Of): Of {
  return { ...schema, json: { description, ...schema.json } };
}
