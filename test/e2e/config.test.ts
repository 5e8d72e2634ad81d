import { describe, expect, test } from 'vitest';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';

const FILE = 'sandbox.config.json';

function configured(content: object | string): Project {
  const project = new Project();
  project.write(FILE, typeof content === 'string' ? content : JSON.stringify(content));
  return project;
}

interface Charge {
  readonly id: string;
  readonly created_at: string;
}

describe('start', () => {
  test('reads its settings from the project, even in a subdirectory, and prefers flags', async () => {
    using project = configured({ seed: 7, freeze: '2026-01-31T12:00:00Z', port: 0 });
    const within = join(project.folder, 'within');
    mkdirSync(within);
    const created = async (args: readonly string[], env: Record<string, string> = {}) => {
      await using _sandbox = await project.start(args, { cwd: within, env });
      const { id, created_at } = await project.json<Charge>(['charges', 'create', '--code', 'a']);
      return { id, created_at };
    };
    const fromFile = await created([]);
    expect(fromFile.created_at).toBe('2026-01-31T12:00:00.000Z');
    expect(await created(['--seed', '7'])).toEqual(fromFile);
    const fromEnvironment = await created([], { SANDBOX_SEED: '8' });
    expect(fromEnvironment.id).not.toBe(fromFile.id);
    expect(await created(['--seed', '7'], { SANDBOX_SEED: '8' })).toEqual(fromFile);
  });

  test('switches off by --no- what a file switches on', async () => {
    using project = configured({ allowLocalEndpoints: true });
    const create = async (args: readonly string[]) => {
      await using _sandbox = await project.start(args);
      return await project.run(['endpoints', 'create', 'http://127.0.0.1:1/']);
    };
    expect((await create([])).exitCode).toBe(0);
    expect((await create(['--no-allow-local-endpoints'])).exitCode).not.toBe(0);
  });

  test('reports the origin of a value that it rejects itself', async () => {
    using project = configured({ kycDelay: '5s' });
    const { exitCode, stderr } = await project.run(['start', '--port', '0']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--kyc-delay requires --kyc-auto.');
    expect(stderr).toContain(`Set outside the command line: kycDelay (${join(project.folder, FILE)}).`);
  });
});

test('reads the settings of listen and exec', async () => {
  using project = new Project();
  await using sandbox = await project.start();
  await using app = await App.start(sandbox.env('SANDBOX_WEBHOOK_SECRET'));
  project.write(
    FILE,
    JSON.stringify({
      forwardTo: app.url,
      events: ['pix.expired'],
      retries: 'off',
      port: 1,
      env: { MY_HOOK: '{SANDBOX_URL}/hook' },
    }),
  );
  await using listener = await project.listen([]);
  expect(listener.stderr.text()).toContain('Forwarding pix.expired to');
  expect(await project.json(['env'])).toMatchObject({ MY_HOOK: `${sandbox.url}/hook` });
  const child =
    'const { SANDBOX_URL: url, MY_HOOK: hook } = process.env;' +
    'process.exit(url.endsWith(":1") || hook !== `${url}/hook` ? 1 : 0)';
  // A port of `start` is none of `exec`, which takes a free one.
  const ran = await project.run(['exec', '--', process.execPath, '-e', child]);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toContain('Forwarding pix.expired to');
});

test('commands without settings ignore the file and its errors', async () => {
  using project = configured('{');
  expect((await project.run(['fixtures', 'list'])).exitCode).toBe(0);
  expect((await project.run(['assumptions'])).exitCode).toBe(0);
  expect((await project.run(['doctor'])).exitCode).toBe(1);
});
