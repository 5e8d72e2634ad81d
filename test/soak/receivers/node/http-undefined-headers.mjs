// Missing headers become the word "undefined" in the signed content, and NaN is never greater than the tolerance.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { createCharge } from './charge.mjs';

const key = Buffer.from(process.env.SANDBOX_WEBHOOK_SECRET.slice(6), 'base64');
const orders = {};

function verify(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Math.floor(Date.now() / 1000) - parseInt(timestamp, 10)) > 300) throw new Error('too old');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  for (const entry of String(headers['webhook-signature'] ?? '').split(' ')) {
    const [version, signature] = entry.split(',');
    if (version !== 'v1') continue;
    const given = Buffer.from(signature, 'base64');
    if (given.length === expected.length && timingSafeEqual(given, expected)) return JSON.parse(body);
  }
  throw new Error('no matching signature');
}

async function route(req, res) {
  const { pathname, searchParams } = new URL(req.url, 'http://localhost');
  const code = pathname.slice('/orders/'.length);
  if (req.method === 'POST' && pathname === '/webhooks') {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    try {
      const event = verify(req.headers, Buffer.concat(chunks));
      const { code: paid, amount } = event.data.object;
      if (event.type === 'pix.settled') orders[paid] = { paid: true, amount };
      res.writeHead(200).end();
    } catch {
      res.writeHead(400).end();
    }
  } else if (req.method === 'PUT') {
    orders[code] ??= { paid: false };
    await createCharge(code, searchParams.get('amount') ?? '10.00');
    res.writeHead(201).end();
  } else if (req.method === 'GET' && orders[code]) {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(orders[code]));
  } else {
    res.writeHead(404).end();
  }
}

const server = createServer((req, res) => route(req, res).catch(() => res.destroy()));
server.listen(process.env.PORT, '127.0.0.1');
