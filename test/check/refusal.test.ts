import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { fetchHandler, Stage } from '../helpers/check/receivers/stage.js';

const KEY = 'the secret of the small shop 0001';
const SECRET = `whsec_${Buffer.from(KEY).toString('base64')}`;

interface Received {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

type Respond = (webhook: Received, request: Request) => Response | Promise<Response>;

/** The failure of a receiver that refuses the first valid webhook. */
async function failureOf(respond: Respond, more: Partial<CheckOptions> = {}) {
  const bodies: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const body = await request.text();
    bodies.push(body);
    const header = (name: string) => request.headers.get(`webhook-${name}`) ?? '';
    const [id, timestamp, signature] = [header('id'), header('timestamp'), header('signature')];
    return respond({ id, timestamp, signature, body }, request);
  };
  const { checks, notes } = await runChecks({ to: { fetch }, secret: SECRET, ...more });
  const failed = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  expect(failed).toHaveLength(1);
  const { id, likely, fix } = failed[0] ?? { id: '', likely: '', fix: '' };
  return { id, likely, fix, notes, requests: bodies.length };
}

/** A receiver that compares with its own signature. */
function comparing(signatureOf: (webhook: Received) => string): Respond {
  return (webhook) => new Response('', { status: webhook.signature === signatureOf(webhook) ? 200 : 401 });
}

function hmac(key: string | Buffer, content: string, encoding: 'base64' | 'hex' = 'base64'): string {
  return createHmac('sha256', key).update(content).digest(encoding);
}

const content = ({ id, timestamp, body }: Received, written = body) => `${id}.${timestamp}.${written}`;
const python = (body: string) => body.replaceAll('":', '": ').replaceAll(/,"/g, ', "');

test.each<[string, (webhook: Received) => string, RegExp, RegExp]>([
  [
    'the whole secret as text',
    (one) => `v1,${hmac(SECRET, content(one))}`,
    /used as undecoded text, including whsec_/,
    /base64-decode/,
  ],
  [
    'JSON as Python writes it',
    (one) => `v1,${hmac(KEY, content(one, python(one.body)))}`,
    /different spacing/,
    /before you parse/,
  ],
  ['a hex digest', (one) => `v1,${hmac(KEY, content(one), 'hex')}`, /encoded in hex/, /base64/],
  [
    'the scheme of GitHub',
    (one) => `sha256=${hmac(SECRET, one.body, 'hex')}`,
    /including whsec_.*body.*sha256=/,
    /Split webhook-signature/,
  ],
])('names %s from the accepted variant', async (_, signatureOf, likely, fix) => {
  const failure = await failureOf(comparing(signatureOf));
  expect(failure).toMatchObject({
    id: 'accept.types',
    likely: expect.stringMatching(likely),
    fix: expect.stringMatching(fix),
  });
});

test('names a timestamp compared in milliseconds', async () => {
  const failure = await failureOf((one) => {
    const isRecent = Math.abs(Date.now() - Number(one.timestamp)) < 300_000;
    return new Response('', {
      status: isRecent && one.signature === `v1,${hmac(KEY, content(one))}` ? 200 : 400,
    });
  });
  expect(failure).toMatchObject({
    likely: expect.stringContaining('milliseconds'),
    fix: expect.stringContaining('1000'),
  });
});

test('reports first that an unsigned webhook is accepted', async () => {
  const failure = await failureOf(
    ({ signature }) => new Response('', { status: signature === '' ? 200 : 401 }),
  );
  expect(failure.likely).toContain('accepts an unsigned webhook');
});

test('recognizes an inverted comparison', async () => {
  const failure = await failureOf((one) => {
    return new Response('', { status: one.signature === `v1,${hmac(KEY, content(one))}` ? 401 : 200 });
  });
  expect(failure.likely).toContain('accepts a forged signature and rejects the valid one');
});

test('shows the exchange and the usual causes in order, without secrets, if no variant is accepted', async () => {
  const headers = { authorization: 'Bearer check-token-0001' };
  const respond: Respond = () => new Response(`Unknown ${SECRET} of check-token-0001`, { status: 401 });
  const { id, likely, fix, notes, requests } = await failureOf(respond, { headers });
  expect([id, likely]).toEqual(['accept.types', expect.stringMatching(/^The receiver rejects .*401/)]);
  expect(fix).toMatch(/different secret.*body parser.*other middleware/);
  const shown = notes.join('\n');
  expect(shown).toMatch(/Request: POST .*webhook-signature: v1,.*"type":"pix.settled".*Response: 401\n/s);
  expect(shown + likely).not.toMatch(/check-token-0001|dGhlIHNlY3JldC/);
  expect(requests).toBeLessThan(75);
});

test.each<[string, Respond, string, RegExp, RegExp]>([
  [
    'a redirect',
    () => new Response(null, { status: 308, headers: { location: '/webhooks/' } }),
    'answer.redirect',
    /redirects \(308\) to \/webhooks\//,
    /localhost\/webhooks\/`\.$/,
  ],
  [
    'a login',
    () => new Response(null, { status: 302, headers: { location: '/accounts/login?next=/' } }),
    'answer.redirect',
    /302/,
    /Exempt \/webhooks from login/,
  ],
  [
    'a wrong path',
    () => new Response('Not Found', { status: 404 }),
    'accept.types',
    /POST \/webhooks does not exist \(404\)/,
    /path after the port/,
  ],
  [
    'another method',
    () => new Response('', { status: 405, headers: { allow: 'GET' } }),
    'accept.types',
    /does not accept POST \(405; it allows GET\)/,
    /POST \/webhooks/,
  ],
  [
    'CSRF protection in Django',
    () => new Response('<h1>Forbidden</h1><p>CSRF verification failed.</p>', { status: 403 }),
    'accept.types',
    /CSRF protection/,
    /@csrf_exempt/,
  ],
  [
    'HTTP authentication',
    () => new Response('', { status: 401, headers: { 'www-authenticate': 'Basic' } }),
    'accept.types',
    /login/,
    /Exempt/,
  ],
  [
    'a crash',
    () =>
      new Response('<title>Error</title><pre>TypeError: x is undefined<br> &nbsp; at verify</pre>', {
        status: 500,
      }),
    'accept.types',
    /fails.*500.*TypeError: x is undefined \|/,
    /application's log/,
  ],
])('explains %s by the response', async (_, respond, by, likely, fix) => {
  const failure = await failureOf(respond);
  expect(failure).toMatchObject({
    id: by,
    likely: expect.stringMatching(likely),
    fix: expect.stringMatching(fix),
  });
});

test('explains a refused connection', async () => {
  const to = new URL('http://127.0.0.1:1/webhooks');
  const { checks, notes } = await runChecks({ to, secret: SECRET });
  expect(checks.find(({ verdict }) => verdict === 'fail')).toMatchObject({
    id: 'accept.types',
    likely: 'Nothing is listening on 127.0.0.1:1.',
  });
  expect(notes).toContain('Nothing is listening on 127.0.0.1:1.');
});

test('reports a receiver that accepts the second valid webhook as unsteady', async () => {
  let count = 0;
  const failure = await failureOf(() => new Response('', { status: (count += 1) === 1 ? 503 : 200 }));
  expect(failure.likely).toContain('rejected the first valid webhook (503) and accepted a later one');
});

/** Checks a shop with an order command behind a handler that replaces responses, and counts the orders. */
async function orderedFailure(respond: (response: Response) => Response) {
  await using stage = await Stage.open();
  const shop = stage.shop();
  const options = stage.checkOptions(shop);
  const handler = fetchHandler(shop);
  let orders = 0;
  const { checks } = await runChecks({
    ...options,
    to: { fetch: async (request) => respond(await handler.fetch(request)) },
    order: async (order) => {
      orders += 1;
      await shop.order(order);
    },
  });
  return { failed: checks.find(({ verdict }) => verdict === 'fail'), orders };
}

test('distinguishes a rejected event of its own order from a signature mismatch', async () => {
  const { failed } = await orderedFailure(({ status }) =>
    status === 200 ? new Response('No.', { status: 404 }) : new Response('', { status: 401 }),
  );
  expect(failed).toMatchObject({
    id: 'accept.types',
    likely: expect.stringMatching(
      /verifies the signature, but then rejects a pix.settled for its own order \(404 .*401/,
    ),
  });
});

test('distinguishes them by the text of responses with the same status', async () => {
  const failure = await failureOf((one) => {
    const isValid = one.signature === `v1,${hmac(KEY, content(one))}`;
    return new Response(isValid ? 'Unknown order.' : 'Invalid signature.', { status: 400 });
  });
  expect(failure).toMatchObject({
    id: 'accept.unknown-resource',
    likely: expect.stringMatching(/Unknown order.*Invalid signature/),
  });
});

test('creates one order for all variants', async () => {
  const { failed, orders } = await orderedFailure(() => new Response('', { status: 401 }));
  expect([failed?.id, orders]).toEqual(['accept.types', 3]);
});
