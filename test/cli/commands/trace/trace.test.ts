import { expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

test('prints a tree, how long after the first cause each step was, and what is due next', async () => {
  await using sandbox = await cliSandbox();
  await sandbox.run('charges create', { options: { code: 'order-1' } });
  const tree = async () =>
    (await sandbox.run('trace', { args: ['order-1'], columns: 80 })).stdout.trimEnd().split('\n');
  expect(await tree()).toEqual([
    '2026-01-01T00:00:00Z',
    '           charge.create',
    '           └ charge order-1  PENDING',
    '',
    'Due next',
    '  in 1d  charge order-1 expires',
  ]);
  await sandbox.run('clock advance', { args: ['1h'] });
  await sandbox.run('charges settle', { args: ['order-1'] });
  const { id } = sandbox.server.sandbox.world.charges.rows[0] ?? {};
  expect((await tree()).slice(2)).toEqual([
    '           ├ charge order-1  PENDING',
    `      +1h  └ charge.settle ${id}`,
    '      +1h    └ charge order-1 PENDING  SETTLED',
    '      +1h      └ pix.settled of order-1',
  ]);
});

test('prints the same as JSON', async () => {
  await using sandbox = await cliSandbox();
  await sandbox.run('charges create', { options: { code: 'order-1' } });
  expect(await sandbox.runJson('trace', { args: ['order-1'] })).toMatchObject({
    root: { kind: 'command', children: [{ kind: 'change', outcome: 'PENDING', children: [] }] },
    due: [{ kind: 'charge.expire' }],
  });
});

test('says that there is no such thing', async () => {
  await using sandbox = await cliSandbox();
  const refused = await rejectionOf(sandbox.run('trace', { args: ['nothing'] }), SandboxError);
  expect(refused.code).toBe('NOT_FOUND');
});
