import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOf, proseOf, stepsOf } from '../helpers/documents/document-blocks.js';
import { mistakesOf, simpleCommands } from '../helpers/documents/document-commands.js';
import { LANGUAGES, whyNot } from '../helpers/documents/document-receivers.js';
import { runDocument } from '../helpers/documents/document-runner.js';
import { tries } from '../helpers/soak-scale.js';

const ROOT = join(import.meta.dirname, '../..');
const IN_ROOT = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
const IN_FIXTURES = readdirSync(join(ROOT, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
  .map((name) => join('fixtures', name));
const PATIENCE_MS = 240_000;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function commandsOf(markdown: string): string[] {
  const transcripts = blocksOf(markdown).filter(({ tag }) => tag === 'console');
  return transcripts.flatMap((block) => stepsOf(block).map(({ command }) => command));
}

/** What lies beside a document: its reader's folder holds copies of it. */
function beside(path: string): string[] {
  if (IN_ROOT.includes(path)) return [join(ROOT, 'fixtures')];
  const folder = join(ROOT, dirname(path));
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Why the commands cannot be run on this machine. */
async function whyNotHere(commands: readonly string[]): Promise<string | undefined> {
  const programs = new Set(commands.flatMap(simpleCommands).map(([program]) => program));
  const reasons = LANGUAGES.filter(({ program }) => programs.has(program)).map(whyNot);
  return (await Promise.all(reasons)).find((reason) => reason !== undefined);
}

const DOCUMENTS = [...IN_ROOT, ...IN_FIXTURES].sort();

test.each(DOCUMENTS)('%s contains valid code, and commands that exist', async (path) => {
  expect(await mistakesOf(read(path), join(ROOT, path))).toEqual([]);
});

test.each(DOCUMENTS)('%s links to existing targets', (path) => {
  const targets = Array.from(proseOf(read(path)).matchAll(/\]\(([^)#\s]+)/g), ([, target = '']) => target);
  const files = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(files.filter((target) => !existsSync(join(ROOT, dirname(path), target)))).toEqual([]);
});

/** Its code is that of README.md, to the letter. */
const TRANSLATION = 'README.pt-BR.md';

/** The guides of languages tell one story in the same commands: the one for Node stands for them. */
const OTHER_LANGUAGES = LANGUAGES.map(({ page }) => `fixtures/guides/${page}.md`).filter(
  (path) => path !== 'fixtures/guides/node.md',
);
const SILENT = new Set([
  TRANSLATION,
  ...(process.env.UPDATE_DOCS ? [] : tries({ part: OTHER_LANGUAGES, whole: [] })),
]);

test.for(DOCUMENTS.filter((path) => !SILENT.has(path) && commandsOf(read(path)).length > 0))(
  '%s shows the output of its commands (UPDATE_DOCS=1 writes it)',
  { timeout: PATIENCE_MS },
  async (path, { skip }) => {
    const markdown = read(path);
    const reason = await whyNotHere(commandsOf(markdown));
    skip(reason !== undefined, reason);
    const { differences, corrected } = await runDocument(markdown, beside(path));
    if (process.env.UPDATE_DOCS) writeFileSync(join(ROOT, path), corrected);
    expect(process.env.UPDATE_DOCS ? [] : differences).toEqual([]);
  },
);

test('the README and every guide of a language show the output of their commands', () => {
  const pages = ['README.md', ...LANGUAGES.map(({ page }) => `fixtures/guides/${page}.md`)];
  expect(pages.filter((path) => commandsOf(read(path)).length === 0)).toEqual([]);
});

describe('the document runner', () => {
  const document = (...lines: string[]) => ['# A document', '', '```console', ...lines, '```', ''].join('\n');

  test('reports output that differs from the document', async () => {
    const markdown = document('$ npx sandbox trigger pix.paid', 'fine', '$ echo $?', '0');
    const { differences, corrected } = await runDocument(markdown);
    expect(differences).toEqual([
      {
        line: 4,
        command: 'npx sandbox trigger pix.paid',
        shown: ['fine'],
        came: [expect.stringMatching(/^error .*pix\.paid/), expect.stringMatching(/^hint {2}.*pix\.settled/)],
      },
      { line: 4, command: 'echo $?', shown: ['0'], came: ['2'] },
    ]);
    expect(corrected).toContain('error Unknown event pix.paid.');
    expect((await runDocument(corrected)).differences).toEqual([]);
  });
});
