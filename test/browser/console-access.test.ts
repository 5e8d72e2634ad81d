import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PORTUGUESE_TEXTS } from '../../src/console/words.js';
import { type SandboxServer, startServer } from '../../src/http/server/start.js';
import { launchBrowser, problemsInSchemes, SCHEMES } from '../helpers/browser/browser.js';
import { liveThrough } from '../helpers/browser/console-workload.js';
import {
  clientOf,
  closeDialog,
  linesOf,
  listOf,
  openPage,
  withConsole,
} from '../helpers/browser/console-stage.js';
import { START_MS } from '../helpers/http/api-client.js';
import { inTurn } from '../helpers/soak-scale.js';

const ANYWHERE = { routes: new Map<string, string>(), allowLocalEndpoints: true };

let browser: Browser;
let server: SandboxServer;
let paths: readonly string[];

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startServer({ port: 0, freezeAt: START_MS, policy: ANYWHERE });
  paths = [
    '/',
    ...(await liveThrough(server, 'A text, and averylongwordwithoutanyplacetobreakit')),
    '/?q=nothing',
  ];
});

afterAll(async () => {
  await browser?.close();
  await server?.close(0);
});

const inConsole = (options: BrowserContextOptions, use: (page: Page) => Promise<void>) =>
  withConsole(browser, server, options, use);

/** There are twenty pages. */
const LONG = { timeout: 120_000 };
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 375, height: 700 };

const WIDTHS = [WIDE, NARROW] as const;

// Each page has one width and one scheme in its turn; in a soak all.
describe('accessibility according to axe', () => {
  test.for([
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const)('axe finds no issues on any page, light or dark: %s', LONG, async ([, viewport]) => {
    const isMine = (index: number) => inTurn(WIDTHS, index).includes(viewport);
    await inConsole({ viewport }, async (page) => {
      const found: string[] = [];
      const look = async (name: string, index: number) => {
        const schemes = inTurn(SCHEMES, Math.floor(index / WIDTHS.length));
        const problems = await problemsInSchemes(page, schemes);
        found.push(...problems.map((problem) => `${name}: ${problem}`));
      };
      for (const [index, path] of paths.entries()) {
        if (!isMine(index)) continue;
        await openPage(page, path);
        await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
        await look(path, index);
      }
      await openPage(page, '/');
      for (const [index, key] of ['t', '?'].entries()) {
        if (!isMine(index)) continue;
        await page.keyboard.press(key);
        await page.getByRole('dialog').waitFor();
        await look(key, index);
        await closeDialog(page);
      }
      expect(found).toEqual([]);
    });
  });
});

describe('keyboard navigation', () => {
  const focused = (page: Page) =>
    page.evaluate<string>('document.activeElement.closest("[data-seq]")?.dataset.seq ?? ""');
  const isOutlined = (page: Page) =>
    page.evaluate<boolean>("getComputedStyle(document.activeElement).outlineStyle !== 'none'");

  test('reaches everything in page order, with one tab stop in the list', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      await openPage(page, '/');
      const stops: string[] = [];
      const place = `(() => { const at = document.activeElement;
        return at === document.body ? '' : at.closest('.rows') ? 'list' : at.closest('.clock') ? 'clock' : at.closest('nav') ? 'sections'
          : at.closest('main') ? 'main' : at.className })()`;
      for (let tabs = 0; tabs < 60; tabs += 1) {
        await page.keyboard.press('Tab');
        const stop = await page.evaluate<string>(place);
        if (stop === '') break;
        expect([stop, await isOutlined(page)]).toEqual([stop, true]);
        stops.push(stop);
      }
      expect(stops[0]).toBe('skip');
      expect([...new Set(stops)].slice(0, 5)).toEqual(['skip', 'clock', 'sections', 'main', 'list']);
      expect(stops.filter((stop) => stop === 'list')).toHaveLength(1);
    });
  });

  test('moves along the list, opens a line and returns to it', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      await openPage(page, '/');
      await listOf(page).waitFor();
      const lines = await linesOf(page);
      await page.keyboard.press('j');
      await expect.poll(() => focused(page)).toBe(String(lines[0]));
      const link = page.locator('.rows a.line').nth(2);
      const wanted = await link.locator('..').getAttribute('data-seq');
      const steps = lines.indexOf(Number(wanted));
      for (let step = 0; step < steps; step += 1) await page.keyboard.press('j');
      await expect.poll(() => focused(page)).toBe(wanted);
      expect(await isOutlined(page)).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Details' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'Details' }).waitFor({ state: 'detached' });
      await expect.poll(() => focused(page)).toBe(wanted);
      await page.keyboard.press('k');
      await expect.poll(() => focused(page)).toBe(String(lines[steps - 1]));
    });
  });

  test('returns with Escape to the previous list', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      const address = () => page.evaluate<string>('location.pathname + location.search');
      const rows = page.locator('.rows');
      const list = '/?q=-is%3Aunmatched';
      for (const kind of ['charges', 'withdrawals', 'endpoints', 'identity']) {
        await openPage(page, list);
        await rows.locator(`a.line[href^="/${kind}/"]`).first().click();
        await page.getByRole('region', { name: 'Details' }).locator('h2').first().waitFor();
        expect(await address()).toContain(`/${kind}/`);
        expect(await rows.count()).toBe(1);
        await page.keyboard.press('Escape');
        await page.getByRole('region', { name: 'Details' }).waitFor({ state: 'detached' });
        expect(await address()).toBe(list);
      }
    });
  });

  test('opens the first line of a trigger, and the items it caused', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      await openPage(page, '/');
      await listOf(page)
        .getByText(/^Trigger pix\.settled/)
        .click();
      const detail = page.getByRole('region', { name: 'Details' });
      await detail.getByRole('heading', { name: 'Trace' }).waitFor();
      await detail.getByText('trigger pix.settled').waitFor();
      await detail.getByText('SETTLED').first().waitFor();
      expect(new URL(page.url()).hash).toBe('#trace');
    });
  });

  test('focuses a filter on every page, which receives the following letters', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      const filter = page.getByRole('searchbox', { name: 'Filter' });
      for (const path of ['/time', '/setup', '/']) {
        await openPage(page, path);
        await page.keyboard.press('/');
        await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
        await page.keyboard.type('tnf');
        expect([path, await filter.inputValue()]).toEqual([path, 'tnf']);
        expect(new URL(page.url()).pathname).toBe('/');
        await filter.fill('');
        await filter.blur();
      }
      await openPage(page, '/charges');
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.name')).toBe('code');
      // What is open covers the list.
      await page.setViewportSize(NARROW);
      await openPage(page, paths.find((path) => path.startsWith('/events/')) ?? '');
      await page.keyboard.press('/');
      await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });

  test('Enter leads from the filter to its first row, and ? focuses the button that closes the list of keys', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      await openPage(page, '/');
      await page.getByRole('searchbox', { name: 'Filter' }).fill('type:pix.*');
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).not.toBe('');
      expect(await linesOf(page)).toContain(Number(await focused(page)));
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Close');
      await closeDialog(page);
    });
  });

  test('freezes the clock, and resumes it', async () => {
    const running = await startServer({ port: 0 });
    try {
      await withConsole(browser, running, {}, async (page) => {
        await openPage(page, '/');
        const clock = page.getByRole('region', { name: 'Clock' });
        for (const pace of [/^frozen/, /^real time/, /^frozen/]) {
          await page.keyboard.press('f');
          await clock.getByText(pace).waitFor();
        }
        expect(running.sandbox.clock.rate).toBe(0);
      });
    } finally {
      await running.close(0);
    }
  });

  test('restores the focus after a dialog', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      await openPage(page, '/');
      const button = page.getByRole('button', { name: 'Trigger', exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Trigger event' }).waitFor();
      await closeDialog(page);
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Trigger');
    });
  });

  test('single keys can be turned off, which persists', async () => {
    await inConsole({ viewport: WIDE }, async (page) => {
      await openPage(page, '/');
      await page.keyboard.press('?');
      await page.getByRole('button', { name: /Turn off single-key shortcuts/ }).click();
      await closeDialog(page);
      await page.reload();
      await listOf(page).waitFor();
      const { newest } = server.sandbox.timeline.ring;
      for (const key of ['t', '?', 'n', 'f', '/', 'j', 'p']) await page.keyboard.press(key);
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await focused(page)).toBe('');
      expect(server.sandbox.timeline.ring.newest).toBe(newest);
    });
  });
});

test('a phone reaches every page from a menu that closes afterwards', async () => {
  await inConsole({ viewport: { width: 390, height: 844 } }, async (page) => {
    await openPage(page, '/');
    const sections = page.getByRole('navigation', { name: 'Sections' });
    const more = sections.getByRole('button', { name: 'More' });
    expect(await sections.getByRole('link').allInnerTexts()).toEqual(['Live', 'Charges']);
    await more.click();
    await sections.getByRole('link', { name: 'Setup' }).click();
    await page.getByRole('heading', { name: 'Setup' }).waitFor();
    expect(await more.getAttribute('aria-expanded')).toBe('false');
    expect(await sections.getByRole('link').allInnerTexts()).toEqual(['Live', 'Charges', 'Setup']);
  });
});

test('every detail labels its facts in Portuguese', LONG, async () => {
  await inConsole({ locale: 'pt-BR' }, async (page) => {
    const detail = page.getByRole('region', { name: PORTUGUESE_TEXTS.detail.region });
    const known = new Set(Object.values(PORTUGUESE_TEXTS.names));
    const found: string[] = [];
    for (const path of paths.filter((one) => one.split('/').length > 2)) {
      await openPage(page, path);
      await detail.locator('dt').first().waitFor();
      const names = await detail.locator('dt').allTextContents();
      expect([path, names.filter((name) => !known.has(name))]).toEqual([path, []]);
      found.push(...names);
    }
    expect(new Set(found).size).toBeGreaterThan(20);
  });
});

test(
  'renders ten thousand entries as at most 60 rows, which stay in place as more arrive',
  LONG,
  async () => {
    const busy = await startServer({ port: 0, freezeAt: START_MS });
    const pay = (count: number) => clientOf(busy).post('trigger', { body: { type: 'pix.settled', count } });
    try {
      while (busy.sandbox.timeline.ring.newest < 10_000) await pay(100);
      await withConsole(browser, busy, { viewport: WIDE }, async (page, offences) => {
        await page.goto('/');
        await listOf(page).waitFor();
        const rows = page.locator('.rows');
        const scrolled = () => rows.evaluate((list: { scrollTop: number }) => list.scrollTop);
        await expect
          .poll(() => rows.evaluate((list: { scrollHeight: number }) => list.scrollHeight))
          .toBeGreaterThan(100_000);
        await rows.evaluate((list: { scrollTop: number }) => {
          list.scrollTop = 60_000;
        });
        await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
        const held = await linesOf(page);
        expect(held.length).toBeLessThanOrEqual(60);
        // As a second of a busy day: bursts, with a drawing between them.
        for (let burst = 0; burst < 20; burst += 1) {
          await pay(10);
          await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => drawn()))');
          expect(await page.locator('[data-seq]').count()).toBeLessThanOrEqual(60);
        }
        await page.getByRole('button', { name: '200 new' }).waitFor();
        expect(await linesOf(page)).toEqual(held);
        expect(await scrolled()).toBe(60_000);
        await page.getByRole('button', { name: '200 new' }).click();
        await expect.poll(() => scrolled()).toBe(0);
        expect(await page.locator('[data-seq]').count()).toBeLessThanOrEqual(60);
        expect(offences).toEqual({ requests: [], reports: [], errors: [] });
      });
    } finally {
      await busy.close(0);
    }
  },
);

test(
  'no page scrolls sideways at 320 pixels, has a target below 24 pixels or fields below its detail',
  LONG,
  async () => {
    server.sandbox.testReceiver.turnOn(200);
    await inConsole({}, async (page) => {
      for (const path of paths) {
        await page.setViewportSize(WIDE);
        await openPage(page, path);
        const hidden = await page.evaluate(`[...document.querySelectorAll('#list :is(input, select, button)')]
        .filter((one) => one.getBoundingClientRect().right > document.querySelector('#list').getBoundingClientRect().right)
        .map((one) => one.textContent || one.name)`);
        expect([path, hidden]).toEqual([path, []]);
        await page.setViewportSize({ width: 320, height: 640 });
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect([path, await page.evaluate(overflow)]).toEqual([path, 0]);
        const small =
          await page.evaluate(`[...document.querySelectorAll('button, input, select, summary, nav a')]
        .filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .map((one) => [one.textContent || one.name, one.getBoundingClientRect().height])
        .filter(([, height]) => height > 0 && height < 24)`);
        expect([path, small]).toEqual([path, []]);
      }
    });
  },
);
