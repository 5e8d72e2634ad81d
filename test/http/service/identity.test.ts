import { describe, expect } from 'vitest';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import { testApi, test } from '../../helpers/http/api-client.js';
import {
  createSession,
  identityCall,
  KYC_API,
  otherOrganization,
  readResult,
  sessionIdOf,
} from '../../helpers/http/identity-client.js';

const { token, kycToken, kycPublishableKey } = WELL_KNOWN_CREDENTIALS;

describe('the credential', () => {
  test.each([
    ['none', null],
    ['an unknown one', 'wrong'],
    ['the token of the payments API', token],
    ['the publishable key', kycPublishableKey],
    ['one in another case', kycToken.toUpperCase()],
  ])('%s is 401 on both operations', async (_, wrong) => {
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

  test('of identity opens nothing of the payments API', async ({ api }) => {
    const { status } = await api.call('GET', '/withdrawals', {
      caller: { token: kycToken, signingSecret: '' },
    });
    expect(status).toBe(401);
  });

  test('of an application whose organization has none is 503', async ({ api }) => {
    const other = await otherOrganization(api, { kyc: false });
    expect(other.kycToken).toBeNull();
    const answer = await createSession(api, { token: other.token });
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  test('is 503 whatever it is while identity is off', async () => {
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

describe('the limit of calls', () => {
  test('is 429 with Retry-After, in real time and for each organization alone', async () => {
    const api = await testApi({ kycRateLimit: { calls: 2, perMs: 60_000 } });
    const other = await otherOrganization(api);
    const sessionId = await sessionIdOf(api);
    expect((await readResult(api, sessionId)).status).toBe(409);
    api.real.nowMs += 1_500;
    await api.control('POST', 'clock/advance', { by: '10m' });
    const before = api.state();
    for (const limited of [await readResult(api, sessionId), await createSession(api)]) {
      expect([limited.status, limited.body.error.code]).toEqual([429, 'RATE_LIMITED']);
      expect(limited.headers.get('retry-after')).toBe('59');
    }
    expect(api.state()).toEqual(before);
    expect((await readResult(api, sessionId, String(other.kycToken))).status).toBe(404);
    api.real.nowMs += 58_499;
    expect((await readResult(api, sessionId)).headers.get('retry-after')).toBe('1');
    api.real.nowMs += 1;
    expect((await readResult(api, sessionId)).headers.get('retry-after')).toBeNull();
  });

  test('does not count who has no credential, and starts anew at a reset', async () => {
    const api = await testApi({ kycRateLimit: { calls: 1, perMs: 60_000 } });
    for (let n = 0; n < 3; n += 1) expect((await createSession(api, { token: 'wrong' })).status).toBe(401);
    expect([(await createSession(api)).status, (await createSession(api)).status]).toEqual([201, 429]);
    await api.control('POST', 'reset');
    expect((await createSession(api)).status).toBe(201);
  });
});

describe('a call', () => {
  test('stands in the log, with the id of its session shortened', async ({ api }) => {
    const sessionId = await sessionIdOf(api);
    await readResult(api, sessionId);
    await identityCall(api, 'GET', `/session/${sessionId}`);
    await api.send('GET', `/kyc/sessions/${sessionId}/result?id=${sessionId}`);
    const { body } = await api.control('GET', 'calls');
    const shown = `${sessionId.slice(0, 12)}…`;
    expect(
      body.data.map(({ door, method, path, status, error }) => [door, method, path, status, error]),
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
