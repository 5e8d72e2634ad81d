import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createScenarioService } from '../../src/cli/commands/run/scenarios.js';
import { LIMITS } from '../../src/contract/limits.js';
import { type SandboxServer, type ServerOptions, startServer } from '../../src/http/server/start.js';
import { launchBrowser } from '../helpers/browser/browser.js';
import { liveThrough } from '../helpers/browser/console-workload.js';
import { clientOf, listOf, openPage, withConsole } from '../helpers/browser/console-stage.js';
import { withContext } from '../helpers/browser/identity-stage.js';
import { START_MS } from '../helpers/http/api-client.js';
import { inTurn } from '../helpers/soak-scale.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(() => browser?.close());

async function start(options: ServerOptions = {}): Promise<SandboxServer> {
  const server = await startServer({ port: 0, freezeAt: START_MS, ...options });
  onTestFinished(() => server.close(0));
  return server;
}

const ANYWHERE = { routes: new Map<string, string>(), allowLocalEndpoints: true };
const NONE = { requests: [], reports: [], errors: [] };
const ATTACKS = [
  `<img src=//evil.example/x onerror=report('img')><script>report('script')</script>`,
  `"><svg/onload=report('svg')><iframe srcdoc="<script>parent.report('frame')</script>">`,
  `javascript:report('link')//https://evil.example`,
  `\u001B[2J\u009B8m\u202Edesrever\u2066\u200B{{constructor.constructor('report(1)')()}}\${report('t')}`,
  `<style>*{display:none}</style><base href=//evil.example><meta http-equiv=refresh content=0;//evil.example>`,
];

/** What markup would have left in the page. */
const PLANTED = `JSON.stringify({
  elements: [...document.querySelectorAll('#console :is(script, iframe, style, base, meta, object, embed)')].map(({ tagName }) => tagName),
  handlers: [...document.querySelectorAll('*')].filter((one) => one.getAttributeNames().some((name) => name.startsWith('on'))).length,
  links: [...document.links].map(({ href }) => href).filter((href) => !href.startsWith(location.origin + '/')),
  images: [...document.images].map(({ src }) => src).filter((src) => !src.startsWith('data:image/')),
  title: document.title,
  place: location.origin,
})`;

/** Fails when a text of others became more than text. */
async function expectNothingPlanted(page: Page, where: string): Promise<void> {
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  const planted = JSON.parse(await page.evaluate<string>(PLANTED)) as object;
  const { origin: place } = new URL(page.url());
  const none = { elements: [], handlers: 0, links: [], images: [], title: 'PIX sandbox', place };
  expect([where, planted]).toEqual([where, none]);
}

describe('hostile third-party text', () => {
  test('changes nothing on any page', { timeout: 120_000 }, async () => {
    const server = await start({ policy: ANYWHERE });
    const visits: (readonly string[])[] = [];
    for (const text of [...ATTACKS, `${'x'.repeat(1_000_000)}<script>report('long')</script>`]) {
      visits.push(await liveThrough(server, text));
    }
    // The pages of one thing show the texts in turn; in a soak each shows all.
    const [first = []] = visits;
    const paths = new Set(
      first.flatMap((_, place) => inTurn(visits, place).map((visited) => visited[place] ?? '')),
    );
    await withConsole(browser, server, {}, async (page, offences) => {
      for (const path of paths) {
        await openPage(page, path);
        await expectNothingPlanted(page, path);
      }
      await openPage(
        page,
        `/?q=${encodeURIComponent(ATTACKS[0] ?? '')}#${encodeURIComponent(ATTACKS[1] ?? '')}`,
      );
      await openPage(page, `/calls/${encodeURIComponent(ATTACKS[1] ?? '')}`);
      expect(offences).toEqual(NONE);
    });
  });

  test('changes nothing as the file, name, steps or failure of a scenario', async () => {
    const server: SandboxServer = await start({
      scenarios: () => Promise.resolve(createScenarioService(server, undefined)),
    });
    await withConsole(browser, server, {}, async (page, offences) => {
      for (const attack of ATTACKS) {
        // In a scenario this would refer to another step.
        const text = attack.replaceAll('${', '$(');
        await openPage(page, '/scenarios');
        await page.getByLabel('Run in a separate sandbox').uncheck();
        const steps = [{ note: text, trigger: { type: 'pix.settled', charge: text } }];
        const buffer = Buffer.from(JSON.stringify({ name: text, description: text, steps }));
        await page.getByLabel('Scenario file').setInputFiles({ name: text, mimeType: '', buffer });
        await page
          .getByRole('region', { name: 'Run from file' })
          .getByRole('button', { name: 'Run' })
          .click();
        const result = page.getByRole('status', { name: 'Result' });
        await result.getByRole('heading', { name: /failed/ }).waitFor();
        await result.locator('.problem').first().waitFor();
        const record = page.getByRole('region', { name: 'Record scenario' });
        await record.getByLabel('Name').fill(text.replaceAll(/\p{Cc}/gu, '').slice(0, LIMITS.nameLength));
        await record.getByRole('button', { name: 'Record scenario' }).click();
        await record.getByLabel('Recorded scenario', { exact: true }).waitFor();
        await expectNothingPlanted(page, `the scenario ${text}`);
        await openPage(page, '/');
        await expectNothingPlanted(page, `what the scenario ${text} did`);
      }
      expect(offences).toEqual(NONE);
    });
  });

  test('would be noticed by these checks', async () => {
    const server = await start();
    await withConsole(browser, server, {}, async (page, offences) => {
      await openPage(page, '/');
      await page.evaluate(`document.querySelector('main').append(
        Object.assign(document.createElement('img'), { src: 'https://evil.example/x' }))`);
      await expect.poll(() => offences.reports).toEqual(['img-src https://evil.example/x']);
      const styled = `document.querySelector('main').setAttribute('style', 'color: red')`;
      await page.evaluate(styled);
      await expect.poll(() => offences.reports.length).toBe(2);
    });
  });
});

describe('a third-party page', () => {
  /** A page of another origin, with a body. */
  async function foreign(html: string): Promise<string> {
    const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(html));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    return `http://evil.example:${(server.address() as AddressInfo).port}/`;
  }

  test('a third-party page can link to the console, which learns nothing from it', async () => {
    const server = await start();
    const from = await foreign(`<a href="${server.url}/?q=type:x">console</a>`);
    await withContext(browser, {}, async (page) => {
      await page.goto(`${from}?secret`);
      await page.click('a');
      await page.getByRole('heading', { name: 'PIX sandbox' }).waitFor();
      expect(await page.evaluate('document.referrer')).not.toContain('secret');
      expect(await page.evaluate('window.opener')).toBeNull();
    });
  });

  test('a third-party page cannot frame the console, post to it or read it', async () => {
    const server = await start();
    const { newest } = server.sandbox.timeline.ring;
    const from = await foreign(`<iframe src="${server.url}/"></iframe>
      <form method="post" action="${server.url}/_sandbox/reset"><button>post</button></form>`);
    await withContext(browser, {}, async (page) => {
      await page.goto(from);
      const frame = page.frames().find((one) => one !== page.mainFrame());
      expect(await frame?.locator('#console').count()).toBe(0);
      for (const path of ['/', '/_sandbox/status', '/_sandbox/stream/timeline', '/console/x.js']) {
        const read = `fetch('${server.url}${path}').then((answer) => answer.text(), () => 'refused')`;
        expect([path, await page.evaluate(read)]).toEqual([path, 'refused']);
        const blind = `fetch('${server.url}/_sandbox/trigger', { method: 'POST', mode: 'no-cors',
          body: '{"type":"pix.settled"}' }).then(() => 'sent', () => 'refused')`;
        await page.evaluate(blind);
      }
      await page.click('button');
      await page.waitForURL(`${server.url}/_sandbox/reset`);
      expect(await page.textContent('body')).toContain('FORBIDDEN');
    });
    expect(server.sandbox.timeline.ring.newest).toBe(newest);
  });
});

describe('the console with a control token', () => {
  const TOKEN = 'a-control-token-of-this-test-+/=';

  test('shows and changes nothing without the token, and sends it in no URL', async () => {
    const server = await start({ host: '0.0.0.0', controlToken: TOKEN });
    await clientOf(server, TOKEN).post('trigger', {
      body: { type: 'pix.settled', with: { code: 'order-1' } },
    });
    const { newest } = server.sandbox.timeline.ring;
    await withConsole(browser, server, {}, async (page, offences, context) => {
      const asked: string[] = [];
      context.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
      await page.goto('/charges');
      await page.getByRole('heading', { name: 'control token' }).waitFor();
      expect(await page.locator('body').innerText()).not.toContain('order-1');
      await page.getByLabel('Control token').fill('a-wrong-token');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'control token' }).waitFor();
      await page.keyboard.press('n');
      await page.getByLabel('Control token').fill(TOKEN);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('order-1').first().waitFor();
      // Each tab has its own.
      const other = await context.newPage();
      await other.goto('/');
      await other.getByRole('heading', { name: 'control token' }).waitFor();
      expect(await other.locator('body').innerText()).not.toContain('order-1');
      await other.goto('about:blank');
      await other.goto('/#token=%E0%A4%A');
      await other.getByRole('heading', { name: 'control token' }).waitFor();
      await other.goto('about:blank');
      await other.goto(`/?q=type%3A*#token=${encodeURIComponent(TOKEN)}`);
      await listOf(other).getByText('order-1').first().waitFor();
      expect(other.url()).toBe(`${server.url}/?q=type%3A*`);
      expect(await other.evaluate('history.length')).toBeLessThanOrEqual(6);
      expect(asked.filter((one) => /token/i.test(decodeURIComponent(one)))).toEqual([]);
      expect(asked.filter((one) => !one.startsWith('GET '))).toEqual([]);
      expect(offences).toEqual(NONE);
    });
    expect(server.sandbox.timeline.ring.newest).toBe(newest);
  });

  test('opens the payment page, whose URL has its own token', async () => {
    const server = await start({ host: '0.0.0.0', controlToken: TOKEN });
    await clientOf(server, TOKEN).post('charges', { body: { code: 'order-1' } });
    await withConsole(browser, server, {}, async (page) => {
      await page.goto(`/charges/order-1#token=${encodeURIComponent(TOKEN)}`);
      const opened = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'Open payment page' }).click();
      const payPage = await opened;
      await payPage.waitForLoadState();
      expect(await payPage.locator('body').innerText()).toContain('order-1');
    });
  });

  test('changes nothing unconfirmed from a link with another token, and cleans the URL', async () => {
    const server = await start({ host: '0.0.0.0', controlToken: TOKEN });
    await clientOf(server, TOKEN).post('charges', { body: { code: 'order-1' } });
    await withConsole(browser, server, {}, async (page) => {
      const link = (token: string) => `/#token=${encodeURIComponent(token)}`;
      const isThere = () => listOf(page).getByText('order-1').first().waitFor();
      const asks = page.getByRole('dialog');
      await page.goto(link(TOKEN));
      await isThere();
      // A link is opened in another page, and in one that shows the console already.
      for (const before of ['about:blank', '/']) {
        await page.goto(before);
        await page.goto(link('foreign'));
        await asks.getByText('another control token').waitFor();
        expect(page.url()).toBe(`${server.url}/`);
        await asks.getByRole('button', { name: 'Close' }).click();
        await asks.waitFor({ state: 'detached' });
        await page.reload();
        await isThere();
        expect(await asks.count()).toBe(0);
      }
      await page.goto(link('foreign'));
      await asks.getByRole('button', { name: 'Use token from link' }).click();
      await page.getByRole('heading', { name: 'control token' }).waitFor();
      // The token that this page has is refused, so the link's is taken.
      await page.goto(link(TOKEN));
      await isThere();
      expect(page.url()).toBe(`${server.url}/`);
    });
  });

  test('stores no token from a link when the sandbox requires none', async () => {
    const server = await start();
    await withConsole(browser, server, {}, async (page) => {
      await page.goto('/#token=foreign');
      await listOf(page).waitFor();
      expect(page.url()).toBe(`${server.url}/`);
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });
});
