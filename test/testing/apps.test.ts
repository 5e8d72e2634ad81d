import { expect, test } from 'vitest';
import { createSandbox } from '../../src/testing/create-sandbox.js';

test('applications have their own scopes and accounts, and lists distinguish them', async () => {
  await using sandbox = await createSandbox({ port: false });
  const bare = await sandbox.apps.create({ name: 'bare', scopes: [] });
  const account = await sandbox.apps.addAccount('bare', { opening_balance: '10.00' });
  expect(account).toMatchObject({ app_id: bare.id, balance: '10.00' });
  expect(await sandbox.apps.list()).toMatchObject([
    { name: 'default' },
    { name: 'bare', scopes: [], account_ids: [bare.account_id, account.id] },
  ]);
  const fields = { code: 'order-1', account_id: account.id };
  const charge = await sandbox.charges.create(fields, { app: 'bare' });
  await sandbox.charges.create({ code: 'order-1' });
  await sandbox.charges.settle(charge.id);
  expect(await sandbox.charges.list({ app: 'bare' })).toMatchObject([{ id: charge.id }]);
  expect(await sandbox.events.list({ app: bare.id })).toMatchObject([{ resource: { id: charge.id } }]);
  expect(await sandbox.events.list({ app: 'default' })).toEqual([]);
  await expect(sandbox.charges.list({ app: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(sandbox.apps.create({ nme: 'x' } as never)).rejects.toThrow('Did you mean name?');
});
