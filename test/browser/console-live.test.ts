import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { SandboxServer, ServerOptions } from '../../src/http/server/start.js';
import { startServer } from '../../src/http/server/start.js';
import { launchBrowser } from '../helpers/browser/browser.js';
import { clientOf, linesOf, listOf, withConsole } from '../helpers/browser/console-stage.js';
import { openCuttingProxy } from '../helpers/browser/cutting-proxy.js';
import { START_MS } from '../helpers/http/api-client.js';

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

test('what a command does is in eight tabs at once, over one stream', async () => {
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
      await tab.getByText('Nothing yet.').or(listOf(tab)).waitFor();
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

test('a stream that is cut leaves no gap and no double', async () => {
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

test('after a restart every tab starts afresh and says so', async () => {
  const first = await start({ seed: 'one' });
  await withConsole(browser, first, {}, async (page, _, context) => {
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await tab.goto('/');
      await tab.getByText('Nothing yet.').or(listOf(tab)).waitFor();
    }
    const { events } = await pay(first, 'of-the-first');
    for (const tab of [page, other]) await shows(tab, 'of-the-first');
    await page.goto(`/events/${events[0]?.id}`);
    await page.getByRole('region', { name: 'Detail' }).getByText('of-the-first').first().waitFor();
    await first.close(0);
    for (const tab of [page, other]) await tab.getByText('Lost connection to the sandbox').waitFor();
    const second = await start({ seed: 'two', port: first.port });
    for (const tab of [page, other]) {
      await tab.getByText('The sandbox was restarted').waitFor();
      await tab.getByText('of-the-first').first().waitFor({ state: 'detached' });
    }
    await page.getByText('It no longer exists').waitFor();
    await pay(second, 'of-the-second');
    for (const tab of [page, other]) {
      await shows(tab, 'of-the-second');
      expect(await tab.getByText('of-the-first').count()).toBe(0);
    }
  });
});

test('what is open and deleted by a restore says so', async () => {
  const server = await start();
  await clientOf(server).post('state/snapshots', { body: { name: 'empty' } });
  const { events } = await pay(server, 'to-be-gone');
  await withConsole(browser, server, {}, async (page) => {
    await page.goto(`/events/${events[0]?.id}`);
    const detail = page.getByRole('region', { name: 'Detail' });
    await detail.getByText('to-be-gone').first().waitFor();
    await clientOf(server).post('state/snapshots/:name/restore', { name: 'empty' });
    await detail.getByText('It no longer exists').waitFor();
    expect(await detail.getByText('to-be-gone').count()).toBe(0);
  });
});
