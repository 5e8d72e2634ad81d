// Correct: Koa answers 204; the order holds a history, with an id and a time for each entry.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import Koa from 'koa';
import { createCharge } from './charge.mjs';

const key = Buffer.from(process.env.SANDBOX_WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
const orders = new Map();
const seen = new Set();

const orderOf = (code) => {
  if (!orders.has(code)) orders.set(code, { state: 'pending', history: [] });
  return orders.get(code);
};

async function rawBody(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function isAuthentic(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (!id || !signatures || !/^\d{1,12}$/.test(time ?? '')) return false;
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
  const wanted = Buffer.from(`v1,${expected}`);
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

const app = new Koa();
app.use(async (ctx) => {
  const [, resource, code] = ctx.path.split('/');
  if (ctx.method === 'POST' && ctx.path === '/webhooks') {
    const body = await rawBody(ctx.req);
    if (!isAuthentic(ctx.headers, body)) ctx.throw(401);
    let event;
    try {
      event = JSON.parse(body);
    } catch {
      ctx.throw(400);
    }
    const isNew = !seen.has(ctx.get('webhook-id'));
    seen.add(ctx.get('webhook-id'));
    if (isNew && ['pix.settled', 'pix.expired', 'pix.failed'].includes(event.type)) {
      const order = orderOf(event.data.object.code);
      order.history.push({ entry: randomUUID(), type: event.type, at: new Date().toISOString() });
      if (event.type === 'pix.settled') order.state = 'paid';
      else if (order.state === 'pending') order.state = event.type.slice(4);
    }
    ctx.status = 204;
  } else if (resource === 'orders' && ctx.method === 'PUT') {
    orderOf(code);
    await createCharge(code, ctx.query.amount ?? '10.00');
    ctx.status = 201;
  } else if (resource === 'orders' && ctx.method === 'GET' && orders.has(code)) {
    ctx.body = orders.get(code);
  }
});
app.listen(process.env.PORT, '127.0.0.1');
