import type { Page } from '../core/page.js';
import { Refusal } from '../core/refusal.js';
import type { Answer } from './answer.js';

/** A page of results (§2.6). */
export function presentPage<Row>({ rows, after, before }: Page<Row>, present: (row: Row) => unknown): Answer {
  return { status: 200, body: { data: rows.map((row) => present(row)), paging: { before, after } } };
}

/** A query parameter that is one of a closed set. Refuses any other value. */
export function choice<Choice extends string>(
  { query }: { readonly query: (name: string) => string | undefined },
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = query(name);
  if (value === undefined || value === '') return undefined;
  const chosen = choices.find((known) => known === value);
  if (chosen !== undefined) return chosen;
  throw new Refusal('INVALID_REQUEST', 'The query is not valid.', {
    details: [{ field: name, message: `Must be one of ${choices.join(', ')}; got ${value}.` }],
  });
}
