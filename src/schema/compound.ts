import type { JsonSchema } from './json-schema.js';
import type { ObjectSchema } from './object.js';
import { isObject } from './object.js';
import type { Infer, Read, Reading, Schema } from './schema.js';
import { WRONG } from './schema.js';

/** A list of so many items. */
export function list<Item>(
  item: Schema<Item>,
  { what = 'a list', least = 0, most = Infinity }: { what?: string; least?: number; most?: number } = {},
): Schema<Item[]> {
  return {
    what,
    json: {
      type: 'array',
      items: item.json,
      ...(least === 0 ? {} : { minItems: least }),
      ...(most === Infinity ? {} : { maxItems: most }),
    },
    read: (value, reading) => {
      if (!Array.isArray(value) || value.length < least || value.length > most) {
        return reading.expected(what, value);
      }
      const items = value.map((one: unknown, index) => reading.within(index, item, one));
      return allRight(items) ? items : WRONG;
    },
  };
}

/** A list of just these items. */
export function tuple<const Of extends readonly Schema<unknown>[]>(
  what: string,
  items: Of,
): Schema<{ -readonly [Index in keyof Of]: Infer<Of[Index]> }> {
  const read = (value: unknown, reading: Reading): Read<unknown> => {
    if (!Array.isArray(value) || value.length !== items.length) return reading.expected(what, value);
    const found = items.map((item, index) => reading.within(index, item, value[index]));
    return allRight(found) ? found : WRONG;
  };
  return {
    what,
    json: {
      type: 'array',
      items: items[0]?.json,
      minItems: items.length,
      maxItems: items.length,
    },
    read: read as Schema<{ -readonly [Index in keyof Of]: Infer<Of[Index]> }>['read'],
  };
}

/** An object with a value under each of any keys. */
export function record<Item>(item: Schema<Item>, what = 'an object'): Schema<Record<string, Item>> {
  return {
    what,
    json: { type: 'object', additionalProperties: item.json },
    read: (value, reading) => {
      if (!isObject(value)) return reading.expected(what, value);
      const entries = Object.entries(value).map(
        ([key, one]) => [key, reading.within(key, item, one)] as const,
      );
      // Object.fromEntries keeps a key such as __proto__ as any other.
      return entries.some(([, one]) => one === WRONG)
        ? WRONG
        : (Object.fromEntries(entries) as Record<string, Item>);
    },
  };
}

function allRight<Item>(items: Read<Item>[]): items is Item[] {
  return !items.includes(WRONG);
}

/** One of several, picked by a look at what came. Where none fits, `pick` notes why. */
export function choose<const Of extends readonly Schema<unknown>[]>(
  what: string,
  members: Of,
  pick: (value: unknown, reading: Reading) => Of[number] | typeof WRONG,
): Schema<Infer<Of[number]>> {
  return {
    what,
    get json() {
      return { anyOf: members.map(({ json }) => json) };
    },
    read: (value, reading) => {
      const member = pick(value, reading);
      return member === WRONG ? WRONG : (member.read(value, reading) as Read<Infer<Of[number]>>);
    },
  };
}

/** One of several, each of other JSON types. */
export function either<const Of extends readonly Schema<unknown>[]>(
  members: Of,
  what: string = members.map((member) => member.what).join(', or '),
): Schema<Infer<Of[number]>> {
  return choose(what, members, (value, reading) => {
    const type = typeOf(value);
    return members.find(({ json }) => accepts(json, type)) ?? reading.expected(what, value);
  });
}

/** One of several objects, told by a field that has other words in each. */
export function variant<const Of extends readonly ObjectSchema[]>(
  what: string,
  field: string,
  members: Of,
): Schema<Infer<Of[number]>> {
  const known = members.flatMap((member) => wordsOf(member, field));
  return choose(what, members, (value, reading) => {
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

/** A schema that is written once among the components of a document; it may hold itself. */
export function reference<Value>(what: string, name: string, of: () => Schema<Value>): Schema<Value> {
  return {
    what,
    json: { $ref: `#/components/schemas/${name}` },
    read: (value, reading) => of().read(value, reading),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Whether a value of the type may fit, as far as the schema says at once. */
function accepts(json: JsonSchema, type: string): boolean {
  const { type: types, anyOf: members, enum: values, const: only } = json;
  if (Array.isArray(members)) return members.some((member: JsonSchema) => accepts(member, type));
  if (types !== undefined) {
    return [types].flat().some((one) => one === type || (one === 'integer' && type === 'number'));
  }
  if (only !== undefined) return typeOf(only) === type;
  return !Array.isArray(values) || values.some((one) => typeOf(one) === type);
}
