import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { createTicketShop } from './app.mjs';

const { PORT = '3000', SANDBOX_URL } = process.env;
const shop = `http://localhost:${PORT}`;

describe('the ticket shop', () => {
  let server;
  before(
    () =>
      new Promise((resolve) => {
        server = serve({ fetch: createTicketShop(process.env).fetch, port: Number(PORT) }, resolve);
      }),
  );
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('prints every seat of a paid order once', async () => {
    const created = await fetch(`${shop}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'tickets-7', seats: ['A1', 'A2'] }),
    });
    equal(created.status, 201);
    ok((await created.json()).qr_code);

    const paid = await fetch(`${SANDBOX_URL}/_sandbox/charges/tickets-7/settle`, { method: 'POST' });
    equal(paid.status, 200, await paid.text());

    const deadline = Date.now() + 20_000;
    let order;
    do {
      await sleep(25);
      order = await (await fetch(`${shop}/orders/tickets-7`)).json();
    } while (order.status === 'waiting' && Date.now() < deadline);
    await fetch(`${SANDBOX_URL}/_sandbox/idle?timeout=10s`);

    equal((await (await fetch(`${shop}/orders/tickets-7`)).json()).status, 'paid');
    deepEqual(await (await fetch(`${shop}/printed`)).json(), ['tickets-7/A1', 'tickets-7/A2']);
  });
});
