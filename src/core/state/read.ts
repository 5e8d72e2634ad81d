import { Refusal } from '../../contract/refusals.js';
import type { Fields } from '../../schema/object.js';
import { isObject, object } from '../../schema/object.js';
import type { Mistake, ReadOptions, Schema } from '../../schema/schema.js';
import { read } from '../../schema/schema.js';

/** Reads a JSON value; a wrong one is refused (INVALID_REQUEST) with its place. */
export function readAt<Value>(
  schema: Schema<Value>,
  value: unknown,
  place: string,
  options: ReadOptions = {},
): Value {
  const outcome = read(schema, value, { most: 1, ...options });
  const [mistake] = outcome.mistakes;
  if (mistake !== undefined) throw new Refusal('INVALID_REQUEST', sentenceOf(mistake, place));
  return outcome.value as Value;
}

function sentenceOf(mistake: Mistake, place: string): string {
  const steps = mistake.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  const where = `${place}${steps.join('')}`;
  if (mistake.kind === 'unknown') return `${where}: expected no such field.`;
  if (mistake.kind === 'rule') return `${where}: ${mistake.says}`;
  if (mistake.kind === 'choice') return `${where}: expected ${mistake.wanted}.`;
  const got = mistake.kind === 'value' ? mistake.got : undefined;
  return `${where}: expected ${mistake.expected}; got ${(JSON.stringify(got) ?? 'nothing').slice(0, 60)}.`;
}

/** Refuses (INVALID_REQUEST) with the place when the condition is false. */
export function must(holds: boolean, place: string, expected: string): asserts holds {
  if (!holds) throw new Refusal('INVALID_REQUEST', `${place}: expected ${expected}.`);
}

export type FieldsOf<Row> = { readonly [Key in keyof Row]-?: Schema<Row[Key]> };

/** A schema for every field of a row. */
export function row<Row extends object>(fields: FieldsOf<Row>): Schema<Row> {
  return object('an object', fields as unknown as Fields) as Schema<unknown> as Schema<Row>;
}

/** An object as it is, whatever its fields. */
export const members: Schema<Readonly<Record<string, unknown>>> = {
  what: 'an object',
  json: { type: 'object' },
  read: (value, reading) => (isObject(value) ? value : reading.expected('an object', value)),
};
