import assert from 'node:assert/strict';
import { test } from 'node:test';

test('an order is open at first', async () => {
  const url = 'http://localhost:3000/orders/order-of-the-test';
  const created = await fetch(url, { method: 'PUT', body: JSON.stringify({ amount: '10.00' }) });
  assert.equal(created.status, 201);
  assert.equal((await (await fetch(url)).json()).status, 'open');
});
