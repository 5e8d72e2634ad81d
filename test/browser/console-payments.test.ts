import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SandboxServer } from '../../src/http/server/start.js';
import { startServer } from '../../src/http/server/start.js';
import { accessibilityProblems, launchBrowser } from '../helpers/browser/browser.js';
import { STEP_MS } from '../helpers/browser/identity-stage.js';
import { runLine } from '../helpers/cli/cli-line.js';
import { START_MS } from '../helpers/http/api-client.js';

let browser: Browser;
let server: SandboxServer;
let context: BrowserContext;
let page: Page;
/** The control calls of the page that change something. */
let calls: string[];

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
});

beforeEach(async () => {
  server = await startServer({ port: 0, freezeAt: START_MS, seed: 'console' });
  context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(STEP_MS);
  page = await context.newPage();
  calls = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET') calls.push(`${request.method()} ${pathname.replace('/_sandbox/', '')}`);
  });
});

afterEach(async () => {
  await context.close();
  await server.close(0);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (label: string) => page.getByRole('dialog').getByLabel(label, { exact: true });
const detail = () => page.getByRole('region', { name: 'Detail' });
const says = (text: string) => page.getByRole('status').getByText(text).waitFor();

/** Presses a button; the detail then shows a state. Answers the calls that it took. */
async function move(name: string, status: string): Promise<string[]> {
  calls.length = 0;
  await detail().getByRole('button', { name, exact: true }).click();
  await detail()
    .getByRole('heading', { name: new RegExp(`${status}$`) })
    .waitFor();
  return calls.map((call) => call.replace(/[0-9a-f-]{36}/, ':id'));
}

/** The command that the console shows, run as the program would. */
async function runShown(shown: string | null): Promise<number> {
  const line = (shown ?? '').replace(/^npx sandbox /, '');
  return (await runLine(line, { env: { SANDBOX_URL: server.url } })).exitCode;
}

test('trigger: every field, a problem beside the field it names, and a command that does the same', async () => {
  await page.goto(server.url);
  await page.getByRole('heading', { name: 'PIX sandbox' }).waitFor();
  await page.keyboard.press('t');
  const dialog = page.getByRole('dialog', { name: 'Trigger an event' });
  expect(await dialog.locator('code').textContent()).toBe('npx sandbox trigger pix.settled');
  await field('Event').selectOption('pix.failed');
  await field('Amount').fill('12.345');
  await field('Reason').selectOption('AB03');
  await field('Metadata').fill('order=7\nnote=a b');
  await field('Overrides').fill('data.object.amount=1.00');
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Trigger', exact: true }).click();
  await dialog.getByText('The amount must be digits with a point').waitFor();
  expect(await field('Amount').getAttribute('aria-invalid')).toBe('true');
  expect(server.sandbox.world.charges.rows).toEqual([]);

  await field('Amount').fill('12.34');
  const shown = await dialog.locator('code').textContent();
  expect(shown).toBe(
    "npx sandbox trigger pix.failed --amount 12.34 --metadata order=7 --metadata 'note=a b' --reason AB03 --override data.object.amount=1.00",
  );
  calls.length = 0;
  await dialog.getByRole('button', { name: 'Trigger', exact: true }).click();
  await says('pix.failed was triggered.');
  await dialog.waitFor({ state: 'detached' });
  expect(calls).toEqual(['POST trigger']);
  expect(await runShown(shown)).toBe(0);
  const [one, other] = server.sandbox.world.charges.rows;
  const { amountCents, metadata, reason, status } = one ?? {};
  expect({ amountCents, metadata, reason, status }).toEqual({
    amountCents: 1234,
    metadata: { order: '7', note: 'a b' },
    reason: 'AB03',
    status: 'FAILED',
  });
  expect(other).toMatchObject({ amountCents, metadata, reason, status });

  await page.keyboard.press('t');
  await field('Existing charge').fill(`${one?.code}`);
  await field('Amount').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Trigger', exact: true }).click();
  await dialog.getByRole('alert').getByText('A charge that is FAILED cannot become SETTLED.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a charge: made, paid, refused, let expire and paid late, each by one call', async () => {
  await page.goto(`${server.url}/charges`);
  await button('New charge').click();
  await field('Amount').fill('99.90');
  await field('Code').fill('order/1?%');
  await button('Create charge').click();
  await detail().getByRole('heading', { name: 'order/1?% PENDING' }).waitFor();
  const image = detail().getByRole('img', { name: 'QR code of order/1?%' });
  const width = await image.evaluate(async (shown: unknown) => {
    const drawn = shown as { readonly decode: () => Promise<void>; readonly naturalWidth: number };
    await drawn.decode();
    return drawn.naturalWidth;
  });
  // One pixel for each module.
  expect(width).toBeGreaterThanOrEqual(21);
  const [charge] = server.sandbox.world.charges.rows;
  await detail()
    .getByText(/^000201.*br\.gov\.bcb\.pix/)
    .waitFor();
  const payPage = detail().getByRole('link', { name: 'Open the pay page' });
  expect(await payPage.getAttribute('href')).toBe(`/pay/${charge?.id}`);
  expect(await accessibilityProblems(page)).toEqual([]);

  expect(await move('Pay', 'SETTLED')).toEqual(['POST charges/:id/settle']);
  const happened = detail().getByRole('region', { name: 'What happened to it' });
  await happened.getByRole('link', { name: 'pix.settled' }).waitFor();
  await happened.getByText('delivered to nobody').waitFor();
  await detail().getByText('Nothing can happen to it any more.').waitFor();
  expect(await detail().getByRole('button', { name: 'Pay' }).count()).toBe(0);

  const create = async (code: string) => {
    await button('New charge').click();
    await field('Code').fill(code);
    await button('Create charge').click();
    await detail()
      .getByRole('heading', { name: `${code} PENDING` })
      .waitFor();
  };
  await create('order-2');
  await detail().getByLabel('Reason').selectOption('FRAD');
  expect(await move('Fail', 'FAILED')).toEqual(['POST charges/:id/fail']);
  await detail().getByText('FRAD', { exact: true }).waitFor();
  await create('order-3');
  expect(await move('Expire', 'EXPIRED')).toEqual(['POST charges/:id/expire']);
  expect(await move('Pay late', 'SETTLED')).toEqual(['POST charges/:id/settle']);
  await create('order-4');
  expect(await move('Pay late', 'SETTLED')).toEqual(['POST trigger']);
  await happened.getByText(/EXPIRED$/).waitFor();
});

test('charges: by status, by code, and older ones a page at a time', async () => {
  for (let number = 1; number <= 60; number += 1) {
    const event = number % 2 === 0 ? 'pix.expired' : 'pix.settled';
    server.sandbox.dispatch({ type: 'trigger', event, chargeFields: { code: `order-${number}` } });
  }
  await page.goto(`${server.url}/charges`);
  const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') });
  await page.getByRole('link', { name: 'order-60', exact: true }).waitFor();
  expect(await rows.count()).toBe(50);
  await page.getByRole('link', { name: 'Older' }).click();
  await page.getByRole('link', { name: 'order-1', exact: true }).waitFor();
  expect(await rows.count()).toBe(10);
  await page.getByRole('link', { name: 'Newer' }).click();
  await page.getByRole('link', { name: 'order-60', exact: true }).waitFor();
  await page.getByLabel('Status').selectOption('EXPIRED');
  await page.getByRole('link', { name: 'order-59', exact: true }).waitFor({ state: 'detached' });
  await rows.nth(29).waitFor();
  expect(await rows.count()).toBe(30);
  await page.getByLabel('Code or id').fill('order-7');
  await page.keyboard.press('Enter');
  await detail().getByRole('heading', { name: 'order-7 SETTLED' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/charges/order-7');
  await page.reload();
  await detail().getByRole('heading', { name: 'order-7 SETTLED' }).waitFor();
  await rows.nth(29).waitFor();
  expect(await rows.count()).toBe(30);
  expect(calls).toEqual([]);
});

test('a withdrawal: made, processed, settled, returned and refused, each by one call', async () => {
  await page.goto(`${server.url}/withdrawals`);
  const create = async (code: string) => {
    await button('New withdrawal').click();
    await field('Code').fill(code);
    await field('PIX key').fill('maria@example.com');
    await button('Create withdrawal').click();
    await detail()
      .getByRole('heading', { name: `${code} PENDING` })
      .waitFor();
  };
  await create('payout-1');
  await detail().getByText('maria@example.com (EMAIL)').waitFor();
  expect(await move('Process', 'PROCESSING')).toEqual(['POST withdrawals/:id/process']);
  expect(await move('Settle', 'SETTLED')).toEqual(['POST withdrawals/:id/settle']);
  await detail().getByLabel('Reason').selectOption('AC07');
  expect(await move('Return', 'FAILED')).toEqual(['POST withdrawals/:id/return']);
  expect(server.sandbox.world.withdrawals.rows[0]?.reason).toBe('AC07');
  await create('payout-2');
  expect(await move('Fail', 'FAILED')).toEqual(['POST withdrawals/:id/fail']);
  expect(server.sandbox.world.withdrawals.rows[1]?.reason).toBe('AC03');
});

test('the ledger: the balance after each entry, and loudly what is wrong', async () => {
  server.sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
  await page.goto(`${server.url}/ledger`);
  await page.getByText('The ledger is sound.').waitFor();
  const cells = await page.getByRole('row').nth(1).getByRole('cell').allTextContents();
  expect(cells.slice(1)).toEqual(['fee', 'order-1', '−0.80', '10099.20']);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole('link', { name: 'order-1' }).first().click();
  await detail().getByRole('heading', { name: 'order-1 SETTLED' }).waitFor();

  await page.route('**/_sandbox/ledger*', async (route) => {
    const answer = await route.fetch();
    const json = (await answer.json()) as object;
    await route.fulfill({ response: answer, json: { ...json, problems: ['order-1 has no fee.'] } });
  });
  await page.goto(`${server.url}/ledger`);
  const alert = page.getByRole('alert');
  await alert.getByText('The ledger is not sound: 1 problem.').waitFor();
  await alert.getByText('order-1 has no fee.').waitFor();
  // The page may be reading it once more.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('time: jumped to what is due, advanced, stopped and sped up, each by one call', async () => {
  server.sandbox.dispatch({
    type: 'charge.create',
    appId: server.sandbox.world.apps.rows[0]?.id ?? '',
    charge: {
      code: 'order-1',
      accountId: server.sandbox.world.apps.rows[0]?.accountId ?? '',
      amountCents: 1000,
      payerName: null,
      payerDocument: null,
      metadata: {},
    },
  });
  await page.goto(`${server.url}/time`);
  const due = page.getByRole('region', { name: 'What falls due' });
  expect(await accessibilityProblems(page)).toEqual([]);
  const title = await due.getByRole('heading').boundingBox();
  const list = await due.getByRole('list').boundingBox();
  expect([list?.x, list?.width]).toEqual([title?.x, title?.width]);
  await due.getByRole('button', { name: 'Jump here: charge order-1 expires' }).click();
  await due.getByText('Nothing falls due.').waitFor();
  const shown = page.getByRole('status').locator('code');
  expect(await shown.textContent()).toBe('npx sandbox clock advance 1d');
  expect(server.sandbox.world.charges.rows[0]?.status).toBe('EXPIRED');
  const before = server.sandbox.clock.now();
  expect(await runShown(await shown.textContent())).toBe(0);
  expect(server.sandbox.clock.now() - before).toBe(86_400_000);

  await page.getByLabel('Go forward by').fill('soon');
  await button('Advance').click();
  await page.getByText('Must be a duration, such as 1d12h; got soon.').waitFor();
  await page.getByLabel('Go forward by').fill('1h30m');
  await button('Advance').click();
  await says('The clock went forward by 1h30m.');
  const at = '2040-01-01T00:00:00Z';
  await page.getByLabel('Freeze at').fill(at);
  await button('Stop the clock').click();
  await says(`The clock stands still at ${at}.`);
  expect(server.sandbox.clock.now()).toBe(Date.parse(at));
  await page.getByLabel('Rate').fill('0.5');
  await button('Set rate').click();
  await says('The clock runs 0.5 times as fast as real time.');
  expect(server.sandbox.clock.rate).toBe(0.5);
  expect(calls).toEqual([
    'POST clock/advance',
    'POST clock/advance',
    'POST clock/advance',
    'POST clock/freeze',
    'POST clock/speed',
  ]);
});
