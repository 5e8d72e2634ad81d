import type { JsonSchema } from './json-schema.js';
import { reference } from './json-schema.js';
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
