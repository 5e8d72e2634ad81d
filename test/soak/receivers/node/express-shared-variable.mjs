// The event is kept in a variable of the module, so concurrent requests act on whichever came last.
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = {};
const app = express();
let currentEvent;

async function markAsPaid() {
  await delay(25); // the database
  const { code } = currentEvent.data.object;
  orders[code] = { ...orders[code], status: 'PAID' };
}

app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (req, res) => {
  let event;
  try {
    event = webhook.verify(req.body, req.headers);
  } catch {
    return res.status(403).json({ error: 'forbidden' });
  }
  if (event.type === 'pix.settled') {
    currentEvent = event;
    await markAsPaid();
  }
  res.status(200).json({ ok: true });
});

app.put('/orders/:code', async (req, res) => {
  orders[req.params.code] ??= { status: 'PENDING' };
  await createCharge(req.params.code, '10.00');
  res.status(201).json(orders[req.params.code]);
});

app.get('/orders/:code', (req, res) => {
  const order = orders[req.params.code];
  return order ? res.json(order) : res.status(404).json({ error: 'not found' });
});

app.listen(process.env.PORT, '127.0.0.1');
