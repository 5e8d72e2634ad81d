// express.json() for the whole application, so the body is written again before it is verified.
import crypto from 'node:crypto';
import express from 'express';
import { createCharge } from './charge.mjs';

const key = Buffer.from(process.env.SANDBOX_WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
const orders = {};
const app = express();
app.use(express.json({ limit: '1mb' }));

function isValid(req) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': header = '' } = req.headers;
  if (!id || !/^\d+$/.test(timestamp ?? '')) return false;
  if (Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) > 300) return false;
  const payload = JSON.stringify(req.body);
  const expected = crypto.createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest();
  return header.split(' ').some((part) => {
    const [version, value] = part.split(',');
    const given = Buffer.from(value ?? '', 'base64');
    return version === 'v1' && given.length === expected.length && crypto.timingSafeEqual(given, expected);
  });
}

app.post('/webhooks', (req, res) => {
  if (!isValid(req)) return res.status(400).json({ message: 'Bad signature' });
  const { type, data } = req.body;
  const order = (orders[data.object.code] ??= { state: 'new' });
  if (type === 'pix.settled') order.state = 'paid';
  if (type === 'pix.expired' && order.state === 'new') order.state = 'expired';
  res.json({ ok: true });
});

app.put('/orders/:code', async (req, res) => {
  orders[req.params.code] ??= { state: 'new' };
  await createCharge(req.params.code, '10.00');
  res.status(201).json({ ok: true });
});

app.get('/orders/:code', (req, res) => res.json(orders[req.params.code] ?? {}));

app.listen(process.env.PORT, '127.0.0.1');
