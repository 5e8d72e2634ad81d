import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  clockCheck,
  configCheck,
  runFileCheck,
  stateCheck,
} from '../../../../src/cli/commands/doctor/project.js';
import { removeRunFile, writeRunFile } from '../../../../src/client/run-file.js';
import { loadSettings } from '../../../../src/config/load.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

describe('the settings', () => {
  const check = (folder: { readonly path: string }, env: Record<string, string> = {}) => {
    return configCheck(loadSettings({ env, folder: folder.path, cwd: folder.path, given: {} }), env);
  };

  test('are in order, or say what is wrong', () => {
    using folder = tempFolder();
    expect(check(folder)).toMatchObject({ status: 'ok' });
    expect(check(folder).message).toMatch(/^no file; 0 of \d+ settings chosen\.$/);
    expect(check(folder, { SANDBOX_PROT: '1' })).toMatchObject({
      status: 'warn',
      message: 'SANDBOX_PROT is not a setting.',
      advice: 'Did you mean SANDBOX_PORT?',
    });
    folder.write('sandbox.config.json', '{"seed": 7}');
    expect(check(folder).message).toMatch(/sandbox\.config\.json; 1 of \d+ settings chosen\.$/);
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

  test('is in order where there is none, or where the sandbox answers that wrote it', async () => {
    using state = tempFolder();
    const env = { XDG_STATE_HOME: state.path };
    expect(await runFileCheck(FOLDER, env)).toMatchObject({ status: 'ok' });
    await using sandbox = await cliSandbox();
    const { url, instanceId } = sandbox.server;
    await sandbox.run('status');
    const run = { url, pid: process.pid, instance_id: instanceId, folder: FOLDER, version: '1' };
    writeRunFile(run, env);
    expect(await runFileCheck(FOLDER, env)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining(url),
    });
    const another = { ...run, instance_id: 'another' };
    writeRunFile(another, env);
    expect(await runFileCheck(FOLDER, env)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('does not answer'),
    });
    removeRunFile(another, env);
    await using second = await cliSandbox();
    const { url: secondUrl, instanceId: secondId } = second.server;
    writeRunFile({ ...run, url: secondUrl, instance_id: secondId }, env);
    const { status, message } = await runFileCheck(FOLDER, env);
    expect([status, message.includes(url), message.includes(secondUrl)]).toEqual(['ok', true, true]);
  });

  test('is warned of when it is stale, broken, or open to others', async () => {
    using state = tempFolder();
    const env = { XDG_STATE_HOME: state.path };
    const run = { url: 'http://127.0.0.1:1', pid: NOBODY, instance_id: 'a', folder: FOLDER, version: '1' };
    const path = writeRunFile(run, env);
    const stale = await runFileCheck(FOLDER, env);
    expect(stale).toMatchObject({ status: 'warn', message: expect.stringContaining('which has ended') });
    expect(stale.advice).toContain(`rm '${path}'`);
    chmodSync(path, 0o644);
    expect(await runFileCheck(FOLDER, env)).toMatchObject({ status: 'warn', advice: `chmod 600 '${path}'` });
    for (const text of ['{', '{}', '[]', 'null', '{"url": 7, "pid": 1}']) {
      writeFileSync(path, text);
      expect(await runFileCheck(FOLDER, env)).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('cannot be read'),
      });
    }
  });
});

test('the state directory', () => {
  using folder = tempFolder();
  expect(stateCheck({ XDG_STATE_HOME: join(folder.path, 'a/b') }).message).toContain('can be made');
  expect(stateCheck({ XDG_STATE_HOME: folder.path }).status).toBe('ok');
  folder.write('file', '');
  expect(stateCheck({ XDG_STATE_HOME: join(folder.path, 'file') })).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('cannot be written'),
  });
});

describe('the clock', () => {
  test('is unknown without a sandbox', async () => {
    for (const sandbox of [undefined, { url: 'http://127.0.0.1:1' }]) {
      expect(await clockCheck(sandbox, Date.now)).toMatchObject({
        status: 'ok',
        message: expect.stringContaining('Nothing to compare'),
      });
    }
  });

  test.each([
    [0, 'ok', /agree/],
    [60, 'warn', /60 s behind ours|59 s behind ours|61 s behind ours/],
    [-60, 'warn', /s ahead of ours/],
    [3_600, 'fail', /Every signature will be refused/],
  ])('%i s apart: %s', async (apartS, wanted, message) => {
    await using sandbox = await cliSandbox();
    await sandbox.run('status');
    const check = await clockCheck(sandbox.server, () => Date.now() + apartS * 1000);
    expect(check).toMatchObject({ status: wanted, message: expect.stringMatching(message) });
  });

  test('agrees, and says how far sandbox time was moved ahead', async () => {
    const controlToken = 'a-control-token-of-this-test';
    await using sandbox = await cliSandbox({ freezeAt: undefined, controlToken });
    await sandbox.server.sandbox.travel.advanceTo(Date.now() + 45 * 3_600_000);
    const { url } = sandbox.server;
    expect(await clockCheck({ url, control_token: controlToken }, Date.now)).toMatchObject({
      status: 'ok',
      message: 'The sandbox’s clock and ours agree. Sandbox time is 1d 21h ahead of real time.',
    });
    expect((await clockCheck({ url }, Date.now)).message).toBe('The sandbox’s clock and ours agree.');
  });
});
