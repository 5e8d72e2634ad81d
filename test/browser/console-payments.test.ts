import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type SandboxServer, startServer } from '../../src/http/server/start.js';
import { accessibilityProblems, launchBrowser } from '../helpers/browser/browser.js';
import { clientOf, type ConsoleStage, onConsole } from '../helpers/browser/console-stage.js';
import { runLine } from '../helpers/cli/cli-line.js';
import { deliveryFault } from '../helpers/core/fault-commands.js';
import { ACCOUNT_ID, START_MS, testApi } from '../helpers/http/api-client.js';
import { listenTo } from '../helpers/sandbox/sandbox.js';

let browser: Browser;
let server: SandboxServer;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
});

beforeEach(async () => {
  server = await startServer({ port: 0, freezeAt: START_MS, seed: 'console' });
  onTestFinished(() => server.close(0));
});

/** The command that the console shows, run as the program would. */
async function runShown(shown: string | null): Promise<number> {
  const line = (shown ?? '').replace(/^npx sandbox /, '');
  return (await runLine(line, { env: { SANDBOX_URL: server.url } })).exitCode;
}

/** Creates a payment in the dialog of its page; it is open next to the list then. */
async function create({ press, act, detail, dialog }: ConsoleStage, kind: string, fields: object) {
  await press(`New ${kind}`);
  await dialog.getByText('More fields').click();
  for (const [label, value] of Object.entries(fields)) {
    await dialog.getByLabel(label, { exact: true }).fill(String(value));
  }
  await act(`Create ${kind}`);
  await detail.getByRole('heading', { name: /PENDING$/ }).waitFor();
}

/** Presses a button of the detail, which then shows a state; returns the request. */
async function move({ act, detail }: ConsoleStage, name: string, status: string): Promise<string> {
  const request = await act(name, detail);
  await detail.getByRole('heading', { name: new RegExp(`${status}$`) }).waitFor();
  return request;
}

test('shows a problem next to the field it names, and the equivalent command of a trigger', async () => {
  await onConsole(browser, server, '/', async ({ page, dialog, act, press, shows }) => {
    const field = (label: string) => dialog.getByLabel(label, { exact: true });
    await page.keyboard.press('t');
    expect(await dialog.locator('code').textContent()).toBe('npx sandbox trigger pix.settled');
    await field('Event type').selectOption('pix.failed');
    await field('Amount').fill('12.345');
    await field('Reason').selectOption('AB03');
    await dialog.getByText('More fields').click();
    await field('Metadata').fill('order=7\nnote=a b');
    await field('Overrides').fill('data.object.amount=1.00');
    expect(await accessibilityProblems(page)).toEqual([]);
    await act('Trigger', dialog);
    await dialog.getByText('The amount must be a decimal number with').waitFor();
    expect(await field('Amount').getAttribute('aria-invalid')).toBe('true');
    expect(server.sandbox.world.charges.rows).toEqual([]);

    await field('Amount').fill('12.34');
    const shown = await dialog.locator('code').textContent();
    expect(shown).toBe(
      "npx sandbox trigger pix.failed --amount 12.34 --metadata order=7 --metadata 'note=a b' --reason AB03 --override data.object.amount=1.00",
    );
    expect(await act('Trigger', dialog)).toBe('POST trigger');
    await shows(/^Done: Trigger\./);
    await dialog.waitFor({ state: 'detached' });
    expect(await runShown(shown)).toBe(0);
    const made = server.sandbox.world.charges.rows.map(({ amountCents, metadata, reason, status }) => ({
      amountCents,
      metadata,
      reason,
      status,
    }));
    const metadata = { order: '7', note: 'a b' };
    const wanted = { amountCents: 1234, metadata, reason: 'AB03', status: 'FAILED' };
    expect(made).toEqual([wanted, wanted]);

    await page.keyboard.press('t');
    await field('Charge').fill(`${server.sandbox.world.charges.rows[0]?.code}`);
    await field('Amount').waitFor({ state: 'detached' });
    await press('Trigger', dialog);
    await dialog.getByRole('alert').getByText('A charge with status FAILED cannot become SETTLED').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

test('creates, pays, refuses, expires and pays a charge late, each by one request', async () => {
  await onConsole(browser, server, '/charges', async (stage) => {
    const { page, detail, shows } = stage;
    await create(stage, 'charge', { Amount: '99.90', Code: 'order/1?%' });
    const image = detail.getByRole('img', { name: 'QR code of order/1?%' });
    const width = await image.evaluate(async (shown: unknown) => {
      const drawn = shown as { readonly decode: () => Promise<void>; readonly naturalWidth: number };
      await drawn.decode();
      return drawn.naturalWidth;
    });
    // One pixel for each module.
    expect(width).toBeGreaterThanOrEqual(21);
    const [charge] = server.sandbox.world.charges.rows;
    await detail.getByText(/^000201.*br\.gov\.bcb\.pix/).waitFor();
    const payPage = detail.getByRole('link', { name: 'Open payment page' });
    expect(await payPage.getAttribute('href')).toBe(`/pay/${charge?.id}`);
    expect(await accessibilityProblems(page)).toEqual([]);

    expect(await move(stage, 'Pay', 'SETTLED')).toBe('POST charges/:id/settle');
    const history = detail.getByRole('region', { name: 'History' });
    await history.getByRole('link', { name: 'pix.settled' }).waitFor();
    await shows('no deliveries', history);
    await shows('Final status: no actions available.', detail);
    expect(await detail.getByRole('button', { name: 'Pay' }).count()).toBe(0);

    await create(stage, 'charge', { Code: 'order-2' });
    await detail.getByLabel('Reason').selectOption('FRAD');
    expect(await move(stage, 'Fail', 'FAILED')).toBe('POST charges/:id/fail');
    await shows('FRAD', detail);
    await create(stage, 'charge', { Code: 'order-3' });
    expect(await move(stage, 'Expire', 'EXPIRED')).toBe('POST charges/:id/expire');
    expect(await move(stage, 'Pay late', 'SETTLED')).toBe('POST charges/:id/settle');
    await create(stage, 'charge', { Code: 'order-4' });
    expect(await move(stage, 'Pay late', 'SETTLED')).toBe('POST trigger');
    await history.getByText(/EXPIRED$/).waitFor();
  });
});

test('finds charges by status and code, and loads older ones page by page', async () => {
  for (let number = 1; number <= 60; number += 1) {
    const event = number % 2 === 0 ? 'pix.expired' : 'pix.settled';
    server.sandbox.dispatch({ type: 'trigger', event, chargeFields: { code: `order-${number}` } });
  }
  await onConsole(browser, server, '/charges', async ({ page, detail }) => {
    const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') });
    const code = (name: string) => page.getByRole('link', { name, exact: true });
    await code('order-60').waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole('link', { name: 'Older' }).click();
    await code('order-1').waitFor();
    expect(await rows.count()).toBe(10);
    await page.getByRole('link', { name: 'Newer' }).click();
    await code('order-60').waitFor();
    await page.getByLabel('Status').selectOption('EXPIRED');
    await code('order-59').waitFor({ state: 'detached' });
    await expect.poll(() => rows.count()).toBe(30);
    await page.getByLabel('Code or ID').fill('order-7');
    await page.keyboard.press('Enter');
    await detail.getByRole('heading', { name: 'order-7 SETTLED' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/charges/order-7');
    await page.reload();
    await detail.getByRole('heading', { name: 'order-7 SETTLED' }).waitFor();
    await expect.poll(() => rows.count()).toBe(30);
  });
});

test('creates, processes, settles, returns and refuses a withdrawal, each by one request', async () => {
  await onConsole(browser, server, '/withdrawals', async (stage) => {
    const { detail, shows } = stage;
    const key = { 'PIX key': 'maria@example.com' };
    await create(stage, 'withdrawal', { Code: 'payout-1', ...key });
    await shows('maria@example.com (EMAIL)', detail);
    expect(await move(stage, 'Process', 'PROCESSING')).toBe('POST withdrawals/:id/process');
    expect(await move(stage, 'Settle', 'SETTLED')).toBe('POST withdrawals/:id/settle');
    await detail.getByLabel('Reason').selectOption('AC07');
    expect(await move(stage, 'Return', 'FAILED')).toBe('POST withdrawals/:id/return');
    await create(stage, 'withdrawal', { Code: 'payout-2', ...key });
    expect(await move(stage, 'Fail', 'FAILED')).toBe('POST withdrawals/:id/fail');
    expect(server.sandbox.world.withdrawals.rows.map(({ reason }) => reason)).toEqual(['AC07', 'AC03']);
  });
});

test('shows the balance after each ledger entry, and highlights ledger problems', async () => {
  server.sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
  await onConsole(browser, server, '/ledger', async ({ page, detail, shows }) => {
    await shows(/The ledger is consistent\.$/);
    const cells = await page.getByRole('row').nth(1).getByRole('cell').allTextContents();
    expect(cells).toEqual(['fee', 'order-1', '−R$0.80', 'R$10,099.20']);
    await page.getByRole('link', { name: 'order-1' }).first().click();
    await detail.getByRole('heading', { name: 'order-1 SETTLED' }).waitFor();

    await page.route('**/_sandbox/ledger*', async (route) => {
      const answer = await route.fetch();
      const json = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...json, problems: ['order-1 has no fee.'] } });
    });
    await page.goto('/ledger');
    const alert = page.getByRole('alert');
    await alert.getByText('The ledger is inconsistent.').waitFor();
    await alert.getByText('order-1 has no fee.').waitFor();
    // The page may be reading it once more.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

test('skips to due items, and advances, freezes and speeds up the clock, each by one request', async () => {
  const { sandbox } = server;
  await clientOf(server).post('charges', { body: { code: 'order-1' } });
  await onConsole(browser, server, '/time', async ({ page, act, shows }) => {
    const due = page.getByRole('region', { name: 'Scheduled items' });
    const jump = 'Advance to here charge order-1 expires';
    expect(await act(jump, due)).toBe('POST clock/advance');
    await shows('nothing scheduled', due);
    const shown = page.getByRole('status').locator('code');
    expect(await shown.textContent()).toBe('npx sandbox clock advance 1d');
    expect(sandbox.world.charges.rows[0]?.status).toBe('EXPIRED');
    const before = sandbox.clock.now();
    expect(await runShown(await shown.textContent())).toBe(0);
    expect(sandbox.clock.now() - before).toBe(86_400_000);

    await page.getByLabel('Advance by').fill('soon');
    await act('Advance clock');
    await shows('Must be a duration, such as 1d12h; got soon.');
    await page.getByLabel('Advance by').fill('1h30m');
    expect(await act('Advance clock')).toBe('POST clock/advance');
    await shows(/^Done: Advance clock\./);
    const at = '2040-01-01T00:00:00Z';
    await page.getByLabel('Freeze at').fill(at);
    expect(await act('Freeze clock')).toBe('POST clock/freeze');
    await expect.poll(() => sandbox.clock.now()).toBe(Date.parse(at));
    await page.getByLabel('Rate', { exact: true }).fill('0.5');
    expect(await act('Set rate')).toBe('POST clock/speed');
    await expect.poll(() => sandbox.clock.rate).toBe(0.5);
  });
});

const refused = { account_id: ACCOUNT_ID, code: 'order-1', amount: '12.345' };
const fixed = JSON.stringify({ ...refused, amount: '12.34' });

test('repeats a request with another body, and an event to only one endpoint', async () => {
  const api = await testApi({ port: 0 });
  const { sandbox } = api;
  const shop = listenTo(sandbox, { name: 'shop' });
  const audit = listenTo(sandbox, { name: 'audit' });
  const call = await api.call('POST', '/pix', { body: refused });
  const callId = call.headers.get('x-request-id') ?? '';
  await onConsole(browser, api.server, `/calls/${callId}`, async (stage) => {
    const { page, detail, dialog, act, press, shows } = stage;
    const body = dialog.getByLabel('Body');
    await press('Edit and send', detail);
    expect(JSON.parse(await body.inputValue())).toEqual(refused);
    await body.fill(fixed);
    expect(await act('Send', dialog)).toBe(`POST calls/${callId}/replay`);
    await detail.getByRole('heading', { name: /POST \/api\/public\/v1\/pix 201$/ }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(sandbox.world.charges.rows).toMatchObject([{ code: 'order-1', amountCents: 1234 }]);
    const amount = detail.getByRole('row', { name: /amount/ }).first();
    await expect.poll(() => amount.getByRole('cell').allTextContents()).toEqual(['"12.345"', '"12.34"']);
    await shows(`npx sandbox calls replay ${callId} '--body=${fixed}'`);

    await press('Edit and send', detail);
    expect(await body.inputValue()).toBe(fixed);
    await dialog.getByLabel('Use a new code').check();
    await act('Send', dialog);
    await expect.poll(() => sandbox.world.charges.rows.length).toBe(2);

    const [charge] = sandbox.world.charges.rows;
    await api.control('POST', `charges/${charge?.id}/settle`);
    await sandbox.idle();
    const [event] = sandbox.world.events.rows;
    const sent = detail.getByRole('link', { name: /^pix\.settled → / });
    await page.goto(`/events/${event?.id}`);
    await sent.nth(1).waitFor();
    sandbox.dispatch({ type: 'fault.add', fault: deliveryFault('wrong-signature') });
    await detail.getByLabel('To').selectOption(shop.endpoint.id);
    expect(await act('Resend', detail)).toBe(`POST events/${event?.id}/resend`);
    await sent.nth(2).waitFor();
    await shows(`npx sandbox events resend ${event?.id} --endpoint ${shop.endpoint.id}`);
    await sandbox.idle();
    expect([shop.received.length, audit.received.length]).toEqual([2, 1]);
    await detail.getByLabel('To').selectOption('all subscribed endpoints');
    await press('Resend', detail);
    await expect.poll(() => [shop.received.length, audit.received.length]).toEqual([3, 2]);

    const [first, , forged] = sandbox.world.deliveries.rows;
    for (const [delivery, verdict] of [
      [first, /signed with the endpoint’s secret$/],
      [forged, /signed with an unknown secret, fault: wrong-signature$/],
    ] as const) {
      await page.goto(`/deliveries/${delivery?.id}#attempt-1`);
      await detail.getByText(verdict).waitFor();
      await detail.getByText('Signed content').click();
      const content = await detail.locator('pre[aria-label^="Signed content"]').textContent();
      const timestamp = shop.received[0]?.headers['webhook-timestamp'];
      expect(content).toBe(`${event?.id}.${timestamp}.${shop.bodies()[0]}`);
    }
  });
});
