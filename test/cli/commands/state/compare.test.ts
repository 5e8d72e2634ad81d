import { expect, test } from 'vitest';
import { cliSandbox, LOCAL } from '../../../helpers/cli/cli-sandbox.js';

test('compare has a line for each difference', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { sandbox: world } = sandbox.server;
  world.saveSnapshot('before');
  const same = await sandbox.run('state compare', { args: ['before'] });
  expect(same.stdout).toBe('before and now are the same.\n');
  world.dispatch({
    type: 'trigger',
    event: 'pix.settled',
    chargeFields: { code: 'order-1', amountCents: 1_000 },
  });
  world.saveSnapshot('after');
  const [charge] = world.world.charges.rows;
  const [event] = world.world.events.rows;
  const { stdout } = await sandbox.run('state compare', { args: ['before', 'after'] });
  expect(stdout.split('\n')).toEqual([
    'From before to after:',
    expect.stringMatching(/^~ account \S+: balance 10000\.00 → 10009\.50, transactions 1 → 3$/),
    `+ charge order-1 (${charge?.id})`,
    `+ event order-1 (${event?.id})`,
    '',
  ]);
  expect(await sandbox.runJson('state compare', { args: ['before', 'after'] })).toMatchObject({ count: 3 });
});
