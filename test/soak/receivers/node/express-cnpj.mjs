// Validates the payer's document as eleven or fourteen digits, which since July 2026 is no longer the form of a CNPJ.
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = {};
const DOCUMENT = /^(\d{11}|\d{14})$/;
const app = express();

app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), (req, res) => {
  let event;
  try {
    event = webhook.verify(req.body, req.headers);
  } catch {
    return res.status(400).json({ error: 'invalid signature' });
  }
  const { code, amount, payer_document: document } = event.data.object;
  if (event.type === 'pix.settled') {
    if (document && !DOCUMENT.test(document)) return res.status(422).json({ error: 'invalid document' });
    orders[code] = { status: 'paid', amount, document: document ?? null };
  } else if (event.type === 'pix.expired' && orders[code]?.status === 'open') {
    orders[code].status = 'expired';
  }
  res.json({ received: true });
});

app.put('/orders/:code', async (req, res) => {
  orders[req.params.code] ??= { status: 'open' };
  await createCharge(req.params.code, req.query.amount ?? '10.00');
  res.status(201).json({ code: req.params.code });
});

app.get('/orders/:code', (req, res) => res.json(orders[req.params.code] ?? { status: 'none' }));

app.listen(process.env.PORT, '127.0.0.1');
