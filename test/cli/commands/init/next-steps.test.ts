import { describe, expect, test } from 'vitest';
import { PROGRAM_NAME } from '../../../../src/text/program-name.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import type { TempFolder } from '../../../helpers/temp-folder.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

interface SetUp {
  readonly files: readonly { readonly path: string; readonly text?: string }[];
  readonly next: readonly string[];
}

function project(manifest: object = {}): TempFolder {
  const folder = tempFolder();
  folder.write('package.json', JSON.stringify(manifest));
  return folder;
}

function run({ path }: TempFolder, options: object = {}, more: object = {}) {
  const called = { cwd: path, env: { HOME: path }, program: PROGRAM_NAME };
  return runBody('init', { ...called, options: { yes: true, ...options }, ...more });
}

async function runJson(folder: TempFolder, options: object): Promise<SetUp> {
  return JSON.parse((await run(folder, options, { json: true })).stdout) as SetUp;
}

describe('the next steps of init', () => {
  test('the next steps of init forward to the target of existing settings, and name a missing target', async () => {
    using folder = project();
    folder.write('sandbox.config.json', '{"forwardTo": ["pix.*=4000/hooks", "5000"]}');
    const done = await runJson(folder, { framework: 'flask', test: 'pytest' });
    expect(done.next).toEqual([
      'npx sandbox exec -- python3 -m unittest tests/test_pix_sandbox.py',
      'npx sandbox start',
      'eval "$(npx sandbox env --format shell)"; flask --app flask_app run --port 4000',
      'npx sandbox trigger pix.settled',
      'npx sandbox check --forward-to 4000/hooks',
    ]);
    folder.write('sandbox.config.json', '{"forwardTo": ["4000/hooks"]}');
    expect((await runJson(folder, {})).next.at(-1)).toBe('npx sandbox check');
    const other = await runJson(folder, { forwardTo: "3000/it's", test: 'pytest' });
    const flag = ` --forward-to '3000/it'\\''s'`;
    expect(other.next).toContain(`npx sandbox start${flag}`);
    expect(other.next.at(-1)).toBe(`npx sandbox check${flag}`);
    expect(other.next).toContain(`npx sandbox exec${flag} -- python3 -m unittest tests/test_pix_sandbox.py`);
    using bare = project();
    bare.write('sandbox.config.json', '{}');
    expect((await runJson(bare, {})).next).toContain(
      'npx sandbox start --forward-to localhost:3000/webhooks',
    );
  });

  test.each([
    [{ scripts: { start: 'node .', dev: 'node --watch .' } }, '', 'npm run start'],
    [{ scripts: { start: 'node dist/app.js', dev: 'tsx watch .' } }, '', 'npm run dev'],
    [{ scripts: { start: 'npm run build:ts && node dist/app.js', dev: 'tsc -w' } }, '', 'npm run start'],
    [{ scripts: { dev: 'tsx watch .' } }, 'pnpm-lock.yaml', 'pnpm run dev'],
    [{ scripts: { start: 'next start', dev: 'next dev' }, dependencies: { next: '^16' } }, '', 'npm run dev'],
    [{ scripts: { start: 1 } }, '', undefined],
  ])('%j %s: the application is started by %s', async (manifest, lock, program) => {
    using folder = project(manifest);
    if (lock !== '') folder.write(lock, '');
    const { files, next } = await runJson(folder, { framework: 'none', dryRun: true });
    const start = `eval "$(npx sandbox env --format shell)"; ${program}`;
    expect(next.includes(start)).toBe(program !== undefined);
    const texts = new Map(files.map(({ path, text = '' }) => [path, text]));
    expect(texts.get('test/pix-sandbox.test.mjs')).toContain(
      program === undefined ? "const start = ''; // TODO" : `const start = '${program}';`,
    );
  });

  test('the next steps of init start its receiver again after a second time', async () => {
    using folder = project({ scripts: { start: 'node .' }, dependencies: { express: '^5' } });
    await run(folder);
    expect((await runJson(folder, {})).next).toContain('node --env-file=.env.test pix-webhooks.mjs');
  });

  test('the next steps of init state that a receiver is a separate program next to an application', async () => {
    using folder = project({ scripts: { start: 'node .' }, dependencies: { express: '^5' } });
    const sentence = 'The receiver is a separate program. Stop your application first';
    expect((await run(folder)).stdout).toContain(sentence);
    using other = project({ scripts: { start: 'nest start' }, dependencies: { '@nestjs/core': '^11' } });
    expect((await run(other)).stdout).not.toContain(sentence);
  });
});
