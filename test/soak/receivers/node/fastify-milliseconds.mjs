// Compares Date.now(), in milliseconds, with a timestamp in seconds.
import { createHmac, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import { createCharge } from './charge.mjs';

const TOLERANCE = 5 * 60 * 1000;
const key = Buffer.from(process.env.SANDBOX_WEBHOOK_SECRET.split('_')[1], 'base64');
const orders = {};
const fastify = Fastify({ bodyLimit: 1_000_000 });
fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_req, body, done) => done(null, body));

function verify(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = Number(headers['webhook-timestamp']);
  if (!id || !(Math.abs(Date.now() - timestamp) < TOLERANCE)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((entry) => {
    if (!entry.startsWith('v1,')) return false;
    const signature = Buffer.from(entry.slice(3), 'base64');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

fastify.post('/webhooks', async (request, reply) => {
  if (!verify(request.headers, request.body)) return reply.code(401).send({ error: 'Unauthorized' });
  const event = JSON.parse(request.body);
  if (event.type === 'pix.settled') orders[event.data.object.code] = { status: 'PAID' };
  return { received: true };
});

fastify.put('/orders/:code', async (request, reply) => {
  orders[request.params.code] ??= { status: 'PENDING' };
  await createCharge(request.params.code, '10.00');
  return reply.code(201).send(orders[request.params.code]);
});

fastify.get('/orders/:code', async (request) => orders[request.params.code] ?? {});

await fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
