import { describe, expect } from 'vitest';
import { Refusal } from '../../../src/contract/refusals.js';
import { startServer } from '../../../src/http/server/start.js';
import { testApi, test } from '../../helpers/http/api-client.js';
import { otherOrganization, sessionIdOf } from '../../helpers/http/identity-client.js';

describe('sessions', () => {
  test('sessions are created for tests, for the organization of an application', async ({ api }) => {
    await otherOrganization(api, { name: 'second' });
    const made = await api.control('POST', 'kyc/sessions', { customer_type: 'business' });
    const { id } = made.body;
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: expect.stringMatching(/^kyc_[0-9a-f]{40}$/),
      url: `http://sandbox.localhost/session/${id}`,
      customer_type: 'business',
      expires_at: '2026-01-01T12:30:00.000Z',
    });
    const other = await api.control('POST', 'kyc/sessions?app=second');
    expect(other.body).toMatchObject({
      customer_type: 'individual',
      organization_id: api.sandbox.world.organizations.rows[1]?.id,
    });
    expect((await api.control('POST', 'kyc/sessions', { customerType: 'business' })).status).toBe(400);
    expect((await api.control('POST', 'kyc/sessions?app=third')).status).toBe(404);
  });

  test('sessions show a decision immediately, and when it is readable', async ({ api }) => {
    const id = await sessionIdOf(api);
    const decision = { status: 'approved', document: '529.982.247-25', delay: '90s' };
    const decided = await api.control('POST', `kyc/sessions/${id}/decide`, decision);
    expect(decided.body).toMatchObject({
      status: 'approved',
      visible_status: 'IN_PROGRESS',
      document: '52998224725',
      decided_at: '2026-01-01T12:00:00.000Z',
      readable_at: '2026-01-01T12:01:30.000Z',
      euid: expect.stringMatching(/^euid_/),
    });
    const next = await api.control('POST', 'clock/next');
    expect(next.body['did']).toEqual({
      at: '2026-01-01T12:01:30.000Z',
      kind: 'session.decide',
      id: `${id.slice(0, 12)}…`,
    });
    expect((await api.control('GET', `kyc/sessions/${id}`)).body['visible_status']).toBe('approved');
  });

  test.each([
    ['a status and an error', { status: 'approved', error: 'A' }, ['status']],
    ['an error with a delay', { error: 'A', delay: '1s' }, ['delay']],
  ])('sessions are not decided by %s', async (_, decision, fields) => {
    const api = await testApi();
    const id = await sessionIdOf(api);
    const before = api.state();
    const { status, body } = await api.control('POST', `kyc/sessions/${id}/decide`, decision);
    expect([status, body.error.details.map(({ field }) => field)]).toEqual([400, fields]);
    expect(api.state()).toEqual(before);
  });
});

describe('an application', () => {
  test('joins the named organization, or creates it and shows the credentials', async ({ api }) => {
    const untold = { kyc_token: null, kyc_publishable_key: null };
    const plain = await api.control('POST', 'apps', { name: 'a' });
    const founder = await api.control('POST', 'apps', { name: 'b', organization: 'other' });
    const member = await api.control('POST', 'apps', { name: 'c', organization: 'other' });
    const poor = await api.control('POST', 'apps', { name: 'd', organization: 'poor', kyc: false });
    const [first, other, third] = api.sandbox.world.organizations.rows;
    expect(plain.body).toMatchObject({ organization_id: first?.id, ...untold });
    expect(founder.body).toMatchObject({
      organization_id: other?.id,
      kyc_token: expect.stringMatching(/^kyc_test_/),
      kyc_publishable_key: expect.stringMatching(/^pk_test_/),
    });
    expect(member.body).toMatchObject({ organization_id: other?.id, ...untold });
    expect(poor.body).toMatchObject({ organization_id: third?.id, ...untold });
    for (const wrong of [
      { kyc: false },
      { organization: 'other', kyc: true },
      { organization: 'new', kyc: 1 },
    ]) {
      expect((await api.control('POST', 'apps', wrong)).status).toBe(400);
    }
    expect(api.sandbox.world.apps.rows).toHaveLength(5);
  });

  test('registers origins for its organization', async ({ api }) => {
    await otherOrganization(api, { name: 'second' });
    const origin = 'https://shop.example';
    const { status, body } = await api.control('POST', 'apps/second/origins', { origin: `${origin}/` });
    const organization_id = api.sandbox.world.organizations.rows[1]?.id;
    const origins = ['http://localhost:*', 'http://127.0.0.1:*', origin];
    expect([status, body]).toEqual([201, { organization_id, origins }]);
    expect((await api.control('POST', 'apps/second/origins', { origin: 'shop.example' })).status).toBe(400);
    expect((await api.control('POST', 'apps/third/origins', { origin })).status).toBe(404);
  });
});

test('has the origins of the start in addition to loopback, and only those off loopback', async () => {
  const api = await testApi({ origins: ['https://Shop.example'] });
  expect(api.sandbox.world.origins).toEqual([
    'http://localhost:*',
    'http://127.0.0.1:*',
    'https://shop.example',
  ]);
  const open = await startServer({
    host: '0.0.0.0',
    controlToken: 'secret',
    origins: ['https://shop.example'],
  });
  expect(open.sandbox.world.origins).toEqual(['https://shop.example']);
  await open.close(0);
  await expect(testApi({ origins: ['shop'] })).rejects.toThrow(Refusal);
});
