import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ControlClient } from '../../src/client/control.js';
import { startServer } from '../../src/http/server/start.js';
import { launchBrowser } from '../helpers/browser/browser.js';
import { clientOf, openPage, withConsole } from '../helpers/browser/console-stage.js';
import { paletteOf } from '../helpers/documents/palette-png.js';

const FOLDER = join(import.meta.dirname, '../../fixtures/pictures');
const NOON = Date.UTC(2026, 0, 31, 12);

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(() => browser?.close());

/** A screen of the documents: what happened before, how one gets there, and what must be on it. */
interface Screen {
  readonly size: { readonly width: number; readonly height: number };
  readonly mostBytes: number;
  readonly live: (client: ControlClient) => Promise<string>;
  readonly shows: (page: Page) => Promise<void>;
}

const trigger = (client: ControlClient, type: string, code: string) =>
  client.post('trigger', { body: { type, with: { code }, until: 'attempted' } });

const SCREENS: Readonly<Record<string, Screen>> = {
  console: {
    size: { width: 1280, height: 720 },
    mostBytes: 80 * 1024,
    live: async (client) => {
      await client.post('receiver', { body: { answer: { fail: 3 } } });
      const paid = await trigger(client, 'pix.settled', 'order-1');
      await client.post('clock/advance', { body: { by: '1h' } });
      await trigger(client, 'withdrawal.failed', 'payout-7');
      return `/deliveries/${paid.deliveries[0]?.id}`;
    },
    shows: async (page) => {
      await page.getByRole('region', { name: 'Details' }).getByRole('list', { name: 'Attempts' }).waitFor();
      const steps = page.getByRole('button', { name: 'Hide steps' });
      if (await steps.isVisible()) await steps.click();
      await page.getByText('payout-7').first().waitFor();
    },
  },
  payments: {
    size: { width: 1280, height: 640 },
    mostBytes: 60 * 1024,
    live: async (client) => {
      await client.post('receiver', { body: { answer: 200 } });
      await trigger(client, 'pix.settled', 'order-1');
      await trigger(client, 'pix.failed', 'order-2');
      await trigger(client, 'pix.expired', 'order-3');
      await client.post('clock/advance', { body: { by: '20m' } });
      const { id } = await client.post('charges', { body: { amount: '100.00', code: 'order-4' } });
      return `/charges/${id}`;
    },
    shows: async (page) => {
      await page.getByRole('img', { name: 'QR code of order-4' }).waitFor();
      await page.getByRole('link', { name: 'order-1' }).waitFor();
    },
  },
  'pay-page': {
    size: { width: 720, height: 760 },
    mostBytes: 50 * 1024,
    live: async (client) => {
      await client.post('receiver', { body: { answer: 200 } });
      const { id } = await client.post('charges', { body: { amount: '100.00', code: 'order-4' } });
      return `/pay/${id}`;
    },
    shows: async (page) => {
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      await page.getByRole('button', { name: 'Pay late' }).waitFor();
    },
  },
};

test.each(Object.entries(SCREENS))(
  'the picture of %s is small and current (UPDATE_DOCS=1 writes it)',
  async (name, { size, mostBytes, live, shows }) => {
    const server = await startServer({ port: 0, freezeAt: NOON, seed: '7' });
    onTestFinished(() => server.close(0));
    const path = await live(clientOf(server));
    const file = join(FOLDER, `${name}.png`);
    await withConsole(browser, server, { viewport: size, colorScheme: 'light' }, async (page) => {
      if (path.startsWith('/pay/')) await page.goto(path);
      else await openPage(page, path);
      await shows(page);
      if (process.env['UPDATE_DOCS'] === undefined) return;
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, paletteOf(await page.screenshot({ animations: 'disabled' })));
    });
    const picture = readFileSync(file);
    expect(picture.length).toBeLessThan(mostBytes);
    expect(PNG.sync.read(picture)).toMatchObject(size);
  },
);

test('the guide names every page and key of the console', async () => {
  const server = await startServer({ port: 0, freezeAt: NOON });
  onTestFinished(() => server.close(0));
  const guide = readFileSync(join(FOLDER, '../guides/console.md'), 'utf8').split('\n');
  const rows = guide.map((line) => line.split('|').map((cell) => cell.trim()));
  await withConsole(browser, server, {}, async (page) => {
    await openPage(page, '/');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.locator('dd').first().waitFor();
    const [keys, meanings] = [
      await dialog.locator('dt').allTextContents(),
      await dialog.locator('dd').allTextContents(),
    ];
    expect(keys.length).toBeGreaterThan(20);
    const missing = keys.filter((key, index) => {
      const does = meanings[index] ?? '';
      const wanted = key.startsWith('g ') ? [does.replace('go to ', ''), `\`${key}\``] : [`\`${key}\``, does];
      return !rows.some(([, one, other]) => one === wanted[0] && other === wanted[1]);
    });
    expect(missing).toEqual([]);
  });
});
