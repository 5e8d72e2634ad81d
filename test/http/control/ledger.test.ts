import { describe, expect, test } from 'vitest';
import { ACCOUNT_ID, otherApp, testApi } from '../../helpers/http/api-client.js';

describe('the ledger', () => {
  test('shows transactions newest first, with what they belong to and the balance after each', async () => {
    const api = await testApi();
    const charge = await api.control('POST', 'charges', { code: 'order-1', amount: '10.00' });
    await api.control('POST', 'charges/order-1/settle');
    const { status, body } = await api.control('GET', 'ledger');
    expect(status).toBe(200);
    const resource = { type: 'pix', id: charge.body.id, code: 'order-1' };
    const common = { account_id: ACCOUNT_ID, created_at: '2026-01-01T12:00:00.000Z', code: 'order-1' };
    expect(body).toMatchObject({
      data: [
        { ...common, what: 'fee', direction: 'DEBIT', amount: '0.50', balance: '10009.50', resource },
        { ...common, what: 'charge', direction: 'CREDIT', amount: '10.00', balance: '10010.00', resource },
        { what: 'opening', code: 'opening-balance', balance: '10000.00', resource: null },
      ],
      paging: { before: null, after: null },
      problems: [],
    });
  });

  test('comes in pages, of all accounts in order or of one', async () => {
    const api = await testApi();
    const { accountId } = await otherApp(api, { name: 'shop', opening_balance: '50.00' });
    await api.control('POST', 'withdrawals', { code: 'one', amount: '5.00' });
    await api.control('POST', 'withdrawals?app=shop', { code: 'two', amount: '2.00' });
    const all = await api.control('GET', 'ledger?limit=3');
    const balances = (data: readonly object[]) => data.map((one) => (one as { balance: string }).balance);
    expect(balances(all.body.data)).toEqual(['48.00', '9995.00', '50.00']);
    const rest = await api.control('GET', `ledger?limit=3&after=${all.body.paging.after}`);
    expect(balances(rest.body.data)).toEqual(['10000.00']);
    for (const named of [accountId, accountId.slice(0, 6)]) {
      const own = await api.control('GET', `ledger?account=${named}`);
      expect(balances(own.body.data)).toEqual(['48.00', '50.00']);
    }
    const { after } = all.body.paging;
    for (const [query, status] of [
      ['account=none', 404],
      ['limit=0', 400],
      ['limit=51', 400],
      [`account=${accountId}&after=${after}`, 400],
    ] as const) {
      expect([query, (await api.control('GET', `ledger?${query}`)).status]).toEqual([query, status]);
    }
  });

  test('says what is wrong with the whole of it, whatever the page', async () => {
    const api = await testApi();
    const { accountId } = await otherApp(api, { name: 'shop' });
    await api.control('POST', 'withdrawals', { code: 'lost', amount: '5.00' });
    const account = api.sandbox.world.accounts.get(ACCOUNT_ID);
    account?.transactions.pop();
    const { body } = await api.control('GET', 'ledger?limit=1');
    expect(body['problems']).toEqual([
      `account ${ACCOUNT_ID}: transactions add up to 10000.00, the balance is 9995.00`,
      `account ${ACCOUNT_ID}: lost moved 0.00 instead of -5.00`,
    ]);
    expect((await api.control('GET', `ledger?account=${accountId}`)).body['problems']).toEqual([]);
  });
});
