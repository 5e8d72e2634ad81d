import { array, record } from '../schema/compound.js';
import { type FieldSchemas, optional } from '../schema/object.js';
import type { JsonSchema, Schema } from '../schema/schema.js';
import { anyValue, boolean, number, text, integer } from '../schema/values.js';

/** Accepts a known word, or a string with a reference, which is resolved only when the step runs. */
export function createWordSchema<Word extends string>(what: string, known: readonly Word[]): Schema<Word> {
  return {
    what: `${what} (${known.join(', ')})`,
    known,
    json: { anyOf: [{ enum: known }, { type: 'string', pattern: String.raw`\$\{` }] },
    read: (value, reading) => {
      const isReference = typeof value === 'string' && value.includes('${');
      return isReference || known.some((one) => one === value)
        ? (value as Word)
        : reading.expected(what, value, known);
    },
  };
}

/** Returns a request body's fields. Strings can contain references, so only the API validates strings. */
export function listBodyFields(body: Schema<unknown>): FieldSchemas {
  const fields = new Map<string, JsonSchema[]>();
  const shapes = alternativesOf(body.json);
  for (const { properties = {} } of shapes) {
    for (const [name, json] of Object.entries(properties as Record<string, JsonSchema>))
      fields.set(name, [...(fields.get(name) ?? []), ...alternativesOf(json)]);
  }
  const isRequired = (name: string) =>
    shapes.every(({ required = [] }) => (required as readonly string[]).includes(name));
  const entries = Array.from(fields, ([name, all]) => {
    const schema = loosened(all);
    return [name, isRequired(name) ? schema : optional(schema)] as const;
  });
  return Object.fromEntries(entries);
}

function alternativesOf(json: JsonSchema): readonly JsonSchema[] {
  return Array.isArray(json['anyOf']) ? (json['anyOf'] as readonly JsonSchema[]) : [json];
}

function loosened(alternatives: readonly JsonSchema[]): Schema<unknown> {
  const values = alternatives.flatMap(({ enum: known, const: only }) => (known ?? only ?? []) as string[]);
  if (values.length > 0)
    return createWordSchema('one of', [...new Set(values.filter((value) => value !== null))]);
  const types = new Set(alternatives.flatMap(({ type }) => type));
  const json = alternatives.find(({ type }) => type !== 'null') ?? {};
  if (types.has('array')) return array(loosened([json['items'] as JsonSchema]), { min: 1 });
  if (types.has('object')) {
    const items = json['additionalProperties'] as JsonSchema | undefined;
    return record(items === undefined ? anyValue : loosened([items]));
  }
  if (types.has('boolean')) return boolean;
  if (types.has('integer') || types.has('number')) {
    const min = Math.min(...rangeOf(alternatives, 'minimum', 'exclusiveMinimum'));
    const max = Math.max(...rangeOf(alternatives, 'maximum'));
    const [make, what] = types.has('integer') ? [integer, 'a whole number'] : [number, 'a number'];
    return make(`${what} from ${min} to ${max}`, { min, max });
  }
  const [example] = (json['examples'] ?? []) as readonly string[];
  return text(example === undefined ? 'a string' : `a string such as ${JSON.stringify(example)}`);
}

function rangeOf(alternatives: readonly JsonSchema[], ...keywords: readonly string[]): number[] {
  return alternatives.flatMap((json) => keywords.flatMap((keyword) => (json[keyword] ?? []) as number));
}
