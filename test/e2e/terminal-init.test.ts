import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';
import { inTerminal, KEYS, wideLines } from '../helpers/cli/pty.js';

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
  test('asks, writes, and what it wrote is what the other commands then use', async () => {
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
    await terminal.shows('The same ids on every start?');
    terminal.type(`y${KEYS.enter}`);
    await terminal.shows('Which seed? (7)');
    terminal.type(KEYS.enter);
    await terminal.shows('A first test?');
    terminal.type(KEYS.enter);
    await terminal.shows('--seed 7 --test node --yes');
    await terminal.shows('npx pix-sandbox trigger pix.settled');
    expect(await terminal.ended()).toBe(0);
    expect(wideLines(terminal.output.split('$ npx')[0] ?? '')).toEqual([]);

    await using sandbox = await project.start();
    const listener = await project.listen([]);
    const triggered = await project.json<{ deliveries: object[] }>(['trigger', 'pix.settled']);
    expect(triggered.deliveries).toMatchObject([{ status: 'DELIVERED' }]);
    expect(await project.json(['trigger', 'pix.failed'])).toMatchObject({ deliveries: [] });
    const tokens = read(project, '.env.test').match(/^SANDBOX_TOKEN=(.*)$/m);
    expect(tokens?.[1]).toBe(sandbox.env('SANDBOX_TOKEN'));
    await listener.leave();
  });

  test('is left by Ctrl-C before anything is written', async () => {
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

  test('asks nothing with --yes, and off a terminal wants it', async () => {
    using project = new Project();
    expect(await project.run(['init'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(existsSync(join(project.folder, '.env.test'))).toBe(false);
    using terminal = inTerminal(project, ['init', '--yes']);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.output).not.toContain('?25l');
    expect(existsSync(join(project.folder, '.env.test'))).toBe(true);
  });
});

describe('the first test passes as it stands', () => {
  test('with node --test', async () => {
    using project = new Project();
    install(project, 'pix-sandbox');
    const { next } = await project.json<{ next: string[] }>(['init', '--yes', '--test', 'node']);
    expect(next).toContain('node --test test/pix-sandbox.test.mjs');
    const ran = await execa(
      process.execPath,
      ['--test', '--test-reporter=tap', 'test/pix-sandbox.test.mjs'],
      {
        cwd: project.folder,
        reject: false,
      },
    );
    expect(ran.stdout).toContain('# pass 1');
    expect(ran.exitCode).toBe(0);
  });

  test.for(['ts', 'mjs'])('with vitest, as .%s', async (ending) => {
    using project = new Project();
    install(project, 'pix-sandbox', 'vitest');
    project.write('package.json', JSON.stringify({ devDependencies: { vitest: '*' } }));
    if (ending === 'ts') project.write('tsconfig.json', '{}');
    await project.json(['init', '--yes']);
    const runner = join(PACKAGE, 'node_modules/vitest/vitest.mjs');
    const ran = await execa(process.execPath, [runner, 'run', `test/pix-sandbox.test.${ending}`], {
      cwd: project.folder,
      env: { NO_COLOR: '1', VITEST: '', VITEST_WORKER_ID: '', VITEST_POOL_ID: '' },
      reject: false,
    });
    expect(ran.stdout).toContain('1 passed');
    expect(ran.exitCode).toBe(0);
  });
});
