import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { REFUSAL_STATUSES } from '../src/contract/refusals.js';
import type { Block } from './helpers/documents/document-blocks.js';
import { blocksOf, proseOf, withContents } from './helpers/documents/document-blocks.js';

const ROOT = new URL('../', import.meta.url);
const LONGEST = 200;

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, ROOT));
}

function read(name: string): string {
  return readFileSync(pathOf(name), 'utf8');
}

test(`the README has at most ${LONGEST} lines`, () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST);
});

describe('README.pt-BR.md', () => {
  const headings = (markdown: string) =>
    proseOf(markdown)
      .split('\n')
      .filter((line) => /^#+ /.test(line))
      .map((line) => line.replace(/ .*/, ''));
  const targets = (markdown: string) =>
    Array.from(proseOf(markdown).matchAll(/\]\(([^)]+)\)/g), ([, target]) => target).slice(1);
  const spans = (markdown: string) => {
    const all: string[] = Array.from(proseOf(markdown).matchAll(/`([^`]+)`/g), ([, span = '']) => span);
    return all.toSorted();
  };

  test('shows the code of README.md (UPDATE_DOCS=1 writes it)', () => {
    const english = blocksOf(read('README.md'));
    const own = blocksOf(read('README.pt-BR.md'));
    if (process.env.UPDATE_DOCS) {
      const contents = own.map((block, index) => [block, english[index]?.content ?? []] as const);
      writeFileSync(pathOf('README.pt-BR.md'), withContents(read('README.pt-BR.md'), new Map(contents)));
    }
    const atNoLine = (block: Block) => ({ ...block, line: 0 });
    expect(blocksOf(read('README.pt-BR.md')).map(atNoLine)).toEqual(english.map(atNoLine));
  });

  test.each([
    ['sections', headings],
    ['links', targets],
    ['commands, options and names', spans],
  ])('README.pt-BR.md has the %s of README.md', (_, of) => {
    expect(of(read('README.pt-BR.md'))).toEqual(of(read('README.md')));
  });

  test('README.pt-BR.md and README.md link to each other', () => {
    expect(read('README.md')).toContain('\n\n[Português](README.pt-BR.md)\n\n');
    expect(read('README.pt-BR.md')).toContain('\n\n[English](README.md)\n\n');
  });
});

test('INTERFACE.md names every error code of an API, with its status', () => {
  const errors = read('INTERFACE.md').split('## 7. Errors')[1]?.split('\n## ')[0] ?? '';
  const missing = Object.entries(REFUSAL_STATUSES).filter(
    ([code, status]) => !errors.includes(`\`${code}\``) || !errors.includes(String(status)),
  );
  expect(missing).toEqual([]);
});
