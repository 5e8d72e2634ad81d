import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Names } from '../../../../src/cli/commands/doctor/network.js';
import { localhostCheck, MACHINE, portCheck } from '../../../../src/cli/commands/doctor/network.js';
import { removeRunFile, writeRunFile } from '../../../../src/client/run-file.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

/** A machine whose addresses and refusals are given. */
function machine(addresses: readonly string[], refusals: Readonly<Record<string, string>> = {}): Names {
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
    expect(await localhostCheck(names)).toMatchObject({ status, message });
  });
});

describe('the port', () => {
  test.each([
    [0, {}, 'ok', '`start` takes a free port.'],
    [7490, {}, 'ok', 'Port 7490 is free.'],
    [7490, { '::1': 'EADDRNOTAVAIL' }, 'ok', 'Port 7490 is free.'],
    [80, { '127.0.0.1': 'EACCES' }, 'fail', 'Port 80 cannot be used (EACCES).'],
  ])('%i %j', async (port, refusals, status, message) => {
    expect(await portCheck(port, fakeIo().io, machine([], refusals))).toMatchObject({ status, message });
  });

  test('is ours, or another project’s, or a stranger’s', async () => {
    using state = tempFolder();
    await using sandbox = await cliSandbox();
    const { port, url, instanceId } = sandbox.server;
    await sandbox.run('status');
    const { io } = fakeIo({ cwd: '/shop', env: { XDG_STATE_HOME: state.path } });
    const look = () => portCheck(port, io, MACHINE);
    expect(await look()).toMatchObject({
      status: 'warn',
      message: `Port ${port} is held by another user’s sandbox.`,
    });
    const run = { url, pid: 7, instance_id: instanceId, folder: '/other', version: '1' };
    writeRunFile(run, io.env);
    expect(await look()).toMatchObject({
      status: 'warn',
      message: `Port ${port} is held by the sandbox of /other.`,
    });
    removeRunFile(run, io.env);
    writeRunFile({ ...run, folder: '/shop' }, io.env);
    expect(await look()).toMatchObject({
      status: 'ok',
      message: `Port ${port} is held by the sandbox of this project (pid 7).`,
    });
  });

  test('may be taken by something that says nothing', async () => {
    const stranger = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    expect(await portCheck(port, fakeIo().io, MACHINE)).toMatchObject({
      status: 'warn',
      message: `Port ${port} is taken by something that is not a sandbox.`,
    });
    stranger.close();
  });
});
