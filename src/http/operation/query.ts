import type { Context } from 'hono';
import { invalid, problemOf } from '../../core/input/body.js';
import type { Fields } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { read } from '../../schema/schema.js';

/** The parameters that a query may have. */
export interface QuerySchema<out Query> extends Schema<Query> {
  readonly fields: Fields;
}

const DIGITS = /^(?:0|[1-9]\d{0,14})$/;

/** The value of a text in a query; the text itself where it is invalid, to be refused. */
function fromText(text: string, { json }: Schema<unknown>): unknown {
  if (json['type'] === 'integer' && DIGITS.test(text)) return Number(text);
  return json['type'] === 'array' ? text.split(',') : text;
}

/**
 * Reads the parameters of a query: numbers are written in digits, and lists with commas. Empty ones count as absent, and
 * unknown ones are ignored. Refuses invalid ones with INVALID_REQUEST.
 */
export function readQuery<Query>(
  schema: QuerySchema<Query>,
  queries: Readonly<Record<string, readonly string[]>>,
): Query {
  const given: [string, unknown][] = [];
  const problems = [];
  for (const [name, field] of Object.entries(schema.fields)) {
    const key = field.key ?? name;
    const texts = Object.hasOwn(queries, key) ? (queries[key] ?? []) : [];
    const [text = ''] = texts;
    if (texts.length > 1) {
      problems.push({ field: key, message: `Must be given once; got it ${texts.length} times.` });
    } else if (text !== '') given.push([key, fromText(text, field)]);
  }
  const { value, mistakes } = read(schema, Object.fromEntries(given));
  problems.push(...mistakes.map(problemOf));
  if (problems.length > 0) throw invalid('The query is not valid', problems);
  return value as Query;
}

/** Reads the query of a request. */
export function queryOf<Query>(c: Context, schema: QuerySchema<Query>): Query {
  return readQuery(schema, c.req.queries());
}
