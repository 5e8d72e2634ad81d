import { describe, expect } from 'vitest';
import type { TestApi } from '../../helpers/http/api-client.js';
import { ACCOUNT_ID, otherApp, testApi, test } from '../../helpers/http/api-client.js';

const BAD = { status: 400, code: 'INVALID_REQUEST' };
const TRANSACTIONS = `/accounts/${ACCOUNT_ID}/transactions`;

async function withdraw(api: TestApi, count: number, prefix = 'w') {
  for (let n = 0; n < count; n += 1) {
    const made = await api.control('POST', 'withdrawals', { code: `${prefix}${n}`, amount: '2.00' });
    expect(made.status).toBe(201);
  }
}

describe('listing withdrawals (§4.2)', () => {
  test('returns the resource of §2.2', async ({ api }) => {
    const made = await api.control('POST', 'withdrawals', {
      code: 'w',
      amount: '20.00',
      metadata: { order: '7' },
      pix_key: 'ana@shop.example',
    });
    const { body } = await api.call('GET', '/withdrawals');
    expect(body.paging).toEqual({ before: null, after: null });
    expect(body.data).toMatchObject([{ id: made.body.id, net_amount: '19.00', metadata: { order: '7' } }]);
    expect(body.data[0]).toHaveProperty('destination.pix_key_type', 'EMAIL');
  });

  describe.each(['after', 'before'])('%s', (cursor) => {
    test.each(['', 'null'])(
      'given as "%s" is invalid: it returns the first page, and a warning on further pages',
      async (none) => {
        const api = await testApi();
        await withdraw(api, 3);
        const first = await api.call('GET', '/withdrawals?limit=2');
        const { status, body } = await api.call('GET', `/withdrawals?limit=2&${cursor}=${none}`);
        expect([status, body]).toEqual([200, first.body]);
        const [call, plain] = api.sandbox.calls.newest();
        const warning = `${cursor}=${none} returns the first page; omit ${cursor} instead. The list ends when paging.${cursor} is null.`;
        expect([call?.warnings, plain?.warnings]).toEqual([[warning], []]);
      },
    );
  });

  test('rejects two cursors, and one that this list did not issue to this application', async ({ api }) => {
    await withdraw(api, 3);
    const caller = await otherApp(api);
    const own = (await api.call('GET', '/withdrawals?limit=1')).body.paging.after ?? '';
    const transactions = (await api.call('GET', `${TRANSACTIONS}?limit=1`)).body.paging.after ?? '';
    const control = (await api.control('GET', 'withdrawals?limit=1')).body.paging.after ?? '';
    expect(await api.refused('GET', `/withdrawals?after=${own}&before=${own}`)).toMatchObject(BAD);
    expect(await api.refused('GET', `/withdrawals?after=${own}`, { caller })).toMatchObject(BAD);
    for (const cursor of [transactions, control, 'x', '-', `${own}x`, '%00', '0-0']) {
      expect(await api.refused('GET', `/withdrawals?after=${cursor}`)).toMatchObject(BAD);
    }
  });
});

describe('listing transactions (§4.3)', () => {
  test('returns the ledger, newest first', async ({ api }) => {
    await api.control('POST', 'charges', { code: 'c', amount: '100.00' });
    await api.control('POST', 'charges/c/settle');
    const { body } = await api.call('GET', TRANSACTIONS);
    const shown = body.data.map(({ code, amount, direction, status }) => [code, amount, direction, status]);
    expect(shown).toEqual([
      ['c', '0.80', 'DEBIT', 'POSTED'],
      ['c', '100.00', 'CREDIT', 'POSTED'],
      ['opening-balance', '10000.00', 'CREDIT', 'POSTED'],
    ]);
    expect(Object.keys(body.data[0] ?? {}).sort()).toEqual([
      'amount',
      'code',
      'created_at',
      'direction',
      'id',
      'status',
    ]);
  });

  test('returns 404 for an unknown account and another application’s', async ({ api }) => {
    const { accountId } = await otherApp(api);
    for (const id of [accountId, '00000000-0000-4000-8000-00000000dead', 'x', '%2e%2e', '%zz']) {
      expect(await api.refused('GET', `/accounts/${id}/transactions`)).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      });
    }
    expect((await api.call('GET', TRANSACTIONS.toUpperCase().replace('/ACCOUNTS', '/accounts'))).status).toBe(
      404,
    );
  });
});
