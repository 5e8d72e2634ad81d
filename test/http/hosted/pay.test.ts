import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PAY_SCRIPT } from '../../../src/http/hosted/scripts.js';
import { PAGE_STYLE } from '../../../src/http/hosted/style.js';
import type { ServerOptions } from '../../../src/http/server/start.js';
import { testApi } from '../../helpers/http/api-client.js';
import { buttonsOf, HostedPages, newCharge, tokenIn } from '../../helpers/http/hosted-pages.js';

const PT = { 'accept-language': 'pt-BR' };
const JSON_WANTED = { accept: 'application/json' };

async function stage(options: ServerOptions = {}) {
  const api = await testApi(options);
  const pages = new HostedPages(api);
  const charge = newCharge(api.sandbox, { code: 'order-1' });
  const address = `/pay/${charge.id}`;
  const token = async () => tokenIn((await pages.get(address)).text);
  const press = async (action: string, fields = {}, headers = {}) =>
    pages.post(address, { token: await token(), action, ...fields }, headers);
  return { api, pages, sandbox: api.sandbox, charge, address, token, press };
}

describe('the payment page', () => {
  test('shows the charge, its QR code and the remaining sandbox time', async () => {
    const { pages, address, api } = await stage();
    const { body } = await api.control('GET', address.replace('/pay/', 'charges/'));
    const { status, text } = await pages.get(address);
    expect(status).toBe(200);
    expect(text).toContain('<strong>TEST ENVIRONMENT</strong> · no real money');
    expect(text).toContain('<h1>R$ 1,234.56</h1>');
    expect(text).toContain('<code dir="auto">order-1</code>');
    expect(text).toContain('Waiting for payment');
    expect(text).toMatch(/role="status"[^>]*data-status="PENDING"/);
    expect(text).toContain(
      `<img class="qr" alt="QR code" src="data:image/png;base64,${String(body['qr_code_base64'])}"/>`,
    );
    expect(text).toContain(`>${String(body['qr_code'])}</textarea>`);
    expect(text).toMatch(
      /expires in <strong id="clock">24:00:00<\/strong> <span id="pace">\(sandbox time, clock frozen\)/,
    );
    expect(buttonsOf(text)).toEqual(['Pay', 'Fail', 'Expire', 'Pay late']);
  });

  test('the payment page is in Portuguese for those who prefer it', async () => {
    const { pages, address, sandbox } = await stage();
    sandbox.setRate(1);
    const { text, headers } = await pages.get(address, PT);
    expect(headers.get('content-language')).toBe('pt-BR');
    expect(text).toContain('<html lang="pt-BR">');
    expect(text).toContain('<strong>AMBIENTE DE TESTE</strong> · sem dinheiro real');
    expect(text).toContain('<h1>R$ 1.234,56</h1>');
    expect(text).toContain('(tempo do sandbox)</span>');
    expect(text).toContain('Copiar código');
    expect(buttonsOf(text)).toEqual(['Pagar', 'Falhar', 'Expirar', 'Pagar com atraso']);
  });

  test.for([
    [1, 'R$ 0.01', 'R$ 0,01'],
    [999_999_999_999, 'R$ 9,999,999,999.99', 'R$ 9.999.999.999,99'],
  ] as const)('formats %d cents for people', async ([amountCents, en, pt]) => {
    const { pages, sandbox } = await stage();
    const { id } = newCharge(sandbox, { amountCents });
    expect((await pages.get(`/pay/${id}`)).text).toContain(`<h1>${en}</h1>`);
    expect((await pages.get(`/pay/${id}`, PT)).text).toContain(`<h1>${pt}</h1>`);
  });

  test('shows third-party text only as text', async () => {
    const { pages, sandbox } = await stage();
    const hostile = `</title></script><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
    const { id } = newCharge(sandbox, { code: hostile, payerName: hostile, metadata: { note: hostile } });
    const { text } = await pages.get(`/pay/${id}`);
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('<img src=x');
    expect(text).toContain('&lt;script&gt;alert(1)');
  });

  test('allows only its own style and script, and no frame', async () => {
    const { pages, address } = await stage();
    const [first, second] = [await pages.get(address), await pages.get(address)];
    const policy = first.headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(first.text.split(`nonce="${nonce}"`)).toHaveLength(3);
    expect(second.text).not.toContain(nonce);
    for (const rule of [
      "default-src 'none'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(first.headers.get('x-frame-options')).toBe('DENY');
    expect(first.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.text).not.toContain('style="');
  });

  test('the payment page is small', () => {
    expect(gzipSync(PAY_SCRIPT + PAGE_STYLE).byteLength).toBeLessThan(8 * 1024);
  });

  test('the payment page is not logged as an API request', async () => {
    const { pages, address, press, sandbox } = await stage();
    await pages.get(address);
    await press('settle');
    await pages.get('/pay/nowhere');
    expect(sandbox.calls.newest()).toEqual([]);
  });

  test('requires the whole id', async () => {
    const { pages, charge } = await stage();
    const ids = ['order-1', charge.id.slice(0, 12), charge.id.toUpperCase(), '%zz', '', `${charge.id}/x`];
    for (const id of ids) {
      const page = await pages.get(`/pay/${id}`);
      expect([id, page.status]).toEqual([id, 404]);
      expect(page.text).toContain('Charge not found');
      expect(page.text).not.toContain('order-1');
    }
  });

  test('accepts GET, HEAD and POST', async () => {
    const { api, address } = await stage();
    const ask = (method: string) =>
      api.server.fetch(new Request(`http://localhost${address}`, { method }), {});
    const head = await ask('HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const put = await ask('PUT');
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('a button', () => {
  test.for([
    ['settle', 'SETTLED', ['pix.settled'], []],
    ['fail', 'FAILED', ['pix.failed'], []],
    ['expire', 'EXPIRED', ['pix.expired'], ['Pay late']],
    ['late', 'SETTLED', ['pix.expired', 'pix.settled'], []],
  ] as const)('%s moves the charge to %s by one command', async ([action, status, events, left]) => {
    const { pages, address, press, sandbox, charge } = await stage();
    const before = sandbox.timeline.ring.newest;
    const answer = await press(action);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, address]);
    expect(charge.status).toBe(status);
    expect(sandbox.world.events.rows.map(({ type }) => type)).toEqual(events);
    const entries = Array.from({ length: sandbox.timeline.ring.newest - before }, (_, index) =>
      sandbox.timeline.ring.get(before + 1 + index),
    );
    const commands = entries.filter((entry) => entry?.kind === 'command');
    expect(commands.map((entry) => entry?.by)).toEqual(['console']);
    expect(entries.every((entry) => entry?.by === 'console')).toBe(true);
    const { text } = await pages.get(address);
    expect(text).toContain(`data-status="${status}"`);
    expect(buttonsOf(text)).toEqual(left);
    expect(text.includes('<p id="left" role="timer" hidden')).toBe(true);
    expect(text).toContain(
      `<p id="paid" aria-hidden="true"${status === 'SETTLED' ? '' : ' hidden=""'}>✓ Paid`,
    );
    expect(text).toContain(`<div id="payable"${status === 'EXPIRED' ? '' : ' hidden=""'}>`);
  });

  test.for([
    ['fail', { reason: 'XX99' }, 400, 'reason must be one of AB03'],
    ['refund', {}, 400, 'action must be one of settle, fail, expire, late'],
    ['', {}, 400, 'action must be one of'],
  ] as const)('explains why %s is rejected: %j', async ([action, fields, status, words]) => {
    const { api, press, charge } = await stage();
    const before = api.state();
    const answer = await press(action, fields);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('Request rejected; nothing changed:');
    expect(answer.text).toContain(words);
    expect(buttonsOf(answer.text)).toHaveLength(4);
    expect(api.state()).toEqual(before);
    expect(charge.status).toBe('PENDING');
  });

  test('works once for each token, and shows the page after a second post', async () => {
    const { api, pages, address, token, charge } = await stage();
    const used = await token();
    await pages.post(address, { token: used, action: 'expire' });
    const before = api.state();
    const again = await pages.post(address, { token: used, action: 'late' });
    expect([again.status, again.headers.get('location')]).toEqual([303, address]);
    expect(api.state()).toEqual(before);
    expect(charge.status).toBe('EXPIRED');
  });

  test.for(['', 'x', 'another charge'])('ignores a token of another page: %s', async (given) => {
    const { api, pages, sandbox, address } = await stage();
    const other = newCharge(sandbox);
    const foreign = tokenIn((await pages.get(`/pay/${other.id}`)).text);
    const before = api.state();
    const answer = await pages.post(address, {
      token: given === 'another charge' ? foreign : given,
      action: 'settle',
    });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('This form is no longer valid for this page.');
    expect(api.state()).toEqual(before);
  });

  test('accepts only forms', async () => {
    const { api, pages, address, token } = await stage();
    const before = api.state();
    const fields = { token: await token(), action: 'settle' };
    const json = await pages.post(address, fields, { 'content-type': 'application/json' });
    const long = await pages.post(address, { ...fields, reason: 'x'.repeat(300_000) });
    expect([json.status, long.status]).toEqual([415, 413]);
    expect(api.state()).toEqual(before);
  });

  test('responds to the script with the next token and any rejection', async () => {
    const { pages, press, address, charge } = await stage();
    const done = await press('expire', {}, JSON_WANTED);
    expect(done.status).toBe(200);
    const { token, problem } = JSON.parse(done.text) as { token: string; problem: null };
    expect(problem).toBeNull();
    const refused = await pages.post(address, { token, action: 'settle', reason: '' }, JSON_WANTED);
    expect(charge.status).toBe('SETTLED');
    const next = (JSON.parse(refused.text) as { token: string }).token;
    const late = await pages.post(address, { token: next, action: 'fail' }, JSON_WANTED);
    expect(late.status).toBe(409);
    expect(JSON.parse(late.text)).toMatchObject({
      problem: {
        text: 'Request rejected; nothing changed:',
        why: 'A charge with status SETTLED cannot become FAILED.',
      },
    });
  });
});
