// Correct: responds first, and works through a queue at 40 ms a job.
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = new Map();
const done = new Set();
const jobs = [];
let isWorking = false;

async function work() {
  if (isWorking) return;
  isWorking = true;
  while (jobs.length > 0) {
    const { id, type, data } = jobs.shift();
    await delay(40);
    if (done.has(id)) continue;
    done.add(id);
    const order = orders.get(data.object.code) ?? { status: 'PENDING', credits: 0 };
    if (type === 'pix.settled') orders.set(data.object.code, { status: 'PAID', credits: order.credits + 1 });
    if (type === 'pix.expired' && order.status === 'PENDING') orders.set(data.object.code, { ...order, status: 'EXPIRED' });
  }
  isWorking = false;
}

const app = new Hono();

app.post('/webhooks', async (c) => {
  let event;
  try {
    event = webhook.verify(await c.req.text(), c.req.header());
  } catch {
    return c.text('invalid', 400);
  }
  jobs.push({ id: c.req.header('webhook-id'), type: event.type, data: event.data });
  void work();
  return c.json({ queued: true }, 202);
});

app.put('/orders/:code', async (c) => {
  const code = c.req.param('code');
  if (!orders.has(code)) orders.set(code, { status: 'PENDING', credits: 0 });
  await createCharge(code, c.req.query('amount') ?? '10.00');
  return c.json(orders.get(code), 201);
});

app.get('/orders/:code', (c) => {
  const order = orders.get(c.req.param('code'));
  return order ? c.json(order) : c.notFound();
});

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
