import {
  NULL_ONLY,
  omitEmpty,
  type Infer,
  type InputOf,
  nullableJson as orNull,
  type Optional,
  type ReadResult,
  type ReadContext,
  type Schema,
  INVALID,
} from './schema.js';

/** Makes a field optional but not nullable; an absent field is omitted from the result. */
export function optional<Value, Json>(schema: Schema<Value, Json>): Optional<Value, Json> {
  const read: Optional<Value>['read'] = (value, reading) =>
    value === undefined ? undefined : schema.read(value, reading);
  return { ...schema, read, isOptional: true };
}

/** Makes all fields optional. */
export function partial<Of extends FieldSchemas>(
  fields: Of,
): { readonly [Name in keyof Of]: Optional<Infer<Of[Name]>, InputOf<Of[Name]>> } {
  const entries = Object.entries(fields).map(([name, schema]) => [name, optional(schema)]);
  return Object.fromEntries(entries) as ReturnType<typeof partial<Of>>;
}

export function nullable<Value, Json>(schema: Schema<Value, Json>): Schema<Value | null, Json | null> {
  const read: Schema<Value | null>['read'] = (value, reading) =>
    value === null ? null : schema.read(value, reading);
  return { ...schema, json: orNull(schema.json), read };
}

/** Accepts an absent or null field, omitting it or using `fallback`. */
export function nullish<Value, Json>(schema: Schema<Value, Json>): Optional<Value, Json | null>;
export function nullish<Value, Json, Fallback>(
  schema: Schema<Value, Json>,
  fallback: Fallback,
): Schema<Value | Fallback, Json | null | undefined>;
export function nullish(schema: Schema<unknown>, fallback?: unknown): Schema<unknown> {
  const read: Schema<unknown>['read'] = (value, reading) =>
    value === undefined || value === null ? fallback : schema.read(value, reading);
  return { ...schema, json: orNull(schema.json), read, isOptional: true };
}

/** Rejects a field that belongs to other variants. */
export function forbidField(says: string): Optional<never> {
  return {
    what: 'nothing',
    json: NULL_ONLY,
    read: (value, reading) =>
      value === undefined || value === null ? undefined : reading.note({ kind: 'rule', says }),
    isOptional: true,
  };
}

/** Sets a JSON name that differs from the name in code: `amountCents: renameField('amount', AMOUNT)`. */
export function renameField<const Key extends string, Of extends Schema<unknown>>(
  key: Key,
  schema: Of,
): Of & { readonly key: Key } {
  return { ...schema, key };
}

export type FieldSchemas = Readonly<Record<string, Schema<unknown>>>;

type OptionalKeys<Of extends FieldSchemas> = {
  [Name in keyof Of]: Of[Name] extends Optional<unknown> ? Name : never;
}[keyof Of];
type Flat<Value> = { [Name in keyof Value]: Value[Name] };

/** Value type of an object schema; optional fields become optional properties. */
export type ValuesOf<Of extends FieldSchemas> = Flat<
  { -readonly [Name in Exclude<keyof Of, OptionalKeys<Of>>]: Infer<Of[Name]> } & {
    -readonly [Name in OptionalKeys<Of>]?: Infer<Of[Name]>;
  }
>;

type JsonName<Of, Name> = Of extends { readonly key: infer Key extends string } ? Key : Name;
type OmittableKeys<Of extends FieldSchemas> = {
  [Name in keyof Of]: unknown extends InputOf<Of[Name]>
    ? never
    : undefined extends InputOf<Of[Name]>
      ? Name
      : never;
}[keyof Of];

/** JSON input type of an object schema; fields with a default can be omitted. */
export type InputsOf<Of extends FieldSchemas> = Flat<
  {
    readonly [Name in Exclude<keyof Of, OmittableKeys<Of>> as JsonName<Of[Name], Name>]: InputOf<Of[Name]>;
  } & { readonly [Name in OmittableKeys<Of> as JsonName<Of[Name], Name>]?: InputOf<Of[Name]> }
>;

export interface ObjectSchema<Of extends FieldSchemas = FieldSchemas> extends Schema<
  ValuesOf<Of>,
  InputsOf<Of>
> {
  readonly fields: Of;
}

/**
 * Rule that involves several fields, checked only if all of them are valid. `problem` is reported at the
 * first field.
 */
export interface Rule<Value> {
  readonly of: readonly [keyof Value & string, ...(keyof Value & string)[]];
  readonly problem: (value: Value) => string | undefined;
}

export interface ObjectOptions<Of extends FieldSchemas> {
  readonly rules?: readonly Rule<ValuesOf<Of>>[];
  /** Requires exactly one of these optional fields. */
  readonly exactlyOne?: readonly (keyof Of & string)[];
  readonly isNotEmpty?: boolean;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compares JSON values, including values from another realm, e.g. a Jest test file. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  if (one === other) return true;
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isSameJson(Reflect.get(one, name), Reflect.get(other, name)),
    )
  );
}

/** Accepts an object with only these fields, reading the fields in order. */
export function object<const Of extends FieldSchemas>(
  what: string,
  fields: Of,
  { rules = [], exactlyOne = [], isNotEmpty = false }: ObjectOptions<Of> = {},
): ObjectSchema<Of> {
  const entries = Object.entries(fields).map(([name, schema]) => ({ name, key: schema.key ?? name, schema }));
  const keys = entries.map(({ key }) => key);
  const known = new Set(keys);
  const required = entries.filter(({ schema }) => schema.isOptional !== true).map(({ key }) => key);
  const read = (json: unknown, reading: ReadContext): ReadResult<unknown> => {
    if (!isObject(json)) return reading.expected(what, json);
    const values: Record<string, unknown> = {};
    const before = reading.issues.length;
    let present = 0;
    const wrong: string[] = [];
    for (const { name, key, schema } of entries) {
      const value = reading.field(json, key);
      if (value !== undefined) present += 1;
      const one =
        value === undefined && schema.isOptional !== true
          ? reading.note({ kind: 'missing', owner: what, expected: schema.what, known: schema.known }, key)
          : reading.within(key, schema, value);
      if (one === INVALID) wrong.push(name);
      else if (one !== undefined) values[name] = one;
    }
    const all = Object.keys(json);
    if (all.length > present) for (const key of all) if (!known.has(key)) reading.unknown(what, key, keys);
    const got = exactlyOne.filter((name) => Object.hasOwn(values, name) || wrong.includes(name));
    if (exactlyOne.length > 0 && got.length !== 1) {
      reading.note({ kind: 'choice', owner: what, wanted: `exactly one of ${exactlyOne.join(', ')}`, got });
    }
    if (isNotEmpty && reading.issues.length === before && Object.keys(values).length === 0) {
      reading.note({ kind: 'choice', owner: what, wanted: 'at least one field', got: [] });
    }
    for (const { of, problem } of rules) {
      const says = of.some((name) => wrong.includes(name)) ? undefined : problem(values as ValuesOf<Of>);
      if (says !== undefined) reading.note({ kind: 'rule', says }, fields[of[0]]?.key ?? of[0]);
    }
    return wrong.length > 0 || reading.issues.length > before ? INVALID : values;
  };
  return {
    what,
    fields,
    json: omitEmpty({
      type: 'object',
      properties: Object.fromEntries(entries.map(({ key, schema }) => [key, schema.json])),
      required: required.length === 0 ? undefined : required,
      additionalProperties: false,
      oneOf: exactlyOne.length === 0 ? undefined : exactlyOne.map((name) => ({ required: [name] })),
      minProperties: isNotEmpty ? 1 : undefined,
    }),
    read: read as Schema<ValuesOf<Of>>['read'],
  };
}
