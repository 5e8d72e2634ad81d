import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { openPersistence } from '../../../src/sandbox/persistence.js';
import { Sandbox } from '../../../src/sandbox/sandbox.js';
import { runBody } from '../../helpers/cli/cli-io.js';
import { cliSandbox, trigger, worldOf } from '../../helpers/cli/cli-sandbox.js';
import { newCharge } from '../../helpers/sandbox/sandbox.js';
import { tempFolder } from '../../helpers/temp-folder.js';

describe('state export and import', () => {
  test('copies a sandbox to another by a file that only its owner may read', async () => {
    using folder = tempFolder();
    await using from = await cliSandbox();
    trigger(from);
    const { stdout } = await from.run('state export', { cwd: folder.path, args: ['state.json'] });
    expect(stdout).toMatch(/^state\.json contains the entire sandbox state, including secrets\./);
    expect(statSync(join(folder.path, 'state.json')).mode & 0o777).toBe(0o600);
    await using to = await cliSandbox({ seed: 'other' });
    const imported = await to.run('state import', { cwd: folder.path, args: ['state.json'] });
    expect(imported.stdout).toMatch(/^The sandbox continues with the imported state\.\nclock/);
    expect(exportWorld(worldOf(to))).toEqual(exportWorld(worldOf(from)));
  });

  test('uses stdout and stdin', async () => {
    await using from = await cliSandbox();
    trigger(from);
    const { stdout } = await from.run('state export');
    await using to = await cliSandbox({ seed: 'other' });
    await to.run('state import', { args: ['-'], stdin: stdout });
    expect(exportWorld(worldOf(to))).toEqual(exportWorld(worldOf(from)));
  });

  test('rejects files over their limit before parsing', async () => {
    await using sandbox = await cliSandbox();
    const bytes = LIMITS.stateBodyBytes + 1;
    const attempt = sandbox.run('state import', { args: ['-'], stdin: Buffer.alloc(bytes, ' ') });
    await expect(attempt).rejects.toThrow(`- has ${bytes} bytes; the limit is ${LIMITS.stateBodyBytes}.`);
  });

  test.for(['['.repeat(200_000), '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)])(
    'rejects deeply nested files',
    async (text) => {
      await using sandbox = await cliSandbox();
      const stdin = Buffer.from(text.startsWith('[') ? text + ']'.repeat(200_000) : text);
      const attempt = sandbox.run('state import', { args: ['-'], stdin });
      await expect(attempt).rejects.toThrow('nested deeper than 32 levels');
    },
  );

  test('reads an unused data directory, and a record', async () => {
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
  });
});
