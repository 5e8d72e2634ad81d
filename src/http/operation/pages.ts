import type { Page } from '../../core/page.js';
import type { Answer } from './answer.js';

/** A page of results (§2.6). */
export function pageView<Row, View>({ rows, after, before }: Page<Row>, present: (row: Row) => View) {
  return { data: rows.map((row) => present(row)), paging: { before, after } };
}

/** The answer that is a page of results. */
export function presentPage<Row>(page: Page<Row>, present: (row: Row) => unknown): Answer {
  return { status: 200, body: pageView(page, present) };
}
