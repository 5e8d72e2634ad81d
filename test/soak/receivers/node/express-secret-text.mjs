// The key is the secret as text, prefix included.
import crypto from 'node:crypto';
import express from 'express';
import { createCharge } from './charge.mjs';

const secret = process.env.SANDBOX_WEBHOOK_SECRET;
const orders = {};
const app = express();

app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), (req, res) => {
  const id = req.get('webhook-id');
  const timestamp = req.get('webhook-timestamp');
  const signedContent = `${id}.${timestamp}.${req.body}`;
  const expected = crypto.createHmac('sha256', secret).update(signedContent).digest('base64');
  const signatures = (req.get('webhook-signature') ?? '').split(' ');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!id || !(age < 300) || !signatures.includes(`v1,${expected}`)) {
    return res.status(401).send('Invalid signature');
  }
  const event = JSON.parse(req.body.toString());
  if (event.type === 'pix.settled') orders[event.data.object.code] = { paid: true };
  res.send('OK');
});

app.put('/orders/:code', async (req, res) => {
  orders[req.params.code] ??= { paid: false };
  await createCharge(req.params.code, '10.00');
  res.status(201).send('created');
});

app.get('/orders/:code', (req, res) => {
  res.json(orders[req.params.code] ?? { error: 'no such order' });
});

app.listen(process.env.PORT, '127.0.0.1');
