import { describe, expect, test } from 'vitest';
import { testApi } from '../../helpers/http/api-client.js';
import { HostedPages, OPENER, toldBy } from '../../helpers/http/hosted-pages.js';

async function stage() {
  const api = await testApi({ origins: ['https://shop.example'] });
  const key = api.sandbox.credentials.kycPublishableKey;
  const address = (fields: Readonly<Record<string, string>>) =>
    `/start?${new URLSearchParams({ publishable_key: key, ...fields }).toString()}`;
  return { api, key, address, pages: new HostedPages(api), sessions: api.sandbox.world.sessions };
}

describe('the entry without a session', () => {
  test('creates a session of the person’s type', async () => {
    const { pages, key, address, sessions } = await stage();
    const page = await pages.get(address({ origin: OPENER, customer_type: 'business' }), {
      'sec-fetch-site': 'cross-site',
      referer: `${OPENER}/`,
    });
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/value="business"\s+checked/);
    expect(sessions.rows).toHaveLength(0);
    const begun = await pages.post('/start', {
      publishable_key: key,
      origin: OPENER,
      customer_type: 'business',
    });
    const [session] = sessions.rows;
    expect([begun.status, begun.headers.get('location')]).toEqual([303, `/session/${session?.id}`]);
    expect(session).toMatchObject({ customerType: 'business', embedOrigin: OPENER, status: 'CREATED' });
    expect((await pages.get(`/session/${session?.id}`)).text).toContain('Enter your details');
  });

  test('asks for the person', async () => {
    const { pages, key, sessions } = await stage();
    const page = await pages.post('/start', { publishable_key: key, origin: OPENER });
    expect([page.status, sessions.rows.length]).toEqual([422, 0]);
    expect(page.text).toContain('<a href="#type-individual">');
  });

  test('uses the origin of the referrer if the URL has none', async () => {
    const { pages, address } = await stage();
    const page = await pages.get(address({}), { referer: 'https://shop.example/checkout' });
    expect(page.text).toContain('name="origin" value="https://shop.example"');
  });
});

describe('rejected verification starts', () => {
  test('reports an unknown key to the opening page', async () => {
    const { pages, address, sessions } = await stage();
    const page = await pages.get(address({ publishable_key: 'pk_x', origin: OPENER }));
    expect([page.status, page.text.includes('Unknown publishable key')]).toEqual([401, true]);
    expect(toldBy(page)).toMatchObject({
      origin: OPENER,
      notice: { event: 'error', sessionId: null, error: { code: 'UNKNOWN_PUBLISHABLE_KEY' } },
    });
    const posted = await pages.post('/start', {
      publishable_key: 'pk_x',
      origin: OPENER,
      customer_type: 'individual',
    });
    expect([posted.status, sessions.rows.length]).toEqual([401, 0]);
  });

  test.for([
    ['an origin that is not registered', { origin: 'https://evil.example' }, {}],
    ['a pattern for an origin', { origin: 'http://localhost:*' }, {}],
    ['another origin than the one that opened it', { origin: OPENER }, { referer: 'https://evil.example/' }],
  ] as const)('reports nothing from %s', async ([, fields, headers]) => {
    const { pages, address } = await stage();
    const page = await pages.get(address(fields), headers);
    expect([page.status, page.text.includes('is not registered')]).toEqual([403, true]);
    const told = toldBy(page);
    expect(told === undefined || told.origin === OPENER).toBe(true);
    expect(page.text).not.toContain('<form');
  });

  test.for([
    ['without an opener', {}, {}],
    ['from a typed URL', { origin: OPENER }, { 'sec-fetch-site': 'none' }],
  ] as const)('rejects a start %s', async ([, fields, headers]) => {
    const { pages, address } = await stage();
    const page = await pages.get(address(fields), headers);
    expect([page.status, page.text.includes('Verification opened directly')]).toEqual([403, true]);
  });

  test('rejects a form of an unregistered origin', async () => {
    const { pages, key, sessions } = await stage();
    const form = { publishable_key: key, customer_type: 'individual' };
    for (const origin of ['https://evil.example', '']) {
      expect((await pages.post('/start', { ...form, origin })).status).toBe(403);
    }
    expect(sessions.rows).toHaveLength(0);
  });
});
