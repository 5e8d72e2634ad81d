import { runLine } from '../../helpers/cli/cli-line.js';
import { chmodSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeRunFile } from '../../../src/client/run-file.js';
import { CliError, EXIT_CODES } from '../../../src/cli/program/errors.js';
import { startServer } from '../../../src/http/server/start.js';
import { commandNamed, fakeIo, runBody } from '../../helpers/cli/cli-io.js';
import { type CliSandbox, cliSandbox, LOCAL, settleFor } from '../../helpers/cli/cli-sandbox.js';
import { startRawReceiver } from '../../helpers/delivery/receiver-server.js';
import { listenTo } from '../../helpers/sandbox/sandbox.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

describe('status', () => {
  test('shows what retention dropped', async () => {
    await using sandbox = await cliSandbox({ ...LOCAL, keepDeliveries: 1 });
    for (const code of ['a', 'b', 'c']) {
      await sandbox.run('charges create', { options: { code } });
      await sandbox.run('charges settle', { args: [code] });
    }
    const { stdout } = await sandbox.run('status');
    expect(stdout).toContain(
      '\ndropped      0 deliveries, 2 events, the oldest finished ones; the limit is 1 (--keep-deliveries)\n',
    );
  });

  test('names settings, active faults and running incidents', async () => {
    await using sandbox = await cliSandbox({ autoSettleMs: 2_000, rateLimit: { calls: 3, perMs: 60_000 } });
    const before = (await sandbox.run('status')).stdout;
    expect(before).toContain('\nsettings     autoSettle=2s, rateLimit=3/1m\n');
    expect(before).not.toContain('\nfaults');
    expect(
      await runLine('incident half-down --for 10m', { env: { SANDBOX_URL: sandbox.server.url } }),
    ).toMatchObject({
      exitCode: 0,
    });
    expect((await sandbox.run('status')).stdout).toContain('\nfaults       2, incidents: half-down;');
  });

  test('names the command that moves a frozen clock while an attempt waits for it', async () => {
    await using sandbox = await cliSandbox();
    expect((await sandbox.run('status')).stdout).not.toContain('clock next');
    listenTo(sandbox.server.sandbox, { status: () => 500 });
    await sandbox.run('trigger', { args: ['pix.settled'] });
    expect((await sandbox.run('status')).stdout).toContain(
      `\nfrozen       attempts wait until the clock advances; \`npx sandbox clock next\` makes the next attempt\n`,
    );
    await sandbox.run('clock reset');
    expect((await sandbox.run('status')).stdout).not.toContain('clock next');
  });

  test('names the other sandboxes of the project, where it is running or not', async () => {
    using folder = tempFolder();
    const env = { XDG_STATE_HOME: folder.path };
    await using first = await cliSandbox();
    await using second = await cliSandbox();
    const runOf = ({ server: { url, instanceId } }: CliSandbox, started_at: string) => ({
      url,
      pid: process.pid,
      instance_id: instanceId,
      folder: folder.path,
      version: '1',
      started_at,
    });
    const earlier = runOf(first, '2026-01-31T12:00:00.000Z');
    const later = runOf(second, '2026-01-31T12:00:01.000Z');
    const status = async (json: boolean) => (await runBody('status', { env, cwd: folder.path, json })).stdout;
    writeRunFile(earlier, env);
    writeRunFile({ ...later, url: 'http://127.0.0.1:1', instance_id: 'crashed', pid: 2 ** 22 + 1 }, env);
    expect(JSON.parse(await status(true))).not.toHaveProperty('others');
    writeRunFile(later, env);
    expect(await status(false)).toContain(`\nanother      ${earlier.url} (pid ${process.pid})\n`);
    const { url, pid, instance_id, started_at } = earlier;
    expect(JSON.parse(await status(true))).toMatchObject({
      url: later.url,
      others: [{ url, pid, instance_id, started_at }],
    });
    expect(await first.runJson('status', { cwd: '/elsewhere' })).not.toHaveProperty('others');
  });
});

const NOBODY = 'http://127.0.0.1:1';

/** The environment of a command whose time is up when it looks for the sandbox at `url` a second time. */
function lookingOnce(url: string) {
  const timeUp = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeUp.signal);
  onTestFinished(() => timeout.mockRestore());
  let looks = 0;
  return {
    get SANDBOX_URL() {
      looks += 1;
      if (looks === 2) timeUp.abort();
      return url;
    },
  };
}

test.each([
  ['prints the URL of the console without a terminal', {}, ''],
  ['opens the console on a terminal', { interactive: true }, 'opened'],
])('%s', async (_, io, opened) => {
  await using sandbox = await cliSandbox();
  using folder = tempFolder();
  for (const opener of ['open', 'xdg-open']) {
    folder.write(opener, `#!/bin/sh\nprintf %s "$1" > '${folder.path}/opened'\n`);
    chmodSync(join(folder.path, opener), 0o755);
  }
  vi.stubEnv('PATH', `${folder.path}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { url } = sandbox.server;
  const env = { SANDBOX_URL: url, SANDBOX_CONTROL_TOKEN: 'a/b', DISPLAY: ':0' };
  const { stdout, exitCode } = await runBody('open', { ...io, env });
  expect([stdout, exitCode]).toEqual([`${url}/#token=a%2Fb\n`, EXIT_CODES.done]);
  const page = join(folder.path, 'opened');
  await vi.waitFor(() => expect(opened === '' || existsSync(page)).toBe(true), 10_000);
  expect(existsSync(page)).toBe(opened !== '');
  expect(await sandbox.runJson('open')).toEqual({ url: `${url}/`, opened: false });
});

describe('wait ready', () => {
  test('waits for a sandbox that is started meanwhile', async () => {
    const before = await startServer({ port: 0 });
    const { port, url } = before;
    await before.close(0);
    const waiting = runBody('wait', { args: ['ready'], env: { SANDBOX_URL: url }, json: true });
    const server = await startServer({ port });
    try {
      expect(JSON.parse((await waiting).stdout)).toMatchObject({ instance_id: server.instanceId });
    } finally {
      await server.close(0);
    }
  });

  test('prints what was missing at the timeout', async () => {
    const options = { timeout: '10ms' };
    const looking = runBody('wait', { args: ['ready'], options, env: lookingOnce(NOBODY) });
    const error = await rejectionOf(looking, CliError);
    expect(error.exitCode).toBe(EXIT_CODES.timedOut);
    expect(error.message).toBe(`No sandbox was ready within 10ms: Nothing responds at ${NOBODY}.`);
  });

  test('does not accept another server as a sandbox', async () => {
    const other = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    try {
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const error = await rejectionOf(runBody('wait', { args: ['ready'], env: lookingOnce(url) }), CliError);
      expect(error.exitCode).toBe(EXIT_CODES.timedOut);
      expect(error.message).toContain('is not a sandbox');
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });
});

describe('wait idle', () => {
  test('exits with 4 at the timeout, and immediately at Ctrl-C', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await startRawReceiver(() => {});
    settleFor(sandbox, receiver.url);
    const error = await rejectionOf(
      sandbox.run('wait', { args: ['idle'], options: { timeout: '10ms' } }),
      CliError,
    );
    expect(error.exitCode).toBe(EXIT_CODES.timedOut);
    expect(error.message).toBe('The sandbox was not idle within 10ms.');
    const { io, stop } = fakeIo({ env: { SANDBOX_URL: sandbox.server.url } });
    const command = await commandNamed('wait');
    const waiting = command.invoke({ io, args: ['idle'], given: { timeout: '1h' } });
    stop();
    await expect(waiting).rejects.toThrow('aborted');
  });
});
