import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SandboxServer, startServer } from '../../src/http/server/start.js';
import { launchBrowser, SCHEMES } from '../helpers/browser/browser.js';
import { liveThrough } from '../helpers/browser/console-workload.js';
import { openPage, withConsole } from '../helpers/browser/console-stage.js';
import { START_MS } from '../helpers/http/api-client.js';

/** Where `npm run screenshots` writes every page; without it, one page of each size is looked at. */
const { SCREENSHOTS: FOLDER } = process.env;
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
] as const;
const LOCALES = ['en-US', 'pt-BR'] as const;
const ANYWHERE = { routes: new Map<string, string>(), allowLocalEndpoints: true };

let browser: Browser;
let server: SandboxServer;
let paths: readonly string[];

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startServer({ port: 0, freezeAt: START_MS, policy: ANYWHERE });
  paths = ['/', ...(await liveThrough(server, 'Order 7'))];
});

afterAll(async () => {
  await browser?.close();
  await server?.close(0);
});

/** The name of a page's file: its path without ids. */
function nameOf(path: string, index: number): string {
  const words = path.split(/[/#?]/).filter((word) => /^[a-z-]+$/.test(word));
  return [String(index).padStart(2, '0'), ...(words.length === 0 ? ['live'] : words)].join('-');
}

const COMBINATIONS = SIZES.flatMap((viewport) =>
  SCHEMES.flatMap((colorScheme) => LOCALES.map((locale) => ({ viewport, colorScheme, locale }))),
);

test.each(FOLDER === undefined ? COMBINATIONS.slice(0, 1) : COMBINATIONS)(
  'takes pictures of every page: $viewport.width pixels wide, $colorScheme, $locale',
  { timeout: 120_000 },
  async ({ viewport, colorScheme, locale }) => {
    await withConsole(browser, server, { viewport, colorScheme, locale }, async (page) => {
      for (const [index, path] of (FOLDER === undefined ? paths.slice(0, 1) : paths).entries()) {
        await openPage(page, path);
        const picture = await page.screenshot({ animations: 'disabled' });
        expect(PNG.sync.read(picture)).toMatchObject(viewport);
        if (FOLDER === undefined) continue;
        const folder = join(FOLDER, `${viewport.width}-${colorScheme}-${locale}`);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${nameOf(path, index)}.png`), picture);
      }
    });
  },
);
