// Rents parcel lockers: an order reserves a locker, a payment opens it, an expired charge releases it.
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const {
  SANDBOX_BASE_URL,
  SANDBOX_TOKEN,
  SANDBOX_SIGNING_SECRET,
  SANDBOX_ACCOUNT_ID,
  SANDBOX_WEBHOOK_SECRET,
} = process.env;
const KEY = Buffer.from(SANDBOX_WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
const RETRIES = 4;

async function postCharge(body) {
  const path = '/api/public/v1/pix';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const digest = createHash('sha256').update(body).digest('hex');
  const signature = createHmac('sha256', SANDBOX_SIGNING_SECRET)
    .update([timestamp, nonce, 'POST', path, digest].join('.'))
    .digest('hex');
  const response = await fetch(SANDBOX_BASE_URL + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SANDBOX_TOKEN}`,
      'content-type': 'application/json',
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': signature,
    },
    body,
    signal: AbortSignal.timeout(5000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The charge was refused with ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Repeats the call with the same code, and a nonce of its own each time. */
async function createCharge(code, amount) {
  const body = JSON.stringify({ account_id: SANDBOX_ACCOUNT_ID, code, amount });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await postCharge(body);
    } catch (error) {
      if (attempt > RETRIES) throw error;
      await sleep(100 * attempt);
    }
  }
}

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp ?? '')) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const digest = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  return signatures.split(' ').some((text) => {
    const given = Buffer.from(text);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export class Lockers {
  rentals = new Map();
  /** One entry for each time a locker was opened. */
  opened = [];
  #seen = new Set();

  async rent(code, amount) {
    // The order is stored before the call: its event may come before the response.
    const rental = this.rentals.get(code) ?? { code, amount, status: 'reserved' };
    this.rentals.set(code, rental);
    rental.qrCode = (await createCharge(code, amount)).qr_code;
    return rental;
  }

  handle(id, { type, data }) {
    if (this.#seen.has(id)) return;
    const rental = this.rentals.get(data?.object?.code);
    if (rental !== undefined && rental.status !== 'paid') {
      if (type === 'pix.settled') {
        rental.status = 'paid';
        this.opened.push(rental.code);
      } else if (type === 'pix.expired' || type === 'pix.failed') {
        rental.status = 'released';
      }
    }
    this.#seen.add(id);
  }
}

export function createApp(lockers) {
  return createServer(async (request, response) => {
    const reply = (status, value) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    try {
      const body = await readBody(request);
      const [, route, code] = request.url.split('/');
      if (request.method === 'POST' && route === 'webhooks') {
        if (!isGenuine(request.headers, body)) return reply(401, { error: 'invalid signature' });
        lockers.handle(request.headers['webhook-id'], JSON.parse(body));
        return reply(200, {});
      }
      if (request.method === 'PUT' && route === 'rentals')
        return reply(201, await lockers.rent(code, JSON.parse(body).amount));
      if (request.method === 'GET' && route === 'rentals' && lockers.rentals.has(code))
        return reply(200, lockers.rentals.get(code));
      return reply(404, { error: 'not found' });
    } catch (error) {
      return reply(502, { error: error.message });
    }
  });
}
