import { describe, expect, test } from 'vitest';
import { cliSandbox, worldOf } from '../../../helpers/cli/cli-sandbox.js';

describe('reset', () => {
  test('starts over', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('charges create');
    const { stdout } = await sandbox.run('reset');
    expect(stdout).toMatch(
      /^The sandbox is as it was when it started\.\nclock {5}2026-01-01T00:00:00Z, frozen\n/,
    );
    expect(worldOf(sandbox).charges.rows).toHaveLength(0);
    expect(await sandbox.runJson('reset')).toMatchObject({ reset: true });
  });
});
