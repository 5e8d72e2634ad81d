// Looks an id up, credits, and stores the id: three awaits, between which a copy finds nothing stored.
import { setTimeout as query } from 'node:timers/promises';
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const events = new Set();
const orders = new Map();
/** Stands for a database that takes some milliseconds. */
const db = {
  hasEvent: async (id) => (await query(15), events.has(id)),
  addEvent: async (id) => (await query(15), events.add(id)),
  credit: async (code, amount) => {
    await query(15);
    const order = orders.get(code) ?? { status: 'PENDING', balance: 0 };
    orders.set(code, { ...order, status: 'PAID', balance: order.balance + Number(amount) });
  },
};

const app = express();
app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (req, res) => {
  let event;
  try {
    event = webhook.verify(req.body, req.headers);
  } catch {
    return res.status(400).end();
  }
  const id = req.headers['webhook-id'];
  if (await db.hasEvent(id)) return res.status(200).end();
  if (event.type === 'pix.settled') await db.credit(event.data.object.code, event.data.object.amount);
  await db.addEvent(id);
  res.status(200).end();
});

app.put('/orders/:code', async (req, res) => {
  if (!orders.has(req.params.code)) orders.set(req.params.code, { status: 'PENDING', balance: 0 });
  await createCharge(req.params.code, req.query.amount ?? '10.00');
  res.status(201).end();
});

app.get('/orders/:code', (req, res) => res.json(orders.get(req.params.code) ?? null));

app.listen(process.env.PORT, '127.0.0.1');
