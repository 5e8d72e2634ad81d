import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PanelOutcome } from '../../src/http/hosted/texts.js';
import { accessibilityProblems, launchBrowser } from '../helpers/browser/browser.js';
import type { View } from '../helpers/browser/identity-journey.js';
import { decide, goThroughSteps } from '../helpers/browser/identity-journey.js';
import type { Stage } from '../helpers/browser/identity-stage.js';
import { newSession, openStage, STEP_MS } from '../helpers/browser/identity-stage.js';
import { inTurn } from '../helpers/soak-scale.js';

let browser: Browser;
let context: BrowserContext;
let stage: Stage;

beforeAll(async () => {
  browser = await launchBrowser();
  context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(STEP_MS);
  stage = await openStage();
});

afterAll(async () => {
  await browser?.close();
  await stage?.[Symbol.asyncDispose]();
});

type Mode = 'popup' | 'frame' | 'dialog';

/** Opens a page, and closes every one there is after. */
async function inShop(use: (page: Page) => Promise<void>): Promise<void> {
  try {
    await use(await context.newPage());
  } finally {
    await Promise.all(context.pages().map((page) => page.close()));
  }
}

/** Presses the button of the example and answers the hosted page that it opens. */
async function verify(page: Page, mode: Mode, entry: 'session' | 'key' = 'session'): Promise<View> {
  await page.goto(stage.shopUrl);
  await page.waitForSelector('[data-ready]');
  await page.check(`[name=entry][value=${entry}]`);
  await page.check(`[name=mode][value=${mode}]`);
  if (mode !== 'popup') {
    await page.click('#form button');
    return frameOf(page);
  }
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#form button')]);
  return popup;
}

async function frameOf(page: Page): Promise<View> {
  const frame = await (await page.waitForSelector('iframe', { state: 'attached' })).contentFrame();
  if (frame === null) throw new Error('Expected a frame with a document.');
  return frame;
}

/** How long the example may take, which asks for results with a growing delay. */
const SOON = { timeout: 8_000 };

const logOf = (page: Page) => page.locator('#log li').allTextContents();

const CALLBACKS: readonly (readonly [PanelOutcome, readonly string[]])[] = [
  ['approved', ['onSuccess', 'result 200 approved']],
  ['under_review', ['onReview', 'result 200 under_review']],
  ['rejected', ['onError REJECTED']],
  ['cancelled', ['onError CANCELLED']],
  ['expired', ['onError EXPIRED']],
  ['error', ['onError PROVIDER_ERROR']],
];

const MODES = ['popup', 'frame'] as const;

describe.for(MODES)('the SDK in a %s', (mode) => {
  /** The mode where it is its turn, which it always is in a soak. */
  const inItsTurn = (turn: number) => inTurn(MODES, turn).filter((one) => one === mode);

  test.for(CALLBACKS.filter((_, index) => inTurn(MODES, index).includes(mode)))(
    'calls %s, and the result is final',
    async ([outcome, lines]) => {
      await inShop(async (page) => {
        const view = await verify(page, mode);
        await decide(view, outcome);
        await expect.poll(() => logOf(page), SOON).toEqual(lines);
        const report = await view.locator('aside').innerText();
        expect(report).toContain(`postMessage to ${new URL(stage.shopUrl).origin}`);
        expect(report).toContain(lines[0]?.split(' ')[0]);
        expect(report).not.toContain('nothing');
        expect(stage.server.sandbox.world.sessions.rows.at(-1)?.status).toBe(
          outcome === 'error' ? 'CREATED' : outcome,
        );
      });
    },
  );

  test.for(inItsTurn(0))('starts with only a publishable key', async () => {
    await inShop(async (page) => {
      const view = await verify(page, mode, 'key');
      await view.click('main button');
      await goThroughSteps(view);
      await decide(view, 'approved');
      await expect.poll(() => logOf(page), SOON).toEqual(['onSuccess', 'result 200 approved']);
      expect(stage.server.sandbox.world.sessions.rows.at(-1)).toMatchObject({
        embedOrigin: new URL(stage.shopUrl).origin,
        document: '12345678909',
      });
    });
  });

  test.for(inItsTurn(1))('runs the callback before the result can be read', async () => {
    await inShop(async (page) => {
      await decide(await verify(page, mode), 'approved', '1h');
      await expect
        .poll(() => page.locator('#log').textContent())
        .toMatch(/^onSuccess(?:result 409 NOT_TERMINAL)+$/);
      await fetch(`${stage.server.url}/_sandbox/clock/advance`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"by":"1h"}',
      });
      await expect
        .poll(() => page.locator('#log').textContent(), { timeout: 8_000 })
        .toMatch(/^onSuccess(?:result 409 NOT_TERMINAL)+result 200 approved$/);
    });
  });

  test('lets a person try again after an error, and closes in the end', async () => {
    await inShop(async (page) => {
      const view = await verify(page, mode);
      await decide(view, 'error');
      await view.click('main form button');
      await decide(view, 'under_review');
      expect(await accessibilityProblems(view)).toEqual([]);
      const lines = ['onError PROVIDER_ERROR', 'onReview', 'result 200 under_review'];
      await expect.poll(() => logOf(page), SOON).toEqual(lines);
      // The window may be gone before the click has been told of; what it did is looked at below.
      await view.click('#close').catch(unlessGone);
      await expect.poll(() => logOf(page), SOON).toEqual([...lines, 'onClose']);
      expect(page.context().pages()).toHaveLength(1);
      expect(await page.locator('iframe').count()).toBe(0);
    });
  });
});

describe('closing before the end', () => {
  const CLOSED = ['onError WINDOW_CLOSED', 'onClose'];

  test('reports a closed window', async () => {
    await inShop(async (page) => {
      const popup = await verify(page, 'popup');
      await popup.waitForSelector('h1');
      await (popup as Page).close();
      await expect.poll(() => logOf(page), SOON).toEqual(CLOSED);
    });
  });

  test.for(['Close', 'Escape'])('reports a dialog closed by %s', async (how) => {
    await inShop(async (page) => {
      await (await verify(page, 'dialog')).waitForSelector('h1');
      expect(await accessibilityProblems(page)).toEqual([]);
      if (how === 'Close') await page.click('dialog > button');
      else await page.keyboard.press('Escape');
      await expect.poll(() => logOf(page), SOON).toEqual(CLOSED);
      expect(await page.locator('dialog').count()).toBe(0);
    });
  });
});

/** Runs the SDK in a page and collects what it calls. */
async function openByScript(page: Page, options: object): Promise<void> {
  const settings = JSON.stringify({ baseUrl: stage.server.url, ...options });
  await page.evaluate(`import('${stage.server.url}/sdk.js').then(({ openVerification }) => {
    window.told = [];
    const tell = (name) => (value) => window.told.push([name, value?.code ?? value?.sessionId ?? null]);
    openVerification({ ...${settings}, onSuccess: tell('onSuccess'), onReview: tell('onReview'),
      onError: tell('onError'), onClose: tell('onClose') });
  })`);
}

const toldIn = (page: Page) => page.evaluate('window.told');

/** A page of an origin that is not registered, with a copy of the SDK. */
async function bringSdk(page: Page): Promise<void> {
  const body = await (await fetch(`${stage.server.url}/sdk.js`)).text();
  const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
  await page.route('**/sdk.js', (route) =>
    route.request().method() === 'GET' ? route.fulfill({ body, headers }) : route.continue(),
  );
  await page.goto(stage.shopUrl.replace('localhost', 'evil.example'));
}

describe('SDK errors', () => {
  test.for(['popup', 'frame'] as const)('reports an invalid key in a %s', async (mode) => {
    await inShop(async (page) => {
      await page.goto(stage.shopUrl);
      const popup = mode === 'popup' ? page.waitForEvent('popup') : undefined;
      await openByScript(page, { publishableKey: 'pk_wrong', mode });
      await expect.poll(() => toldIn(page), SOON).toEqual([['onError', 'UNKNOWN_PUBLISHABLE_KEY']]);
      const view = popup === undefined ? await frameOf(page) : await popup;
      expect(await view.textContent('h1')).toBe('Unknown publishable key');
    });
  });

  test('does not load the SDK from an unregistered origin', async () => {
    await inShop(async (page) => {
      const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/sdk.js'));
      await page.goto(stage.shopUrl.replace('localhost', 'evil.example'));
      expect((await refused).url()).toBe(`${stage.server.url}/sdk.js`);
      expect(await page.locator('[data-ready]').count()).toBe(0);
    });
  });

  test('shows nothing in a frame to an unregistered origin with its own SDK', async () => {
    await inShop(async (page) => {
      await bringSdk(page);
      const { session } = newSession(stage.server);
      await openByScript(page, { sessionId: session.id, mode: 'frame' });
      await expect.poll(() => toldIn(page), SOON).toEqual([['onError', 'ORIGIN_NOT_REGISTERED']]);
      expect(await (await frameOf(page)).locator('h1, form').count()).toBe(0);
    });
  });

  test('reports a URL without a sandbox', async () => {
    await inShop(async (page) => {
      await page.goto(stage.shopUrl);
      await openByScript(page, { sessionId: 'kyc_any', mode: 'frame', baseUrl: 'http://127.0.0.1:1' });
      await expect.poll(() => toldIn(page), SOON).toEqual([['onError', 'UNREACHABLE']]);
    });
  });

  test('ignores third-party messages', async () => {
    await inShop(async (page) => {
      await page.goto(stage.shopUrl);
      const over = newSession(stage.server);
      stage.server.sandbox.dispatch({
        type: 'session.decide',
        sessionId: over.session.id,
        status: 'approved',
      });
      const { session } = newSession(stage.server);
      await openByScript(page, { sessionId: session.id, mode: 'frame' });
      await page.evaluate(`new Promise((resolve) => {
        const { origin } = location;
        postMessage({ type: 'pix-sandbox:identity', event: 'success', sessionId: 'forged' }, origin);
        addEventListener('message', (event) => event.origin !== origin && resolve());
        const frame = document.createElement('iframe');
        frame.src = '${over.address}?origin=' + origin;
        document.body.append(frame);
      })`);
      const view = page.frames().find((frame) => frame.url().includes(session.id));
      if (view === undefined) throw new Error('Expected the frame of the session.');
      await decide(view, 'under_review');
      await expect.poll(() => toldIn(page), SOON).toEqual([['onReview', session.id]]);
    });
  });

  test('ignores a frame that navigated elsewhere', async () => {
    await inShop(async (page) => {
      await page.goto(stage.shopUrl);
      const { session } = newSession(stage.server);
      await openByScript(page, { sessionId: session.id, mode: 'frame' });
      const frame = (await frameOf(page)) as Frame;
      await frame.waitForSelector('h1');
      await frame.goto(stage.shopUrl);
      const forged = JSON.stringify({ type: 'pix-sandbox:identity', event: 'success', sessionId: 'forged' });
      const heard = `new Promise((resolve) => addEventListener('message', () => resolve(true), { once: true }))`;
      const arrival = page.evaluate(heard);
      // Once this is answered, the page listens.
      await page.evaluate('0');
      await frame.evaluate(`parent.postMessage(${forged}, '*')`);
      expect(await arrival).toBe(true);
      expect(await toldIn(page)).toEqual([]);
    });
  });
});

function unlessGone(error: Error): void {
  if (!error.message.includes('has been closed')) throw error;
}
