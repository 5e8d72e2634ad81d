// The default of the switch throws, which Hono turns into a 500.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const state = new Map();
const app = new Hono();

function handle(event) {
  const { code } = event.data.object;
  switch (event.type) {
    case 'pix.settled':
      return state.set(code, 'paid');
    case 'pix.expired':
    case 'pix.failed':
      return state.get(code) === 'paid' ? null : state.set(code, event.type.split('.')[1]);
    case 'withdrawal.settled':
    case 'withdrawal.failed':
      return null;
    default:
      throw new Error(`Unhandled event type: ${event.type}`);
  }
}

app.post('/webhooks', async (c) => {
  const payload = await c.req.text();
  let event;
  try {
    event = webhook.verify(payload, c.req.header());
  } catch {
    return c.json({ error: 'Invalid signature' }, 401);
  }
  handle(event);
  return c.body(null, 200);
});

app.put('/orders/:code', async (c) => {
  const code = c.req.param('code');
  if (!state.has(code)) state.set(code, 'open');
  await createCharge(code, '10.00');
  return c.json({ code }, 201);
});

app.get('/orders/:code', (c) => c.text(state.get(c.req.param('code')) ?? 'unknown'));

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
