import type { Frame, Page } from 'playwright-core';
import type { PanelOutcome } from '../../../src/http/hosted/texts.js';
import type { Stage } from './identity-stage.js';
import { newSession } from './identity-stage.js';

/** A hosted page in a window or in a frame. */
export type View = Page | Frame;

/** Goes through the steps of an individual, up to the decision. */
export async function goThroughSteps(view: View): Promise<void> {
  await view.fill('#name', 'Maria da Silva');
  await view.fill('#document', '123.456.789-09');
  await view.click('main button');
  await view.check('#consent');
  await view.click('main button');
  await view.click('main form button');
  await view.waitForSelector('aside > form');
}

/** Decides in the panel, at the last step or before it. */
export async function decide(view: View, outcome: PanelOutcome, delay = '0s'): Promise<void> {
  await view.waitForSelector('aside :is(details, form)');
  if (await view.locator('summary').isVisible()) await view.click('summary');
  await view.check(`#outcome-${outcome}`);
  await view.fill('#delay', delay);
  await view.click('aside button');
  await view.waitForSelector('main [role=status]');
}

/** Leads to every page there is, and has each looked at. */
export async function visitEveryPage(
  { server, shopUrl }: Stage,
  page: Page,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const { session, address } = newSession(server);
  const continueOn = () => page.click('main form button');
  await page.goto(`${address}?origin=http://localhost:3000`);
  await look('details');
  await continueOn();
  await look('details with problems');
  await page.fill('#name', 'Maria <b>da</b> Silva');
  await page.fill('#document', '123.456.789-09');
  await continueOn();
  await look('consent');
  await continueOn();
  await look('consent with a problem');
  await page.check('#consent');
  await continueOn();
  await page.click('summary');
  await look('camera with the panel open');
  await continueOn();
  await look('decision');
  await page.fill('#delay', 'soon');
  await page.click('aside button');
  await look('decision with a problem');
  await decide(page, 'error');
  await look('error');
  await continueOn();
  await continueOn();
  await decide(page, 'under_review', '5m');
  await look('result');
  await page.goto(address);
  await look('finished');
  const company = newSession(server, 'business');
  await page.goto(company.address);
  await look('details of a company that nobody hears of');
  await page.goto(address.replace(session.id, 'kyc_unknown'));
  await look('unknown session');
  const key = server.sandbox.credentials.kycPublishableKey;
  const referer = 'http://localhost:3000/';
  await page.goto(`${server.url}/start?publishable_key=${key}`, { referer });
  await look('start');
  await continueOn();
  await look('start with a problem');
  await page.goto(`${server.url}/start?publishable_key=wrong`, { referer });
  await look('unknown key');
  await page.goto(shopUrl);
  await page.waitForSelector('[data-ready]');
  await look('the example');
}
