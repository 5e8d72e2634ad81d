// Waits for pix.paid, an event of other providers; the service sends pix.settled.
import Koa from 'koa';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = {};
const app = new Koa();

app.use(async (ctx, next) => {
  if (ctx.path !== '/webhooks') return next();
  if (ctx.method !== 'POST') return ctx.throw(405);
  const chunks = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  let event;
  try {
    event = webhook.verify(Buffer.concat(chunks), ctx.headers);
  } catch {
    return ctx.throw(400, 'invalid signature');
  }
  if (event.type === 'pix.paid') orders[event.data.object.code].status = 'paid';
  ctx.body = { received: true };
});

app.use(async (ctx) => {
  const code = ctx.path.replace('/orders/', '');
  if (ctx.method === 'PUT') {
    orders[code] ??= { status: 'waiting_payment' };
    await createCharge(code, '10.00');
  }
  ctx.body = orders[code] ?? { message: 'not found' };
});

app.listen(process.env.PORT, '127.0.0.1');
