// Correct but slow: 8 seconds of work before a 202, any number of requests at a time.
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = new Map();
const fastify = Fastify({ bodyLimit: 1_048_576 });
fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

fastify.post('/webhooks', async (request, reply) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    return reply.code(401).send({ error: 'Unauthorized' });
  }
  await delay(8_000);
  const { code } = event.data.object;
  const order = orders.get(code) ?? { status: 'created' };
  if (event.type === 'pix.settled') orders.set(code, { ...order, status: 'paid' });
  if (event.type === 'pix.expired' && order.status !== 'paid') orders.set(code, { ...order, status: 'expired' });
  return reply.code(202).send();
});

fastify.put('/orders/:code', async (request, reply) => {
  const { code } = request.params;
  if (!orders.has(code)) orders.set(code, { status: 'created' });
  await createCharge(code, '10.00');
  return reply.code(201).send({ code });
});

fastify.get('/orders/:code', async (request) => orders.get(request.params.code) ?? { status: 'not found' });

await fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
