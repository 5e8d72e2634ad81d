import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { layersMarkdown } from './helpers/source/rooms.js';

const ROOT = new URL('../', import.meta.url);
const FILE = fileURLToPath(new URL('ARCHITECTURE.md', ROOT));
const TEXT = readFileSync(FILE, 'utf8');

/** What is between two marks of the document. */
function between(mark: string): string {
  return new RegExp(`<!-- ${mark}:begin -->\\n([^]*)<!-- ${mark}:end -->`).exec(TEXT)?.[1] ?? '';
}

test('the list of rooms has every folder and file of src, in plain sight', () => {
  const listed = Array.from(between('rooms').matchAll(/^ {4}src\/([\w.]+)\/? /gm), ([, name]) => name);
  const there = readdirSync(new URL('src', ROOT));
  expect(new Set(listed)).toEqual(new Set(there));
});

test('the table of layers is the one that imports are held to', () => {
  if (process.env.UPDATE_DOCS !== undefined) {
    writeFileSync(
      FILE,
      TEXT.replace(between('layers'), '').replace(
        '<!-- layers:begin -->\n',
        `<!-- layers:begin -->\n${layersMarkdown()}\n`,
      ),
    );
  }
  expect(readFileSync(FILE, 'utf8')).toContain(
    `<!-- layers:begin -->\n${layersMarkdown()}\n<!-- layers:end -->`,
  );
});
