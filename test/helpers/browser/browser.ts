import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import bundled from '@sparticuz/chromium';
import type { Browser, Frame, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Half as long as what the package exports, and each document reads all of it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Origins that are not of loopback need a name, and nothing here may ask the network for anything.
  '--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** A real browser: the one from npm where that runs, else an installed Chrome. Throws where there is none. */
export async function launchBrowser(): Promise<Browser> {
  const options = { args: ARGS, headless: true };
  if (process.platform === 'linux' && process.arch === 'x64') {
    return chromium.launch({ ...options, executablePath: await bundledBrowser() });
  }
  try {
    return await chromium.launch({ ...options, channel: 'chrome' });
  } catch (error) {
    throw new Error(
      'The browser tests found no browser. They bring one on Linux x64 alone; elsewhere, install Google Chrome.',
      { cause: error },
    );
  }
}

/** Unpacks the browser once for each user: what is there is whole, because it got its name when it was. */
async function bundledBrowser(): Promise<string> {
  const folder = join(tmpdir(), `pix-sandbox-chromium-147-${userInfo().uid}`);
  if (existsSync(folder)) return join(folder, 'chromium');
  const { TMPDIR } = process.env;
  const unpacked = mkdtempSync(`${folder}-`);
  process.env['TMPDIR'] = unpacked;
  try {
    await bundled.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
  try {
    renameSync(unpacked, folder);
  } catch (error) {
    rmSync(unpacked, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return join(folder, 'chromium');
}

/** What axe finds wrong with a page, with all of its rules or with some; an empty list is what is wanted. */
export async function accessibilityProblems(
  page: Page | Frame,
  rules?: readonly string[],
): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  const options = JSON.stringify({
    resultTypes: ['violations'],
    // There is no axe in the frames, whose answer it would wait for.
    iframes: false,
    ...(rules === undefined ? {} : { runOnly: rules }),
  });
  return page.evaluate<string[]>(`axe.run(${options}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ' ' + html)))`);
}

type Scheme = 'light' | 'dark';

export const SCHEMES: readonly Scheme[] = ['light', 'dark'];

/**
 * The same in each color scheme: with all rules in the first, and in the other with those that colors can
 * break.
 */
export async function problemsInSchemes(page: Page, schemes: readonly Scheme[] = SCHEMES): Promise<string[]> {
  const found: string[] = [];
  for (const [index, colorScheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme });
    const rules = index === 0 ? undefined : ['color-contrast', 'link-in-text-block'];
    for (const problem of await accessibilityProblems(page, rules)) {
      found.push(colorScheme === 'dark' ? `dark: ${problem}` : problem);
    }
  }
  return found;
}
