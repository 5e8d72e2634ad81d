import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../../../src/config/load.js';
import { PROGRAM_NAME } from '../../../../src/text/program-name.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { completed } from '../../../helpers/cli/fake-prompter.js';
import type { TempFolder } from '../../../helpers/temp-folder.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

const SHOP = {
  'server.js':
    "app.post('/orders', ({ body: { code } }) => pay(code));\napp.post('/webhooks/pix', pix);\napp.listen(PORT ?? 4000);",
  '.env.example': 'PIX_TOKEN=\nPIX_API_URL=https://api.example.com/api\nGITHUB_TOKEN=\n',
  '.env': 'PIX_SIGNING_SECRET=hush\nPORT=4001\n',
};

function shop(manifest: object = { dependencies: { express: '^5' } }): TempFolder {
  const folder = tempFolder();
  folder.write('package.json', JSON.stringify({ scripts: { start: 'node .' }, ...manifest }));
  for (const [name, text] of Object.entries(SHOP)) folder.write(name, text);
  return folder;
}

interface SetUp {
  readonly files: readonly { readonly path: string; readonly outcome: string; readonly text?: string }[];
  readonly next: readonly string[];
}

function run({ path }: TempFolder, options: object = {}, more: object = {}) {
  const called = { cwd: path, env: { HOME: path }, program: PROGRAM_NAME };
  return runBody('init', { ...called, options: { yes: true, ...options }, ...more });
}

async function runJson(folder: TempFolder, options: object = {}): Promise<SetUp> {
  return JSON.parse((await run(folder, options, { json: true })).stdout) as SetUp;
}

function settingsOf({ path }: TempFolder) {
  const { values, issues } = loadSettings({ env: { HOME: path }, folder: path, cwd: path, given: {} });
  expect(issues).toEqual([]);
  const chosen = values.filter(({ source }) => source.from === 'project');
  return Object.fromEntries(chosen.map(({ setting, value }) => [setting.key, value]));
}

describe('init in an existing application', () => {
  test('forwards to the receiver and maps the variables of an existing application', async () => {
    using folder = shop();
    const { stdout } = await run(folder);
    expect(stdout).toContain(
      '    Receiver: server.js:2; port: server.js:3.\n    Orders: POST /orders (server.js:1).\n',
    );
    expect(stdout).toContain('PIX_TOKEN from SANDBOX_TOKEN');
    expect(stdout).not.toContain('hush');
    expect(settingsOf(folder)).toEqual({
      forwardTo: ['localhost:4000/webhooks/pix'],
      env: expect.arrayContaining([
        'PIX_API_URL={SANDBOX_BASE_URL}/api',
        'PIX_SIGNING_SECRET=SANDBOX_SIGNING_SECRET',
      ]),
    });
    expect(folder.read('.env.test').toString()).toMatch(/^PIX_API_URL=http:\/\/127\.0\.0\.1:7490\/api$/m);
    expect(readdirSync(folder.path)).not.toContain('pix-webhooks.mjs');
  });

  test.each(['vitest', 'jest', 'mocha', 'ava', 'node', 'bun'])(
    'the first test for %s drives the application',
    async (runner) => {
      using folder = shop();
      await run(folder, { test: runner });
      const name = readdirSync(join(folder.path, 'test'))[0] ?? '';
      const text = folder.read(`test/${name}`).toString();
      expect(text).toContain("const start = 'npm run start';");
      expect(text).toContain('fetch(`${origin}/orders`');
      expect(text).toContain('createSandbox({ env: names })');
      expect(text).toContain("'pix.settled', { code: charge.code }");
      expect(text).toMatch(
        runner === 'jest'
          ? /require\('pix-sandbox\/testing\/jest'\)/
          : new RegExp(runner === 'vitest' ? 'pix-sandbox/testing/vitest' : 'matchers'),
      );
    },
  );

  test('writes the receiver of a chosen framework next to an existing one', async () => {
    using folder = shop();
    const { files } = await runJson(folder, { framework: 'express' });
    expect(files.find(({ path }) => path === 'pix-webhooks.mjs')?.outcome).toBe('written');
  });

  test('writes no test for an application in another language', async () => {
    using folder = tempFolder();
    folder.write('go.mod', 'module shop');
    folder.write('main.go', 'http.HandleFunc("/webhooks/pix", pix)\nhttp.ListenAndServe(":8081", nil)');
    const { files, next } = await runJson(folder);
    expect(files.map(({ path }) => path)).toEqual(['sandbox.config.json', '.env.test']);
    expect(settingsOf(folder)).toEqual({ forwardTo: ['localhost:8081/webhooks/pix'] });
    expect(next).toContain('eval "$(npx sandbox env --format shell)"; go run .');
  });

  test('runs tests under exec that use its sandbox', async () => {
    using folder = shop({ scripts: { test: 'node --test' } });
    folder.write('test/order.test.mjs', "import { connectSandbox } from 'pix-sandbox';");
    const { files } = await runJson(folder, { ci: 'github', dryRun: true });
    expect(files.at(-1)?.text).toMatch(/exec --forward-to 4000\/webhooks\/pix .* -- npm run test$/m);
  });

  test('the prompts of init offer every likely receiver', async () => {
    using folder = tempFolder();
    folder.write(
      'app.js',
      "app.post('/webhooks/pix', a);\napp.post('/webhooks/other', b);\napp.listen(4000);",
    );
    const answers = [['pix.settled'], false, 'node (detected)', 'none', false, true];
    const offered = 'localhost:4000/webhooks/other (app.js:2)';
    const { command, asked: questions } = await completed(
      'init',
      [offered, ...answers],
      {},
      { cwd: folder.path },
    );
    expect(command).toContain(' --forward-to localhost:4000/webhooks/other ');
    expect(questions[0]?.offered).toEqual(['localhost:4000/webhooks/pix (app.js:1)', offered, 'another URL']);
    const typed = await completed('init', ['another URL', '4001/x', ...answers], {}, { cwd: folder.path });
    expect(typed.command).toContain(' --forward-to 4001/x ');
  });
});
