import { createHash, createHmac } from 'node:crypto';
import { describe, expect } from 'vitest';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import { API, chargeBody, START_MS, testApi, test } from '../../helpers/http/api-client.js';

const SECRET = WELL_KNOWN_CREDENTIALS.signingSecret;
const NOW_S = Math.floor(START_MS / 1000);
const NONCE = 'a-nonce-of-the-explain-test';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (text: string, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex');

/** How somebody's code signs a request: what it puts in the headers, and over which string. */
interface Signing {
  readonly timestamp?: string;
  readonly signature: (body: string, timestamp: string) => string;
}

const right = (body: string, timestamp: string) => `${timestamp}.${NONCE}.POST.${API}/pix.${sha256(body)}`;

async function hintFor({ timestamp = String(NOW_S), signature }: Signing, strict = false) {
  const api = await testApi({ strict });
  const body = JSON.stringify(chargeBody());
  const answer = await api.call('POST', '/pix', {
    body,
    sign: false,
    headers: { 'x-timestamp': timestamp, 'x-nonce': NONCE, 'x-signature': signature(body, timestamp) },
  });
  expect(answer.status).toBe(401);
  const expected = hmac(right(body, timestamp));
  expect(JSON.stringify(answer.body)).not.toContain(expected);
  expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  const [call] = api.sandbox.calls.newest();
  expect(call?.hint).toBe(answer.body.error.hint);
  return { code: answer.body.error.code, hint: answer.body.error.hint ?? '' };
}

describe('another published credential used as the secret', () => {
  const { webhookSecret, kycToken, kycPublishableKey, accountId, token } = WELL_KNOWN_CREDENTIALS;

  test.for<[name: string, secret: string]>([
    ['SANDBOX_WEBHOOK_SECRET', webhookSecret],
    ['SANDBOX_KYC_TOKEN', kycToken],
    ['SANDBOX_KYC_PUBLISHABLE_KEY', kycPublishableKey],
    ['SANDBOX_ACCOUNT_ID', accountId],
  ])('another published credential used as the secret is recognized: %s', async ([name, secret]) => {
    const { hint } = await hintFor({ signature: (body, at) => hmac(right(body, at), secret) });
    expect(hint).toContain(`Another credential was used as the key: ${name}. Expected: `);
    expect(hint).toMatch(/Sign with the application’s signing secret \(SANDBOX_SIGNING_SECRET\)\.$/);
  });

  test('another published credential used as the secret is recognized as the token of the request', async () => {
    const { hint } = await hintFor({ signature: (body, at) => hmac(right(body, at), token) });
    expect(hint).toContain('The bearer token was used as the secret.');
    expect(hint).toMatch(/Sign with the application’s signing secret \(SANDBOX_SIGNING_SECRET\)\.$/);
  });

  test('the secret of a webhook endpoint used as the signing secret is recognized, with its id', async ({
    api,
  }) => {
    const created = await api.call('POST', '/webhook-endpoints', {
      body: { url: 'https://shop.example/hooks', events: ['pix.settled'] },
    });
    const { id, secret } = created.body;
    const answer = await api.call('POST', '/pix', { body: chargeBody(), sign: { secret } });
    expect(answer.body.error.hint).toContain(
      `Another credential was used as the key: the secret of webhook endpoint ${id}.`,
    );
    expect(answer.body.error.hint).not.toContain(secret);
  });
});

test('compares a secret without an explanation with the published one', async () => {
  const { hint } = await hintFor({ signature: (body, at) => hmac(right(body, at), 'another secret') });
  expect(hint).toMatch(
    /^No known signing error explains the signature: .* prints the secret as SANDBOX_SIGNING_SECRET\.$/,
  );
});

test.for<[headers: Readonly<Record<string, string>>, hint: string]>([
  [{}, 'x-timestamp, x-nonce and x-signature are missing or empty.'],
  [{ 'x-timestamp': String(NOW_S) }, 'x-nonce and x-signature are missing or empty.'],
  [{ 'x-timestamp': String(NOW_S), 'x-nonce': NONCE }, 'x-signature is missing or empty.'],
])('names each header missing next to %j once', async ([headers, missing], { api }) => {
  const { body } = await api.call('POST', '/pix', { body: chargeBody(), sign: false, headers });
  expect(body.error).toMatchObject({
    code: 'SIGNATURE_MISSING',
    hint: `${missing} \`npx sandbox sign request\` prints the headers for a body.`,
  });
});

test('--strict gives no hints', async () => {
  const { hint } = await hintFor({ signature: (body, at) => hmac(right(body, at), `${SECRET}\n`) }, true);
  expect(hint).not.toContain('Expected: ');
});
