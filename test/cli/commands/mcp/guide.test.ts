import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECK_CATALOG } from '../../../../src/check/catalog.js';
import { readGuide } from '../../../../src/cli/commands/mcp/guide.js';
import { formatToolResult } from '../../../../src/cli/commands/mcp/result.js';

const ROOT = join(import.meta.dirname, '../../../..');
const AGENTS = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8');
const INDEX = AGENTS.slice(AGENTS.indexOf('## Index'));
const INDEXED = Array.from(INDEX.matchAll(/`([\w./-]+\.md)`/g), ([, path = '']) => path);

interface Found {
  readonly page: string;
  readonly section: string;
}

function search(words: string): readonly Found[] {
  return (readGuide({ search: words }).json['results'] ?? []) as Found[];
}

/** Reads every part of a page. */
function readWhole(page: string): string {
  const { parts } = readGuide({ page }).json as { readonly parts: number };
  const texts = Array.from(
    { length: parts },
    (_, index) => readGuide({ page, part: String(index + 1) }).text,
  );
  return texts.join('');
}

describe('search', () => {
  test.each([
    ['express raw body', { page: 'frameworks', section: 'Express' }],
    [
      'verify webhook signature base64',
      { page: 'INTERFACE', section: expect.stringMatching(/ignature|5\./) },
    ],
    [
      'X-Signature request canonical string',
      { page: expect.anything(), section: expect.stringMatching(/ign/) },
    ],
    ['clock advance', { page: 'commands', section: 'clock advance' }],
  ])('finds the section for %j', (words, expected) => {
    expect(search(words)).toContainEqual({ ...expected, excerpt: expect.any(String) });
  });

  test('finds the section of every check by its id', () => {
    const lost = CHECK_CATALOG.map(({ id }) => id).filter((id) => {
      return !search(id).some(({ page, section }) => page === 'check' && section.startsWith(id));
    });
    expect(lost).toEqual([]);
  });

  test('returns results that can be read by page and section', () => {
    const results = ['dead letter', 'raw body', 'timestamp', 'KYC', 'idempotency'].flatMap(search);
    expect(results.length).toBeGreaterThan(10);
    for (const { page, section } of results) {
      const { text, isError } = readGuide({ page, section });
      expect([page, section, isError]).toEqual([page, section, undefined]);
      expect(text.replace(/^#+ /, '').startsWith(`${section}\n`)).toBe(true);
    }
  });

  test.each(['', 'zzzzqqqq', '.*', '((((', '\u{0}'])('lists the pages if nothing matches %j', (words) => {
    const { text, json } = readGuide({ search: words });
    expect(text).toContain('Nothing found. Pages: AGENTS, README');
    expect(json['results']).toEqual([]);
    expect(json['pages']).toContain('check');
  });
});

describe('read', () => {
  test.each(INDEXED)('finds %s, from the index of AGENTS.md, completely', (path) => {
    const expected = readFileSync(join(ROOT, path), 'utf8');
    const text = readWhole(path);
    expect(text.length).toBeGreaterThanOrEqual(expected.length);
    expect(text.split('\n')[0]).toBe(expected.split('\n')[0]);
    expect(text.trimEnd().split('\n').at(-1)).toBe(expected.trimEnd().split('\n').at(-1));
  });

  test('distinguishes pages with the same file name', () => {
    const [readme, shop] = ['README.md', 'fixtures/examples/shop/README.md'].map(
      (page) => readGuide({ page }).text,
    );
    expect(readme).not.toBe(shop);
  });

  test('returns one section, preferring an exact heading', () => {
    const { text, json } = readGuide({ page: 'frameworks', section: 'express' });
    expect(text.startsWith('## Express\n')).toBe(true);
    expect(text).toContain('express.raw(');
    expect(json).toMatchObject({
      page: 'frameworks',
      part: 1,
      sections: expect.arrayContaining(['Express']),
    });
    const { text: clock } = readGuide({ page: 'commands', section: 'start' });
    expect(clock).toMatch(/^#+ start\n/);
  });

  test('returns a section with its subsections, also by its number', () => {
    const { text } = readGuide({ page: 'INTERFACE', section: '5.' });
    expect(text).toContain('## 5. Authentication\n');
    expect(text).toContain('### 5.2 Request signature\n');
    expect(readGuide({ page: 'INTERFACE.md', section: '6' }).text).toMatch(/^## 6\. Events\n/);
  });

  test('returns a long text in parts, none of which is truncated', () => {
    const first = readGuide({ page: 'java', section: 'Receive webhooks' });
    const { parts } = first.json as { readonly parts: number };
    expect(parts).toBeGreaterThan(1);
    expect(first.next).toBe(`For the rest, pass part=2 of ${parts}.`);
    const all = Array.from({ length: parts }, (_, index) =>
      readGuide({ page: 'java', section: 'Receive webhooks', part: String(index + 1) }),
    );
    for (const one of all) {
      const [content] = formatToolResult(one).content;
      expect(content?.text).not.toContain('… truncated');
    }
    expect(all.at(-1)?.next).toBe('Apply it, then run check_handler.');
  });

  test.each(['0', '-1', '99', '1.5', 'two', '1e1', ''])('rejects the part %j', (part) => {
    const { text, isError } = readGuide({ page: 'signatures', section: 'A refused delivery', part });
    expect([isError, text]).toEqual([true, `There is no part ${part}. Parts: 1 to 1.`]);
  });

  test('rejects an unknown page and an unknown section with the known ones', () => {
    const page = readGuide({ page: 'nowhere' });
    expect([page.isError, page.text]).toEqual([
      true,
      expect.stringMatching(/^There is no page nowhere\. Pages: AGENTS, /),
    ]);
    const section = readGuide({ page: 'frameworks', section: 'nowhere' });
    expect(section.isError).toBe(true);
    expect(section.text).toMatch(/^frameworks has no section nowhere\. Sections: .*Express/);
  });

  test.each([
    '../package.json',
    '../../etc/passwd',
    '/etc/passwd',
    'package.json',
    'CONTRIBUTING',
    'CONTRIBUTING.md',
    'fixtures/guides/../../CONTRIBUTING',
    'fixtures/guides/../../package.json',
    'fixtures/guides/receivers/node.js',
    'guides/../check',
    './check',
    'check/../../../package',
    'check\u{0}.md',
    '..\\check',
    '%2e%2e/check',
    'file:///etc/passwd',
    'constructor',
    '__proto__',
    '',
  ])('rejects %j, which is not a page', (page) => {
    const { json, isError } = readGuide({ page });
    expect([isError, Object.keys(json)]).toEqual([true, ['pages']]);
  });
});
