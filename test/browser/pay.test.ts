import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChargeInput } from '../../src/core/world.js';
import type { SandboxServer } from '../../src/http/server/start.js';
import { startServer } from '../../src/http/server/start.js';
import { launchBrowser, problemsInSchemes, SCHEMES } from '../helpers/browser/browser.js';
import { withContext } from '../helpers/browser/identity-stage.js';
import { START_MS } from '../helpers/http/api-client.js';
import { newCharge } from '../helpers/http/hosted-pages.js';
import { inTurn } from '../helpers/soak-scale.js';

let browser: Browser;
let server: SandboxServer;

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startServer({ port: 0, freezeAt: START_MS });
  server.sandbox.testReceiver.turnOn(200);
});

afterAll(async () => {
  await browser?.close();
  await server?.close(0);
});

function chargeAt(fields: Partial<ChargeInput> = {}) {
  const charge = newCharge(server.sandbox, fields);
  return { charge, address: `${server.url}/pay/${charge.id}` };
}

/** Opens a page, and collects what its policy blocks and what goes wrong in its script. */
async function open(page: Page, address: string): Promise<string[]> {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(address);
  return problems;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

describe('the payment page with script', () => {
  test.each([
    ['en', 'Pay', 'Paid', 'Fail'],
    ['pt-BR', 'Pagar', 'Pago', 'Falhar'],
  ])('pays a charge in %s without leaving the page', async (locale, pay, paid, fail) => {
    await withContext(browser, { locale }, async (page) => {
      const { address, charge } = chargeAt();
      const problems = await open(page, address);
      await page.evaluate('window.isSame = true');
      await button(page, pay).click();
      await status(page, paid);
      await page.getByText(/^Webhook: 200 · \d+ ms \(pix\.settled\)/).waitFor();
      expect(charge.status).toBe('SETTLED');
      expect(await page.getByRole('button', { name: fail }).count()).toBe(0);
      expect(await page.evaluate('document.activeElement.id')).toBe('status');
      expect(await page.evaluate('window.isSame')).toBe(true);
      expect(problems).toEqual([]);
    });
  });

  test('follows the clock, and fails with the chosen reason', async () => {
    await withContext(browser, {}, async (page) => {
      const { address, charge } = chargeAt();
      const { sandbox } = server;
      const problems = await open(page, address);
      await page.getByText('24:00:00').waitFor();
      await page.getByText('clock frozen').waitFor();
      await sandbox.travel.advanceBy(61_000);
      await page.getByText('23:58:59').waitFor();
      await page.getByLabel('Failure reason').selectOption('AM04');
      await button(page, 'Fail').click();
      await status(page, 'AM04 · insufficient balance at the paying participant');
      expect(charge).toMatchObject({ status: 'FAILED', reason: 'AM04' });
      expect(problems).toEqual([]);
    });
  });

  test('reports a lost stream and rejected actions', async () => {
    await withContext(browser, {}, async (page) => {
      const { address, charge } = chargeAt();
      await page.route('**/stream', (route) => route.abort());
      await page.goto(address);
      await page.getByText('Disconnected from the sandbox.').waitFor();
      server.sandbox.dispatch({ type: 'charge.fail', chargeId: charge.id, reason: null });
      await button(page, 'Pay').click();
      await page.getByRole('alert').filter({ hasText: 'FAILED cannot become SETTLED' }).waitFor();
      await page.reload();
      await status(page, 'Failed');
      expect(charge.status).toBe('FAILED');
    });
  });

  test('applies two submissions of one form once', async () => {
    await withContext(browser, {}, async (page) => {
      const { address, charge } = chargeAt();
      await open(page, address);
      const events = server.sandbox.world.events.rows.length;
      await page.evaluate(`(() => {
        const form = document.querySelector('[data-action=expire]');
        form.requestSubmit();
        form.requestSubmit();
      })()`);
      await status(page, 'Expired');
      expect([charge.status, server.sandbox.world.events.rows.length]).toEqual(['EXPIRED', events + 1]);
      // The page takes presses again.
      await button(page, 'Pay late').click();
      await status(page, 'Paid');
    });
  });

  test('copies the code', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await withContext(browser, { permissions }, async (page) => {
      await open(page, chargeAt().address);
      await button(page, 'Copy code').click();
      await page.getByText('Copied', { exact: true }).waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).toBe(await page.inputValue('#pix'));
    });
  });
});

describe('the layout of the payment page', () => {
  const SIZES: readonly (readonly [string, BrowserContextOptions, number])[] = [
    ['a desktop', { viewport: { width: 1280, height: 800 } }, 0],
    ['a phone', { viewport: { width: 375, height: 700 }, locale: 'pt-BR' }, 1],
  ];

  test.for(SIZES)(
    'axe reports no issues before and after payment, light or dark: %s',
    async ([, options, turn]) => {
      await withContext(browser, options, async (page) => {
        const { address } = chargeAt();
        await page.goto(address);
        expect(await problemsInSchemes(page, inTurn(SCHEMES, turn))).toEqual([]);
        await page.locator('[data-action=fail] button').click();
        await page.locator('#webhooks a').waitFor();
        expect(await problemsInSchemes(page, inTurn(SCHEMES, turn + 1))).toEqual([]);
        await page.goto(`${server.url}/pay/nowhere`);
        expect(await problemsInSchemes(page, inTurn(SCHEMES, turn + 2))).toEqual([]);
      });
    },
  );

  test('never scrolls sideways on a narrow phone, and its buttons are large enough', async () => {
    await withContext(browser, { viewport: { width: 320, height: 640 }, locale: 'pt-BR' }, async (page) => {
      await page.goto(chargeAt({ code: 'x'.repeat(64) }).address);
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow)).toBe(0);
      const boxes = await Promise.all(
        (await page.locator('button:visible').all()).map((shown) => shown.boundingBox()),
      );
      expect(boxes).toHaveLength(5);
      expect(boxes.filter((box) => (box?.height ?? 0) < 44)).toEqual([]);
    });
  });
});
