import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { cliSandbox, trigger, worldOf } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

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

  test('of a part leaves the rest', async () => {
    await using sandbox = await cliSandbox();
    trigger(sandbox);
    const { stdout } = await sandbox.run('reset', { options: { scope: 'calls,payments' } });
    expect(stdout).toMatch(/^Started over: payments, calls\. The rest stays\.\n/);
    expect(worldOf(sandbox).charges.rows).toHaveLength(0);
    const error = await rejectionOf(sandbox.run('reset', { options: { scope: 'payment' } }), CliError);
    expect(error.hint).toBe('Did you mean payments? Known: payments, identity, endpoints, faults, calls.');
  });
});
