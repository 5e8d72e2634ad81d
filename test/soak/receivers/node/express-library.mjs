// Express with the library of Standard Webhooks, as its readme shows it. Credits are counted once for each webhook-id.
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const wh = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = new Map();
const processed = new Set();
const app = express();
const RANK = { PENDING: 0, EXPIRED: 1, FAILED: 1, PAID: 2 };
const STATUS = { 'pix.settled': 'PAID', 'pix.failed': 'FAILED', 'pix.expired': 'EXPIRED' };

function orderOf(code) {
  if (!orders.has(code)) orders.set(code, { code, status: 'PENDING', credited: '0.00', emails: 0 });
  return orders.get(code);
}

app.post('/webhooks', express.raw({ type: 'application/json', limit: '2mb' }), (req, res) => {
  let event;
  try {
    event = wh.verify(req.body, req.headers);
  } catch {
    return res.status(400).json({ error: 'invalid signature' });
  }
  if (processed.has(req.headers['webhook-id'])) return res.json({ received: true });
  processed.add(req.headers['webhook-id']);
  const status = STATUS[event.type];
  if (status) {
    const order = orderOf(event.data.object.code);
    if (RANK[status] > RANK[order.status]) {
      order.status = status;
      if (status === 'PAID') {
        order.credited = event.data.object.amount;
        order.emails += 1;
      }
    }
  }
  res.json({ received: true });
});

app.put('/orders/:code', async (req, res) => {
  const order = orderOf(req.params.code);
  await createCharge(order.code, req.query.amount ?? '10.00');
  res.status(201).json(order);
});

app.get('/orders/:code', (req, res) => {
  const order = orders.get(req.params.code);
  if (!order) return res.status(404).json({ error: 'not found' });
  res.json(order);
});

app.listen(process.env.PORT, '127.0.0.1');
