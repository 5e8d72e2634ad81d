import { existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';

function runFiles({ stateHome }: Project): string[] {
  const folder = join(stateHome, 'pix-sandbox');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

describe('start', () => {
  // Ctrl-C and stop send other signals in the tests below.
  test('exits at SIGHUP with 129 and removes its run file', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    const [runFile = ''] = runFiles(project);
    expect((statSync(runFile).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(runFile, '..')).mode & 0o777).toString(8)).toBe('700');
    sandbox.signal('SIGHUP');
    expect(await sandbox.ended()).toMatchObject({ exitCode: 129, stderr: '' });
    expect(runFiles(project)).toEqual([]);
  });

  test('completes an open attempt at the first Ctrl-C', async () => {
    using project = new Project();
    await using sandbox = await project.start(['--allow-local-endpoints']);
    await using app = await App.start();
    app.secret = (await project.ask<{ secret: string }>(['endpoints', 'create', app.url])).secret;
    let answer = (_status: number): void => undefined;
    app.answer = () => new Promise((resolve) => (answer = resolve));
    await using trigger = project.spawn(['trigger', 'pix.settled', '--json']);
    await app.came(1);
    sandbox.signal('SIGINT');
    await sandbox.stderr.next('Stopping; 1 attempt is in flight and may take 2 s.');
    answer(200);
    expect((await sandbox.ended()).exitCode).toBe(130);
    expect(app.hooks[0]?.hungUp.aborted).toBe(true);
    expect(JSON.parse((await trigger.ended()).stdout)).toMatchObject({
      deliveries: [{ status: 'DELIVERED' }],
    });
  });

  test('exits immediately at the second Ctrl-C', async () => {
    using project = new Project();
    await using sandbox = await project.start(['--allow-local-endpoints']);
    await using app = await App.start();
    app.secret = (await project.ask<{ secret: string }>(['endpoints', 'create', app.url])).secret;
    app.answer = ({ hungUp }) =>
      new Promise((resolve) => hungUp.addEventListener('abort', () => resolve(200)));
    await using trigger = project.spawn(['trigger', 'pix.settled']);
    await app.came(1);
    sandbox.signal('SIGINT');
    await sandbox.stderr.next('Press Ctrl-C again to exit immediately');
    sandbox.signal('SIGINT');
    expect(await sandbox.ended()).toMatchObject({ signal: 'SIGINT' });
    expect((await trigger.ended()).exitCode).toBe(3);
  });

  test('names the process that uses its port', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    const cwd = project.newFolder('other');
    const args = ['start', '--port', String(sandbox.port)];
    const refused = await project.run(args, { cwd });
    expect(refused).toMatchObject({ exitCode: 5, stdout: '' });
    expect(refused.stderr).toContain(`Port ${sandbox.port} is already in use.`);
    expect(refused.stderr).toContain(
      `A sandbox of ${project.folder} (pid ${sandbox.pid}) is using this port.`,
    );
    expect(refused.stderr).toMatch(/^hint .*--port 0/m);
    const json = await project.run([...args, '--json'], { cwd });
    expect(json).toMatchObject({ exitCode: 5, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 5, error: { code: 'PORT_TAKEN' } });
    expect((await project.run(['status'])).exitCode).toBe(0);
  });
});

describe('stop', () => {
  test('stops the sandbox of the project, which then has none', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    const stopped = await project.json(['stop']);
    expect(stopped).toMatchObject({ stopped: true, url: sandbox.url, pid: sandbox.pid });
    expect((await sandbox.ended()).exitCode).toBe(143);
    expect(runFiles(project)).toEqual([]);
    const again = await project.run(['stop']);
    expect(again).toMatchObject({ exitCode: 3, stdout: '' });
    expect(again.stderr).toContain('Start one with `npx sandbox start`');
  });

  test('stops the named sandbox of another directory, which saves its state first', async () => {
    using project = new Project();
    const cwd = project.newFolder('other');
    const data = join(project.folder, 'data');
    await using sandbox = await project.start(['--data', data]);
    await project.ask(['charges', 'create', '--code', 'order-1']);
    const stopped = await project.run(['stop', '--url', sandbox.url], { cwd });
    expect(stopped).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await sandbox.ended()).toMatchObject({ exitCode: 143, stderr: '' });
    expect(runFiles(project)).toEqual([]);
    await using again = await project.start(['--data', data]);
    expect(await project.ask(['charges', 'show', 'order-1'])).toMatchObject({ status: 'PENDING' });
    again.signal('SIGTERM');
  });

  test('ignores a run file without a process', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    sandbox.signal('SIGKILL');
    await sandbox.ended();
    expect(runFiles(project)).toHaveLength(1);
    expect((await project.run(['status'])).exitCode).toBe(3);
    expect((await project.run(['stop'])).exitCode).toBe(3);
    expect(runFiles(project)).toEqual([]);
  });
});

describe('listen', () => {
  test('receives pending deliveries after Ctrl-C, kill -9, and a restart of the sandbox', async () => {
    using project = new Project();
    await using first = await project.start(['--data', 'kept']);
    await using app = await App.start(first.env('SANDBOX_WEBHOOK_SECRET'));
    app.answer = () => 500;
    const listen = ['listen', '--forward-to', app.url, '--json'];
    const started = async (released: number) => {
      const listener = project.spawn(listen);
      expect(await listener.stdout.nextJson('ready')).toMatchObject({ released, failed: 0 });
      return listener;
    };
    await using one = await started(0);
    await project.ask(['trigger', 'pix.settled']);
    await one.stdout.nextJson('attempt');
    expect((await one.leave()).stderr).toMatch(/Held until this listener reconnects: 1 delivery\./);
    await project.ask(['clock', 'advance', '1h']);
    await project.ask(['wait', 'idle']);

    await using two = await started(1);
    expect(await two.stdout.nextJson('attempt')).toMatchObject({ attempt: 2, response_status: 500 });
    two.signal('SIGKILL');
    await two.ended();
    expect((await project.run(['stop'])).exitCode).toBe(0);
    await first.ended();
    await using _later = await project.start(['--data', 'kept', '--port', String(first.port)]);
    await project.ask(['clock', 'advance', '1h']);
    app.answer = () => 200;
    await using three = await started(1);
    expect(await three.stdout.nextJson('attempt')).toMatchObject({
      attempt: 3,
      verified: true,
      delivery: { status: 'DELIVERED', attempts: 3 },
    });
    expect(app.refusals).toEqual([]);
  });
});

test('accepts a reader that closes early', async () => {
  using project = new Project();
  for (const args of [
    ['fixtures', 'show', 'signatures/requests-mistakes.json'],
    ['listen', '--help'],
    ['--help'],
  ]) {
    await using list = project.spawn(args);
    list.hangUp();
    expect(await list.ended()).toMatchObject({ exitCode: 0, stderr: '' });
  }
});

describe('Ctrl-C', () => {
  test.each(['wait idle', 'stop'])('%s exits with 130 while it waits for a response', async (line) => {
    using project = new Project();
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await using waiting = project.spawn([...line.split(' '), '--url', `http://127.0.0.1:${port}`]);
    const [socket] = (await once(silent, 'connection')) as [Socket];
    expect(await waiting.leave()).toEqual({ exitCode: 130, signal: undefined, stdout: '', stderr: '' });
    socket.destroy();
    silent.close();
  });

  test('stops an advance of the clock after the current step', async () => {
    using project = new Project();
    await using _sandbox = await project.start([
      '--allow-local-endpoints',
      '--freeze',
      '2026-01-31T12:00:00Z',
    ]);
    await using app = await App.start();
    app.secret = (await project.ask<{ secret: string }>(['endpoints', 'create', app.url])).secret;
    let answer = (_status: number): void => undefined;
    app.answer = ({ ordinal }) => (ordinal < 3 ? 500 : new Promise((resolve) => (answer = resolve)));
    await project.ask(['trigger', 'pix.settled']);
    await using advance = project.spawn(['clock', 'advance', '45h']);
    await app.came(3);
    advance.signal('SIGINT');
    await advance.stderr.next('Stopping after the current step; press Ctrl-C again to exit immediately.');
    // What the sandbox answers after this, it answers after it has seen that the other one hung up.
    expect(await project.json(['clock', 'show'])).toMatchObject({ advancing: true });
    answer(500);
    const { exitCode, stdout, stderr } = await advance.ended();
    expect(exitCode).toBe(130);
    expect(stdout).toContain('2026-01-31T12:00:00Z → 2026-01-31T12:06:00Z (6m)');
    expect(stderr).toContain('Stopped early: the clock is at 2026-01-31T12:06:00Z.');
    expect(app.hooks).toHaveLength(3);
  });
});
