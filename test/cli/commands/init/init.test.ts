import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { loadSettings } from '../../../../src/config/load.js';
import { environmentBlock } from '../../../../src/http/server/start.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../../src/sandbox/credentials.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import type { Answer } from '../../../helpers/cli/fake-asker.js';
import { completed } from '../../../helpers/cli/fake-asker.js';
import type { TempFolder } from '../../../helpers/temp-folder.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const NAMES = Object.keys(environmentBlock('', WELL_KNOWN_CREDENTIALS));

interface SetUp {
  readonly files: readonly {
    path: string;
    outcome: string;
    added?: string[];
    kept?: string[];
    reason?: string;
  }[];
  readonly next: readonly string[];
}

function project(manifest: object = {}): TempFolder {
  const folder = tempFolder();
  folder.write('package.json', JSON.stringify(manifest));
  return folder;
}

function run({ path }: TempFolder, options: object = {}, more: object = {}) {
  return runBody('init', { cwd: path, env: { HOME: path }, options: { yes: true, ...options }, ...more });
}

async function runJson(folder: TempFolder, options: object = {}): Promise<SetUp> {
  const { stdout, stderr } = await run(folder, options, { json: true });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as SetUp;
}

function outcomes({ files }: SetUp): Record<string, string> {
  return Object.fromEntries(files.map(({ path, outcome }) => [path, outcome]));
}

function settingsOf({ path }: TempFolder) {
  const { values, mistakes } = loadSettings({ env: { HOME: path }, folder: path, cwd: path, given: {} });
  expect(mistakes).toEqual([]);
  const chosen = values.filter(({ source }) => source.from === 'project');
  return Object.fromEntries(chosen.map(({ setting, value }) => [setting.key, value]));
}

describe('init', () => {
  test('writes settings that are read, an environment file and a test', async () => {
    using folder = project();
    const done = await runJson(folder);
    expect(outcomes(done)).toEqual({
      'sandbox.config.json': 'written',
      '.env.test': 'written',
      'test/pix-sandbox.test.mjs': 'written',
    });
    expect(settingsOf(folder)).toEqual({ forwardTo: ['localhost:3000/webhooks'] });
    expect(JSON.parse(folder.read('sandbox.config.json').toString())).toHaveProperty('$schema');
    const env = folder.read('.env.test').toString();
    expect(env).toContain('\nSANDBOX_URL=http://127.0.0.1:7490\n');
    expect(done.files[1]?.added).toEqual(NAMES);
    expect(statSync(join(folder.path, '.env.test')).mode & 0o777).toBe(0o600);
    expect(folder.read('test/pix-sandbox.test.mjs').toString()).toContain("from 'node:test'");
    expect(done.next).toEqual([
      'npm install --save-dev pix-sandbox',
      'node --test test/pix-sandbox.test.mjs',
      'npx pix-sandbox start',
      'npx pix-sandbox listen',
      'npx pix-sandbox trigger pix.settled',
    ]);
    expect(folder.read('package.json').toString()).toBe('{}');
  });

  test('a second time changes nothing, and says so', async () => {
    using folder = project();
    await run(folder);
    const read = () =>
      ['sandbox.config.json', '.env.test', 'test/pix-sandbox.test.mjs'].map((name) =>
        folder.read(name).toString(),
      );
    const before = read();
    const again = await runJson(folder, { forwardTo: 'localhost:1', seed: '9' });
    expect(new Set(Object.values(outcomes(again)))).toEqual(new Set(['kept']));
    expect(read()).toEqual(before);
  });

  test('keeps every name that the environment file has, and its mode and bytes', async () => {
    using folder = project();
    const before = Buffer.from('SANDBOX_TOKEN=mine\n# caf\u00e9 \xff', 'latin1');
    folder.write('.env.test', before);
    chmodSync(join(folder.path, '.env.test'), 0o644);
    const { files } = await runJson(folder);
    expect(files[1]).toMatchObject({ outcome: 'extended', kept: ['SANDBOX_TOKEN'] });
    expect(files[1]?.added).toEqual(NAMES.filter((name) => name !== 'SANDBOX_TOKEN'));
    const after = folder.read('.env.test');
    expect(after.subarray(0, before.length)).toEqual(before);
    expect(after.toString().match(/^SANDBOX_TOKEN=/gm)).toHaveLength(1);
    expect(statSync(join(folder.path, '.env.test')).mode & 0o777).toBe(0o644);
  });

  test('takes choices', async () => {
    using folder = project();
    await run(folder, {
      forwardTo: '8080/hooks',
      events: 'pix.*,withdrawal.failed',
      seed: '7',
      test: 'none',
    });
    expect(settingsOf(folder)).toEqual({
      forwardTo: ['8080/hooks'],
      events: 'pix.*,withdrawal.failed',
      seed: '7',
    });
    expect(existsSync(join(folder.path, 'test'))).toBe(false);
  });

  test.each([
    [
      { devDependencies: { vitest: '^4', 'pix-sandbox': '^0.1' } },
      [],
      'test/pix-sandbox.test.mjs',
      'npx vitest run',
    ],
    [{ devDependencies: { vitest: '^4' } }, ['tsconfig.json'], 'test/pix-sandbox.test.ts', 'npx vitest run'],
    [{}, ['tsconfig.json', 'tests/a.txt'], 'tests/pix-sandbox.test.mjs', 'node --test'],
    [{ dependencies: null }, ['tests/a', 'test/a'], 'test/pix-sandbox.test.mjs', 'node --test'],
  ])('%j %j: a test at %s', async (manifest, files, path, runner) => {
    using folder = project(manifest);
    for (const file of files) folder.write(file, '');
    const done = await runJson(folder);
    expect(outcomes(done)[path]).toBe('written');
    expect(done.next).toContain(`${runner} ${path}`);
    expect(done.next.includes('npm install --save-dev pix-sandbox')).toBe(
      !JSON.stringify(manifest).includes('pix-sandbox'),
    );
  });

  test('follows the port that is set, and leaves out credentials that are drawn', async () => {
    using folder = project();
    folder.write('sandbox.config.json', '{"port": 8123}');
    await run(folder);
    expect(folder.read('.env.test').toString()).toContain('SANDBOX_URL=http://127.0.0.1:8123\n');
    using open = project();
    open.write('sandbox.config.json', '{"host": "0.0.0.0"}');
    const { files } = await runJson(open);
    expect(files[1]).toMatchObject({ outcome: 'left out', reason: expect.stringContaining('0.0.0.0') });
    expect(existsSync(join(open.path, '.env.test'))).toBe(false);
  });

  test('begins where the project begins', async () => {
    using folder = project();
    folder.write('src/deep/a.js', '');
    const { stdout } = await runBody('init', {
      cwd: join(folder.path, 'src', 'deep'),
      env: { HOME: folder.path },
      options: { yes: true },
    });
    expect(stdout).toContain(`In ${folder.path}:`);
    expect(existsSync(join(folder.path, '.env.test'))).toBe(true);
  });

  test.each([
    [{ forwardTo: 'ftp://x' }, /--forward-to/],
    [{ events: 'pix.setled' }, /no event/],
    [{ test: 'jest' }, /no test runner/],
  ])('refuses %j and writes nothing', async (options, message) => {
    using folder = project();
    const error = await rejectionOf(run(folder, options), CliError);
    expect(error.exitCode).toBe(EXIT.usage);
    expect(error.message).toMatch(message);
    expect(readdirSync(folder.path)).toEqual(['package.json']);
  });

  test('writes nothing beside settings that are wrong, or where a file cannot be read', async () => {
    using folder = project();
    folder.write('sandbox.config.json', '{"prot": 1}');
    expect((await rejectionOf(run(folder), CliError)).code).toBe('CONFIG_INVALID');
    expect(readdirSync(folder.path).toSorted()).toEqual(['package.json', 'sandbox.config.json']);
    using other = project();
    mkdirSync(join(other.path, '.env.test'));
    expect((await rejectionOf(run(other), CliError)).message).toContain('Cannot read .env.test');
    expect(readdirSync(other.path).toSorted()).toEqual(['.env.test', 'package.json']);
  });

  test('overwrites nothing through a link that leads nowhere', async () => {
    using folder = project();
    symlinkSync(join(folder.path, 'elsewhere'), join(folder.path, 'sandbox.config.json'));
    const error = await rejectionOf(run(folder), CliError);
    expect(error.message).toBe('Cannot write sandbox.config.json: something else has that name.');
    expect(existsSync(join(folder.path, 'elsewhere'))).toBe(false);
  });

  test('says on 80 columns what it did', async () => {
    using folder = project();
    folder.write(
      '.env.test',
      NAMES.slice(1)
        .map((name) => `${name}=x\n`)
        .join(''),
    );
    const { stdout } = await run(folder, {}, { columns: 80 });
    expect(
      stdout
        .split('\n')
        .slice(1)
        .filter((line) => line.length > 80),
    ).toEqual([]);
    expect(stdout).toContain('extended  .env.test\n');
    for (const name of NAMES.slice(1)) expect(stdout).toContain(name);
  });

  test('needs somebody to ask, or --yes', async () => {
    using folder = project();
    const error = await rejectionOf(run(folder, { yes: undefined }), CliError);
    expect(error).toMatchObject({ exitCode: EXIT.usage, hint: expect.stringContaining('init --yes') });
    expect(readdirSync(folder.path)).toEqual(['package.json']);
  });
});

describe('the questions of init', () => {
  function asked({ path }: TempFolder, answers: readonly Answer[], options: Record<string, unknown> = {}) {
    return completed('init', answers, { options }, { cwd: path });
  }

  test('come to a command that asks nothing', async () => {
    using folder = project({ devDependencies: { vitest: '^4' } });
    const defaults = await asked(folder, [
      'the likely one',
      ['pix.settled', 'pix.failed', 'pix.expired', 'withdrawal.settled', 'withdrawal.failed'],
      false,
      'for vitest',
    ]);
    expect(defaults.command).toBe(
      '$ npx pix-sandbox init --forward-to localhost:3000/webhooks --test vitest --yes',
    );
    const chosen = await asked(folder, ['3001/hook', ['pix.settled'], true, '42', 'no test']);
    expect(chosen.command).toBe(
      '$ npx pix-sandbox init --forward-to 3001/hook --events pix.settled --seed 42 --test none --yes',
    );
    await run(folder, chosen.options);
    expect(settingsOf(folder)).toEqual({ forwardTo: ['3001/hook'], events: 'pix.settled', seed: '42' });
  });

  test('leave out what was typed, and settings where there are some', async () => {
    using folder = project();
    const typed = { forwardTo: '3000', events: '*', seed: '1' };
    expect((await asked(folder, ['for node --test'], typed)).asked).toEqual([
      { question: 'A first test?', offered: ['for node --test', 'for vitest', 'no test'] },
    ]);
    folder.write('sandbox.config.json', '{}');
    expect((await asked(folder, ['no test'])).asked).toHaveLength(1);
    expect((await asked(folder, [], { test: 'none' })).asked).toEqual([]);
  });

  test('say what is wrong with a target', async () => {
    using folder = project();
    await expect(asked(folder, ['ftp://x'])).rejects.toThrow(/--forward-to takes/);
  });
});
