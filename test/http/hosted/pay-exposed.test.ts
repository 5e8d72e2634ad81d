import { describe, expect, test } from 'vitest';
import { createPayPath, createPayToken } from '../../../src/http/shared/surface.js';
import type { ServerOptions } from '../../../src/http/server/start.js';
import { testApi } from '../../helpers/http/api-client.js';
import { HostedPages, newCharge, tokenIn } from '../../helpers/http/hosted-pages.js';
import type { PublicSandboxOptions } from '../../helpers/http/public-sandbox.js';
import { PUBLIC_ORIGIN, openPublicSandbox } from '../../helpers/http/public-sandbox.js';

const EXPOSED: ServerOptions = { host: '192.0.2.7', controlToken: 'x'.repeat(24) };
const FORM = 'Content-Type: application/x-www-form-urlencoded';

async function stage(options: ServerOptions = {}) {
  const api = await testApi({ ...EXPOSED, ...options });
  const pages = new HostedPages(api);
  const charge = newCharge(api.sandbox);
  return { api, pages, charge, address: createPayPath(charge.id, true) };
}

describe('a sandbox off loopback', () => {
  test('opens a payment page only by the URL with its token', async () => {
    const { api, pages, charge, address } = await stage();
    const other = createPayToken(newCharge(api.sandbox).id);
    const token = createPayToken(charge.id);
    expect(token).toMatch(/^[\w-]{43}$/);
    for (const wrong of ['', '/', `/${token}x`, `/${token.slice(1)}`, `/${other}`]) {
      const page = await pages.get(`/pay/${charge.id}${wrong}`);
      expect([wrong, page.status]).toEqual([wrong, 404]);
      expect(page.text).not.toContain(charge.code);
    }
    expect((await pages.get(`/pay/${charge.id}/stream`)).status).toBe(404);
    expect((await pages.get(`/pay/${charge.id}/x/stream`)).status).toBe(404);
    expect((await pages.get(`/pay/unknown/${createPayToken('unknown')}`)).status).toBe(404);
    expect((await pages.get(address)).status).toBe(200);
  });

  test('reports the URL of a page in the control API', async () => {
    const { api, charge, address } = await stage();
    const headers = { authorization: `Bearer ${EXPOSED.controlToken}` };
    const { body } = await api.send('GET', `/_sandbox/charges/${charge.code}`, { headers });
    expect(body['pay_url']).toBe(`${api.server.url}${address}`);
    const local = await testApi();
    const made = await local.control('POST', 'charges', {});
    expect(made.body['pay_url']).toBe(`${local.server.url}/pay/${made.body.id}`);
  });

  test('shows no buttons, and rejects posts', async () => {
    const { api, pages, address } = await stage();
    const page = await pages.get(address);
    expect(page.text).not.toContain('<form');
    expect(page.text).not.toContain('id="panel"');
    const before = api.state();
    const answer = await pages.post(address, { token: tokenIn(page.text), action: 'settle' });
    expect([answer.status, answer.text.includes('the buttons on this page are disabled')]).toEqual([
      403,
      true,
    ]);
    expect(api.state()).toEqual(before);
  });

  test('shows a second QR code of the URL, unless the name is known only to this machine', async () => {
    const { api, address } = await stage();
    const at = async (host: string) => {
      const response = await api.server.fetch(new Request(`http://${host}${address}`), {});
      return /<a href="([^"]*)"/.exec(await response.text())?.[1];
    };
    expect(await at('192.0.2.7:7490')).toBe(`http://192.0.2.7:7490${address}`);
    expect(await at('localhost:7490')).toBeUndefined();
    expect(await at('127.0.0.1:7490')).toBeUndefined();
  });
});

describe('a sandbox behind a tunnel', () => {
  async function tunnel(options: PublicSandboxOptions = {}) {
    const surfaces = await openPublicSandbox(options);
    const charge = newCharge(surfaces.server.sandbox);
    return { surfaces, charge, address: createPayPath(charge.id, true) };
  }

  test('a sandbox behind a tunnel has no payment pages', async () => {
    const { surfaces, charge, address } = await tunnel();
    await using _ = surfaces;
    const nothing = await surfaces.bytes('GET /nowhere/at-all');
    for (const path of [address, `/pay/${charge.id}`, `${address}/stream`, '/pay']) {
      expect(await surfaces.bytes(`GET ${path}`)).toBe(nothing);
    }
  });

  test('a sandbox behind a tunnel has payment pages without buttons on request', async () => {
    const { surfaces, charge, address } = await tunnel({ pay: { buttons: false } });
    await using _ = surfaces;
    const page = await surfaces.ask(`GET ${address}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<a href="${PUBLIC_ORIGIN}${address}">`);
    expect(page.text).not.toContain('<form');
    expect((await surfaces.ask(`GET /pay/${charge.id}`)).status).toBe(404);
    expect((await surfaces.ask(`GET /pay/${charge.id}/${createPayToken('x')}`)).status).toBe(404);
    const post = await surfaces.ask(`POST ${address}`, [FORM, 'Content-Length: 10'], 'action=settle');
    expect([post.status, charge.status]).toEqual([403, 'PENDING']);
  });

  test('a sandbox behind a tunnel has buttons on request, but no path to the console', async () => {
    const { surfaces, charge, address } = await tunnel({ pay: { buttons: true } });
    await using _ = surfaces;
    const { sandbox } = surfaces.server;
    sandbox.testReceiver.turnOn(200);
    const token = tokenIn((await surfaces.ask(`GET ${address}`)).text);
    const body = `action=settle&token=${token}`;
    const foreign = [FORM, `Content-Length: ${body.length}`, 'Origin: https://evil.example'];
    expect((await surfaces.ask(`POST ${address}`, foreign, body)).status).toBe(403);
    expect(charge.status).toBe('PENDING');
    const own = [FORM, `Content-Length: ${body.length}`, `Origin: ${PUBLIC_ORIGIN}`];
    const answer = await surfaces.ask(`POST ${address}`, own, body);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, address]);
    expect(charge.status).toBe('SETTLED');
    await sandbox.attemptsEnded();
    const { text } = await surfaces.ask(`GET ${address}`);
    expect(text).toMatch(/<li>Webhook: 200 · \d+ ms \(pix\.settled\)<\/li>/);
  });

  test('shows the public URL on the local page while there is one', async () => {
    let origin: string | undefined;
    const api = await testApi({ payOrigin: () => origin });
    const { id } = newCharge(api.sandbox);
    const page = async () => (await new HostedPages(api).get(`/pay/${id}`)).text;
    expect(await page()).not.toContain('<details');
    origin = PUBLIC_ORIGIN;
    expect(await page()).toContain(`<a href="${PUBLIC_ORIGIN}${createPayPath(id, true)}">`);
  });
});
