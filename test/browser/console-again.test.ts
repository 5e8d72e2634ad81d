import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityProblems, launchBrowser } from '../helpers/browser/browser.js';
import { openPage, withConsole } from '../helpers/browser/console-stage.js';
import { runLine } from '../helpers/cli/cli-line.js';
import { deliveryFault } from '../helpers/core/faults.js';
import { ACCOUNT_ID, testApi } from '../helpers/http/api-client.js';
import { listenTo } from '../helpers/sandbox/sandbox.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(() => browser?.close());

const refused = { account_id: ACCOUNT_ID, code: 'order-1', amount: '12.345' };
const mended = JSON.stringify({ ...refused, amount: '12.34' });

test('sent again: a call with another body, and an event to one endpoint alone', async () => {
  const api = await testApi({ port: 0 });
  const { sandbox, server } = api;
  const shop = listenTo(sandbox, { name: 'shop' });
  const audit = listenTo(sandbox, { name: 'audit' });
  const call = await api.call('POST', '/pix', { body: refused });
  const callId = call.headers.get('x-request-id') ?? '';
  expect(call.status).toBe(400);

  await withConsole(browser, server, {}, async (page, offences) => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname.replace('/_sandbox/', ''));
    });
    const detail = page.getByRole('region', { name: 'Detail' });
    const press = (name: string) => detail.getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit and send' });
    const body = dialog.getByLabel('Body');

    await openPage(page, `/calls/${callId}`);
    await press('Edit and send');
    expect(JSON.parse(await body.inputValue())).toEqual(refused);
    await body.fill(mended);
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await detail.getByRole('heading', { name: /POST \/api\/public\/v1\/pix 201$/ }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(sent).toEqual([`calls/${callId}/replay`]);
    expect(sandbox.world.charges.rows).toMatchObject([{ code: 'order-1', amountCents: 1234 }]);
    const amount = detail.getByRole('row', { name: /amount/ }).first();
    await expect.poll(() => amount.getByRole('cell').allTextContents()).toEqual(['"12.345"', '"12.34"']);
    const command = `calls replay ${callId} '--body=${mended}'`;
    await page.getByText(`npx sandbox ${command}`, { exact: true }).waitFor();

    await press('Edit and send');
    expect(await body.inputValue()).toBe(mended);
    await dialog.getByLabel('with a new code').check();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => sandbox.world.charges.rows.length).toBe(2);
    expect(sent).toHaveLength(2);
    const again = await runLine(command, { env: { SANDBOX_URL: server.url } });
    expect([again.exitCode, sandbox.world.charges.rows.length]).toEqual([0, 2]);

    const [charge] = sandbox.world.charges.rows;
    await api.control('POST', `charges/${charge?.id}/settle`);
    await sandbox.idle();
    const [event] = sandbox.world.events.rows;
    await openPage(page, `/events/${event?.id}`);
    await detail
      .getByRole('link', { name: /^pix\.settled → / })
      .nth(1)
      .waitFor();
    sandbox.dispatch({ type: 'fault.add', fault: deliveryFault('wrong-signature') });
    await detail.getByLabel('to').selectOption(shop.endpoint.id);
    await press('Resend');
    await detail
      .getByRole('link', { name: /^pix\.settled → / })
      .nth(2)
      .waitFor();
    await page.getByText(`npx sandbox events resend ${event?.id} --endpoint ${shop.endpoint.id}`).waitFor();
    expect(sent.slice(2)).toEqual([`events/${event?.id}/resend`]);
    await sandbox.idle();
    expect([shop.received.length, audit.received.length]).toEqual([2, 1]);
    await press('Resend');
    await expect.poll(() => [shop.received.length, audit.received.length]).toEqual([3, 1]);
    await detail.getByLabel('to').selectOption('all that take it');
    await press('Resend');
    await expect.poll(() => [shop.received.length, audit.received.length]).toEqual([4, 2]);

    const [first, , forged] = sandbox.world.deliveries.rows;
    for (const [delivery, verdict] of [
      [first, /signed with the endpoint’s secret$/],
      [forged, /signed with an unknown secret, by the fault wrong-signature$/],
    ] as const) {
      await openPage(page, `/deliveries/${delivery?.id}#attempt-1`);
      await detail.getByText(verdict).waitFor();
      await detail.getByText('Signed content').click();
      const content = await detail.locator('pre[aria-label^="Signed content"]').textContent();
      expect(content).toBe(
        `${event?.id}.${shop.received[0]?.headers['webhook-timestamp']}.${shop.bodies()[0]}`,
      );
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(offences).toEqual({ requests: [], reports: [], errors: [] });
  });
});
