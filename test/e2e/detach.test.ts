import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isRunning } from '../../src/client/is-running.js';
import { Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';

interface Detached {
  readonly type: 'ready';
  readonly url: string;
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly log_file: string;
}

/** A sandbox in the background, which is ended when its `await using` ends. */
async function detached(project: Project, args: readonly string[] = []): Promise<Detached & AsyncDisposable> {
  const started = await project.json<Detached>(['start', '--detach', '--port', '0', ...args]);
  return { ...started, [Symbol.asyncDispose]: async () => end(started.pid) };
}

function end(pid: number): void {
  if (isRunning({ pid })) process.kill(pid, 'SIGKILL');
}

function stateFiles({ stateHome }: Project, ending: string): string[] {
  const folder = join(stateHome, 'pix-sandbox');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

/** Has each background process run this first, which finds `note(name)` and `waitFor(name)` for files of the project. */
function meddle(project: Project, script: string): Record<string, string> {
  const place = join(project.folder, 'meddle.cjs');
  writeFileSync(
    place,
    `const { existsSync, writeFileSync } = require('node:fs');
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const at = (name) => ${JSON.stringify(project.folder)} + '/' + name;
    const note = (name) => writeFileSync(at(name), String(process.pid));
    const waitFor = (name) => { while (!existsSync(at(name))) Atomics.wait(cell, 0, 0, 10); };
    if (process.env.PIX_SANDBOX_IN_BACKGROUND !== undefined) { ${script} }`,
  );
  return { NODE_OPTIONS: `--require ${place}` };
}

/** Resolves to the process that left a note. */
function noted(project: Project, name: string): Promise<number> {
  const place = join(project.folder, name);
  return vi.waitFor(
    () => {
      const pid = Number(readFileSync(place, 'utf8'));
      if (pid === 0) throw new Error('Not written yet.');
      return pid;
    },
    { timeout: 20_000 },
  );
}

describe('start --detach', () => {
  test('starts a sandbox that the other commands find until it stops', async () => {
    using project = new Project();
    await using app = await App.start();
    await using sandbox = await detached(project, ['--allow-local-endpoints']);
    const { url, pid, log_file: logFile } = sandbox;
    expect(sandbox).toMatchObject({ type: 'ready', env: { SANDBOX_URL: url } });
    expect(isRunning({ pid })).toBe(true);
    expect(await project.json(['wait', 'ready'])).toMatchObject({ ready: true });
    app.secret = (await project.ask<{ secret: string }>(['endpoints', 'create', app.url])).secret;
    await using follower = project.spawn(['logs', '--follow', '--source', 'all', '--json']);
    await follower.stdout.nextJson('ready');
    expect((await project.run(['trigger', 'pix.settled', '--wait'])).exitCode).toBe(0);
    await fetch(`${url}/pix`, { method: 'POST' });
    expect(await follower.stdout.nextJson('attempt')).toMatchObject({ response_status: 200, attempt: 1 });
    expect(await follower.stdout.nextJson('call')).toMatchObject({ call: { path: '/pix', matched: false } });
    const logs = await project.run(['logs', '--source', 'all']);
    expect(logs.stdout).toMatch(/^\d\d:\d\d:\d\d 200 pix\.settled of charge-1 → .+\n.+ 404 POST \/pix/);
    expect(logs.stdout).toContain('Did you mean POST /api/public/v1/pix?');
    expect(await project.json(['stop'])).toMatchObject({ stopped: true, url, pid });
    expect(isRunning({ pid })).toBe(false);
    const followed = await follower.ended();
    expect(followed.exitCode).toBe(3);
    expect(followed.stdout).toContain(`Lost the connection to the sandbox at ${url}.`);
    expect((await project.run(['logs'])).exitCode).toBe(3);
    expect((statSync(logFile).mode & 0o777).toString(8)).toBe('600');
    expect(stateFiles(project, '.log')).toEqual([logFile]);
    expect(stateFiles(project, '.json')).toEqual([]);
  });

  test('prints the output of start and the output file, which contains no secret', async () => {
    using project = new Project();
    const { exitCode, stdout, stderr } = await project.run(['start', '--detach', '--port', '0']);
    const pid = Number(/\(pid (\d+)\)/.exec(stdout)?.[1]);
    try {
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^PIX sandbox \d+\.\d+\.\d+ is ready at http:\/\/127\.0\.0\.1:\d+\n/);
      const secret = /SANDBOX_WEBHOOK_SECRET=(\S+)/.exec(stdout)?.[1] ?? 'none';
      expect(secret).toMatch(/^whsec_/);
      expect(stdout).not.toContain('\u001b');
      const url = /SANDBOX_URL=(\S+)/.exec(stdout)?.[1] ?? '';
      await fetch(`${url}/pixx`);
      const [logFile = ''] = stateFiles(project, '.log');
      expect(stdout).toContain(logFile);
      await vi.waitFor(() => expect(readFileSync(logFile, 'utf8')).toContain('404 GET /pixx'));
      expect(readFileSync(logFile, 'utf8')).toContain(`process ${pid}`);
      expect(readFileSync(logFile, 'utf8')).not.toContain(secret);
      expect((await project.run(['stop'])).exitCode).toBe(0);
      expect(isRunning({ pid })).toBe(false);
    } finally {
      end(pid);
    }
  });

  test('reports a running sandbox, and leaves it unchanged', async () => {
    using project = new Project();
    await using sandbox = await detached(project);
    const again = await project.run(['start', '--detach', '--port', '0']);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toContain(
      `This project’s sandbox is already running at ${sandbox.url} (pid ${sandbox.pid})`,
    );
    const json = await project.run(['start', '--detach', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 1, error: { code: 'ALREADY_RUNNING' } });
    expect(await project.json(['status'])).toMatchObject({ pid: sandbox.pid });
    expect((await project.run(['stop'])).exitCode).toBe(0);
    await using next = await detached(project);
    expect(next.pid).not.toBe(sandbox.pid);
  });

  test('fails like start', async () => {
    using project = new Project();
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const port = String((stranger.address() as AddressInfo).port);
    for (const [args, exitCode] of [
      [['start', '--port', port], 5],
      [['start', '--freeze', 'soon', '--json'], 2],
    ] as const) {
      const plain = await project.run(args);
      expect(plain.exitCode).toBe(exitCode);
      expect(await project.run([...args, '--detach'])).toEqual(plain);
    }
    stranger.close();
    expect((await project.run(['status'])).exitCode).toBe(3);
  });

  test('prints the output of a crashed start, and exits with its exit code', async () => {
    using project = new Project();
    const env = meddle(project, `console.error('no luck \\u001b[2J'); process.exit(70);`);
    const { exitCode, stdout, stderr } = await project.run(['start', '--detach', '--port', '0'], { env });
    expect([exitCode, stdout]).toEqual([70, '']);
    expect(stderr).toContain('The sandbox exited with 70 before it was ready:\n      no luck \\x1b[2J\n');
    expect(stderr).toContain(stateFiles(project, '.log')[0]);
  });

  const ENDS: readonly (readonly [NodeJS.Signals, object])[] = [
    ['SIGKILL', { signal: 'SIGKILL' }],
    ['SIGINT', { exitCode: 130 }],
  ];

  test.each(ENDS)(
    'leaves nothing running when %s ends it before the sandbox is ready',
    async (signal, end) => {
      using project = new Project();
      const env = meddle(project, `note('begun'); waitFor('go');`);
      await using starter = project.spawn(['start', '--detach', '--port', '0'], { env });
      const pid = await noted(project, 'begun');
      starter.signal(signal);
      if (signal === 'SIGKILL') await starter.ended();
      writeFileSync(join(project.folder, 'go'), '');
      expect(await starter.ended()).toMatchObject(end);
      await vi.waitFor(() => expect(isRunning({ pid })).toBe(false), { timeout: 20_000 });
      expect((await project.run(['status'])).exitCode).toBe(3);
    },
  );
});
