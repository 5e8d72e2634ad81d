import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/contract/time.js';
import { API, chargeBody, otherApp, type Sent, testApi } from '../../helpers/http/api-client.js';

const LIMIT = { rateLimit: { calls: 3, perMs: 60_000 } };
const LIST = '/webhook-endpoints';

/** Sends requests until one is rejected, and counts those that passed. */
async function countPassing(list: () => Promise<{ readonly status: number }>): Promise<number> {
  for (let passed = 0; passed <= LIMIT.rateLimit.calls; passed += 1)
    if ((await list()).status === 429) return passed;
  throw new Error('More requests passed than the bucket holds tokens.');
}

describe('the rate limit of the payments API', () => {
  test('rejects the request after the last token, until the hinted advance, separately per application', async () => {
    const api = await testApi(LIMIT);
    const caller = await otherApp(api);
    const list = (sent?: Sent) => api.call('GET', LIST, sent);
    expect(await countPassing(list)).toBe(3);
    api.real.nowMs += DAY_MS;
    const { status, headers, body } = await list();
    expect([status, headers.get('retry-after')]).toEqual([429, '20']);
    expect(body.error).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'The payments API rate limit was exceeded.',
      hint: expect.stringContaining('`npx sandbox clock advance 20s`'),
      request_id: headers.get('x-request-id'),
    });
    expect(await countPassing(() => list({ caller }))).toBe(3);
    await api.control('POST', 'clock/advance', { by: '20s' });
    expect(await countPassing(list)).toBe(1);
    await api.control('POST', 'clock/advance', { by: '300d' });
    expect(await countPassing(list)).toBe(3);
    await api.control('POST', 'clock/speed', { rate: 1 });
    expect((await list()).body.error.hint).toBe('Retry after 20 s (see the Retry-After header).');
  });

  test('counts requests with a valid token only, and a 429 leaves the nonce unused', async () => {
    const api = await testApi(LIMIT);
    const body = chargeBody();
    const create = (sent: Sent) => api.call('POST', '/pix', { body, ...sent });
    for (const sent of [{ caller: null }, { headers: { authorization: 'Bearer wrong' } }])
      expect((await create(sent)).status).toBe(401);
    expect((await api.call('GET', '/unknown')).status).toBe(404);
    expect((await create({ sign: { secret: 'wrong' } })).status).toBe(401);
    expect((await create({ body: {} })).status).toBe(400);
    expect((await create({ sign: false })).status).toBe(401);
    const headers = api.headersOf('POST', `${API}/pix`, { body });
    expect((await create({ headers, sign: false })).status).toBe(429);
    await api.control('POST', 'clock/advance', { by: '20s' });
    expect((await create({ headers, sign: false })).status).toBe(201);
  });

  test.each(['reset', 'state/snapshots/full/restore'])('starts with full buckets after %s', async (path) => {
    const api = await testApi(LIMIT);
    await api.control('POST', 'state/snapshots', { name: 'full' });
    const list = () => api.call('GET', LIST);
    await api.control('POST', 'clock/advance', { by: '1d' });
    expect(await countPassing(list)).toBe(3);
    expect((await api.control('POST', path)).status).toBeLessThan(300);
    expect(await countPassing(list)).toBe(3);
  });
});
