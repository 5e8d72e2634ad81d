import type { JsonSchema } from './json-schema.js';
import type { Infer, Optional, Read, Reading, Schema } from './schema.js';
import { WRONG } from './schema.js';

export type Fields = Readonly<Record<string, Schema<unknown>>>;

type Lacking<Of extends Fields> = {
  [Name in keyof Of]: Of[Name] extends Optional<unknown> ? Name : never;
}[keyof Of];
type Flat<Value> = { [Name in keyof Value]: Value[Name] };

/** What is read of fields; those that may be lacking are so in the type, too. */
export type ValuesOf<Of extends Fields> = Flat<
  { -readonly [Name in Exclude<keyof Of, Lacking<Of>>]: Infer<Of[Name]> } & {
    -readonly [Name in Lacking<Of>]?: Infer<Of[Name]>;
  }
>;

export interface ObjectSchema<Of extends Fields = Fields> extends Schema<ValuesOf<Of>> {
  readonly fields: Of;
}

/** A rule between fields, kept where all of these are right: what is wrong, told of the first of them. */
export interface Rule<Value> {
  readonly of: readonly [keyof Value & string, ...(keyof Value & string)[]];
  readonly problem: (value: Value) => string | undefined;
}

export interface ObjectOptions<Of extends Fields> {
  readonly rules?: readonly Rule<ValuesOf<Of>>[];
  /** Just one of these is there; as fields they are optional. */
  readonly exactlyOne?: readonly (keyof Of & string)[];
  /** Any of the fields is there. */
  readonly isNotEmpty?: boolean;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with these fields and no others, read in their order. */
export function object<const Of extends Fields>(
  what: string,
  fields: Of,
  options: ObjectOptions<Of> = {},
): ObjectSchema<Of> {
  const entries = Object.entries(fields).map(([name, schema]) => ({ name, key: schema.key ?? name, schema }));
  const keys = entries.map(({ key }) => key);
  const known = new Set(keys);
  const read = (given: unknown, reading: Reading): Read<unknown> => {
    if (!isObject(given)) return reading.expected(what, given);
    const values: Record<string, unknown> = {};
    const before = reading.mistakes.length;
    const wrong = new Set<string>();
    let there = 0;
    for (const { name, key, schema } of entries) {
      const value = reading.field(given, key);
      if (value !== undefined) there += 1;
      const one =
        value === undefined && schema.isOptional !== true
          ? reading.note({ kind: 'missing', owner: what, expected: schema.what, known: schema.known }, key)
          : reading.within(key, schema, value);
      if (one === WRONG) wrong.add(name);
      else if (one !== undefined) values[name] = one;
    }
    const all = Object.keys(given);
    if (all.length > there) {
      for (const key of all) if (!known.has(key)) reading.unknown(what, key, keys);
    }
    checkFields(what, options, fields, { values: values as ValuesOf<Of>, wrong }, reading);
    return wrong.size === 0 && reading.mistakes.length === before ? values : WRONG;
  };
  return {
    what,
    fields,
    get json() {
      return jsonOf(entries, options);
    },
    read: read as Schema<ValuesOf<Of>>['read'],
  };
}

interface Found<Of extends Fields> {
  readonly values: ValuesOf<Of>;
  readonly wrong: ReadonlySet<string>;
}

function checkFields<Of extends Fields>(
  owner: string,
  { rules = [], exactlyOne = [], isNotEmpty = false }: ObjectOptions<Of>,
  fields: Of,
  { values, wrong }: Found<Of>,
  reading: Reading,
): void {
  const got = exactlyOne.filter((name) => Object.hasOwn(values, name) || wrong.has(name));
  if (exactlyOne.length > 0 && got.length !== 1) {
    reading.note({ kind: 'choice', owner, wanted: `exactly one of ${exactlyOne.join(', ')}`, got });
  }
  if (isNotEmpty && wrong.size === 0 && Object.keys(values).length === 0) {
    reading.note({ kind: 'choice', owner, wanted: 'at least one field', got: [] });
  }
  for (const { of, problem } of rules) {
    const says = of.some((name) => wrong.has(name)) ? undefined : problem(values);
    if (says !== undefined) reading.note({ kind: 'rule', says }, fields[of[0]]?.key ?? of[0]);
  }
}

function jsonOf(
  entries: readonly { readonly key: string; readonly schema: Schema<unknown> }[],
  { exactlyOne = [], isNotEmpty = false }: Pick<ObjectOptions<Fields>, 'exactlyOne' | 'isNotEmpty'>,
): JsonSchema {
  const required = entries.filter(({ schema }) => schema.isOptional !== true).map(({ key }) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(({ key, schema }) => [key, schema.json])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(exactlyOne.length === 0 ? {} : { oneOf: exactlyOne.map((name) => ({ required: [name] })) }),
    ...(isNotEmpty ? { minProperties: 1 } : {}),
  };
}
