// A shop that takes PIX payments, with nothing but Node. BUG is replaced by the name of a bug, or by nothing.
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const BUG = '';
const PORT = 3000;
const {
  SANDBOX_BASE_URL,
  SANDBOX_TOKEN,
  SANDBOX_SIGNING_SECRET,
  SANDBOX_ACCOUNT_ID,
  SANDBOX_WEBHOOK_SECRET,
} = process.env;
const TOLERANCE_S = 300;
const EVENT = BUG === 'other-event' ? 'pix.paid' : 'pix.settled';

const orders = new Map();
const seen = new Set();

async function createOrder(code, amount) {
  const path = '/api/public/v1/pix';
  const body = JSON.stringify({ account_id: SANDBOX_ACCOUNT_ID, code, amount });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const digest = createHash('sha256').update(body).digest('hex');
  const signed = `${timestamp}.${nonce}.POST.${path}.${digest}`;
  // A webhook may come before the response.
  orders.set(code, { code, status: 'open', paid: '0.00', payments: 0 });
  const response = await fetch(SANDBOX_BASE_URL + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SANDBOX_TOKEN}`,
      'content-type': 'application/json',
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': createHmac('sha256', SANDBOX_SIGNING_SECRET).update(signed).digest('hex'),
    },
    body,
  });
  if (!response.ok) throw new Error(`The charge ${code} was refused with ${response.status}.`);
  return orders.get(code);
}

function isGenuine(headers, body) {
  if (BUG === 'no-signature-check') return true;
  const {
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': signatures = '',
  } = headers;
  if (id === '' || !/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S)
    return false;
  const text = SANDBOX_WEBHOOK_SECRET.slice('whsec_'.length);
  const key = BUG === 'secret-as-text' ? text : Buffer.from(text, 'base64');
  const signed = BUG === 'reserialized-body' ? JSON.stringify(JSON.parse(body), null, 2) : body;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(signed).digest();
  return signatures.split(' ').some((each) => {
    const [version, digest = ''] = each.split(',', 2);
    const actual = Buffer.from(digest, 'base64');
    return version === 'v1' && actual.length === expected.length && timingSafeEqual(actual, expected);
  });
}

function handle({ type, data }, id) {
  if (BUG !== 'no-deduplication') {
    if (seen.has(id)) return;
    seen.add(id);
  }
  const order = orders.get(data?.object?.code);
  if (order === undefined) return;
  if (type === EVENT) {
    Object.assign(order, { status: 'paid', paid: data.object.amount, payments: order.payments + 1 });
  } else if (type === 'pix.expired' && order.status === 'open') {
    order.status = 'expired';
  } else if (type === 'pix.returned') {
    order.status = 'returned';
  }
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { pathname } = new URL(request.url, 'http://localhost');
  const send = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const [, code] = /^\/orders\/([\w-]+)$/.exec(pathname) ?? [];
  try {
    if (request.method === 'POST' && pathname === '/webhooks') {
      if (!isGenuine(request.headers, body)) return send(400, { error: 'The signature does not hold.' });
      handle(JSON.parse(body), request.headers['webhook-id']);
      return send(200, {});
    }
    if (request.method === 'PUT' && code) return send(201, await createOrder(code, JSON.parse(body).amount));
    if (request.method === 'GET' && code && orders.has(code)) return send(200, orders.get(code));
    return send(404, { error: 'This path does not exist.' });
  } catch {
    return send(400, { error: 'The request cannot be read.' });
  }
}).listen(PORT);
