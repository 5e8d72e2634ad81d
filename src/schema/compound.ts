import {
  omitEmpty,
  type Infer,
  type InputOf,
  type JsonSchema,
  type ReadResult,
  type ReadContext,
  type Schema,
  INVALID,
} from './schema.js';
import { isObject, type ObjectSchema } from './object.js';

export function array<Item, Json>(
  item: Schema<Item, Json>,
  { what = 'a list', min, max }: { what?: string; min?: number; max?: number } = {},
): Schema<Item[], readonly Json[]> {
  return {
    what,
    item,
    json: omitEmpty({ type: 'array', items: item.json, minItems: min, maxItems: max }),
    read: (value, reading) => {
      if (!Array.isArray(value) || value.length < (min ?? 0) || value.length > (max ?? Infinity)) {
        return reading.expected(what, value);
      }
      return complete(value.map((one: unknown, index) => reading.within(index, item, one)));
    },
  };
}

/** Accepts a list with one item per schema. */
export function tuple<const Of extends readonly Schema<unknown>[]>(
  what: string,
  items: Of,
): Schema<
  { -readonly [Index in keyof Of]: Infer<Of[Index]> },
  { readonly [Index in keyof Of]: InputOf<Of[Index]> }
> {
  return {
    what,
    json: {
      type: 'array',
      prefixItems: items.map(({ json }) => json),
      items: {},
      minItems: items.length,
      maxItems: items.length,
    },
    read: (value, reading) =>
      Array.isArray(value) && value.length === items.length
        ? (complete(items.map((item, index) => reading.within(index, item, value[index]))) as never)
        : reading.expected(what, value),
  };
}

export function record<Item, Json>(
  item: Schema<Item, Json>,
  what = 'an object',
): Schema<Record<string, Item>, Readonly<Record<string, Json>>> {
  return {
    what,
    json: { type: 'object', additionalProperties: item.json },
    read: (value, reading) => {
      if (!isObject(value)) return reading.expected(what, value);
      const keys = Object.keys(value);
      const items = complete(keys.map((key) => reading.within(key, item, value[key])));
      // Object.fromEntries treats a key such as __proto__ like any other key.
      return items === INVALID ? INVALID : Object.fromEntries(items.map((one, index) => [keys[index], one]));
    },
  };
}

function complete<Item>(items: ReadResult<Item>[]): ReadResult<Item[]> {
  return items.includes(INVALID) ? INVALID : (items as Item[]);
}

/** Accepts one of several schemas, chosen by `pick`, which records an issue if none matches. */
export function oneOf<const Of extends readonly Schema<unknown>[]>(
  what: string,
  members: Of,
  pick: (value: unknown, reading: ReadContext) => Of[number] | typeof INVALID,
): Schema<Infer<Of[number]>, InputOf<Of[number]>> {
  return {
    what,
    json: { anyOf: members.map(({ json }) => json) },
    read: (value, reading) => {
      const member = pick(value, reading);
      return member === INVALID ? INVALID : (member.read(value, reading) as ReadResult<Infer<Of[number]>>);
    },
  };
}

/** Accepts one of several schemas with different JSON types. */
export function union<const Of extends readonly Schema<unknown>[]>(
  members: Of,
  what: string = members.map((member) => member.what).join(', or '),
): Schema<Infer<Of[number]>, InputOf<Of[number]>> {
  return oneOf(what, members, (value, reading) => {
    const type = typeOf(value);
    return members.find(({ json }) => accepts(json, type)) ?? reading.expected(what, value);
  });
}

/** Accepts one of several objects, distinguished by the value of one field. */
export function unionBy<const Of extends readonly ObjectSchema[]>(
  what: string,
  field: string,
  members: Of,
): Schema<Infer<Of[number]>, InputOf<Of[number]>> {
  const known = members.flatMap((member) => wordsOf(member, field));
  return oneOf(what, members, (value, reading) => {
    if (!isObject(value)) return reading.expected(what, value);
    const word = reading.field(value, field);
    const member = members.find((one) => wordsOf(one, field).some((own) => own === word));
    if (member !== undefined) return member;
    const expected = `one of ${known.join(', ')}`;
    if (word === undefined) return reading.note({ kind: 'missing', owner: what, expected, known }, field);
    return reading.note({ kind: 'value', expected, got: word, known }, field);
  });
}

function wordsOf({ fields }: ObjectSchema, field: string): readonly string[] {
  return Object.entries(fields).find(([name, { key = name }]) => key === field)?.[1].known ?? [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns true if the schema's top-level keywords allow values of this type. */
function accepts(
  { type: types, anyOf: members, enum: values, const: only }: JsonSchema,
  type: string,
): boolean {
  if (Array.isArray(members)) return members.some((member: JsonSchema) => accepts(member, type));
  if (types !== undefined) {
    return [types].flat().some((one) => one === type || (one === 'integer' && type === 'number'));
  }
  if (only !== undefined) return typeOf(only) === type;
  return !Array.isArray(values) || values.some((one) => typeOf(one) === type);
}
