import type { Context } from 'hono';
import type { Reads } from '../../core/input/field-reader.js';
import { Fields } from '../../core/input/fields.js';
import type { Kind } from '../../core/input/kind.js';

/** The parameters of a query as fields: numbers are written in digits, and lists with commas. An empty one is absent. */
export class QueryFields extends Fields {
  readonly #counts: ReadonlyMap<string, number>;

  constructor(queries: Readonly<Record<string, readonly string[]>>) {
    const given = Object.entries(queries);
    super(Object.fromEntries(given.map(([name, [first]]) => [name, first || null])));
    this.#counts = new Map(given.map(([name, values]) => [name, values.length]));
  }

  override optional<Value>(field: string, kind: Kind<Value>): Value | undefined {
    const count = this.#counts.get(field) ?? 0;
    if (count > 1) {
      this.take(field);
      return this.problem(field, `Must be given once; got it ${count} times.`);
    }
    return super.optional(field, { ...kind, parse: (value) => kind.parse(fromText(value, kind)) });
  }

  protected override refusalMessage(names: string): string {
    return `The query is not valid: ${names}.`;
  }
}

const DIGITS = /^(?:0|[1-9]\d{0,14})$/;

/** The value that a text stands for in a query; the text itself where it stands for none, to be refused. */
function fromText(text: unknown, { schema }: Kind<unknown>): unknown {
  if (typeof text !== 'string') return text;
  if (schema['type'] === 'integer' && DIGITS.test(text)) return Number(text);
  return schema['type'] === 'array' ? text.split(',') : text;
}

/** Reads the query of a request; refuses with INVALID_REQUEST what does not fit. Parameters that nobody asks for are let be. */
export function readQuery<Query>(c: Context, reads: Reads<Query>): Query {
  const fields = new QueryFields(c.req.queries());
  const query = reads(fields);
  fields.done();
  return query;
}
