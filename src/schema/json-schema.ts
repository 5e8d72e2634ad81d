import type { Schema } from './schema.js';

/** A schema that a document holds under a name. Its `json` refers to it. */
export interface Component {
  readonly name: string;
  readonly whole: JsonSchema;
}

export function component<Of extends Schema<unknown>>(name: string, schema: Of): Of & Component {
  return { ...schema, json: reference(name), name, whole: schema.json };
}

/** The components that modules export, by name. Of two with the same name, the later one wins. */
export function componentsOf(...modules: readonly object[]): Readonly<Record<string, JsonSchema>> {
  const exported: unknown[] = modules.flatMap((module) => Object.values(module)).flat();
  return Object.fromEntries(exported.filter(isComponent).map(({ name, whole }) => [name, whole]));
}

function isComponent(value: unknown): value is Component {
  return typeof value === 'object' && value !== null && 'whole' in value;
}

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
