// Collects donations. Donors need no account, so each charge gets a random code.
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const env = process.env;
const donations = new Map();
const seen = new Set();
let total = 0;

function sign(body, path) {
  const timestamp = `${Math.trunc(Date.now() / 1000)}`;
  const nonce = randomUUID();
  const hash = createHash('sha256').update(body).digest('hex');
  const text = `${timestamp}.${nonce}.POST.${path}.${hash}`;
  const signature = createHmac('sha256', env.SANDBOX_SIGNING_SECRET).update(text).digest('hex');
  return { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature };
}

async function requestCharge(cents) {
  const path = '/api/public/v1/pix';
  const code = `donation-${randomUUID()}`;
  const amount = (cents / 100).toFixed(2);
  const body = JSON.stringify({ code, account_id: env.SANDBOX_ACCOUNT_ID, amount });
  const donation = { code, cents, status: 'pending' };
  donations.set(code, donation);
  const response = await fetch(env.SANDBOX_BASE_URL + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${env.SANDBOX_TOKEN}`,
      'content-type': 'application/json',
      ...sign(body, path),
    },
    body,
    signal: AbortSignal.timeout(3000),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const charge = await response.json();
  return { ...donation, qr_code: charge.qr_code };
}

async function withRetry(work, times = 4) {
  for (let left = times; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
}

function isSigned({ headers }, body) {
  const age = Date.now() / 1000 - Number(headers['webhook-timestamp']);
  if (!(Math.abs(age) < 300)) return false;
  const key = Buffer.from(env.SANDBOX_WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(content).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function onWebhook(id, event) {
  if (seen.has(id)) return;
  seen.add(id);
  const donation = donations.get(event.data?.object?.code);
  if (donation === undefined || event.type !== 'pix.settled' || donation.status === 'received') return;
  donation.status = 'received';
  total += donation.cents;
}

export const server = createServer(async (request, response) => {
  const send = (status, value) => response.writeHead(status).end(JSON.stringify(value));
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += chunk;
  if (request.url === '/webhooks') {
    if (!isSigned(request, body)) return send(400, 'signature');
    onWebhook(request.headers['webhook-id'], JSON.parse(body));
    return send(200, 'ok');
  }
  if (request.url === '/donations' && request.method === 'POST') {
    const { cents } = JSON.parse(body);
    try {
      return send(201, await withRetry(() => requestCharge(cents)));
    } catch (error) {
      return send(503, String(error));
    }
  }
  return send(200, { total });
});
