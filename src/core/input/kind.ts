import type { JsonSchema } from './json-schema.js';

/** What a value turned out to be, or what is wrong with it: a sentence that follows the name of its field. */
export type Found<Value> = { readonly value: Value } | { readonly problem: string };

/** A kind of value that a field may have: what it accepts stands once as a schema and once as the code that reads it. */
export interface Kind<Value> {
  readonly schema: JsonSchema;
  readonly parse: (value: unknown) => Found<Value>;
  /** Takes the place of a value that is required and was wrong or missing, until the whole is refused. */
  readonly standIn: Value;
  /** What may be given, said where it is missing. */
  readonly wanted?: string;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What came, for an error to name. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const written = JSON.stringify(value) ?? typeof value;
  return typeof value === 'string' ? written.slice(0, 60) : `the ${typeof value} ${written}`;
}
