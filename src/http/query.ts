import type { Context } from 'hono';
import { Refusal } from '../core/refusal.js';

/** A query parameter; an empty one is as good as absent. Refuses one that was given twice, because only one can be meant. */
export function queryOf(c: Context, name: string): string | undefined {
  const values = c.req.queries(name) ?? [];
  if (values.length > 1) {
    throw new Refusal('INVALID_REQUEST', 'The query is not valid.', {
      details: [{ field: name, message: `Must be given once; got it ${values.length} times.` }],
    });
  }
  return values[0] || undefined;
}
