// Adds to a balance for every delivery.
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const wallets = {};
const fastify = Fastify({ bodyLimit: 5e6 });

fastify.register(async (scope) => {
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_req, body, done) => done(null, body));
  scope.post('/webhooks', async (request, reply) => {
    let event;
    try {
      event = webhook.verify(request.body, request.headers);
    } catch {
      return reply.code(400).send({ error: 'invalid webhook' });
    }
    if (event.type === 'pix.settled') {
      const { code, amount } = event.data.object;
      const wallet = (wallets[code] ??= { cents: 0, payments: 0 });
      wallet.cents += Math.round(Number(amount) * 100);
      wallet.payments += 1;
    }
    return { ok: true };
  });
});

fastify.put('/orders/:code', async (request, reply) => {
  wallets[request.params.code] ??= { cents: 0, payments: 0 };
  await createCharge(request.params.code, request.query.amount ?? '10.00');
  return reply.code(201).send({ ok: true });
});

fastify.get('/orders/:code', async (request, reply) => wallets[request.params.code] ?? reply.code(404).send({ error: 'not found' }));

await fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
