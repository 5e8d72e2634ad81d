import { describe, expect } from 'vitest';
import { ACCOUNT_ID, testApi, otherApp, test } from '../../helpers/http/api-client.js';

describe('charges', () => {
  test('charges are created from provided fields and test defaults', async ({ api }) => {
    const made = await api.control('POST', 'charges', { amount: '5.00', payer_name: 'Ana' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      pay_url: `http://sandbox.localhost/pay/${made.body.id}`,
      code: 'charge-1',
      amount: '5.00',
      payer_name: 'Ana',
      account_id: ACCOUNT_ID,
      status: 'PENDING',
      reason: null,
      app_id: api.sandbox.world.apps.rows[0]?.id,
    });
    expect((await api.control('POST', 'charges')).body.code).toBe('charge-2');
    expect((await api.control('POST', 'charges', { code: 'charge-2' })).status).toBe(200);
  });

  test('charges have no default payer, so the application gets its charge by the same code', async ({
    api,
  }) => {
    const made = await api.control('POST', 'charges', { code: 'order-1', amount: '5.00' });
    expect(made.body).toMatchObject({ payer_name: null, payer_document: null });
    const body = { code: 'order-1', account_id: ACCOUNT_ID, amount: '5.00' };
    const posted = await api.call('POST', '/pix', { body });
    expect([posted.status, posted.body.id]).toEqual([200, made.body.id]);
  });

  test('charges are found by id and by code, with the image', async ({ api }) => {
    const { body } = await api.control('POST', 'charges', { code: 'größe/1' });
    for (const name of [body.id, encodeURIComponent('größe/1')]) {
      const found = await api.control('GET', `charges/${name}`);
      expect(found.body).toMatchObject({ id: body.id, app_id: expect.any(String), reason: null });
      expect(found.body.qr_code_base64).toMatch(/^iVBORw0KGgo/);
    }
    expect((await api.control('GET', 'charges/none')).status).toBe(404);
  });

  test('charges are listed by pages and by status', async ({ api }) => {
    for (const code of ['a', 'b', 'c']) await api.control('POST', 'charges', { code });
    await api.control('POST', 'charges/b/settle');
    const pending = await api.control('GET', 'charges?status=PENDING&limit=1');
    expect(pending.body.data.map(({ code }) => code)).toEqual(['c']);
    const next = await api.control(
      'GET',
      `charges?status=PENDING&limit=1&after=${pending.body.paging.after}`,
    );
    expect(next.body.data.map(({ code }) => code)).toEqual(['a']);
    expect((await api.control('GET', 'charges?status=pending')).status).toBe(400);
    expect((await api.control('GET', `charges?after=${pending.body.paging.after}`)).status).toBe(400);
    expect((await api.control('GET', 'charges?limit=1&limit=2')).status).toBe(400);
  });
});

describe('withdrawals', () => {
  test('withdrawals deduct their amount immediately and are listed by the public API', async ({ api }) => {
    const made = await api.control('POST', 'withdrawals', { amount: '600.00', pix_key: '+5511987654321' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      fee: '0.00',
      net_amount: '600.00',
      destination: { pix_key_type: 'PHONE' },
      reason: null,
    });
    const { body } = await api.call('GET', '/withdrawals');
    expect(body.data.map(({ id }) => id)).toEqual([made.body.id]);
    const [account] = (await api.control('GET', 'status')).body.accounts as { balance: string }[];
    expect(account?.balance).toBe('9400.00');
  });
});

test.each([
  ['charges', 'fail', 'FAILED'],
  ['withdrawals', 'settle', 'SETTLED'],
])('POST %s/{id}/%s makes it %s, and a second time is a 409', async (list, action, expected) => {
  const api = await testApi();
  await api.control('POST', list, { code: 'a', amount: '9.00' });
  const path = `${list}/a/${action}`;
  const reason = action === 'fail' ? { reason: 'FRAD' } : undefined;
  expect((await api.control('POST', path, reason)).body).toMatchObject({ status: expected, ...reason });
  const before = api.state();
  const again = await api.control('POST', path);
  expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_TRANSITION']);
  expect((await api.control('POST', path, { colors: 'red' })).status).toBe(400);
  expect((await api.control('POST', path.replace('/a/', '/none/'))).status).toBe(404);
  expect(api.state()).toEqual(before);
});

test('POST withdrawals/{id}/return reverses a settled withdrawal', async ({ api }) => {
  await api.control('POST', 'withdrawals', { code: 'a', amount: '9.00' });
  for (const action of ['process', 'settle']) await api.control('POST', `withdrawals/a/${action}`);
  const { body } = await api.control('POST', 'withdrawals/a/return', { reason: 'BE01' });
  expect(body).toMatchObject({ status: 'FAILED', reason: 'BE01' });
});

describe('the ledger', () => {
  test('shows transactions newest first, with their origin and the resulting balance', async ({ api }) => {
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

  test('the ledger is paginated, for all accounts in order or for one', async ({ api }) => {
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

  test('reports its problems on every page', async ({ api }) => {
    await api.control('POST', 'withdrawals', { code: 'lost', amount: '5.00' });
    api.sandbox.world.accounts.get(ACCOUNT_ID)?.transactions.pop();
    const { body } = await api.control('GET', 'ledger?limit=1');
    expect(body['problems']).toEqual([
      `account ${ACCOUNT_ID}: transactions add up to 10000.00, but the balance is 9995.00`,
      `account ${ACCOUNT_ID}: lost moved 0.00 instead of -5.00`,
    ]);
  });
});
