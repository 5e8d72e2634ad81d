import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import { describe, expect } from 'vitest';
import type { Sent } from '../../helpers/http/api-client.js';
import { API, chargeBody, otherApp, START_MS, testApi, test } from '../../helpers/http/api-client.js';

const NOW_S = START_MS / 1000;
const UNAUTHENTICATED = { status: 401, code: 'UNAUTHENTICATED' };
const MISSING = { status: 401, code: 'SIGNATURE_MISSING' };
const INVALID = { status: 401, code: 'SIGNATURE_INVALID' };
const OUT_OF_RANGE = { status: 401, code: 'TIMESTAMP_OUT_OF_RANGE' };
const REUSED = { status: 401, code: 'NONCE_REUSED' };
const NONCE = 'a-nonce-of-the-test';

describe('the bearer token (§5.1)', () => {
  const { token } = WELL_KNOWN_CREDENTIALS;

  test.for([null, 'Bearer', 'Bearer unknown', token, `Basic ${token}`, `Bearer ${token} x`])(
    'the bearer token is rejected as %j',
    async (authorization, { api }) => {
      const error = await api.refused('POST', '/pix', { body: chargeBody(), headers: { authorization } });
      expect(error).toMatchObject(UNAUTHENTICATED);
      expect(error.hint).toContain('SANDBOX_TOKEN');
    },
  );

  test('the bearer token may name its scheme in any case', async ({ api }) => {
    const headers = { authorization: `bEARER ${token}` };
    expect((await api.call('GET', '/withdrawals', { headers })).status).toBe(200);
  });
});

describe('scopes (§5.3)', () => {
  const SCOPE_OF = [
    ['POST', '/pix', 'pix:write'],
    ['GET', '/withdrawals', 'withdrawals:read'],
    ['POST', '/webhook-endpoints', 'webhooks:write'],
    ['GET', '/webhook-endpoints', 'webhooks:read'],
    ['GET', '/webhook-endpoints/x', 'webhooks:read'],
    ['POST', '/webhook-endpoints/x/rotate-secret', 'webhooks:write'],
    ['GET', '/webhook-endpoints/x/deliveries', 'webhooks:read'],
    ['POST', '/webhook-endpoints/x/deliveries/y/retry', 'webhooks:write'],
  ] as const;
  const ALL = ['pix:write', 'pix:read', 'withdrawals:read', 'webhooks:write', 'webhooks:read'];

  test.for(SCOPE_OF)('%s %s needs %s', async ([method, path, scope], { api }) => {
    const caller = await otherApp(api, { scopes: ALL.filter((other) => other !== scope) });
    const error = await api.refused(method, path, { caller });
    expect(error).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
    expect(error.message).toContain(scope);
    const allowed = await otherApp(api, { scopes: [scope] });
    expect((await api.call(method, path, { caller: allowed })).status).not.toBe(403);
  });

  test('scopes are not required for transactions, unless the assumption names one', async ({ api }) => {
    const caller = await otherApp(api, { scopes: ['webhooks:read'] });
    const path = `/accounts/${caller.accountId}/transactions`;
    expect((await api.call('GET', path, { caller })).status).toBe(200);
    const strict = await testApi({ assume: { 'transactions.scope': 'pix:read' } });
    const other = await otherApp(strict, { scopes: ['webhooks:read'] });
    const refused = await strict.call('GET', `/accounts/${other.accountId}/transactions`, { caller: other });
    expect(refused.status).toBe(403);
  });
});

test.for(['x-timestamp', 'x-nonce', 'x-signature'])('the header %s is required', async (name, { api }) => {
  const error = await api.refused('POST', '/pix', { body: chargeBody(), headers: { [name]: null } });
  expect(error).toMatchObject(MISSING);
  expect(error.message).toContain(name);
});

describe('the timestamp against real time', () => {
  test.for([
    [-301, 401, 'TIMESTAMP_OUT_OF_RANGE'],
    [-300, 201, undefined],
    [300, 201, undefined],
    [301, 401, 'TIMESTAMP_OUT_OF_RANGE'],
  ] as const)('a timestamp %i s from now gets %i %s', async ([offsetS, expected, code], { api }) => {
    const sign = { timestampS: NOW_S + offsetS };
    const { status, body } = await api.call('POST', '/pix', { body: chargeBody(), sign });
    expect([status, body.error?.code]).toEqual([expected, code]);
  });

  test('uses real time when the sandbox clock differs', async ({ api }) => {
    await api.control('POST', 'clock/advance', { by: '30d' });
    expect((await api.call('POST', '/pix', { body: chargeBody() })).status).toBe(201);
  });

  test('the timestamp has a configurable tolerance', async () => {
    const api = await testApi({ assume: { 'signature.tolerance': '10s' } });
    const late = { body: chargeBody(), sign: { timestampS: NOW_S - 11 } };
    const error = await api.refused('POST', '/pix', late);
    expect(error).toMatchObject(OUT_OF_RANGE);
    expect(error.hint).toContain('within 10 s of now');
  });
});

describe('the signature', () => {
  test.for<[string, Sent['sign']]>([
    ['secret', { secret: 'wrong' }],
    ['body', { body: '{}' }],
    ['path', { target: `${API}/pix/` }],
  ])('a signature over another %s is rejected', async ([, sign = true], { api }) => {
    expect(await api.refused('POST', '/pix', { body: chargeBody(), sign })).toMatchObject(INVALID);
  });

  test('covers the path without the query, unless the assumption says otherwise', async ({ api }) => {
    expect((await api.call('POST', '/pix?try=2', { body: chargeBody() })).status).toBe(201);
    const whole = await testApi({ assume: { 'signature.path': 'target' } });
    expect(await whole.refused('POST', '/pix?try=2', { body: chargeBody() })).toMatchObject(INVALID);
    const sign = { scheme: { pathForm: 'target' } } as const;
    expect((await whole.call('POST', '/pix?try=2', { body: chargeBody(), sign })).status).toBe(201);
  });

  test('the signature may be base64 by assumption', async () => {
    const api = await testApi({ assume: { 'signature.encoding': 'base64' } });
    const sign = { scheme: { signatureEncoding: 'base64' } } as const;
    expect((await api.call('POST', '/pix', { body: chargeBody(), sign })).status).toBe(201);
    expect(await api.refused('POST', '/pix', { body: chargeBody() })).toMatchObject(INVALID);
  });
});

describe('the nonce', () => {
  const sign = { nonce: NONCE };

  test('the nonce is used up by a request with a valid signature', async ({ api }) => {
    expect((await api.call('POST', '/pix', { body: chargeBody(), sign })).status).toBe(201);
    const error = await api.refused('POST', '/pix', { body: chargeBody(), sign });
    expect(error).toMatchObject(REUSED);
    expect(error.hint).toContain('new nonce');
  });

  test('the nonce is used up even if the body is then rejected', async ({ api }) => {
    expect(await api.refused('POST', '/pix', { body: '{', sign })).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
    });
    expect(await api.refused('POST', '/pix', { body: chargeBody(), sign })).toMatchObject(REUSED);
  });

  test('rejects a reused nonce until its timestamp expires', async ({ api }) => {
    const send = async () => (await api.call('POST', '/pix', { body: chargeBody(), sign })).status;
    expect(await send()).toBe(201);
    api.real.nowMs += 300_000;
    expect(await send()).toBe(401);
    api.real.nowMs += 1_000;
    expect(await send()).toBe(200);
  });

  test('the nonce is not used up by a request rejected before', async ({ api }) => {
    const early: readonly Sent[] = [
      { sign: { ...sign, secret: 'wrong' } },
      { sign: { ...sign, timestampS: NOW_S - 301 } },
      { sign, headers: { authorization: 'Bearer unknown' } },
      { sign, body: 'x'.repeat(256 * 1024 + 1) },
    ];
    for (const sent of early) {
      expect((await api.call('POST', '/pix', { body: chargeBody(), ...sent })).status).toBeGreaterThan(400);
    }
    expect((await api.call('POST', '/pix', { body: chargeBody(), sign })).status).toBe(201);
  });
});

describe('the order of the checks', () => {
  const broken: Sent[] = [
    { body: 'x'.repeat(256 * 1024 + 1) },
    { headers: { authorization: 'Bearer unknown' } },
    {},
    { headers: { 'x-nonce': 'short' } },
    { sign: { timestampS: NOW_S - 301, secret: 'wrong', nonce: NONCE } },
    { sign: { secret: 'wrong', nonce: NONCE } },
    { sign: { nonce: NONCE } },
    {},
  ];
  const expected = [
    'PAYLOAD_TOO_LARGE',
    'UNAUTHENTICATED',
    'INSUFFICIENT_SCOPE',
    'SIGNATURE_INVALID',
    'TIMESTAMP_OUT_OF_RANGE',
    'SIGNATURE_INVALID',
    'NONCE_REUSED',
    'INVALID_REQUEST',
  ];

  test('the order of the checks is size, token, scope, header form, timestamp, signature, nonce, body', async ({
    api,
  }) => {
    await api.call('POST', '/pix', { body: chargeBody(), sign: { nonce: NONCE } });
    const scopeless = await otherApp(api, { scopes: ['webhooks:read'] });
    const codes: string[] = [];
    for (const [index, flaw] of broken.entries()) {
      // Each request has its own flaw and all the later ones that it can have at the same time.
      const later = { body: '{', sign: { timestampS: NOW_S - 301, secret: 'wrong', nonce: NONCE } } as const;
      const caller = index <= 2 ? { caller: scopeless } : {};
      const sent = index <= 3 ? { ...later, ...caller, ...flaw } : { body: '{', ...flaw };
      codes.push((await api.call('POST', '/pix', sent)).body.error.code);
    }
    expect(codes).toEqual(expected);
  });
});
