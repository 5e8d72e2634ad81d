import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, problemsInSchemes, SCHEMES } from '../helpers/browser/browser.js';
import { goThroughSteps, visitEveryPage } from '../helpers/browser/identity-journey.js';
import type { Stage } from '../helpers/browser/identity-stage.js';
import { newSession, openStage, withContext } from '../helpers/browser/identity-stage.js';
import { inTurn } from '../helpers/soak-scale.js';

let browser: Browser;
let stage: Stage;

beforeAll(async () => {
  browser = await launchBrowser();
  stage = await openStage();
});

afterAll(async () => {
  await browser?.close();
  await stage?.[Symbol.asyncDispose]();
});

const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, locale: 'pt-BR' };
/** There are sixteen pages. */
const LONG = { timeout: 120_000 };
const DESKTOP = { viewport: { width: 1280, height: 720 } };

// On a phone below, each page is a desktop's in its turn.
test.runIf(process.env['WHOLE'])('axe reports no issues on a desktop, light or dark', LONG, async () => {
  await withContext(browser, DESKTOP, async (page) => {
    await visitEveryPage(stage, page, async (name) => {
      expect([name, await problemsInSchemes(page)]).toEqual([name, []]);
    });
  });
});

test(
  'axe reports no issues on a phone, no page scrolls sideways, and buttons are large enough',
  LONG,
  async () => {
    await withContext(browser, PHONE, async (page) => {
      let turn = 0;
      await visitEveryPage(stage, page, async (name) => {
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect([name, await page.evaluate(overflow)]).toEqual([name, 0]);
        const boxes = await Promise.all(
          (await page.locator('button:visible').all()).map((button) => button.boundingBox()),
        );
        expect([name, boxes.filter((box) => (box?.height ?? 0) < 44)]).toEqual([name, []]);
        const viewports = [PHONE.viewport, DESKTOP.viewport];
        for (const viewport of inTurn(viewports, turn)) {
          await page.setViewportSize(viewport);
          const schemes = inTurn(SCHEMES, Math.floor(turn / viewports.length));
          expect([name, viewport, await problemsInSchemes(page, schemes)]).toEqual([name, viewport, []]);
        }
        await page.setViewportSize(PHONE.viewport);
        turn += 1;
      });
    });
  },
);

describe('keyboard navigation', () => {
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.id');

  /** Tabs on to an element, and sees to it that the focus can be seen on the way. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let tabs = 0; tabs < 20; tabs += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
      if (await page.evaluate(`document.activeElement.matches('${selector}')`)) return;
    }
    throw new Error(`Expected 20 tabs to lead to ${selector}.`);
  }

  test('leads through every step', async () => {
    await withContext(browser, {}, async (page) => {
      const { session, address } = newSession(stage.server);
      await page.goto(address);
      await tabTo(page, '#name');
      await page.keyboard.type('Maria da Silva');
      await tabTo(page, '#document');
      await page.keyboard.type('12345678909');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#consent');
      await tabTo(page, '#consent');
      await page.keyboard.press('Space');
      await tabTo(page, 'main button');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.picture');
      await tabTo(page, 'main button');
      await page.keyboard.press('Enter');
      await page.waitForSelector('aside > form');
      await tabTo(page, '#outcome-approved');
      await page.keyboard.press('ArrowDown');
      await tabTo(page, 'aside button');
      await page.keyboard.press('Enter');
      await page.waitForSelector('main [role=status]');
      expect(session.status).toBe('rejected');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    });
  });

  test('leads from the summary of problems to the fields', async () => {
    await withContext(browser, {}, async (page) => {
      await page.goto(newSession(stage.server).address);
      await tabTo(page, 'main button');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.errors');
      expect(await page.title()).toMatch(/^Error: /);
      expect(await page.evaluate('document.activeElement.className')).toBe('errors');
      await tabTo(page, '[href="#document"]');
      await page.keyboard.press('Enter');
      expect(await focused(page)).toBe('document');
    });
  });

  test('opens the panel to skip ahead', async () => {
    await withContext(browser, {}, async (page) => {
      const { session, address } = newSession(stage.server);
      await page.goto(address);
      await tabTo(page, 'summary');
      await page.keyboard.press('Enter');
      await tabTo(page, 'aside button');
      await page.keyboard.press('Space');
      await page.waitForSelector('main [role=status]');
      expect(session.status).toBe('approved');
    });
  });
});

const SIZES = [
  ['laptop', { width: 1280, height: 720 }],
  ['phone', { width: 375, height: 667 }],
] as const;

describe.for(SIZES)('the visible area of a %s', ([, viewport]) => {
  const bottomOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox();
    return box === null ? Infinity : box.y + box.height;
  };

  test('contains the choice and its button, at the last step and before it', async () => {
    await withContext(browser, { viewport }, async (page) => {
      await page.goto(newSession(stage.server).address);
      expect(await bottomOf(page, 'summary')).toBeLessThanOrEqual(viewport.height);
      await page.click('summary');
      for (const selector of ['.choice:last-of-type', 'aside button'])
        expect(await bottomOf(page, selector)).toBeLessThanOrEqual(viewport.height);
      await goThroughSteps(page);
      await page.evaluate('scrollTo(0, 0)');
      for (const selector of ['.choice:last-of-type', 'aside button'])
        expect(await bottomOf(page, selector)).toBeLessThanOrEqual(viewport.height);
    });
  });
});
