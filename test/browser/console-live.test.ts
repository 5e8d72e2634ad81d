import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createReplayScript } from '../../src/cli/commands/calls.js';
import { type SandboxServer, type ServerOptions, startServer } from '../../src/http/server/start.js';
import { accessibilityProblems, launchBrowser } from '../helpers/browser/browser.js';
import { clientOf, linesOf, listOf, withConsole } from '../helpers/browser/console-stage.js';
import { openCuttingProxy } from '../helpers/browser/cutting-proxy.js';
import { START_MS } from '../helpers/http/api-client.js';
import { tries } from '../helpers/soak-scale.js';

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

const pay = (server: SandboxServer, code?: string, count?: number) =>
  clientOf(server).post('trigger', {
    body: { type: 'pix.settled', ...(code === undefined ? { count } : { with: { code } }) },
  });

const shows = (page: Page, text: string) => listOf(page).getByText(text).first().waitFor();

/** The lines of a page that was never cut off. */
const linesAfresh = (server: SandboxServer, path: string) =>
  withConsole(browser, server, {}, async (page) => {
    await page.goto(path);
    await listOf(page).waitFor();
    return linesOf(page);
  });

test('shows the effect of a command in eight tabs concurrently, over one stream', async () => {
  const server = await start();
  await withConsole(browser, server, {}, async (first, _, context) => {
    const streams: string[] = [];
    context.on('request', (request) => {
      if (request.url().includes('/stream/')) streams.push(request.url());
    });
    const others = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
    const tabs = [first, ...others];
    for (const tab of tabs) {
      await tab.goto('/');
      await tab.getByText('Nothing here yet.').or(listOf(tab)).waitFor();
    }
    await pay(server, 'order-1');
    await Promise.all(tabs.map((tab) => shows(tab, 'order-1')));
    expect(streams).toHaveLength(1);
    // The tab with the stream goes; another one takes over.
    await first.close();
    await pay(server, 'order-2');
    await Promise.all(others.map((tab) => shows(tab, 'order-2')));
    await expect.poll(() => streams.length).toBe(2);
    const lines = await linesAfresh(server, '/');
    for (const tab of others) expect(await linesOf(tab)).toEqual(lines);
  });
});

test('an interrupted stream causes no gap and no duplicate', async () => {
  const server = await start();
  await using proxy = await openCuttingProxy(server.port);
  await withConsole(browser, proxy, {}, async (page) => {
    await page.goto('/');
    await pay(server, 'before');
    await shows(page, 'before');
    for (const round of [1, 2, 3]) {
      proxy.cut();
      await page.getByText('Lost connection to the sandbox').waitFor();
      await pay(server, `meanwhile-${round}`);
      proxy.mend();
      await shows(page, `meanwhile-${round}`);
      await page.getByText('Lost connection to the sandbox').waitFor({ state: 'detached' });
      await pay(server, `after-${round}`);
      await shows(page, `after-${round}`);
    }
    const lines = await linesOf(page);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toEqual(await linesAfresh(server, '/'));
  });
});

test('every tab reloads after a restart and reports it', async () => {
  const first = await start({ seed: 'one' });
  await withConsole(browser, first, {}, async (page, _, context) => {
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await tab.goto('/');
      await tab.getByText('Nothing here yet.').or(listOf(tab)).waitFor();
    }
    const { events } = await pay(first, 'of-the-first');
    for (const tab of [page, other]) await shows(tab, 'of-the-first');
    await page.goto(`/events/${events[0]?.id}`);
    await page.getByRole('region', { name: 'Details' }).getByText('of-the-first').first().waitFor();
    await first.close(0);
    for (const tab of [page, other]) await tab.getByText('Lost connection to the sandbox').waitFor();
    const second = await start({ seed: 'two', port: first.port });
    for (const tab of [page, other]) {
      await tab.getByText('The sandbox was restarted').waitFor();
      await tab.getByText('of-the-first').first().waitFor({ state: 'detached' });
    }
    await page.getByText('No longer exists').waitFor();
    await pay(second, 'of-the-second');
    for (const tab of [page, other]) {
      await shows(tab, 'of-the-second');
      expect(await tab.getByText('of-the-first').count()).toBe(0);
    }
  });
});

test('reports that the open item was deleted by a restore', async () => {
  const server = await start();
  await clientOf(server).post('state/snapshots', { body: { name: 'empty' } });
  const { events } = await pay(server, 'to-be-gone');
  await withConsole(browser, server, {}, async (page) => {
    await page.goto(`/events/${events[0]?.id}`);
    const detail = page.getByRole('region', { name: 'Details' });
    await detail.getByText('to-be-gone').first().waitFor();
    await clientOf(server).post('state/snapshots/:name/restore', { name: 'empty' });
    await detail.getByText('No longer exists').waitFor();
    expect(await detail.getByText('to-be-gone').count()).toBe(0);
  });
});

const JOURNEY = [
  ['Turn on test receiver', 'Next: Pay a charge.'],
  ['Pay a charge', 'Next: Fail three deliveries.'],
  ['Fail three deliveries', 'Next: Pay a charge.'],
  ['Pay a charge', 'Next: press +45 h above'],
  ['+45 h', 'Next: Retry dead letter.'],
] as const;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** What ended each attempt, at the end of its name. */
const LAST_WORDS = (all: readonly { ariaLabel: string }[]) =>
  all.map(({ ariaLabel }) => ariaLabel.split(', ').at(-1));

const IS_FOCUSED = (one: { ownerDocument: { activeElement: unknown } }) =>
  one.ownerDocument.activeElement === one;

/** Tabs on until the focus is there, and presses Enter: no mouse, and no focus set from outside. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.and(page.locator(':enabled, a')).waitFor();
  for (let tabs = 0; tabs < 80; tabs += 1) {
    if (await target.evaluate(IS_FOCUSED)) {
      await page.keyboard.press('Enter');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Expected 80 tabs to lead to ${String(target)}.`);
}

const WITH_KEYBOARD = ['keyboard', reach] as const;
const WITH_MOUSE = ['mouse', (_: Page, target: Locator) => target.click()] as const;

test.for(tries({ part: [WITH_KEYBOARD], whole: [WITH_KEYBOARD, WITH_MOUSE] }))(
  'the first steps lead to a retried dead letter by %s',
  async ([, press]) => {
    const server = await start();
    await withConsole(browser, server, {}, async (page, offences) => {
      await page.goto('/');
      const steps = page.getByRole('region', { name: 'First steps' });
      for (const [name, then] of JOURNEY) {
        await press(page, button(page, name));
        await steps.getByText(then).waitFor();
      }
      const dead = steps.getByRole('link', { name: /^Open: 500/ });
      await press(page, dead);
      await page.getByRole('heading', { name: 'FAILED' }).waitFor();
      const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('button');
      expect(await attempts.evaluateAll(LAST_WORDS)).toEqual(Array.from({ length: 8 }, () => '500'));
      await press(page, button(page, 'Retry dead letter'));
      await steps.getByText('npx sandbox start --forward-to').waitFor();
      await page.getByRole('heading', { name: 'DELIVERED' }).waitFor();
      expect(await steps.getByRole('link').allInnerTexts()).toEqual([
        'Open: 200',
        'Open: 500 500 500 500 500 500 500 500 200',
        'Open: 500 500 500 500 500 500 500 500 200',
      ]);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('region', { name: 'Test receiver' }).getByText('signature verified').waitFor();
      await button(page, 'Hide steps').click();
      await page.reload();
      await page.getByRole('list', { name: 'Live' }).waitFor();
      expect(await steps.count()).toBe(0);
      expect(offences).toEqual({ requests: [], reports: [], errors: [] });
    });
  },
);

test('shows the eight attempts of a delivery, skips ahead, and compares two of them', async () => {
  const server = await start();
  const client = clientOf(server);
  await client.post('receiver', { body: { answer: { fail: 1 } } });
  const { events } = await client.post('trigger', { body: { type: 'pix.settled' } });
  const { data } = await client.get('deliveries', { event: events[0]?.id });
  await withConsole(browser, server, {}, async (page, offences) => {
    await page.goto(`/deliveries/${data[0]?.id}#attempt-1`);
    const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('button');
    await button(page, 'Advance to attempt 2').click();
    await page.getByRole('heading', { name: 'DELIVERED' }).waitFor();
    expect(await attempts.count()).toBe(8);
    expect(await attempts.nth(1).getAttribute('aria-label')).toMatch(/^Attempt 2, 1 Jan 2026 12:01:00, 200$/);
    await page.getByLabel('Compare with').selectOption({ label: 'Attempt 2' });
    await page
      .getByRole('region', { name: 'Differences from Attempt 2' })
      .getByText('Response: Status')
      .waitFor();
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.getByRole('link', { name: 'attempt 2 of pix.settled' }).waitFor();
    expect(offences).toEqual({ requests: [], reports: [], errors: [] });
  });
});

test('copies a request as the terminal prints it, and repeats it from the keyboard', async () => {
  const server = await start();
  const client = clientOf(server);
  const headers = { authorization: `Bearer ${server.env.SANDBOX_TOKEN}`, 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: '{"code":"o-1"}' };
  await server.fetch(new Request(`${server.url}/api/public/v1/pix`, sent), {});
  const id = (await client.get('calls')).data[0]?.id ?? '';
  await withConsole(browser, server, {}, async (page, offences, context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/calls/${id}`);
    await page.locator('[data-key=c]:enabled').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('status').getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      (await createReplayScript(client, id)).script,
    );
    await page.keyboard.press('r');
    await page.getByRole('status').getByText('Done: Send again.').waitFor();
    expect((await client.get('calls')).data).toHaveLength(2);
    await page.getByRole('region', { name: /^Differences from req_/ }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL(`${server.url}/charges`);
    expect(offences).toEqual({ requests: [], reports: [], errors: [] });
  });
});
