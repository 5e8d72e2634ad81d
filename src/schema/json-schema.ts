/** A schema in JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const NULL: JsonSchema = { type: 'null' };

/** What a schema accepts, and null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: choices } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, NULL] };
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
  };
}

/** The keywords that are not undefined. */
export function given(keywords: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

/** A field that may be null or absent, and nothing else. */
export const ABSENT = NULL;

/** Points to a schema among the components of an OpenAPI document. */
export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
