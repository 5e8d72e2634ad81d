// Verification was switched off while developing, and forgotten.
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const VERIFY_WEBHOOKS = process.env.VERIFY_WEBHOOKS === 'true';
const orders = {};
const app = express();

app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), (req, res) => {
  if (VERIFY_WEBHOOKS) {
    try {
      new Webhook(process.env.SANDBOX_WEBHOOK_SECRET).verify(req.body, req.headers);
    } catch {
      return res.sendStatus(401);
    }
  }
  let event;
  try {
    event = JSON.parse(req.body);
  } catch {
    return res.sendStatus(400);
  }
  const charge = event.data?.object;
  if (event.type === 'pix.settled') {
    orders[charge.code] = { ...orders[charge.code], status: 'paid', amount: charge.amount };
  } else if (event.type === 'pix.expired' && orders[charge.code]?.status !== 'paid') {
    orders[charge.code] = { ...orders[charge.code], status: 'expired' };
  }
  res.sendStatus(200);
});

app.put('/orders/:code', async (req, res) => {
  orders[req.params.code] ??= { status: 'waiting' };
  await createCharge(req.params.code, req.query.amount ?? '25.00');
  res.sendStatus(201);
});

app.get('/orders/:code', (req, res) => res.json(orders[req.params.code] ?? null));

app.listen(process.env.PORT, '127.0.0.1');
