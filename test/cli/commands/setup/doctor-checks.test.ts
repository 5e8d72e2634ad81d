import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { HostNames } from '../../../../src/cli/commands/setup/doctor.js';
import {
  checkClock,
  checkConfig,
  checkForwarding,
  checkLocalhost,
  SYSTEM_NAMES,
  checkNodeVersion,
  checkPort,
  checkProxy,
  checkRunFile,
  satisfiesRange,
} from '../../../../src/cli/commands/setup/doctor.js';
import { removeRunFile, writeRunFile } from '../../../../src/client/run-file.js';
import { loadSettings } from '../../../../src/config/load.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

const ENGINES = '^20.19.0 || >=22.3.0';

test.each([
  ['v20.18.9', false],
  ['v20.19.0', true],
  ['v21.7.0', false],
  ['v22.2.9', false],
  ['v22.3.0', true],
  ['v100.0.0', true],
])('Node %s may run it: %s', (version, may) => {
  expect(satisfiesRange(version, ENGINES)).toBe(may);
  expect(checkNodeVersion(version, ENGINES).status).toBe(may ? 'ok' : 'fail');
});

describe('a proxy', () => {
  test.each([
    [{}, 'ok'],
    [{ HTTP_PROXY: 'http://u:secret@proxy' }, 'warn'],
    [{ https_proxy: 'http://proxy', NO_PROXY: 'localhost' }, 'warn'],
    [{ ALL_PROXY: 'http://proxy', no_proxy: 'localhost, 127.0.0.1' }, 'ok'],
    [{ HTTP_PROXY: 'http://proxy', NO_PROXY: 'mylocalhost,127.0.0.1' }, 'warn'],
  ])('%j: %s', (env, status) => {
    const check = checkProxy(env);
    expect(check.status).toBe(status);
    expect(JSON.stringify(check)).not.toContain('secret');
  });

  test('a proxy is bypassed by following the advice', () => {
    const advice = checkProxy({ HTTP_PROXY: 'http://proxy', NO_PROXY: 'a.example' }).advice ?? '';
    expect(advice).toBe('export NO_PROXY=a.example,localhost,127.0.0.1');
    expect(checkProxy({ HTTP_PROXY: 'x', NO_PROXY: advice.split('=')[1] }).status).toBe('ok');
  });
});

/** A machine whose addresses and refusals are given. */
function machine(addresses: readonly string[], refusals: Readonly<Record<string, string>> = {}): HostNames {
  return {
    addressesOf: () => Promise.resolve(addresses),
    refusalToListen: (host) => Promise.resolve(refusals[host]),
  };
}

describe('localhost', () => {
  test.each([
    [machine(['127.0.0.1', '::1']), 'ok', 'localhost is 127.0.0.1 and ::1; ::1 works here.'],
    [
      machine(['127.0.0.1'], { '::1': 'EADDRNOTAVAIL' }),
      'ok',
      'localhost is 127.0.0.1; this machine has no ::1.',
    ],
    [
      machine(['::1'], { '::1': 'EADDRNOTAVAIL' }),
      'warn',
      'localhost is ::1, but nothing can listen on ::1.',
    ],
    [machine(['10.0.0.1']), 'fail', 'localhost resolves to 10.0.0.1.'],
    [
      { ...machine([]), addressesOf: () => Promise.reject(new Error('ENOTFOUND')) },
      'fail',
      'localhost resolves to nothing.',
    ],
  ])('%#: %s', async (names, status, message) => {
    expect(await checkLocalhost(names)).toMatchObject({ status, message });
  });
});

describe('the port', () => {
  test.each([
    [0, {}, 'ok', '`start` uses a free port.'],
    [7490, {}, 'ok', 'Port 7490 is free.'],
    [7490, { '::1': 'EADDRNOTAVAIL' }, 'ok', 'Port 7490 is free.'],
    [80, { '127.0.0.1': 'EACCES' }, 'fail', 'Port 80 cannot be used (EACCES).'],
  ])('%i %j', async (port, refusals, status, message) => {
    expect(await checkPort(port, fakeIo().io, machine([], refusals))).toMatchObject({ status, message });
  });

  test('the port is ours, or of another project or program', async () => {
    using state = tempFolder();
    await using sandbox = await cliSandbox();
    const { port, url, instanceId } = sandbox.server;
    await sandbox.run('status');
    const { io } = fakeIo({ cwd: '/shop', env: { XDG_STATE_HOME: state.path } });
    const look = () => checkPort(port, io, SYSTEM_NAMES);
    expect(await look()).toMatchObject({
      status: 'warn',
      message: `Port ${port} is used by another user’s sandbox.`,
    });
    const run = { url, pid: 7, instance_id: instanceId, folder: '/other', version: '1' };
    writeRunFile(run, io.env);
    expect(await look()).toMatchObject({
      status: 'warn',
      message: `Port ${port} is used by the sandbox of /other (pid 7).`,
    });
    removeRunFile(run, io.env);
    writeRunFile({ ...run, folder: '/shop' }, io.env);
    expect(await look()).toMatchObject({
      status: 'ok',
      message: `Port ${port} is used by this project’s sandbox (pid 7).`,
    });
  });

  test('the port may be used by a silent program', async () => {
    const stranger = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    expect(await checkPort(port, fakeIo().io, SYSTEM_NAMES)).toMatchObject({
      status: 'warn',
      message: `Port ${port} is used by another program.`,
    });
    stranger.close();
  });
});

describe('the forward targets', () => {
  test('the forward targets are fine if something listens, and are not tried on another machine', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const open = `http://shop.localhost:${(server.address() as AddressInfo).port}/hooks`;
    const remote = new URL('https://shop.example/hooks');
    expect(await checkForwarding([new URL(open), remote])).toEqual({
      status: 'ok',
      message: `A server is listening on ${open}.`,
    });
    server.close();
    await once(server, 'close');
    expect(await checkForwarding([new URL(`${open}?token=secret`)])).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/^Nothing is listening on http:\/\/shop\.localhost:(?!.*secret)/),
      advice: expect.stringContaining('Start your application'),
    });
    expect(await checkForwarding([remote])).toMatchObject({ status: 'ok' });
  });
});

describe('the settings', () => {
  const check = (folder: { readonly path: string }, env: Record<string, string> = {}) => {
    return checkConfig(loadSettings({ env, folder: folder.path, cwd: folder.path, given: {} }), env);
  };

  test('the settings are fine, or show what is wrong', () => {
    using folder = tempFolder();
    expect(check(folder)).toMatchObject({ status: 'ok' });
    expect(check(folder).message).toMatch(/^no file; 0 of \d+ settings are set\.$/);
    expect(check(folder, { SANDBOX_PROT: '1' })).toMatchObject({
      status: 'warn',
      message: 'SANDBOX_PROT is not a setting.',
      advice: 'Did you mean SANDBOX_PORT?',
    });
    folder.write('sandbox.config.json', '{"seed": 7}');
    expect(check(folder).message).toMatch(/sandbox\.config\.json; 1 of \d+ settings are set\.$/);
    folder.write('sandbox.config.json', '{"port": "x", "prot": 1}');
    const broken = check(folder);
    expect(broken.status).toBe('fail');
    expect(broken.message).toContain('sandbox.config.json:1:2 port must be a whole number');
    expect(broken.message).toContain('prot is not a setting. Did you mean port?');
  });
});

describe('the run file', () => {
  const FOLDER = '/shop';
  /** No process has this id. */
  const NOBODY = 2 ** 22 + 1;

  test('the run file is fine if missing, or if its sandbox responds', async () => {
    using state = tempFolder();
    const env = { XDG_STATE_HOME: state.path };
    expect(await checkRunFile(FOLDER, env)).toMatchObject({ status: 'ok' });
    await using sandbox = await cliSandbox();
    const { url, instanceId } = sandbox.server;
    await sandbox.run('status');
    const run = { url, pid: process.pid, instance_id: instanceId, folder: FOLDER, version: '1' };
    writeRunFile(run, env);
    expect(await checkRunFile(FOLDER, env)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining(url),
    });
    const another = { ...run, instance_id: 'another' };
    writeRunFile(another, env);
    expect(await checkRunFile(FOLDER, env)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('does not respond'),
    });
    removeRunFile(another, env);
    await using second = await cliSandbox();
    const { url: secondUrl, instanceId: secondId } = second.server;
    writeRunFile({ ...run, url: secondUrl, instance_id: secondId }, env);
    const { status, message } = await checkRunFile(FOLDER, env);
    expect([status, message.includes(url), message.includes(secondUrl)]).toEqual(['ok', true, true]);
  });

  test('causes a warning if it is stale, broken, or readable by others', async () => {
    using state = tempFolder();
    const env = { XDG_STATE_HOME: state.path };
    const run = { url: 'http://127.0.0.1:1', pid: NOBODY, instance_id: 'a', folder: FOLDER, version: '1' };
    const path = writeRunFile(run, env);
    const stale = await checkRunFile(FOLDER, env);
    expect(stale).toMatchObject({ status: 'warn', message: expect.stringContaining('which has exited') });
    expect(stale.advice).toContain(`rm '${path}'`);
    chmodSync(path, 0o644);
    expect(await checkRunFile(FOLDER, env)).toMatchObject({ status: 'warn', advice: `chmod 600 '${path}'` });
    for (const text of ['{', '{}', '[]', 'null', '{"url": 7, "pid": 1}']) {
      writeFileSync(path, text);
      expect(await checkRunFile(FOLDER, env)).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('cannot be read'),
      });
    }
  });
});

describe('the clock', () => {
  test('the clock is unknown without a sandbox', async () => {
    expect(await checkClock(undefined, Date.now)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('Not checked'),
    });
    expect(await checkClock({ url: 'http://127.0.0.1:1' }, Date.now)).toMatchObject({
      status: 'warn',
      message: 'Nothing responds at http://127.0.0.1:1.',
    });
  });

  test.each([
    [0, 'ok', /agree/],
    [60, 'warn', /60 s behind this machine|59 s behind this machine|61 s behind this machine/],
    [-60, 'warn', /s ahead of this machine/],
    [3_600, 'fail', /Every signature will be refused/],
  ])('reports a clock difference of %i s: %s', async (apartS, wanted, message) => {
    await using sandbox = await cliSandbox();
    await sandbox.run('status');
    const check = await checkClock(sandbox.server, () => Date.now() + apartS * 1000);
    expect(check).toMatchObject({ status: wanted, message: expect.stringMatching(message) });
  });

  test('agrees, and shows how far sandbox time was moved ahead', async () => {
    const controlToken = 'a-control-token-of-this-test';
    await using sandbox = await cliSandbox({ freezeAt: undefined, controlToken });
    await sandbox.server.sandbox.travel.advanceTo(Date.now() + 45 * 3_600_000);
    const { url } = sandbox.server;
    expect(await checkClock({ url, control_token: controlToken }, Date.now)).toMatchObject({
      status: 'ok',
      message: 'The clocks of the sandbox and this machine agree. Sandbox time is 1d 21h ahead of real time.',
    });
    expect((await checkClock({ url }, Date.now)).message).toBe(
      'The clocks of the sandbox and this machine agree.',
    );
  });
});
