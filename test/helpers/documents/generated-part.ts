import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** A page, and how it should be: with the text between `<!-- mark:begin -->` and `<!-- mark:end -->`. UPDATE_DOCS=1 writes it. */
export function generatedPart(
  path: string,
  mark: string,
  text: string,
): { readonly page: string; readonly wanted: string } {
  const file = join(ROOT, path);
  const [begin, end] = [`<!-- ${mark}:begin -->\n`, `<!-- ${mark}:end -->`];
  const page = readFileSync(file, 'utf8');
  const [before = '', rest = ''] = page.split(begin);
  const [, after = ''] = rest.split(end);
  const wanted = `${before}${begin}${text}\n${end}${after}`;
  if (process.env.UPDATE_DOCS) writeFileSync(file, wanted);
  return { page: process.env.UPDATE_DOCS ? wanted : page, wanted };
}

/** A Markdown table; cells may hold a pipe. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n');
}
