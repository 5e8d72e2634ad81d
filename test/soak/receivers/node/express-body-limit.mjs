// express.raw() with its default limit of 100 kB. The state is idempotent, so no ids are stored.
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const db = new Map();
const app = express();

app.post('/webhooks', express.raw({ type: 'application/json' }), (req, res) => {
  let event;
  try {
    event = webhook.verify(req.body, req.headers);
  } catch (err) {
    return res.status(400).send(`Webhook Error: ${err.message}`);
  }
  const { code, amount } = event.data.object;
  switch (event.type) {
    case 'pix.settled':
      db.set(code, { ...db.get(code), status: 'PAID', paidAmount: Number(amount) });
      break;
    case 'pix.expired':
    case 'pix.failed':
      if (db.get(code)?.status !== 'PAID') db.set(code, { ...db.get(code), status: 'CANCELED' });
      break;
    default:
      console.log(`Unhandled event type ${event.type}`);
  }
  res.json({ received: true });
});

app.use(express.json());

app.put('/orders/:code', async (req, res) => {
  const { code } = req.params;
  if (!db.has(code)) db.set(code, { status: 'OPEN' });
  await createCharge(code, req.query.amount ?? '10.00');
  res.status(201).json(db.get(code));
});

app.get('/orders/:code', (req, res) => {
  if (!db.has(req.params.code)) return res.status(404).send('Not Found');
  res.json(db.get(req.params.code));
});

app.listen(process.env.PORT, '127.0.0.1');
