import type { Arbitrary } from 'fast-check';
import * as fc from 'fast-check';
import { cnpjFrom, cpfFrom } from './documents.js';
import type { JsonSchema } from '../../../src/schema/schema.js';
import {
  AMOUNT_INPUT,
  CODE_INPUT,
  DOCUMENT_INPUT,
  acceptDuration,
  acceptText,
} from '../../../src/core/input/kinds.js';

/** Texts of forms that fast-check cannot make from their patterns. */
const TEXTS: Readonly<Record<string, Arbitrary<string>>> = {
  [patternOf(acceptText(1))]: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  [patternOf(CODE_INPUT)]: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  [patternOf(AMOUNT_INPUT)]: fc
    .integer({ min: 1, max: 999_999_999_999 })
    .map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`),
  [patternOf(DOCUMENT_INPUT)]: fc.oneof(fc.nat(99_999_999).map(cpfFrom), fc.nat(99_999_999).map(cnpjFrom)),
  [patternOf(acceptDuration({ example: '1s' }))]: fc
    .tuple(fc.nat(59), fc.constantFrom('ms', 's', 'm', 'h', 'd'))
    .map(([count, unit]) => `${count}${unit}`),
};

function patternOf({ json }: { readonly json: JsonSchema }): string {
  return String(json['pattern']);
}

/** Values that a schema accepts, for the keywords with which our code describes what it reads. */
export function valuesOf(schema: JsonSchema): Arbitrary<unknown> {
  const { anyOf, enum: choices, type, properties } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one: JsonSchema) => valuesOf(one)));
  if (Array.isArray(choices)) return fc.constantFrom<unknown>(...(choices as unknown[]));
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((one: string) => valuesOf({ ...schema, type: one })));
  }
  const { minimum, maximum, exclusiveMinimum } = schema as Readonly<Record<string, number | undefined>>;
  switch (type) {
    case 'null': {
      return fc.constant(null);
    }
    case 'boolean': {
      return fc.boolean();
    }
    case 'integer': {
      return fc.integer({ min: minimum ?? 0, max: Math.min(maximum ?? 9, 2 ** 31) });
    }
    case 'number': {
      const min = minimum ?? exclusiveMinimum ?? 0;
      const isOpen = exclusiveMinimum !== undefined;
      return fc.double({ min, max: maximum ?? 1, minExcluded: isOpen, noNaN: true });
    }
    case 'string': {
      return textsOf(schema);
    }
    case 'array': {
      const { prefixItems } = schema as Readonly<{ prefixItems?: JsonSchema[] }>;
      if (prefixItems !== undefined) return fc.tuple(...prefixItems.map(valuesOf));
      const {
        items = {},
        minItems = 0,
        maxItems = 4,
      } = schema as Readonly<{
        items?: JsonSchema;
        minItems?: number;
        maxItems?: number;
      }>;
      return fc.array(valuesOf(items), { minLength: minItems, maxLength: maxItems });
    }
    default: {
      return properties === undefined ? dictionariesOf(schema) : objectsOf(schema);
    }
  }
}

function textsOf({ pattern, maxLength = 60 }: JsonSchema): Arbitrary<string> {
  if (typeof pattern !== 'string') return fc.string({ maxLength: Math.min(Number(maxLength), 60) });
  const fits = new RegExp(pattern, 'u');
  const texts = TEXTS[pattern] ?? fc.stringMatching(new RegExp(pattern));
  return texts.filter((text) => fits.test(text) && text.length <= Number(maxLength));
}

function dictionariesOf({ additionalProperties }: JsonSchema): Arbitrary<unknown> {
  const values =
    additionalProperties === undefined ? fc.jsonValue() : valuesOf(additionalProperties as JsonSchema);
  const keys = fc.string({ minLength: 1, maxLength: 20 }).filter((key) => key !== '__proto__');
  return fc.dictionary(keys, values, { maxKeys: 4 });
}

function objectsOf({ properties, required = [] }: JsonSchema): Arbitrary<unknown> {
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, schema]): [string, Arbitrary<unknown>] => [name, valuesOf(schema)],
  );
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: required as string[],
    noNullPrototype: true,
  });
}

/** Objects that are like those of an arbitrary but for one field: another value, a longer text, one too many or too few. */
export function mistaken(objects: Arbitrary<unknown>): Arbitrary<unknown> {
  const mistake = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('drop', 'replace', 'lengthen', 'add'),
    value: fc.jsonValue(),
  });
  return fc
    .tuple(objects, mistake)
    .map(([object, { at, kind, value }]) => withMistake(object as object, at, kind, value));
}

function withMistake(object: object, at: number, kind: string, value: unknown): object {
  const fields = new Map<string, unknown>(Object.entries(object));
  const name = [...fields.keys()][at % Math.max(1, fields.size)];
  const text = name === undefined ? undefined : fields.get(name);
  if (kind === 'add' || name === undefined) fields.set('unknown_field', value);
  else if (kind === 'drop') fields.delete(name);
  else if (kind === 'replace') fields.set(name, value);
  else fields.set(name, typeof text === 'string' ? text + ' x'.repeat(at % 300) : [text]);
  return Object.fromEntries(fields);
}
