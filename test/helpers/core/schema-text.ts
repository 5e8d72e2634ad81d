import type { Schema } from '../../../src/schema/schema.js';

/** The schemas among the exports of a module, each with its name in messages and its JSON Schema; one with a name of its own is whole. */
export function schemasText(module: object): string {
  const exported = Object.entries(module).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item: unknown) => [name, item] as const) : [[name, value] as const],
  );
  return exported
    .filter((entry): entry is [string, Schema<unknown>] => isSchema(entry[1]))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, schema]) => `${name}: ${schema.what}\n${indented(wholeOf(schema))}\n`)
    .join('');
}

function wholeOf(schema: Schema<unknown>): unknown {
  return 'whole' in schema ? schema.whole : schema.json;
}

function indented(json: unknown): string {
  return JSON.stringify(json, null, 2);
}

function isSchema(value: unknown): value is Schema<unknown> {
  return typeof value === 'object' && value !== null && 'what' in value && 'json' in value;
}
