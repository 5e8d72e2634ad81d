import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../../../src/http/server/start.js';
import { testApi } from '../../helpers/http/api-client.js';
import { createSession, HostedPages, OPENER, toldBy } from '../../helpers/http/hosted-pages.js';

const PERSON = { name: 'Maria da Silva', document: '123.456.789-09' };

async function stage(options: ServerOptions = {}) {
  const api = await testApi(options);
  const pages = new HostedPages(api);
  return { api, pages, sandbox: api.sandbox, session: createSession(api.sandbox) };
}

const policyOf = ({ headers }: { headers: Headers }) => headers.get('content-security-policy') ?? '';

describe('the steps', () => {
  test('the steps lead from the details to the decision', async () => {
    const { pages, session } = await stage();
    const address = `/session/${session.id}`;
    expect((await pages.get(address)).text).toContain('Enter your details');
    const consent = await pages.step(session, { step: 'details', ...PERSON });
    expect(consent.text).toContain('Confirm your consent');
    expect(session).toMatchObject({ status: 'CREATED', name: null });
    const begun = await pages.step(session, { step: 'consent', consent: 'yes', ...PERSON });
    const back = `${address}?origin=${encodeURIComponent(OPENER)}`;
    expect([begun.status, begun.headers.get('location')]).toEqual([303, back]);
    expect(session).toMatchObject({
      status: 'IN_PROGRESS',
      name: 'Maria da Silva',
      document: '12345678909',
    });
    expect((await pages.get(back)).text).toContain('Take a photo');
    const pictured = await pages.step(session, { step: 'camera' });
    const decision = await pages.get(pictured.headers.get('location') ?? '');
    expect(decision.text).toContain('Verification decision');
    expect(decision.text).not.toContain('<details>');
    const result = await pages.step(session, { step: 'decide', outcome: 'approved', delay: '' });
    expect([result.status, session.status]).toEqual([200, 'approved']);
    expect(result.text).toContain('Identity verified');
  });

  test.for([
    [{ name: '', document: '123.456.789-09' }, ['name']],
    [{ name: 'x'.repeat(141), document: '12345678909' }, ['name']],
    [{ name: 'Maria', document: '12.ABC.345/01DE-35' }, ['document']],
    [{ name: ' ', document: '<script>' }, ['name', 'document']],
  ] as const)('the steps ask again for %j', async ([typed, fields]) => {
    const { pages, session, api } = await stage();
    const before = api.state();
    for (const step of ['details', 'consent']) {
      const page = await pages.step(session, { step, consent: 'yes', ...typed });
      expect(page.status).toBe(422);
      expect(page.text).toContain('<title>Error: ');
      expect(page.text).toContain('role="alert"');
      for (const field of fields) {
        expect(page.text).toContain(`<a href="#${field}">`);
        expect(page.text).toContain(`id="${field}-problem"`);
      }
      expect(page.text).not.toContain('<script>');
    }
    expect(api.state()).toEqual(before);
  });

  test('the steps accept a CNPJ for a company', async () => {
    const { pages, sandbox } = await stage();
    const company = createSession(sandbox, 'business');
    const details = { name: 'Loja Ltda', document: '12.abc.345/01de-35' };
    expect((await pages.step(company, { step: 'details', ...details })).text).toContain(
      'Confirm your consent',
    );
    expect((await pages.step(company, { step: 'details', ...PERSON })).status).toBe(422);
  });

  test('the steps do not continue without consent', async () => {
    const { pages, session } = await stage();
    const page = await pages.step(session, { step: 'consent', ...PERSON });
    expect([page.status, session.status]).toEqual([422, 'CREATED']);
    expect(page.text).toContain('<a href="#consent">');
  });

  test('the steps leave the panel open while it contains an error', async () => {
    const { pages, session } = await stage();
    for (const fields of ['outcome=yes', 'outcome=approved&delay=soon', 'outcome=error&error-code=no']) {
      const typed = Object.fromEntries(new URLSearchParams(fields));
      const page = await pages.step(session, { step: 'decide', ...typed });
      expect([page.status, session.status]).toEqual([422, 'CREATED']);
      expect(page.text).not.toContain('<details>');
    }
  });
});

describe('the outcome', () => {
  test.for([
    ['approved', { event: 'success' }],
    ['under_review', { event: 'review' }],
    ['rejected', { event: 'error', error: { code: 'REJECTED' }, isFinal: true }],
    ['cancelled', { event: 'error', error: { code: 'CANCELLED' }, isFinal: true }],
    ['expired', { event: 'error', error: { code: 'EXPIRED' }, isFinal: true }],
  ] as const)('%s is sent only to the registered origin', async ([outcome, notice]) => {
    const { pages, session, api } = await stage();
    const decide = { step: 'decide', outcome, delay: '5m' };
    const told = { origin: OPENER, notice: { sessionId: session.id, ...notice } };
    const result = await pages.step(session, decide);
    expect(toldBy(result)).toMatchObject(told);
    expect(session.status).toBe(outcome);
    const { status, body } = await api.send('GET', `/api/v1/kyc/sessions/${session.id}/result`, {
      caller: { token: api.sandbox.credentials.kycToken, signingSecret: '' },
    });
    expect([status, body.error.code]).toEqual([409, 'NOT_TERMINAL']);
    const again = await pages.step(session, { ...decide, outcome: 'rejected' });
    expect([toldBy(again)?.notice['event'], session.status]).toEqual([notice.event, outcome]);
    const stranger = 'https://evil.example';
    expect(toldBy(await pages.step(session, { ...decide, origin: stranger }))).toBeUndefined();
    expect(toldBy(await pages.get(`/session/${session.id}?origin=${stranger}`))).toBeUndefined();
  });

  test('the outcome may be an error, after which the person tries again', async () => {
    const { pages, session } = await stage();
    const failed = { step: 'decide', outcome: 'error', 'error-code': 'CAMERA_BROKEN' };
    const page = await pages.step(session, failed);
    expect(toldBy(page)?.notice).toMatchObject({ error: { code: 'CAMERA_BROKEN' }, isFinal: false });
    expect(session).toMatchObject({ status: 'CREATED', error: 'CAMERA_BROKEN' });
    const found = await pages.get(`/session/${session.id}`);
    expect([found.status, found.text.includes('CAMERA_BROKEN')]).toEqual([200, true]);
    expect((await pages.step(session, { step: 'retry' })).status).toBe(303);
    expect(session).toMatchObject({ status: 'IN_PROGRESS', error: null });
    expect((await pages.get(`/session/${session.id}`)).text).toContain('Enter your details');
  });

  test('the outcome is sent to the initial origin in publishable-key mode', async () => {
    const { pages, sandbox } = await stage();
    const session = sandbox.dispatch({
      type: 'session.createPublic',
      publishableKey: sandbox.credentials.kycPublishableKey,
      origin: 'http://localhost:4000',
      customerType: 'individual',
      ...sandbox.epoch.newSessionSecrets(),
    });
    const page = await pages.step(session, { step: 'decide', outcome: 'approved' });
    expect(toldBy(page)?.origin).toBe('http://localhost:4000');
  });

  test('the outcome is sent nowhere if the page was opened directly; its own forms name it as the referrer', async () => {
    const { pages, session } = await stage();
    const address = `/session/${session.id}`;
    const referer = `http://localhost${address}`;
    const opened = await pages.get(address);
    expect(opened.text).toContain('This page was not opened by a registered page');
    const forms: Record<string, string>[] = [
      { step: 'details', ...PERSON },
      { step: 'decide', outcome: 'approved' },
    ];
    for (const fields of forms) {
      const page = await pages.step(session, { origin: '', ...fields }, { referer });
      expect(page.text).not.toContain('http://localhost');
      expect(page.text).not.toContain('the page you came from');
      expect(toldBy(page)).toBeUndefined();
    }
    const { text } = await pages.get(`${address}?origin=http://localhost`);
    expect(text).not.toContain('data-origin');
  });

  test('reaches a page without the SDK by the referrer', async () => {
    const { pages, session } = await stage();
    const headers = { referer: 'http://localhost:5000/checkout?x=1' };
    expect((await pages.get(`/session/${session.id}`, headers)).text).toContain(
      'value="http://localhost:5000"',
    );
  });
});

describe('a completed session', () => {
  test('offers nothing once it is decided, and reports the outcome', async () => {
    const { pages, sandbox, session } = await stage();
    sandbox.dispatch({ type: 'session.decide', sessionId: session.id, status: 'approved' });
    const page = await pages.get(`/session/${session.id}?origin=${OPENER}`);
    expect(page.status).toBe(410);
    expect(page.text).toContain('Verification already completed');
    expect(page.text).not.toMatch(/<form|<input|approved|euid_/);
    expect(toldBy(page)).toMatchObject({ origin: OPENER, notice: { event: 'success' } });
  });

  test('offers nothing once it has expired', async () => {
    const { pages, api, session } = await stage();
    await api.control('POST', 'clock/advance', { by: '30m' });
    const page = await pages.get(`/session/${session.id}?origin=${OPENER}`);
    expect([page.status, page.text.includes('Verification expired')]).toEqual([410, true]);
    expect(page.text).not.toContain('<form');
    expect(toldBy(page)?.notice).toMatchObject({ error: { code: 'EXPIRED' } });
    const late = await pages.step(session, { step: 'decide', outcome: 'approved' });
    expect([late.text.includes('Verification expired'), session.status]).toEqual([true, 'expired']);
  });

  test('returns a 404, as an unknown one does', async () => {
    const { pages } = await stage();
    const page = await pages.get(`/session/kyc_0123?origin=${OPENER}`);
    expect([page.status, page.text.includes('Verification not found')]).toEqual([404, true]);
    expect(toldBy(page)?.notice).toMatchObject({ sessionId: null, error: { code: 'SESSION_NOT_FOUND' } });
    expect((await pages.post('/session/kyc_0123', { token: 'x', step: 'decide' })).status).toBe(404);
  });
});

describe('the form token', () => {
  test.for(['', 'x', 'other'])('%s opens nothing', async (token) => {
    const { pages, sandbox, session, api } = await stage();
    const other = createSession(sandbox);
    const before = api.state();
    const given = token === 'other' ? other.formToken : token;
    const page = await pages.step(session, { step: 'decide', outcome: 'approved', token: given });
    expect([page.status, page.text.includes('no longer valid')]).toEqual([403, true]);
    expect(page.text).not.toContain(session.formToken);
    expect(api.state()).toEqual(before);
  });
});

describe('the session page', () => {
  test('loads nothing, runs only our script, and may be framed only by registered origins', async () => {
    const { pages, session } = await stage({ origins: ['https://shop.example'] });
    const shown = [
      await pages.get(`/session/${session.id}`),
      await pages.step(session, { step: 'details', ...PERSON }),
      await pages.get('/session/none'),
      await pages.get('/start'),
    ];
    const nonces = new Set<string>();
    for (const page of shown) {
      const nonce = /'nonce-([^']+)'/.exec(policyOf(page))?.[1] ?? '';
      nonces.add(nonce);
      expect(policyOf(page)).toBe(
        `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'self'; ` +
          "base-uri 'none'; frame-ancestors http://localhost:* http://127.0.0.1:* https://shop.example",
      );
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'content-language': 'en',
      });
      expect(page.text).not.toMatch(/\s(?:on\w+|style)=|\ssrc=|<link|url\(|@import|javascript:/);
      expect(page.text).toMatch(/<html lang="en">[^]*<title>.+<\/title>/);
      for (const tag of page.text.match(/<(?:script|style)[^>]*>/g) ?? []) {
        expect(tag).toContain(`nonce="${nonce}"`);
      }
    }
    expect(nonces.size).toBe(shown.length);
  });

  test('the session page cannot be framed without a registered origin', async () => {
    const { pages, session } = await stage({ host: '192.0.2.1', controlToken: 'token' });
    expect(policyOf(await pages.get(`/session/${session.id}`))).toContain("frame-ancestors 'none'");
  });

  test('the session page is available in Portuguese', async () => {
    const { pages, session } = await stage();
    const page = await pages.get(`/session/${session.id}`, { 'accept-language': 'pt-BR,pt;q=0.9' });
    expect(page.text).toContain('<html lang="pt-BR">');
    expect(page.text).toContain('Informe seus dados');
    expect(page.headers.get('content-language')).toBe('pt-BR');
  });

  test('the session page is unavailable if identity is switched off', async () => {
    const off = new HostedPages(await testApi({ kycEnabled: false }));
    expect((await off.get('/session/any')).status).toBe(503);
    expect((await off.get(`/start?publishable_key=x&origin=${OPENER}`)).status).toBe(503);
  });
});
