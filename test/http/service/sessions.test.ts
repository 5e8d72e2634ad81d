import { describe, expect } from 'vitest';
import { testApi, test } from '../../helpers/http/api-client.js';
import { createSession, identityCall, newKey } from '../../helpers/http/identity-client.js';

describe('creating a session', () => {
  test('answers 201 with what a browser needs to open it', async ({ api }) => {
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

  test('warns of fields that nobody knows, or refuses them where that is assumed', async ({ api }) => {
    const body = { customerType: 'individual', customer_type: 'business' };
    expect((await createSession(api, { body })).status).toBe(201);
    const [call] = api.sandbox.calls.newest();
    expect(call?.warnings).toEqual(['The field customer_type is not known and was ignored.']);
    const strict = await testApi({ assume: { 'charge.unknown_fields': 'refuse' } });
    expect((await createSession(strict, { body })).status).toBe(400);
  });

  test.each([
    ['no body', undefined],
    ['broken JSON', '{'],
    ['another customer type', { customerType: 'company' }],
  ])('is refused with %s', async (_, body) => {
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
  ])('%s is answered as stated', async (_, key, status) => {
    const api = await testApi();
    const answer = await createSession(api, { key });
    expect(answer.status).toBe(status);
    expect(api.sandbox.world.sessions.rows).toHaveLength(status === 201 ? 1 : 0);
    const says = answer.body.error?.message.includes('16 to 255 printable ASCII characters') ?? false;
    expect(says).toBe(status === 400);
  });

  test('with the same body gives the same session, as it is now, also after it has lapsed', async ({
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

  test('with another body is refused', async ({ api }) => {
    const key = newKey();
    await createSession(api, { key });
    const before = api.state();
    const other = await createSession(api, { key, body: { customerType: 'business' } });
    expect([other.status, other.body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(api.state()).toEqual(before);
  });
});
