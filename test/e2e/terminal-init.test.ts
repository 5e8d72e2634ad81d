import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { whyNot } from '../helpers/documents/document-receivers.js';
import { BIN, CACHE_HOME, Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';
import { freePort } from '../helpers/free-port.js';
import { inTerminal, KEYS, wideLines } from '../helpers/cli/pty.js';
import { tries } from '../helpers/soak-scale.js';

const PACKAGE = resolve(import.meta.dirname, '../..');

/** Puts packages where `npm install` would. */
function install(project: Project, ...names: readonly string[]): void {
  mkdirSync(join(project.folder, 'node_modules'));
  for (const name of names) {
    const source = name === 'pix-sandbox' ? PACKAGE : join(PACKAGE, 'node_modules', name);
    symlinkSync(source, join(project.folder, 'node_modules', name));
  }
}

function read(project: Project, name: string): string {
  return readFileSync(join(project.folder, name), 'utf8');
}

describe('init', () => {
  test('asks, and writes what the other commands then use', async () => {
    using project = new Project();
    using terminal = inTerminal(project, ['init']);
    await terminal.shows('Where does your application receive webhooks? (localhost:3000/webhooks)');
    await using app = await App.start('whsec_cGl4LXNhbmRib3ggd2VsbC1rbm93biBzZWNyZXQgMDE=');
    terminal.type(`${app.url}${KEYS.enter}`);
    await terminal.shows('Which events?');
    await terminal.shows('withdrawal.failed');
    terminal.type(KEYS.down + KEYS.space);
    await terminal.shows('◯ pix.failed');
    terminal.type(KEYS.enter);
    await terminal.shows('Use the same ids on every start?');
    terminal.type(`y${KEYS.enter}`);
    await terminal.shows('Which seed? (7)');
    terminal.type(KEYS.enter);
    await terminal.shows('Which framework should the receiver use?');
    terminal.type(KEYS.enter);
    await terminal.shows('Which runner should the first test use?');
    terminal.type(KEYS.enter);
    await terminal.shows('Add a block for coding agents?');
    terminal.type(KEYS.enter);
    await terminal.shows('Add a GitHub Actions job?');
    terminal.type(KEYS.enter);
    await terminal.shows(/write +test\/pix-sandbox.test.mjs/);
    await terminal.shows(/write +AGENTS.md/);
    await terminal.shows('Write these files?');
    expect(existsSync(join(project.folder, '.env.test'))).toBe(false);
    expect(terminal.output).not.toContain('written');
    terminal.type(KEYS.enter);
    await terminal.shows(/--framework node\s+--test node\s+--agents AGENTS.md\s+--ci none\s+--yes/);
    await terminal.shows(/written +test\/pix-sandbox.test.mjs/);
    await terminal.shows('npx sandbox trigger pix.settled');
    expect(await terminal.ended()).toBe(0);
    expect(wideLines(terminal.output.split('$ npx')[0] ?? '')).toEqual([]);

    await using sandbox = await project.start();
    const triggered = await project.json<{ deliveries: object[] }>(['trigger', 'pix.settled']);
    expect(triggered.deliveries).toMatchObject([{ status: 'DELIVERED' }]);
    expect(await project.json(['trigger', 'pix.failed'])).toMatchObject({ deliveries: [] });
    const tokens = read(project, '.env.test').match(/^SANDBOX_TOKEN=(.*)$/m);
    expect(tokens?.[1]).toBe(sandbox.env('SANDBOX_TOKEN'));
    const twice = await project.run(['listen']);
    expect(twice).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`start → ${app.url}`) });
    expect(app.hooks).toHaveLength(1);
  });

  test('writes nothing after Ctrl-C', async () => {
    using project = new Project();
    using terminal = inTerminal(project, ['init']);
    await terminal.shows('Where does');
    terminal.type(KEYS.enter);
    await terminal.shows('Which events?');
    terminal.type(KEYS.ctrlC);
    expect(await terminal.ended()).toBe(130);
    for (const name of ['sandbox.config.json', '.env.test', 'test']) {
      expect(existsSync(join(project.folder, name))).toBe(false);
    }
  });

  test('asks nothing with --yes, and requires it without a terminal', async () => {
    using project = new Project();
    expect(await project.run(['init'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(existsSync(join(project.folder, '.env.test'))).toBe(false);
    using terminal = inTerminal(project, ['init', '--yes']);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.output).not.toContain('?25l');
    expect(existsSync(join(project.folder, '.env.test'))).toBe(true);
  });
});

describe('generated tests', () => {
  interface SetUp {
    readonly next: readonly string[];
  }

  /** Runs a step that init names, with what npm would put on the path. */
  async function follow(project: Project, next: SetUp['next'], step: RegExp) {
    const command = next.find((line) => step.test(line)) ?? '';
    expect(command).toMatch(step);
    const shown = command.replace('npx sandbox', `"${process.execPath}" "${BIN}"`);
    const bin = join(PACKAGE, 'node_modules/.bin');
    return execa('sh', ['-c', shown], {
      cwd: project.folder,
      env: {
        PATH: [dirname(process.execPath), bin, process.env.PATH].join(delimiter),
        HOME: project.folder,
        XDG_STATE_HOME: project.stateHome,
        XDG_CACHE_HOME: CACHE_HOME,
        NO_COLOR: '1',
        VITEST: '',
        VITEST_WORKER_ID: '',
        VITEST_POOL_ID: '',
        NODE_OPTIONS: '',
      },
      all: true,
      reject: false,
    });
  }

  const CARELESS = {
    node: "require('node:http').createServer((request, response) => request.resume().on('end', () => response.end())).listen(process.env.PORT); console.log('Careless output');",
    python:
      'import http.server\nprint("Careless output", flush=True)\nclass Careless(http.server.BaseHTTPRequestHandler):\n    def do_POST(self):\n        self.send_response(200)\n        self.end_headers()\nhttp.server.HTTPServer(("127.0.0.1", PORT), Careless).serve_forever()\n',
  };

  /** Runs the first test with the receiver, with one that verifies nothing, and with one that does not start. */
  async function tryFirstTest(project: Project, words: readonly string[], step: RegExp, name: string) {
    const port = await freePort();
    const typed = words.map((word) => word.replace('{port}', String(port)));
    const { next } = await project.json<SetUp>(['init', '--forward-to', `127.0.0.1:${port}/hooks`, ...typed]);
    const run = async () => {
      const { exitCode, all } = await follow(project, next, step);
      return { exitCode, all };
    };
    const withReceiver = await run();
    const careless = name.endsWith('.py') ? CARELESS.python.replace('PORT', String(port)) : CARELESS.node;
    const isModule = name.endsWith('.mjs');
    const imports =
      "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n";
    project.write(name, isModule ? imports + careless : careless);
    const withCareless = await run();
    project.write(name, 'throw');
    const without = await run();
    return { withReceiver, withCareless, without };
  }

  const HONEST = {
    withReceiver: { exitCode: 0 },
    withCareless: {
      exitCode: 1,
      all: expect.stringMatching(
        /(?=[^]*Careless output)[^]*(?:accepted a forged webhook|forged webhook was accepted)/,
      ),
    },
    without: { exitCode: 1, all: expect.stringMatching(/Nothing responds at http:.* Started with: /) },
  };

  test('generated tests start the application in node --test', async () => {
    using project = new Project();
    install(project, 'pix-sandbox');
    expect(await tryFirstTest(project, ['--yes'], /^node --test /, 'pix-webhooks.mjs')).toMatchObject(HONEST);
  });

  test.for(tries({ part: ['ts'], whole: ['ts', 'mjs'] }))(
    'generated tests start the application in vitest, as .%s',
    async (ending) => {
      using project = new Project();
      install(project, 'pix-sandbox', 'vitest');
      project.write('package.json', JSON.stringify({ devDependencies: { vitest: '*' } }));
      if (ending === 'ts') project.write('tsconfig.json', '{}');
      const step = new RegExp(`^npx vitest run test/pix-sandbox.test.${ending}$`);
      expect(await tryFirstTest(project, ['--yes'], step, 'pix-webhooks.mjs')).toMatchObject(HONEST);
    },
  );

  test('generated tests start the application in Python', async ({ skip }) => {
    const reason = await whyNot({ program: 'python3', probe: '--version' });
    skip(reason !== undefined, reason);
    using project = new Project();
    const receiver = readFileSync(join(PACKAGE, 'fixtures/guides/receivers/receiver.py'), 'utf8');
    project.write('receiver.py', receiver.replaceAll('/webhooks', '/hooks'));
    const words = [
      '--framework',
      'none',
      '--start',
      'PORT={port} python3 receiver.py',
      '--test',
      'pytest',
      '--yes',
    ];
    const step = /exec -- python3 -m unittest tests/;
    expect(await tryFirstTest(project, words, step, 'receiver.py')).toMatchObject(HONEST);
  });
});
