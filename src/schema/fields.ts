import { ABSENT, nullable as orNull } from './json-schema.js';
import type { Fields } from './object.js';
import type { Infer, Optional, Schema } from './schema.js';

/** A field that may be absent, but not null; an absent one is left out. */
export function optional<Value>(schema: Schema<Value>): Optional<Value> {
  const read: Optional<Value>['read'] = (value, reading) =>
    value === undefined ? undefined : schema.read(value, reading);
  return { ...schema, read, isOptional: true };
}

/** The same fields, any of which may be absent. */
export function partial<Of extends Fields>(
  fields: Of,
): { readonly [Name in keyof Of]: Optional<Infer<Of[Name]>> } {
  const entries = Object.entries(fields).map(([name, schema]) => [name, optional(schema)]);
  return Object.fromEntries(entries) as { [Name in keyof Of]: Optional<Infer<Of[Name]>> };
}

/** A value or null. */
export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  const read: Schema<Value | null>['read'] = (value, reading) =>
    value === null ? null : schema.read(value, reading);
  return { ...schema, json: orNull(schema.json), read };
}

/** A field that may be absent or null, which mean the same; it is then left out, or becomes `fallback`. */
export function nullish<Value>(schema: Schema<Value>): Optional<Value>;
export function nullish<Value, Fallback>(schema: Schema<Value>, fallback: Fallback): Schema<Value | Fallback>;
export function nullish(schema: Schema<unknown>, fallback?: unknown): Schema<unknown> {
  const read: Schema<unknown>['read'] = (value, reading) =>
    value === undefined || value === null ? fallback : schema.read(value, reading);
  return { ...schema, json: orNull(schema.json), read, isOptional: true };
}

/** A field that must be absent, because it belongs to other variants. */
export function absent(says: string): Optional<never> {
  return {
    what: 'nothing',
    json: ABSENT,
    read: (value, reading) =>
      value === undefined || value === null ? undefined : reading.note({ kind: 'rule', says }),
    isOptional: true,
  };
}

/** A field with a different name in JSON than in the code: `amountCents: named('amount', AMOUNT)`. */
export function named<Of extends Schema<unknown>>(key: string, schema: Of): Of {
  return { ...schema, key };
}
