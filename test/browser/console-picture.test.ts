import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../src/http/server/start.js';
import { launchBrowser } from '../helpers/browser/browser.js';
import { paletteOf } from '../helpers/documents/palette-png.js';
import { clientOf, openPage, withConsole } from '../helpers/browser/console-stage.js';

const PICTURE = join(import.meta.dirname, '../../fixtures/pictures/console.png');
const SIZE = { width: 1280, height: 720 };
const MOST_BYTES = 80 * 1024;
const NOON = Date.UTC(2026, 0, 31, 12);

test('the picture of the README is small, and shows the console (UPDATE_DOCS=1 takes it)', async () => {
  const server = await startServer({ port: 0, freezeAt: NOON, seed: '7' });
  onTestFinished(() => server.close(0));
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const client = clientOf(server);
  await client.post('receiver', { body: { answer: { fail: 3 } } });
  const paid = await client.post('trigger', {
    body: { type: 'pix.settled', with: { code: 'order-1' }, until: 'attempted' },
  });
  await client.post('clock/advance', { body: { by: '1h' } });
  await client.post('trigger', {
    body: { type: 'withdrawal.failed', with: { code: 'payout-7' }, until: 'ended' },
  });
  await withConsole(browser, server, { viewport: SIZE, colorScheme: 'light' }, async (page) => {
    await openPage(page, `/deliveries/${paid.deliveries[0]?.id}`);
    await page.getByRole('region', { name: 'Detail' }).getByRole('list', { name: 'Attempts' }).waitFor();
    const steps = page.getByRole('button', { name: 'Hide these steps' });
    if (await steps.isVisible()) await steps.click();
    await page.getByText('payout-7').first().waitFor();
    if (process.env['UPDATE_DOCS'] === undefined) return;
    mkdirSync(dirname(PICTURE), { recursive: true });
    writeFileSync(PICTURE, paletteOf(await page.screenshot({ animations: 'disabled' })));
  });
  const picture = readFileSync(PICTURE);
  expect(picture.length).toBeLessThan(MOST_BYTES);
  expect(PNG.sync.read(picture)).toMatchObject(SIZE);
});
