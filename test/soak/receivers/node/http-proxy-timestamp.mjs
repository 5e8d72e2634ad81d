// Correct: behind a proxy that buffers whole requests and responses; the event with the newest timestamp decides.
import { createServer, request as forward } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { createCharge } from './charge.mjs';

const webhook = new Webhook(process.env.SANDBOX_WEBHOOK_SECRET);
const orders = new Map();

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function receive(req, res) {
  const body = await read(req);
  let event;
  try {
    event = webhook.verify(body, req.headers);
  } catch {
    return res.writeHead(400).end();
  }
  const { code, status } = event.data.object;
  const order = orders.get(code) ?? { status: 'CREATED', asOf: 0 };
  const at = Date.parse(event.timestamp);
  if (/^pix\.(settled|expired|failed)$/.test(event.type) && at > order.asOf) orders.set(code, { status, asOf: at });
  res.writeHead(200).end('ok');
}

async function route(req, res) {
  const { pathname } = new URL(req.url, 'http://localhost');
  const code = decodeURIComponent(pathname.split('/')[2] ?? '');
  if (req.method === 'POST' && pathname === '/webhooks') return receive(req, res);
  if (!pathname.startsWith('/orders/')) return res.writeHead(404).end();
  if (req.method === 'PUT') {
    if (!orders.has(code)) orders.set(code, { status: 'CREATED', asOf: 0 });
    await createCharge(code, '10.00');
  }
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(orders.get(code) ?? null));
}

const application = createServer((req, res) => route(req, res).catch(() => res.destroy())).listen(0, '127.0.0.1', () => {
  const { port } = application.address();
  createServer(async (req, res) => {
    const body = await read(req).catch(() => null);
    if (body === null) return;
    const { 'transfer-encoding': _, ...headers } = req.headers;
    const upstream = forward(
      { port, host: '127.0.0.1', method: req.method, path: req.url, headers: { ...headers, 'content-length': body.length } },
      async (answer) => {
        const buffered = await read(answer);
        const { 'transfer-encoding': _, ...kept } = answer.headers;
        res.writeHead(answer.statusCode, { ...kept, 'content-length': buffered.length }).end(buffered);
      },
    );
    upstream.on('error', () => res.writeHead(502).end());
    upstream.end(body);
  }).listen(process.env.PORT, '127.0.0.1');
});
