import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { LIMITS } from '../../../../src/contract/limits.js';
import { exportWorld } from '../../../../src/core/state/export.js';
import { openPersistence } from '../../../../src/sandbox/persistence.js';
import { Sandbox } from '../../../../src/sandbox/sandbox.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox, trigger, worldOf } from '../../../helpers/cli/cli-sandbox.js';
import { newCharge } from '../../../helpers/sandbox/sandbox.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

describe('state export and import', () => {
  test('carry a sandbox over into another, by a file that only its owner may read', async () => {
    using folder = tempFolder();
    await using from = await cliSandbox();
    trigger(from);
    const { stdout } = await from.run('state export', { cwd: folder.path, args: ['state.json'] });
    expect(stdout).toMatch(/^state\.json contains the whole sandbox, with its secrets\./);
    expect(statSync(join(folder.path, 'state.json')).mode & 0o777).toBe(0o600);
    await using to = await cliSandbox({ seed: 'other' });
    const imported = await to.run('state import', { cwd: folder.path, args: ['state.json'] });
    expect(imported.stdout).toMatch(/^The sandbox continues with the imported state\.\nclock/);
    expect(exportWorld(worldOf(to))).toEqual(exportWorld(worldOf(from)));
  });

  test('go through stdout and stdin', async () => {
    await using from = await cliSandbox();
    trigger(from);
    const { stdout } = await from.run('state export');
    await using to = await cliSandbox({ seed: 'other' });
    await to.run('state import', { args: ['-'], stdin: stdout });
    expect(exportWorld(worldOf(to))).toEqual(exportWorld(worldOf(from)));
  });

  test('are refused over their limit before they are parsed', async () => {
    await using sandbox = await cliSandbox();
    const bytes = LIMITS.stateBodyBytes + 1;
    const attempt = sandbox.run('state import', { args: ['-'], stdin: Buffer.alloc(bytes, ' ') });
    await expect(attempt).rejects.toThrow(`- has ${bytes} bytes; a state may have ${LIMITS.stateBodyBytes}.`);
  });

  test.for(['['.repeat(200_000), '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)])(
    'are refused when they are nested too deep',
    async (text) => {
      await using sandbox = await cliSandbox();
      const stdin = Buffer.from(text.startsWith('[') ? text + ']'.repeat(200_000) : text);
      const attempt = sandbox.run('state import', { args: ['-'], stdin });
      await expect(attempt).rejects.toThrow('nested deeper than 32 levels');
    },
  );

  test('overwrite no file', async () => {
    using folder = tempFolder();
    folder.write('state.json', 'mine');
    await using sandbox = await cliSandbox();
    const attempt = sandbox.run('state export', { cwd: folder.path, args: ['state.json'] });
    expect((await rejectionOf(attempt, CliError)).message).toMatch(/something else has that name/);
    expect(folder.read('state.json').toString()).toBe('mine');
  });

  test('of another version of the core are usage errors that say how to start over', async () => {
    using folder = tempFolder();
    folder.write('old.json', '{"format":"pix-sandbox-state","core":1,"version":"0.0.9"}');
    await using sandbox = await cliSandbox();
    const attempt = sandbox.run('state import', { cwd: folder.path, args: ['old.json'] });
    const { message, hint, exitCode } = await rejectionOf(attempt, CliError);
    expect([exitCode, message]).toEqual([2, expect.stringContaining('written by version 1 of the core')]);
    expect(hint).toBe('Use it with npx pix-sandbox@0.0.9, or start over with a new sandbox.');
  });

  test.each([
    ['nothing.json', /there is no such file/],
    ['text.json', /text\.json holds no JSON object/],
    ['list.json', /not a sandbox state/],
  ])('refuse %s, and the sandbox stays as it is', async (name, message) => {
    using folder = tempFolder();
    folder.write('text.json', 'hello');
    folder.write('list.json', '{"charges":[]}');
    await using sandbox = await cliSandbox();
    trigger(sandbox);
    const before = exportWorld(worldOf(sandbox));
    const attempt = sandbox.run('state import', { cwd: folder.path, args: [name] });
    await expect(attempt).rejects.toThrow(message);
    expect(exportWorld(worldOf(sandbox))).toEqual(before);
  });

  test('read a data directory that no sandbox uses, and a record', async () => {
    using folder = tempFolder();
    const record = join(folder.path, 'record.ndjson');
    const kept = await openPersistence({
      dataDirectory: join(folder.path, 'data'),
      recordFile: record,
      onWarning: (message) => expect.fail(message),
    });
    const first = new Sandbox({ seed: 'kept', freezeAt: 0, journal: kept.journal });
    newCharge(first);
    const expected = exportWorld(first.world);
    first.close();
    await kept.close({ world: first.world, rate: 0 });
    const { stdout } = await runBody('state export', { cwd: folder.path, options: { data: 'data' } });
    expect(JSON.parse(stdout)).toMatchObject({ format: 'pix-sandbox-state', rate: 0, world: expected });
    await using sandbox = await cliSandbox();
    await sandbox.run('state import', { cwd: folder.path, args: ['record.ndjson'] });
    expect(exportWorld(worldOf(sandbox))).toEqual(expected);
    writeFileSync(record, 'torn');
    const empty = runBody('state export', { cwd: folder.path, options: { data: 'none' } });
    expect((await rejectionOf(empty, CliError)).message).toBe('none keeps no sandbox.');
  });
});

describe('state save, restore, list and drop', () => {
  test('go back to what was saved', async () => {
    await using sandbox = await cliSandbox();
    expect((await sandbox.run('state list')).stdout).toMatch(/^Nothing was saved\./);
    trigger(sandbox);
    const before = exportWorld(worldOf(sandbox));
    const saved = await sandbox.run('state save', { args: ['paid'] });
    expect(saved.stdout).toMatch(/^Saved as paid, at 2026-01-01T00:00:00\.000Z\./);
    trigger(sandbox);
    await sandbox.run('reset');
    const { stdout } = await sandbox.run('state restore', { args: ['paid'] });
    expect(stdout).toMatch(
      /^The state is as it was when paid was saved; ids repeat from there on\.\nThe call log starts empty\.\nclock/,
    );
    expect(exportWorld(worldOf(sandbox))).toEqual(before);
    expect((await sandbox.run('state list', { columns: 80 })).stdout).toMatch(
      /^NAME +SANDBOX TIME +CHARGES +WITHDRAWALS +DELIVERIES +SESSIONS\npaid +2026-01-01T00:00:00\.000Z +1 +0 +0 +0\n$/,
    );
    expect(await sandbox.runJson('state list')).toMatchObject({ data: [{ name: 'paid', charges: 1 }] });
    expect((await sandbox.run('state drop', { args: ['paid'] })).stdout).toBe('paid is forgotten.\n');
    await expect(sandbox.run('state restore', { args: ['paid'] })).rejects.toThrow(
      'There is no snapshot paid.',
    );
  });

  test('refuse names that are none', async () => {
    await using sandbox = await cliSandbox();
    await expect(sandbox.run('state save', { args: ['a b'] })).rejects.toMatchObject({
      body: { details: [{ field: 'name' }] },
    });
  });
});
