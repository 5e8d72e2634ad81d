// The error goes to the default error handler of Express, which prints its stack unless NODE_ENV is production.
process.env.NODE_ENV = 'development';
const { default: express } = await import('express');
const { Webhook } = await import('standardwebhooks');
const { createCharge } = await import('./charge.mjs');

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = {};
const app = express();

app.post('/webhooks', express.raw({ type: () => true, limit: '1mb' }), (req, res, next) => {
  let event;
  try {
    event = webhook.verify(req.body, req.headers);
  } catch (error) {
    error.status = 401;
    return next(error);
  }
  if (event.type === 'pix.settled') orders[event.data.object.code] = 'paid';
  res.status(204).end();
});

app.put('/orders/:code', async (req, res) => {
  orders[req.params.code] ??= 'unpaid';
  await createCharge(req.params.code, '99.90');
  res.status(201).end();
});

app.get('/orders/:code', (req, res) => {
  res.type('text').send(`${req.params.code}: ${orders[req.params.code] ?? 'unknown'}`);
});

app.listen(process.env.PORT, '127.0.0.1');
