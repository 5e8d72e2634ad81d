import { describe, expect } from 'vitest';
import { DAY_MS } from '../../../src/contract/time.js';
import { SESSION_DECISIONS } from '../../../src/contract/transitions.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import { test, testApi, type TestApi } from '../../helpers/http/api-client.js';
import {
  createSession,
  identityCall,
  KYC_API,
  newKey,
  otherOrganization,
  readResult,
  sessionIdOf,
} from '../../helpers/http/identity-client.js';

const DOCUMENT = '529.982.247-25';

function decide(api: TestApi, sessionId: string, decision: object) {
  return api.control('POST', `kyc/sessions/${sessionId}/decide`, decision);
}

function advance(api: TestApi, by: string) {
  return api.control('POST', 'clock/advance', { by });
}

/** The status of the answer, and what it says: the status of the result or the code of the error. */
async function read(api: TestApi, sessionId: string): Promise<[number, string]> {
  const { status, body } = await readResult(api, sessionId);
  return [status, body.error?.code ?? body.status];
}

describe('the result of a session', () => {
  test.each(SESSION_DECISIONS)(
    'the result of a session that is %s has its status, and an euid when it is approved',
    async (status) => {
      const api = await testApi();
      const sessionId = await sessionIdOf(api);
      expect(await read(api, sessionId)).toEqual([409, 'NOT_TERMINAL']);
      await decide(api, sessionId, { status, document: DOCUMENT });
      const answer = await readResult(api, sessionId);
      const { euid, ...others } = answer.body;
      expect([answer.status, others]).toEqual([200, { sessionId, status }]);
      expect(/^euid_[0-9a-f]{32}$/.test(euid ?? '')).toBe(status === 'approved');
      expect('euid' in answer.body).toBe(status === 'approved');
    },
  );

  test('the result of a session that expired returns 410 exactly at that time, or is expired by assumption', async ({
    api,
  }) => {
    const expired = await testApi({ assume: { 'session.lapsed_result': '200', 'session.lifetime': '5m' } });
    const [first, second] = [await sessionIdOf(api), await sessionIdOf(expired)];
    await advance(api, '29m59s999ms');
    await advance(expired, '4m59s999ms');
    expect([await read(api, first), await read(expired, second)]).toEqual([
      [409, 'NOT_TERMINAL'],
      [409, 'NOT_TERMINAL'],
    ]);
    await advance(api, '1ms');
    await advance(expired, '1ms');
    expect(await read(api, first)).toEqual([410, 'SESSION_EXPIRED']);
    expect(await read(expired, second)).toEqual([200, 'expired']);
  });
});

describe('an unavailable result', () => {
  test('an unavailable result is the same for an unknown session and one of another organization', async ({
    api,
  }) => {
    const { kycToken } = await otherOrganization(api);
    const sessionId = await sessionIdOf(api);
    const foreign = await readResult(api, sessionId, String(kycToken));
    const unknown = await readResult(api, 'kyc_0000', String(kycToken));
    const shown = ({ status, body }: typeof foreign) => [status, { ...body.error, request_id: '' }];
    expect(shown(foreign)).toEqual(shown(unknown));
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect((await readResult(api, sessionId.slice(0, 12))).status).toBe(404);
    expect((await readResult(api, sessionId)).status).toBe(409);
  });
});

describe('creating a session', () => {
  test('returns 201 with what a browser needs to open it', async ({ api }) => {
    const { status, body, headers } = await createSession(api, { body: { customerType: 'business' } });
    expect(status).toBe(201);
    expect(body).toEqual({
      sessionId: expect.stringMatching(/^kyc_[0-9a-f]{40}$/),
      customerType: 'business',
      status: 'CREATED',
      url: `http://sandbox.localhost/session/${body.sessionId}`,
      expiresAt: '2026-01-01T12:30:00.000Z',
    });
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  test('warns of unknown fields, or rejects them by assumption', async ({ api }) => {
    const body = { customerType: 'individual', customer_type: 'business' };
    expect((await createSession(api, { body })).status).toBe(201);
    const [call] = api.sandbox.calls.newest();
    expect(call?.warnings).toEqual(['The field customer_type is unknown and was ignored.']);
    const strict = await testApi({ assume: { 'charge.unknown_fields': 'refuse' } });
    expect((await createSession(strict, { body })).status).toBe(400);
  });

  test.each([
    ['no body', undefined],
    ['broken JSON', '{'],
  ])('creating a session is rejected with %s', async (_, body) => {
    const api = await testApi();
    const before = api.state();
    const sent = { headers: { 'idempotency-key': newKey() }, ...(body === undefined ? {} : { body }) };
    const answer = await identityCall(api, 'POST', '/sessions', sent);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(api.state()).toEqual(before);
  });
});

describe('an Idempotency-Key', () => {
  test.each([
    ['of 16 characters', 'k'.repeat(16), 201],
    ['of 255 characters', 'k'.repeat(255), 201],
    ['with spaces and symbols', `${'k'.repeat(15)} ~!`, 201],
    ['of 15 characters', 'k'.repeat(15), 400],
    ['of 256 characters', 'k'.repeat(256), 400],
    ['with a character beyond ASCII', `${'k'.repeat(20)}é`, 400],
    ['that is missing', null, 400],
  ])('%s gets the documented response', async (_, key, status) => {
    const api = await testApi();
    const answer = await createSession(api, { key });
    expect(answer.status).toBe(status);
    expect(api.sandbox.world.sessions.rows).toHaveLength(status === 201 ? 1 : 0);
    const says = answer.body.error?.message.includes('16 to 255 printable ASCII characters') ?? false;
    expect(says).toBe(status === 400);
  });

  test('an Idempotency-Key with the same body returns the current session, even after it has expired', async ({
    api,
  }) => {
    const key = newKey();
    const first = await createSession(api, { key });
    await api.control('POST', 'clock/advance', { by: '10m' });
    const again = await createSession(api, { key, body: '{ "customerType" : "individual" }' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    await api.control('POST', 'clock/advance', { by: '20m' });
    const late = await createSession(api, { key });
    expect([late.status, late.body]).toEqual([200, { ...first.body, status: 'expired' }]);
    expect(api.sandbox.world.sessions.rows).toHaveLength(1);
  });

  test('an Idempotency-Key with another body is rejected', async ({ api }) => {
    const key = newKey();
    await createSession(api, { key });
    const before = api.state();
    const other = await createSession(api, { key, body: { customerType: 'business' } });
    expect([other.status, other.body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(api.state()).toEqual(before);
  });
});

const { token, kycToken, kycPublishableKey } = WELL_KNOWN_CREDENTIALS;

describe('the credential', () => {
  test.each([
    ['none', null],
    ['an unknown one', 'wrong'],
    ['the token of the payments API', token],
    ['the publishable key', kycPublishableKey],
    ['one in another case', kycToken.toUpperCase()],
  ])('%s returns 401 on both operations', async (_, wrong) => {
    const api = await testApi();
    const sessionId = await sessionIdOf(api);
    const before = api.state();
    for (const answer of [
      await createSession(api, { token: wrong }),
      await readResult(api, sessionId, wrong),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(answer.body.error.hint).toContain('SANDBOX_KYC_TOKEN');
    }
    expect(api.state()).toEqual(before);
  });

  test('an identity credential is rejected by the payments API', async ({ api }) => {
    const { status } = await api.call('GET', '/withdrawals', {
      caller: { token: kycToken, signingSecret: '' },
    });
    expect(status).toBe(401);
  });

  test('the credential of an application whose organization has none returns 503', async ({ api }) => {
    const other = await otherOrganization(api, { kyc: false });
    expect(other.kycToken).toBeNull();
    const answer = await createSession(api, { token: other.token });
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  test('returns 503, whatever it is, while identity is off', async () => {
    const api = await testApi({ kycEnabled: false });
    for (const given of [null, 'wrong', kycToken]) {
      const answers = [await createSession(api, { token: given }), await readResult(api, 'kyc_0000', given)];
      expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
        [503, 'SERVICE_UNAVAILABLE'],
        [503, 'SERVICE_UNAVAILABLE'],
      ]);
    }
  });
});

describe('the rate limit', () => {
  test('returns 429 with Retry-After, in sandbox time and separately for each organization', async () => {
    const api = await testApi({ kycRateLimit: { calls: 2, perMs: 60_000 } });
    const other = await otherOrganization(api);
    const sessionId = await sessionIdOf(api);
    expect((await readResult(api, sessionId)).status).toBe(409);
    api.real.nowMs += DAY_MS;
    await api.control('POST', 'clock/advance', { by: '1500ms' });
    const before = api.state();
    for (const limited of [await readResult(api, sessionId), await createSession(api)]) {
      expect([limited.status, limited.body.error.code]).toEqual([429, 'RATE_LIMITED']);
      expect(limited.headers.get('retry-after')).toBe('29');
    }
    expect(api.state()).toEqual(before);
    expect((await readResult(api, sessionId, String(other.kycToken))).status).toBe(404);
    await api.control('POST', 'clock/advance', { by: '28499ms' });
    expect((await readResult(api, sessionId)).headers.get('retry-after')).toBe('1');
    await api.control('POST', 'clock/advance', { by: '1ms' });
    expect((await readResult(api, sessionId)).headers.get('retry-after')).toBeNull();
  });

  test('the rate limit does not count requests without a credential, and restarts at a reset', async () => {
    const api = await testApi({ kycRateLimit: { calls: 1, perMs: 60_000 } });
    for (let n = 0; n < 3; n += 1) expect((await createSession(api, { token: 'wrong' })).status).toBe(401);
    expect([(await createSession(api)).status, (await createSession(api)).status]).toEqual([201, 429]);
    await api.control('POST', 'reset');
    expect((await createSession(api)).status).toBe(201);
  });
});

describe('an identity request', () => {
  test('an identity request is in the log, with the id of its session shortened', async ({ api }) => {
    const sessionId = await sessionIdOf(api);
    await readResult(api, sessionId);
    await identityCall(api, 'GET', `/session/${sessionId}`);
    await api.send('GET', `/kyc/sessions/${sessionId}/result?id=${sessionId}`);
    const { body } = await api.control('GET', 'calls');
    const shown = `${sessionId.slice(0, 12)}…`;
    expect(
      body.data.map(({ api, method, path, status, error }) => [api, method, path, status, error]),
    ).toEqual([
      ['api', 'GET', `/kyc/sessions/${shown}/result?id=${shown}`, 404, 'NOT_FOUND'],
      ['identity', 'GET', `${KYC_API}/session/${shown}`, 404, 'NOT_FOUND'],
      ['identity', 'GET', `${KYC_API}/sessions/${shown}/result`, 409, 'NOT_TERMINAL'],
      ['identity', 'POST', `${KYC_API}/sessions`, 201, null],
    ]);
    expect(JSON.stringify(body)).not.toContain(sessionId);
    expect(body.data.at(-1)?.['app_id']).toBe(api.sandbox.world.apps.rows[0]?.id);
  });
});
