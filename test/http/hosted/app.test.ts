import { describe, expect } from 'vitest';
import { selectSurface } from '../../../src/http/shared/surface.js';
import { test } from '../../helpers/http/api-client.js';
import { createSession, HostedPages } from '../../helpers/http/hosted-pages.js';

test.for([
  ['/session/abc', true],
  ['/start?publishable_key=x', true],
  ['/sdk.js?v=1', true],
  ['/session', false],
  ['/starting', false],
  ['/_sandbox/../start', false],
] as const)('%s is in the hosted API: %s', ([target, isHosted]) => {
  const head = { method: 'GET', target, accept: undefined, mode: undefined };
  expect(selectSurface(head, false) === 'hosted').toBe(isHosted);
});

describe('requests outside of pages', () => {
  test.for([
    ['GET', '/session/a/b', 404],
    ['PUT', '/session/a', 405],
    ['POST', '/sdk.js', 405],
  ] as const)('%s %s returns a separate page', async ([method, target, status], { api }) => {
    const response = await api.server.fetch(new Request(`http://localhost${target}`, { method }), {});
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('allow')?.includes('GET, HEAD') ?? false).toBe(status === 405);
  });

  test('returns the headers and no body for HEAD', async ({ api }) => {
    const response = await api.server.fetch(new Request('http://localhost/start', { method: 'HEAD' }), {});
    expect([response.status, await response.text()]).toEqual([403, '']);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('rejects a body that is not a form', async ({ api }) => {
    const pages = new HostedPages(api);
    const { id, formToken } = createSession(api.sandbox);
    const json = { 'content-type': 'application/json' };
    expect((await pages.post(`/session/${id}`, { token: formToken }, json)).status).toBe(415);
    const tooLong = { token: formToken, name: 'x'.repeat(300_000) };
    expect((await pages.post(`/session/${id}`, tooLong)).status).toBe(403);
  });
});

test('excludes the session id and the query from the request log', async ({ api }) => {
  const pages = new HostedPages(api);
  const session = createSession(api.sandbox);
  await pages.get(`/session/${session.id}?origin=http://localhost:1`);
  await pages.step(session, { step: 'decide', outcome: 'approved' });
  await pages.get(`/session/${session.id}`);
  const { body } = await api.control('GET', 'calls');
  expect(body.data).toHaveLength(3);
  expect(JSON.stringify(body)).not.toContain(session.id);
  expect(JSON.stringify(body)).not.toContain('origin=');
  expect(body.data[0]).toMatchObject({
    api: 'hosted',
    path: `/session/${session.id.slice(0, 12)}…`,
    status: 410,
    error: 'INVALID_TRANSITION',
  });
});
