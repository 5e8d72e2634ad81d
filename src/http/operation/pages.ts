import type { Page } from '../../core/page.js';
import type { Answer } from './answer.js';

/** A page of results (§2.6). */
export function presentPage<Row>({ rows, after, before }: Page<Row>, present: (row: Row) => unknown): Answer {
  return { status: 200, body: { data: rows.map((row) => present(row)), paging: { before, after } } };
}
