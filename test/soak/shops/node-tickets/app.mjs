// Sells concert tickets with Hono; every paid order gets its seats printed.
import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import { nanoid } from 'nanoid';
import { Webhook } from 'standardwebhooks';

/** Stands for a database: each operation takes a moment. */
class Table {
  #rows = new Map();

  async find(key) {
    await sleep(5);
    return this.#rows.get(key);
  }

  async save(key, row) {
    await sleep(5);
    this.#rows.set(key, row);
  }
}

export function createTicketShop(env) {
  const orders = new Table();
  const webhooks = new Table();
  const printed = [];
  const verifier = new Webhook(env.SANDBOX_WEBHOOK_SECRET);

  async function charge(code, amount, tries = 5) {
    const path = '/api/public/v1/pix';
    const body = JSON.stringify({ code, account_id: env.SANDBOX_ACCOUNT_ID, amount });
    const timestamp = Math.floor(Date.now() / 1000).toString();
    const nonce = nanoid(24);
    const sha = createHash('sha256').update(body).digest('hex');
    try {
      const response = await fetch(new URL(path, env.SANDBOX_BASE_URL), {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(8000),
        headers: {
          Authorization: `Bearer ${env.SANDBOX_TOKEN}`,
          'Content-Type': 'application/json',
          'X-Timestamp': timestamp,
          'X-Nonce': nonce,
          'X-Signature': createHmac('sha256', env.SANDBOX_SIGNING_SECRET)
            .update(`${timestamp}.${nonce}.POST.${path}.${sha}`)
            .digest('hex'),
        },
      });
      if (response.status >= 500 || response.status === 429) throw new Error(`HTTP ${response.status}`);
      return await response.json();
    } catch (error) {
      if (tries === 1) throw error;
      await sleep(200);
      return charge(code, amount, tries - 1);
    }
  }

  const app = new Hono();

  app.post('/orders', async (c) => {
    const { code, seats } = await c.req.json();
    const order = { code, seats, status: 'waiting' };
    await orders.save(code, order);
    const { qr_code } = await charge(code, `${40 * seats.length}.00`);
    return c.json({ code, qr_code }, 201);
  });

  app.get('/orders/:code', async (c) => {
    const order = await orders.find(c.req.param('code'));
    return order ? c.json(order) : c.notFound();
  });

  app.get('/printed', (c) => c.json(printed));

  app.post('/webhooks', async (c) => {
    const raw = await c.req.text();
    let event;
    try {
      event = verifier.verify(raw, c.req.header());
    } catch {
      return c.text('bad signature', 400);
    }
    const id = c.req.header('webhook-id');
    if (await webhooks.find(id)) return c.text('already processed');
    const order = await orders.find(event.data?.object?.code);
    if (order && event.type === 'pix.settled') {
      printed.push(...order.seats.map((seat) => `${order.code}/${seat}`));
      order.status = 'paid';
      await orders.save(order.code, order);
    }
    if (order && event.type === 'pix.expired' && order.status === 'waiting') {
      order.status = 'expired';
      await orders.save(order.code, order);
    }
    await webhooks.save(id, true);
    return c.text('ok');
  });

  return app;
}
