import bundled from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

/** A browser without a window: the one from npm where that runs, else an installed Chrome. */
export async function launchBrowser() {
  const isBundled = process.platform === 'linux' && process.arch === 'x64';
  const place = isBundled ? { executablePath: await bundled.executablePath() } : { channel: 'chrome' };
  const browser = await chromium.launch({ ...place, args: ['--no-sandbox', '--disable-gpu'] });
  process.once('exit', () => void browser.close());
  return browser;
}
