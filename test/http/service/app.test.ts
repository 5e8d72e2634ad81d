import { describe, expect } from 'vitest';
import { API, chargeBody, test } from '../../helpers/http/api-client.js';

describe('unsupported requests', () => {
  test.for([
    ['GET', '/favicon.ico'],
    ['POST', '/pix'],
    ['POST', `${API}/pix/`],
    ['POST', `${API}//pix`],
    ['POST', `${API}/PIX`],
    ['GET', `${API}/accounts/transactions`],
    ['GET', '/_sandbox'],
    ['GET', '/_sandbox/nothing'],
    ['GET', '/x/../_sandbox/../nothing'],
  ] as const)('unsupported requests return 404 for %s %s', async ([method, target], { api }) => {
    const { status, body, headers } = await api.send(method, target);
    expect([status, body.error.code, body.error.details]).toEqual([404, 'NOT_FOUND', []]);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-request-id')).toBe(body.error.request_id);
  });

  test.for([
    ['GET', `${API}/pix`, 'POST'],
    ['PATCH', `${API}/webhook-endpoints`, 'POST, GET, HEAD'],
    ['OPTIONS', `${API}/withdrawals`, 'GET, HEAD'],
    ['GET', `${API}/webhook-endpoints/x/deliveries/y/retry`, 'POST'],
    ['PUT', '/_sandbox/charges', 'GET, HEAD, POST'],
    ['HEAD', '/_sandbox/reset', 'POST'],
  ] as const)(
    'unsupported requests return 405 for %s %s, and allow %s',
    async ([method, target, allow], { api }) => {
      const { status, headers, body } = await api.send(method, target, { sign: false });
      expect([status, headers.get('allow')]).toEqual([405, allow]);
      const message = `Method ${method} is not allowed; use ${allow}.`;
      const { code, message: text } = body.error ?? {};
      expect(method === 'HEAD' ? body : [code, text]).toEqual(
        method === 'HEAD' ? {} : ['METHOD_NOT_ALLOWED', message],
      );
    },
  );

  test('HEAD responds like GET, without a body', async ({ api }) => {
    const response = await api.open('HEAD', `${API}/withdrawals`);
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect((await api.open('HEAD', `${API}/withdrawals`, { caller: null })).status).toBe(401);
    expect((await api.open('HEAD', '/_sandbox/readyz', { caller: null })).status).toBe(200);
  });
});

test('changes have their request as the cause, even after a wait', async ({ api }) => {
  const body = { url: 'https://shop.example/hooks', events: ['pix.settled'] };
  await api.call('POST', '/webhook-endpoints', { body });
  const { ring } = api.sandbox.timeline;
  const entries = [2, 1, 0].map((back) => ring.get(ring.newest - back));
  expect(entries.map((entry) => [entry?.kind, entry?.by])).toEqual([
    ['call', 'call'],
    ['command', 'call'],
    ['change', 'call'],
  ]);
});

describe('the request log', () => {
  test('contains every request to the public API, newest first, even unsupported ones', async ({ api }) => {
    await api.call('POST', '/pix?trace=1', { body: chargeBody() });
    await api.call('GET', '/withdrawals', { headers: { authorization: 'Bearer unknown' } });
    await api.call('GET', '/pix');
    await api.call('POST', '/pixx', { body: chargeBody() });
    await api.control('GET', 'status');
    const { data } = (await api.control('GET', 'calls')).body;
    expect(data.map(({ method, path, status, error }) => [method, path, status, error])).toEqual([
      ['POST', `${API}/pixx`, 404, 'NOT_FOUND'],
      ['GET', `${API}/pix`, 405, 'METHOD_NOT_ALLOWED'],
      ['GET', `${API}/withdrawals`, 401, 'UNAUTHENTICATED'],
      ['POST', `${API}/pix?trace=1`, 201, null],
    ]);
    expect(data[2]).toMatchObject({ api: 'api', app_id: null, hint: expect.stringContaining('env') });
    expect(data[3]).toMatchObject({ hint: null, warnings: [], at: '2026-01-01T12:00:00.000Z' });
  });

  test('contains the body of a request that no operation read', async ({ api }) => {
    const { headers } = await api.call('POST', '/pixx', { body: '{"code":"order-1"}' });
    const { body } = await api.control('GET', `calls/${headers.get('x-request-id')}`);
    expect(body['request']).toMatchObject({ body: '{"code":"order-1"}', body_bytes: 18, truncated: false });
  });

  test('contains the request id of the response, and can be emptied', async ({ api }) => {
    const { headers } = await api.call('GET', '/withdrawals');
    const { data } = (await api.control('GET', 'calls')).body;
    expect(data.map(({ id }) => id)).toEqual([headers.get('x-request-id')]);
    expect((await api.control('DELETE', 'calls')).body).toEqual({ deleted: 1 });
    expect((await api.control('GET', 'calls')).body.data).toEqual([]);
  });
});
