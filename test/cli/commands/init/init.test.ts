import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FRAMEWORKS, TEST_RUNNERS } from '../../../../src/cli/program/shared-options.js';
import { CliError, EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { loadSettings } from '../../../../src/config/load.js';
import { createEnvironmentBlock, WELL_KNOWN_CREDENTIALS } from '../../../../src/sandbox/credentials.js';
import { quoteForShell } from '../../../../src/text/shell/words.js';
import { workflowMistakes } from '../../../helpers/workflow-problems.js';
import { PROGRAM_NAME } from '../../../../src/text/program-name.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import type { Answer } from '../../../helpers/cli/fake-prompter.js';
import { completed } from '../../../helpers/cli/fake-prompter.js';
import type { TempFolder } from '../../../helpers/temp-folder.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const NAMES = Object.keys(createEnvironmentBlock('', WELL_KNOWN_CREDENTIALS));

/** Files name the program as projects call it, whatever it was called as. */
const WITH_FILES = { program: PROGRAM_NAME };

interface SetUp {
  readonly files: readonly {
    path: string;
    outcome: string;
    added?: string[];
    kept?: string[];
    reason?: string;
    text?: string;
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

async function runJson(folder: TempFolder, options: object = {}, more: object = {}): Promise<SetUp> {
  const { stdout, stderr } = await run(folder, options, { json: true, ...more });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as SetUp;
}

function outcomes({ files }: SetUp): Record<string, string> {
  return Object.fromEntries(files.map(({ path, outcome }) => [path, outcome]));
}

function settingsOf({ path }: TempFolder) {
  const { values, issues } = loadSettings({ env: { HOME: path }, folder: path, cwd: path, given: {} });
  expect(issues).toEqual([]);
  const chosen = values.filter(({ source }) => source.from === 'project');
  return Object.fromEntries(chosen.map(({ setting, value }) => [setting.key, value]));
}

describe('init', () => {
  test('writes valid settings, an environment file and a test', async () => {
    using folder = project();
    const done = await runJson(folder);
    expect(outcomes(done)).toEqual({
      'sandbox.config.json': 'written',
      '.env.test': 'written',
      'pix-webhooks.mjs': 'written',
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
      'npx sandbox start',
      'node --env-file=.env.test pix-webhooks.mjs',
      'npx sandbox trigger pix.settled',
      'npx sandbox check',
    ]);
    expect(folder.read('package.json').toString()).toBe('{}');
  });

  test('changes nothing a second time, and says so', async () => {
    using folder = project();
    await run(folder);
    const read = () =>
      ['sandbox.config.json', '.env.test', 'pix-webhooks.mjs', 'test/pix-sandbox.test.mjs'].map((name) =>
        folder.read(name).toString(),
      );
    const before = read();
    const again = await runJson(folder, { forwardTo: 'localhost:1', seed: '9' });
    expect(new Set(Object.values(outcomes(again)))).toEqual(new Set(['kept']));
    expect(read()).toEqual(before);
  });

  test('preserves every name of the environment file, and its mode and bytes', async () => {
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

  test('accepts choices', async () => {
    using folder = project();
    await run(folder, {
      forwardTo: '8080/hooks',
      events: 'pix.*,withdrawal.failed',
      seed: '7',
      framework: 'none',
      test: 'none',
    });
    expect(settingsOf(folder)).toEqual({
      forwardTo: ['8080/hooks'],
      events: 'pix.*,withdrawal.failed',
      seed: '7',
    });
    expect(readdirSync(folder.path).toSorted()).toEqual(['.env.test', 'package.json', 'sandbox.config.json']);
  });

  test.each(FRAMEWORKS.filter((name) => name !== 'none'))(
    '%s gets a receiver at the path and the port of the target',
    async (framework) => {
      using folder = project();
      const { files } = await runJson(folder, {
        framework,
        forwardTo: '8123/hooks/pix',
        test: 'none',
        ci: 'none',
      });
      const texts = files.slice(2).map(({ path }) => folder.read(path).toString());
      expect(files.slice(2).map(({ outcome }) => outcome)).toEqual(texts.map(() => 'written'));
      expect(texts.join('')).toMatch(/hooks\/pix|hooks\/pix\/route/);
      expect(texts.join('')).not.toMatch(/\b3000\b|[/"]webhooks["'`]/);
    },
  );

  test.each(['express', 'fastify', 'nestjs', 'next'])(
    'names the npm packages for the receiver of %s',
    async (framework) => {
      using folder = project();
      const { files, next } = await runJson(folder, { framework, test: 'none' });
      const texts = files.slice(2).map(({ path }) => folder.read(path).toString());
      const imported = Array.from(
        texts.join('').matchAll(/^import .* from '((?:@[\w-]+\/)?[\w-]+)(?:\/[\w/-]+)?';$/gm),
        ([, name = '']) => name,
      );
      const needed = imported.filter((name) => name !== framework && !name.startsWith(`@${framework}/`));
      const installed = next
        .filter((step) => step.startsWith('npm install '))
        .join(' ')
        .split(' ');
      expect(installed).toEqual(expect.arrayContaining(needed));
    },
  );

  test('omits an existing receiver, and one whose path would need quotes', async () => {
    using folder = project();
    folder.write('src/hooks.ts', "const signature = request.headers['webhook-signature'];");
    folder.write('node_modules/a/index.js', 'webhook-signature');
    const { files } = await runJson(folder);
    expect(files[2]).toEqual({
      path: 'pix-webhooks.mjs',
      outcome: 'left out',
      reason: 'src/hooks.ts already reads webhook headers',
    });
    using other = project();
    const done = await runJson(other, { forwardTo: "3000/it's" });
    expect(outcomes(done)).toMatchObject({ 'pix-webhooks.mjs': 'left out', '.env.test': 'written' });
    expect(done.next).toContain('npx sandbox start');
    expect(done.next).not.toContainEqual(expect.stringContaining('pix-webhooks'));
  });

  test.each(TEST_RUNNERS.filter((name) => name !== 'none'))(
    'the first test for %s covers the application where it receives',
    async (runner) => {
      using folder = project({ type: 'module' });
      const { files } = await runJson(folder, {
        test: runner,
        forwardTo: '127.0.0.1:13000/webhooks/pix',
        framework: runner === 'pytest' ? 'flask' : 'express',
      });
      const path = files.map((file) => file.path).find((name) => /^tests?\//.test(name)) ?? '';
      const text = folder.read(path).toString();
      // Tests in JavaScript can run while the application is in use.
      expect(text).toContain(
        runner === 'pytest'
          ? 'exec --forward-to 13000/webhooks/pix'
          : "'http://127.0.0.1:23000/webhooks/pix'",
      );
      expect(text).toContain(
        runner === 'pytest'
          ? 'START = "flask --app flask_app run --port 13000"'
          : "const start = 'node pix-webhooks.mjs'",
      );
      expect(text).toContain('wrong-signature');
    },
  );

  test('writes a job if the project is on GitHub, for its package manager', async () => {
    using folder = project({ scripts: { test: 'vitest' } });
    folder.write('.git/config', '[remote "origin"]\n\turl = git@github.com:me/shop.git\n');
    folder.write('pnpm-lock.yaml', '');
    const done = await runJson(folder, { forwardTo: '4000/hooks' });
    expect(outcomes(done)).toHaveProperty(['.github/workflows/pix-sandbox.yml'], 'written');
    const job = folder.read('.github/workflows/pix-sandbox.yml').toString();
    expect(job).toContain('      - run: corepack enable\n      - run: pnpm install --frozen-lockfile\n');
    // Library tests start their own sandbox.
    expect(job).toContain('--frozen-lockfile\n      - run: pnpm run test\n');
    expect(job).not.toContain('cache:');
    expect(job).toContain(
      '      - name: signatures\n        if: ${{ !cancelled() }}\n        run: |\n          npx sandbox exec -- sh -c ',
    );
    expect(job).toMatch(
      / -c 'node pix-webhooks\.mjs & .* localhost:4000; npx sandbox check --forward-to 4000\/hooks'$/m,
    );
    using bare = project();
    bare.write('.github/a.md', '');
    const none = await runJson(bare, { test: 'none' });
    expect(outcomes(none)).toHaveProperty(['.github/workflows/pix-sandbox.yml'], 'left out');
  });

  test('suggests a check in the job if only the user knows how the receiver starts', async () => {
    using folder = project({ scripts: { test: 'vitest' } });
    folder.write('src/hooks.ts', "const signature = request.headers['webhook-signature'];");
    const { files } = await runJson(folder, { ci: 'github', dryRun: true }, WITH_FILES);
    expect(files.at(-1)?.text).toMatch(
      /^ {6}# {5}npx sandbox exec -- sh -c 'npm run start & .*; npx sandbox check --forward-to 3000\/webhooks'$/m,
    );
  });

  test('checks effects in the job if it knows the probe and the order command', async () => {
    using folder = project({ scripts: { start: 'node .' } });
    const known = {
      start: 'PORT=3000 node shop.js',
      probe: "curl -s -H 'a: 1' http://localhost:3000/webhooks/{code}",
      order: 'node order.js {code}',
    };
    const options = { ci: 'github', dryRun: true, forwardTo: '4000/hooks', framework: 'none', ...known };
    const { files, next } = await runJson(folder, options, WITH_FILES);
    const text = files.at(-1)?.text ?? '';
    const [, script = ''] =
      /^ {6}- name: effects\n.*\n.*\n {10}npx sandbox exec -- sh -c (.*)$/m.exec(text) ?? [];
    expect(script).toMatch(/^'PORT=3000 node shop\.js & trap .* localhost:4000; npx sandbox check /);
    const quoted = (typed: string) => quoteForShell(typed).replaceAll("'", "'\\''");
    expect(script).toContain(
      ` --use-running --require effects --without withdrawals --probe ${quoted(known.probe)} --order ${quoted(known.order)}`,
    );
    expect(next).toContain('eval "$(npx sandbox env --format shell)"; PORT=3000 node shop.js');
    const { files: without } = await runJson(folder, { ...options, order: undefined }, WITH_FILES);
    expect(without.at(-1)?.text).toMatch(/^ {6}- name: signatures$/m);
  });

  test('writes jobs that GitHub accepts', async () => {
    const marks = [
      'package-lock.json',
      'pnpm-lock.yaml',
      'yarn.lock',
      'bun.lock',
      'requirements.txt',
      'a.md',
    ];
    const effects = {
      start: 'node shop.js',
      probe: "curl -H 'a: 1' x/{code}",
      order: 'node order.js {code}',
    };
    const jobs = marks.map(async (name) => {
      using folder = project();
      folder.write(name, '');
      const own = name.endsWith('.txt') ? { framework: 'flask', test: 'pytest' } : {};
      const more = name === 'a.md' ? effects : own;
      return await runJson(folder, { ci: 'github', dryRun: true, ...more }, WITH_FILES);
    });
    const texts = (await Promise.all(jobs)).map(({ files }) => files.at(-1)?.text ?? '');
    expect(new Set(texts).size).toBe(texts.length);
    expect(await workflowMistakes(texts)).toEqual(texts.map(() => []));
    using python = tempFolder();
    python.write('requirements.txt', 'flask\n');
    const { files } = await runJson(python, { ci: 'github', dryRun: true }, WITH_FILES);
    const downloads = files.at(-1)?.text?.match(/npx --yes \S+/g);
    expect(new Set(downloads)).toEqual(new Set([`npx --yes pix-sandbox@${__VERSION__}`]));
  });

  test('writes nothing with --dry-run, and shows every text that it would write', async () => {
    using folder = project();
    const { stdout } = await run(folder, { yes: undefined, dryRun: true }, WITH_FILES);
    expect(readdirSync(folder.path)).toEqual(['package.json']);
    expect(stdout).toMatch(/^Planned changes in .*:\n  write     sandbox.config.json\n/);
    const { files } = await runJson(folder, { dryRun: true }, WITH_FILES);
    await run(folder);
    for (const { path, text = '' } of files) {
      expect(folder.read(path).toString()).toBe(text);
      expect(stdout).toContain(`\n--- ${path}\n${text}`);
    }
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

  test('uses the configured port, and omits generated credentials', async () => {
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

  test.each([
    [{ forwardTo: 'ftp://x' }, /--forward-to/],
    [{ events: 'pix.setled' }, /Unknown event/],
    [{ test: 'jset' }, /Unknown test runner/],
    [{ framework: 'expres' }, /Unknown framework/],
    [{ ci: 'gitlab' }, /Unknown CI service/],
  ])('rejects %j and writes nothing', async (options, message) => {
    using folder = project();
    const error = await rejectionOf(run(folder, options), CliError);
    expect(error.exitCode).toBe(EXIT_CODES.usage);
    expect(error.message).toMatch(message);
    expect(readdirSync(folder.path)).toEqual(['package.json']);
  });

  test('writes nothing next to invalid settings, or if a file cannot be read', async () => {
    using folder = project();
    folder.write('sandbox.config.json', '{"prot": 1}');
    expect((await rejectionOf(run(folder), CliError)).code).toBe('CONFIG_INVALID');
    expect(readdirSync(folder.path).toSorted()).toEqual(['package.json', 'sandbox.config.json']);
    using other = project();
    mkdirSync(join(other.path, '.env.test'));
    expect((await rejectionOf(run(other), CliError)).message).toContain('Cannot read .env.test');
    expect(readdirSync(other.path).toSorted()).toEqual(['.env.test', 'package.json']);
  });

  test('overwrites nothing through a dangling link', async () => {
    using folder = project();
    symlinkSync(join(folder.path, 'elsewhere'), join(folder.path, 'sandbox.config.json'));
    const error = await rejectionOf(run(folder), CliError);
    expect(error.message).toBe('Cannot write sandbox.config.json: the name is already in use.');
    expect(existsSync(join(folder.path, 'elsewhere'))).toBe(false);
  });

  test('requires a terminal for prompts, or --yes', async () => {
    using folder = project();
    const error = await rejectionOf(run(folder, { yes: undefined }), CliError);
    expect(error).toMatchObject({ exitCode: EXIT_CODES.usage, hint: expect.stringContaining('init --yes') });
    expect(readdirSync(folder.path)).toEqual(['package.json']);
  });
});

describe('the prompts of init', () => {
  function asked({ path }: TempFolder, answers: readonly Answer[], options: Record<string, unknown> = {}) {
    return completed('init', answers, { options }, { cwd: path });
  }

  const LIKELY = ' (detected)';

  test('the prompts of init lead to a command that asks nothing', async () => {
    using folder = project({ devDependencies: { vitest: '^4', express: '^5' } });
    folder.write('.github/a.md', '');
    const defaults = await asked(folder, [
      'the likely one',
      ['pix.settled', 'pix.failed', 'pix.expired', 'withdrawal.settled', 'withdrawal.failed'],
      false,
      `express${LIKELY}`,
      `vitest${LIKELY}`,
      'none',
      true,
      true,
    ]);
    expect(defaults.command).toMatch(
      /\$ npx sandbox init --forward-to localhost:3000\/webhooks --framework express --test vitest --agents none --ci github --yes$/,
    );
    const chosen = await asked(folder, [
      '3001/hook',
      ['pix.settled'],
      true,
      '42',
      'none',
      'none',
      'AGENTS.md',
      false,
      true,
    ]);
    expect(chosen.command).toMatch(
      / --forward-to 3001\/hook --events pix.settled --seed 42 --framework none --test none --agents AGENTS.md --ci none --yes$/,
    );
    await run(folder, chosen.options);
    expect(settingsOf(folder)).toEqual({ forwardTo: ['3001/hook'], events: 'pix.settled', seed: '42' });
  });

  test('the prompts of init show the files before they are written', async () => {
    using folder = project();
    const { command } = await asked(folder, [
      'the likely one',
      ['pix.settled'],
      false,
      'fastify',
      'ava',
      'none',
      false,
      true,
    ]);
    expect(command).toContain('  write     pix-webhooks.mjs\n  write     test/pix-sandbox.test.mjs\n');
    const left = asked(folder, [
      'the likely one',
      ['pix.settled'],
      false,
      'fastify',
      'ava',
      'none',
      false,
      false,
    ]);
    expect(await rejectionOf(left, CliError)).toMatchObject({ message: 'Nothing was written.' });
    expect(readdirSync(folder.path)).toEqual(['package.json']);
  });

  test('the prompts of init omit typed values, and existing files', async () => {
    using folder = project();
    const typed = { forwardTo: '3000', events: '*', seed: '1' };
    const { asked: questions } = await asked(
      folder,
      [`node${LIKELY}`, `node${LIKELY}`, 'none', false, true],
      typed,
    );
    expect(questions.map(({ question }) => question)).toEqual([
      'Which framework should the receiver use?',
      'Which runner should the first test use?',
      'Add a block for coding agents?',
      'Add a GitHub Actions job?',
      'Write these files?',
    ]);
    expect(questions[1]?.offered).toEqual([
      `node${LIKELY}`,
      ...TEST_RUNNERS.filter((name) => name !== 'node'),
    ]);
    folder.write('sandbox.config.json', '{}');
    folder.write('hooks.js', 'webhook-signature');
    folder.write('CLAUDE.md', '# Rules');
    expect((await asked(folder, ['none', false, true])).asked).toHaveLength(3);
    expect((await asked(folder, [true], { test: 'none', ci: 'none' })).asked).toHaveLength(1);
  });

  test('the prompts of init report an invalid target', async () => {
    using folder = project();
    await expect(asked(folder, ['ftp://x'])).rejects.toThrow(/--forward-to must/);
  });
});
