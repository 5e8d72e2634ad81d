import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../../../src/config/load.js';
import { CliError, EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { PROGRAM_NAME } from '../../../../src/text/program-name.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { completed } from '../../../helpers/cli/fake-prompter.js';
import type { TempFolder } from '../../../helpers/temp-folder.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const SHOP = {
  'server.js':
    "app.post('/orders', (req) => pay(req.body.code));\napp.post('/webhooks/pix', pix);\napp.listen(PORT ?? 4000);",
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
    expect(settingsOf(folder)).toMatchObject({
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

  test('writes the order command and the probe of a recognized order, and pays it in the test and the steps', async () => {
    using folder = shop();
    folder.write('server.js', `${SHOP['server.js']}\napp.get('/orders/:code', show);`);
    const url = 'http://localhost:4000/orders';
    const command = (code: string) =>
      `curl -s --fail-with-body -H 'content-type: application/json' -d '{"code":"${code}"}' ${url}`;
    const asked = await completed(
      'init',
      ['the likely one', ['pix.settled'], false, 'node (detected)', 'none', false, true],
      {},
      { cwd: folder.path },
    );
    const shown = asked.command.replaceAll(/\s+/g, ' ');
    expect(shown).toContain(`check.order: ${command('{code}')}`);
    expect(shown).toContain(`check.probe: ${url}/{code}`);
    const { files, next } = await runJson(folder, { ci: 'github' });
    expect(settingsOf(folder)).toMatchObject({
      'check.order': command('{code}'),
      'check.probe': `${url}/{code}`,
      'check.useRunning': true,
      'check.without': 'withdrawals',
    });
    const pay = 'npx sandbox trigger pix.settled --charge latest';
    expect(next.slice(-3)).toEqual([command('order-1'), pay, 'npx sandbox check']);
    const text = folder.read('test/pix-sandbox.test.mjs').toString();
    expect(text).toContain("JSON.stringify({ code: 'order-1' });\n");
    expect(text).toContain('const show = () => fetch(`${origin}/orders/order-1`)');
    expect(text).not.toContain('Next: check');
    expect(folder.read(files.at(-1)?.path ?? '').toString()).toMatch(/ {6}- name: effects$/m);
  });

  test.each([
    ['{ code, amount } = req.body', 'show(paidAmount)', '{"code":"{code}","amount":"{amount}"}'],
    [
      '{ code, amount } = req.body; amount.toFixed(2)',
      'show(amount_paid)',
      '{"code":"{code}","amount":{amount}}',
    ],
    ['{ code, amount } = req.body', 'show(amount)', '{"code":"{code}","amount":"10.00"}'],
  ])('orders %s of check, of which the probe returns %s: %s', async (read, shown, body) => {
    using folder = shop();
    folder.write(
      'server.js',
      `app.post('/webhooks', pix);\napp.post('/orders', (req) => ${read});\napp.get('/orders/:code', () => ${shown});\nwithdraw();`,
    );
    await run(folder);
    expect(settingsOf(folder)['check.order']).toContain(` -d '${body}' `);
    expect(settingsOf(folder)).not.toHaveProperty(['check.without']);
  });

  test('rejects an order command and a probe without their placeholders', async () => {
    using folder = shop();
    for (const options of [
      { order: 'POST http://localhost:4000/orders' },
      { probe: 'curl localhost:4000' },
    ]) {
      const error = await rejectionOf(run(folder, options), CliError);
      expect(error).toMatchObject({ exitCode: EXIT_CODES.usage, message: expect.stringContaining('{code}') });
      expect(readdirSync(folder.path)).not.toContain('.env.test');
    }
  });

  test('lists the settings to add to an existing file', async () => {
    using folder = shop();
    folder.write('sandbox.config.json', '{"port":7603}');
    const { stdout } = await run(folder);
    expect(stdout).toContain(
      '  kept      sandbox.config.json\n    Already exists. To use what was found, add:\n',
    );
    const [, lines = ''] = /\n( {6}"forwardTo"[^]*?)\n {2}\w/.exec(stdout) ?? [];
    folder.write('sandbox.config.json', `{"port":7603,${lines}}`);
    expect(settingsOf(folder)).toMatchObject({
      forwardTo: ['localhost:4000/webhooks/pix'],
      env: expect.arrayContaining(['PIX_TOKEN=SANDBOX_TOKEN']),
      'check.useRunning': true,
    });
    expect(lines).not.toContain('port"');
    expect(folder.read('.env.test').toString()).toContain('PIX_TOKEN=');
    expect(folder.read('test/pix-sandbox.test.mjs').toString()).toContain('{ env: names }');
    expect((await run(folder)).stdout).toContain('    Already exists.\n');
  });

  test.each([
    ['node --test "test/**/*.ts"', 2],
    ['node --test "test/*.mjs"', 1],
    ['node --test', 1],
  ])('with the test script %s, the CI job has %i test steps', async (script, steps) => {
    using folder = shop({ scripts: { start: 'node .', test: script } });
    const { files } = await runJson(folder, { ci: 'github', dryRun: true });
    const text = files.at(-1)?.text ?? '';
    expect(text).toContain('      - run: npm run test\n');
    expect(text.match(/- run: (?:npm run test|node --test test\/pix-sandbox.test.mjs)$/gm)).toHaveLength(
      steps,
    );
  });

  test.each([
    ['needs another code', "app.get('/orders/:id', show);", /^curl .*orders$/],
    ['shows several orders', "app.get('/orders', list);", /^curl .*orders$/],
  ])('writes no probe of an order that %s', async (_, route, step) => {
    using folder = shop();
    folder.write('server.js', `${SHOP['server.js']}\n${route}`);
    const { next } = await runJson(folder);
    expect(next.at(-3)).toMatch(step);
    expect(settingsOf(folder)).not.toHaveProperty(['check.probe']);
    expect(folder.read('test/pix-sandbox.test.mjs').toString()).toContain('Next: check');
  });

  test('starts the application at the port of the target, at the route found', async () => {
    using folder = tempFolder();
    folder.write(
      'app.py',
      'app = Flask(__name__)\n@app.route("/hooks/pix", methods=["POST"])\ndef pix(): pass\n' +
        '@app.post("/orders")\ndef order(): pay(request.json["code"])\n@app.get("/orders/<code>")\ndef show(): pass',
    );
    const { stdout } = await run(folder, { forwardTo: '5101', agents: 'AGENTS.md' });
    expect(settingsOf(folder)).toMatchObject({ forwardTo: ['5101/hooks/pix'] });
    expect(stdout).toContain(
      '    Receiver: app.py:2; port: --forward-to.\n    Orders: POST /orders (app.py:4)',
    );
    const program = 'python3 -m flask --app app.py run --port 5101';
    expect(stdout).toContain(`  eval "$(npx sandbox env --format shell)"; ${program}\n`);
    const text = folder.read('tests/test_pix_sandbox.py').toString();
    expect(text).toContain(`START = "${program}"\n`);
    expect(text).toContain('unpaid = request(f"{ORIGIN}/orders/order-1")');
    const command =
      'npx sandbox exec --forward-to 5101/hooks/pix -- python3 -m unittest tests/test_pix_sandbox.py"';
    expect(text.split(command)).toHaveLength(3);
    expect(folder.read('AGENTS.md').toString()).toContain('`npx sandbox check --json`');
    const other = await runJson(folder, { forwardTo: '5102/', dryRun: true, agents: 'CLAUDE.md' });
    expect(other.files.at(-1)?.text).toContain('`npx sandbox check --forward-to 5102/ --json`');
  });

  test.each([
    [{ scripts: { start: 'node .' } }, 'eval "$(npx sandbox env --format shell)"; PORT=4100 npm run start'],
    [{ scripts: {} }, 'eval "$(npx sandbox env --format shell)"; PORT=4100 node app.js'],
  ])('moves the application of %j with its variable', async (manifest, step) => {
    using folder = tempFolder();
    folder.write('package.json', JSON.stringify(manifest));
    folder.write('app.js', "app.post('/webhooks', pix);\napp.listen(process.env.PORT ?? 4000);");
    const { next } = await runJson(folder, { forwardTo: '4100/webhooks' });
    expect(next).toContain(step);
    expect(folder.read('test/pix-sandbox.test.mjs').toString()).toContain("...sandbox.env, PORT: '14100' }");
  });

  test.each([
    ['.env', 'PORT=4100', {}],
    ['server.txt', '', { PORT: '4100' }],
  ])('starts the application in CI at its port from %s or %j', async (name, text, env) => {
    using folder = shop();
    folder.write('server.js', "app.post('/webhooks', pix);\napp.listen(process.env.PORT ?? 4000);");
    folder.write(name, text);
    const { stdout } = await run(
      folder,
      { ci: 'github', dryRun: true },
      { env: { HOME: folder.path, ...env } },
    );
    expect(stdout).toContain('PORT=4100 npm run start & trap');
  });

  test('writes the sandbox’s port, but rejects a URL', async () => {
    using folder = shop();
    const env = { HOME: folder.path, SANDBOX_PORT: '7602' };
    const error = await rejectionOf(run(folder, { url: 'http://127.0.0.1:7602' }), CliError);
    expect(error).toMatchObject({ exitCode: EXIT_CODES.usage, hint: expect.stringContaining('--port 7602') });
    expect(readdirSync(folder.path)).not.toContain('.env.test');
    const { files } = await runJson(folder, { port: '7603', dryRun: true });
    expect(files[0]?.text).toContain('"port": 7603,');
    const { command } = await completed(
      'init',
      ['the likely one', ['pix.settled'], false, 'node (detected)', 'none', false, true],
      {},
      { cwd: folder.path, env },
    );
    expect(command).toMatch(/ --port 7602 /);
    expect(command).not.toContain('--framework');
    await run(folder, {}, { env });
    expect(settingsOf(folder)).toMatchObject({ port: '7602' });
    expect(folder.read('.env.test').toString()).toContain('SANDBOX_URL=http://127.0.0.1:7602\n');
  });

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
