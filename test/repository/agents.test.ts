import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mistakesOf, simpleCommands } from '../helpers/documents/document-commands.js';

const ROOT = join(import.meta.dirname, '../..');
const AGENTS = 'AGENTS.md';
const SKILL = 'fixtures/skills/pix-sandbox/SKILL.md';
const BLOCK = 'fixtures/skills/block.md';
const DOCUMENTS = [AGENTS, SKILL, BLOCK];
const BYTES_MAX = 8_000;
const INSTALLED = 'node_modules/pix-sandbox/';

interface Pack {
  readonly files: readonly { readonly path: string }[];
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns every file of the package, without building it. */
function listPackage(): readonly string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [pack] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' })) as Pack[];
  return pack?.files.map(({ path }) => path) ?? [];
}

/** Returns the paths in backticks, as they are in the package. */
function listPaths(markdown: string): readonly string[] {
  const spans = Array.from(markdown.matchAll(/`([^`\n]+)`/g), ([, span = '']) => span);
  return spans
    .filter((span) => /^[\w./-]+$/.test(span) && (/\.(?:md|json|js|ts)$/.test(span) || span.endsWith('/')))
    .map((span) => span.replace(INSTALLED, ''));
}

/** Returns the paths that are neither a file nor a directory of the package. */
function missingFrom(files: readonly string[], markdown: string): readonly string[] {
  return listPaths(markdown).filter((path) => {
    return !files.some((file) => (path.endsWith('/') ? file.startsWith(path) : file === path));
  });
}

/** Files of the project that uses the package. */
const OF_PROJECT = new Set(['sandbox.config.json']);

describe('documents for coding agents', () => {
  test('name only paths of the package', () => {
    const files = listPackage();
    expect(files).toEqual(expect.arrayContaining(DOCUMENTS));
    for (const document of DOCUMENTS) {
      const missing = missingFrom(files, read(document)).filter((path) => !OF_PROJECT.has(path));
      expect([document, missing]).toEqual([document, []]);
    }
    expect(listPaths(read(AGENTS)).length).toBeGreaterThan(25);
    expect(listPaths(read(SKILL)).length).toBeGreaterThan(3);
    const invalid = '`fixtures/guides/gone.md` `node_modules/pix-sandbox/gone/` `CONTRIBUTING.md`';
    expect(missingFrom(files, invalid)).toEqual(['fixtures/guides/gone.md', 'gone/', 'CONTRIBUTING.md']);
  });

  test.each(DOCUMENTS)('%s contains only valid commands', async (document) => {
    // Blocks in lists are indented.
    const markdown = read(document).replaceAll(/^ {3}/gm, '');
    expect(await mistakesOf(markdown, join(ROOT, document))).toEqual([]);
    const planted = `${markdown}\n\`npx sandbox chekc --json\`\n`;
    expect(await mistakesOf(planted, join(ROOT, document))).toHaveLength(1);
  });

  test.each([AGENTS, SKILL])('%s shows commands with `npx sandbox`', (document) => {
    const blocks = Array.from(read(document).matchAll(/```sh\n([^]*?)```/g), ([, code = '']) => code.trim());
    const commands = blocks.flatMap((code) => simpleCommands(code));
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter(([program, first]) => program !== 'npx' || first !== 'sandbox')).toEqual([]);
  });
});

describe('AGENTS.md', () => {
  test('has at most 8 kB', () => {
    expect(Buffer.byteLength(read(AGENTS))).toBeLessThanOrEqual(BYTES_MAX);
  });

  test('first sends people who change this repository to CONTRIBUTING.md', () => {
    const paragraphs = read(AGENTS).split(/\n\s*\n/);
    const first = paragraphs.find((paragraph) => !paragraph.startsWith('#'));
    expect(first).toMatch(/^Changing this repository\? Read CONTRIBUTING\.md/);
  });

  test('indexes every guide except those about the documents themselves', () => {
    const guides = listPackage().filter((path) => /^fixtures\/guides\/[^/]+\.md$/.test(path));
    const named = new Set(listPaths(read(AGENTS)));
    expect(guides.filter((path) => !named.has(path))).toMatchInlineSnapshot(`
      [
        "fixtures/guides/console.md",
        "fixtures/guides/README.md",
        "fixtures/guides/tunnel.md",
      ]
    `);
  });
});

describe('SKILL.md', () => {
  test('has a name equal to its directory, and a description that says when to use it', () => {
    const [, matter = ''] = /^---\n([^]*?)\n---\n/.exec(read(SKILL)) ?? [];
    const fields = Object.fromEntries(matter.split('\n').map((line) => line.split(/: (.*)/)));
    expect(fields).toEqual({ name: 'pix-sandbox', description: expect.stringContaining('Use when') });
    expect(fields['description'].length).toBeLessThanOrEqual(1_024);
  });
});
