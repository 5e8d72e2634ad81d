import { expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

test('lists what is due, the first first', async () => {
  await using sandbox = await cliSandbox();
  expect((await sandbox.run('agenda')).stdout).toBe('Nothing is due.\n');
  for (const code of ['first', 'second']) await sandbox.run('charges create', { options: { code } });
  const { stdout } = await sandbox.run('agenda', { columns: 80 });
  expect(stdout.trimEnd().split('\n')).toEqual([
    'DUE    AT                    WHAT',
    'in 1d  2026-01-02T00:00:00Z  charge first expires',
    'in 1d  2026-01-02T00:00:00Z  charge second expires',
  ]);
});

test('prints JSON, as many entries as are asked for', async () => {
  await using sandbox = await cliSandbox();
  for (const code of ['first', 'second']) await sandbox.run('charges create', { options: { code } });
  const [charge] = sandbox.server.sandbox.world.charges.rows;
  expect(await sandbox.runJson('agenda', { options: { limit: '1' } })).toEqual({
    due: [
      {
        at: '2026-01-02T00:00:00.000Z',
        kind: 'charge.expire',
        id: charge?.id,
        title: 'charge first expires',
      },
    ],
  });
});

test('refuses a wrong limit: the command a text, the sandbox more than it answers with', async () => {
  await using sandbox = await cliSandbox();
  const usage = await rejectionOf(sandbox.run('agenda', { options: { limit: 'all' } }), CliError);
  expect(usage.message).toBe('--limit must be a whole number from 1 on; got all.');
  const refused = await rejectionOf(sandbox.run('agenda', { options: { limit: '1001' } }), SandboxError);
  expect(refused.details).toEqual([
    { field: 'limit', message: expect.stringContaining('a whole number from 1 to 1000') },
  ]);
});
