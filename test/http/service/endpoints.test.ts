import { describe, expect } from 'vitest';
import type { TestApi } from '../../helpers/http/api-client.js';
import { otherApp, REFUSED_URL, testApi, test } from '../../helpers/http/api-client.js';

const URL = 'https://shop.example/webhooks';
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };
const NOT_ALLOWED = { status: 422, code: 'ENDPOINT_URL_NOT_ALLOWED' };
const PATH = '/webhook-endpoints';

function create(api: TestApi, fields: object = {}, sent: object = {}) {
  return api.call('POST', PATH, { body: { url: URL, events: ['pix.settled'], ...fields }, ...sent });
}

describe('creating an endpoint (§4.4)', () => {
  test('returns 201 with the resource of §2.3 and, only once, its secret', async ({ api }) => {
    const { status, body } = await create(api, {
      events: ['withdrawal.failed', 'pix.settled', 'pix.settled'],
      description: 'shop',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      description: 'shop',
      events: ['pix.settled', 'withdrawal.failed'],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });
});

describe('the URL of an endpoint (§2.3, §8)', () => {
  test.for([
    ['a private address', () => Promise.resolve([{ address: '10.0.0.1', family: 4 }])],
    [
      'a private address beside a public one',
      () =>
        Promise.resolve([
          { address: '93.184.216.34', family: 4 },
          { address: '::1', family: 6 },
        ]),
    ],
  ] as const)('the URL of an endpoint is rejected if its host resolves to %s', async ([, resolve]) => {
    const api = await testApi({ policy: { routes: new Map(), allowLocalEndpoints: false, resolve } });
    const error = await api.refused('POST', PATH, { body: { url: URL, events: ['pix.settled'] } });
    expect(error).toMatchObject(NOT_ALLOWED);
    expect(error.hint).toMatch(/listen.*--route/);
  });

  test('the URL of an endpoint may be local by a route or when local endpoints are allowed', async ({
    api,
  }) => {
    expect((await create(api, { url: REFUSED_URL })).status).toBe(201);
    const local = await testApi({ policy: { routes: new Map(), allowLocalEndpoints: true } });
    expect((await create(local, { url: 'http://localhost:3000/hooks' })).status).toBe(201);
  });

  test('the URL of an endpoint is accepted from one of two concurrent requests', async ({ api }) => {
    const answers = await Promise.all([create(api), create(api)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
  });
});

describe('the request signature of creation and rotation', () => {
  test('the signature is optional for creation and rotation, and its absence is a warning', async ({
    api,
  }) => {
    const { status, body } = await create(api, {}, { sign: false });
    const rotated = await api.call('POST', `${PATH}/${body.id}/rotate-secret`, { sign: false });
    expect([status, rotated.status]).toEqual([201, 200]);
    const calls = (await api.control('GET', 'calls')).body.data;
    expect(calls).toHaveLength(2);
    for (const call of calls) {
      expect(call.warnings).toEqual([expect.stringContaining('endpoint.signature')]);
    }
    await create(api, { url: `${URL}/2` });
    expect((await api.control('GET', 'calls')).body.data[0]?.warnings).toEqual([]);
  });

  test('the signature of creation and rotation is checked if any of its headers is present', async ({
    api,
  }) => {
    expect((await create(api, {}, { sign: { secret: 'wrong' } })).body.error.code).toBe('SIGNATURE_INVALID');
    const partly = await create(api, {}, { sign: false, headers: { 'x-nonce': 'n'.repeat(16) } });
    expect(partly.body.error.code).toBe('SIGNATURE_MISSING');
    const nonce = { sign: { nonce: 'n'.repeat(16) } };
    expect((await create(api, {}, nonce)).status).toBe(201);
    expect((await create(api, { url: `${URL}/2` }, nonce)).body.error.code).toBe('NONCE_REUSED');
  });

  test('the signature of creation and rotation is required by assumption', async () => {
    const api = await testApi({ assume: { 'endpoint.signature': 'required' } });
    expect((await create(api, {}, { sign: false })).body.error.code).toBe('SIGNATURE_MISSING');
    const { body, status } = await create(api);
    expect(status).toBe(201);
    const rotated = await api.call('POST', `${PATH}/${body.id}/rotate-secret`, { sign: false });
    expect(rotated.status).toBe(401);
  });
});

describe('reading endpoints (§4.5, §4.6)', () => {
  test('returns one by its id in any case, without its secret', async ({ api }) => {
    const { body } = await create(api);
    const { secret, ...shown } = body;
    const read = await api.call('GET', `${PATH}/${body.id.toUpperCase()}`);
    expect(read.status).toBe(200);
    expect(read.body).toEqual(shown);
    expect(secret).toContain('whsec_');
  });

  test('returns 404 for an unknown one and another application’s', async ({ api }) => {
    const caller = await otherApp(api);
    const { body } = await create(api);
    expect(await api.refused('GET', `${PATH}/00000000-0000-4000-8000-00000000dead`)).toMatchObject(NOT_FOUND);
    expect(await api.refused('GET', `${PATH}/nonsense`)).toMatchObject(NOT_FOUND);
    expect(await api.refused('GET', `${PATH}/${body.id}`, { caller })).toMatchObject(NOT_FOUND);
    expect(await api.refused('POST', `${PATH}/${body.id}/rotate-secret`, { caller })).toMatchObject(
      NOT_FOUND,
    );
    expect(await api.refused('GET', `${PATH}/${body.id}/deliveries`, { caller })).toMatchObject(NOT_FOUND);
  });
});
