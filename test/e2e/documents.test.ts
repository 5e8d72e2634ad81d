import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOf, proseOf, stepsOf } from '../helpers/documents/document-blocks.js';
import { mistakesOf, simpleCommands } from '../helpers/documents/document-commands.js';
import { isAsShown } from '../helpers/documents/document-output.js';
import { LANGUAGES, whyNot } from '../helpers/documents/document-receivers.js';
import { runDocument } from '../helpers/documents/document-runner.js';
import { tries } from '../helpers/whole.js';

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

test.each(DOCUMENTS)('%s shows code that is looked at, and commands that exist', async (path) => {
  expect(await mistakesOf(read(path), join(ROOT, path))).toEqual([]);
});

test.each(DOCUMENTS)('%s links to what is there', (path) => {
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
  '%s shows what its commands print (UPDATE_DOCS=1 writes it)',
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

test('the README and every guide of a language show what their commands print', () => {
  const pages = ['README.md', ...LANGUAGES.map(({ page }) => `fixtures/guides/${page}.md`)];
  expect(pages.filter((path) => commandsOf(read(path)).length === 0)).toEqual([]);
});

describe('the runner of documents', () => {
  const document = (...lines: string[]) => ['# A document', '', '```console', ...lines, '```', ''].join('\n');

  test('says where something else came than a document shows', async () => {
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
    expect(corrected).toContain('error There is no event pix.paid.');
    expect((await runDocument(corrected)).differences).toEqual([]);
  });

  test('compares what a command says that keeps running, to its last line', async () => {
    const markdown = (line: string) =>
      document(
        '$ npx sandbox start --seed 7 --freeze 2026-01-31T12:00:00Z',
        'PIX sandbox …',
        '…',
        '$ npx sandbox listen --forward-to localhost:3000 --simulate 500,ok',
        'Ready. Forwarding every event to http://localhost:3000/',
        '…',
        line,
        '…',
        '$ npx sandbox trigger pix.settled --code order-1 > triggered.txt 2>&1',
        '$ grep -c order-1 triggered.txt',
        '1',
      );
    const right = '12:00:00 500 pix.settled        simulated (answer)  evt_…';
    expect((await runDocument(markdown(right))).differences).toEqual([]);
    const wrong = right.replace('500', '200');
    // What never comes is waited for in vain.
    expect((await runDocument(markdown(wrong), [], 1)).differences).toMatchObject([
      { command: expect.stringContaining('listen'), shown: expect.arrayContaining([wrong]) },
    ]);
  });

  test('goes on where the last command left off', async () => {
    const { differences } = await runDocument(
      document(
        '$ export A=1; mkdir inner; cd inner',
        '$ echo "$A $(pwd)"',
        '1 /home/you/shop/inner',
        '$ (exit 3)',
        '$ echo $?',
        '3',
      ),
    );
    expect(differences).toEqual([]);
  });

  test('takes no failure that the document is silent about', async () => {
    await expect(runDocument(document('$ npx sandbox status > nowhere.txt 2>&1'))).rejects.toThrow(
      'ended with 3',
    );
  });

  test('saves code under the name that it gives itself', async () => {
    const { differences } = await runDocument(
      [
        '```js sign.mjs',
        "import { signRequest } from 'pix-sandbox/signing';",
        'console.log(typeof signRequest);',
        '```',
        '```console',
        '$ node sign.mjs',
        'function',
        '```',
      ].join('\n'),
    );
    expect(differences).toEqual([]);
  });

  test('runs comments that readers do not see', async () => {
    const { differences } = await runDocument('<!-- console\n$ echo 1\n2\n-->\n');
    expect(differences).toMatchObject([{ command: 'echo 1', shown: ['2'], came: ['1'] }]);
  });

  test('names commands, options, files, scripts and programs that there are not', async () => {
    const markdown = [
      '```sh',
      'npm ci && npx sandbox begin        # a comment: npx sandbox nothing',
      'npx sandbox trigger pix.settled --sum 10.00 | tee out.txt',
      'npx sandbox exec --fail-on ledger -- npm run nothing',
      'node fixtures/nothing.mjs',
      'eval "$(npx sandbox env --shell)"; wget localhost',
      'npx sandbox deliveries retry <id> --json',
      '```',
      'Or `npx sandbox clock forward 1m`, or `listen --forwards-to`, but not `start --seed`.',
      '```',
      'nobody looks here',
      '```',
    ].join('\n');
    expect(await mistakesOf(markdown, join(ROOT, 'README.md'))).toEqual([
      expect.stringMatching(/^line 2: .*unknown command 'begin'/),
      expect.stringMatching(/^line 2: .*unknown option '--sum'/),
      expect.stringMatching(/^line 2: .*there is no script nothing/),
      expect.stringMatching(/^line 2: .*there is no file fixtures\/nothing\.mjs/),
      expect.stringMatching(/^line 2: .*wget is not a program/),
      expect.stringMatching(/^line 11: expected a fence tagged console, .*; got ""/),
      expect.stringMatching(/^`npx sandbox clock forward 1m`: .*unknown command 'forward'/),
      expect.stringMatching(/^`listen --forwards-to`: .*unknown option '--forwards-to'/),
    ]);
  });

  test.each([
    [['a', 'b'], ['a', 'b'], true],
    [['a'], ['a', 'b'], false],
    [['a', 'b'], ['a'], false],
    [[], ['a'], false],
    [['id …'], ['id 1'], true],
    [['id …'], ['it 1'], false],
    [['a', '…'], ['a', 'b', 'c'], true],
    [['a', '…', 'c'], ['a', 'c'], true],
    [['a', '…', 'c'], ['a', 'b'], false],
    [['200 in 3 ms.'], ['200 in 1234 ms.'], true],
    [['200 in 3 ms'], ['201 in 3 ms'], false],
    [['took    3 ms'], ['took   12 ms'], true],
    [['12:00:00 200'], ['23:59:59 200'], true],
    [['at 12:00:00'], ['at 23:59:59'], false],
    [['a.c'], ['abc'], false],
  ])('%j shows %j: %j', (shown, came, isSo) => {
    expect(isAsShown(shown, came)).toBe(isSo);
  });
});
