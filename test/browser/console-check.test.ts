import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../../src/http/server/start.js';
import { accessibilityProblems, launchBrowser } from '../helpers/browser/browser.js';
import { clientOf, withConsole } from '../helpers/browser/console-stage.js';
import { CHECKED } from '../helpers/check/checked.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
});

test('the report of check: named when there is one, failures first, and drawn again when another comes', async () => {
  const server = await startServer({ port: 0 });
  const client = clientOf(server);
  const [failed] = CHECKED.checks;
  if (failed === undefined) throw new Error('Expected a check.');
  const passed = { ...failed, id: 'accept.raw', verdict: 'pass', expected: '2xx' } as const;
  const permissions = ['clipboard-read', 'clipboard-write'];
  await withConsole(browser, server, { permissions }, async (page, offences) => {
    await page.goto('/');
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Set-up' }).waitFor();
    expect(await sections.getByRole('link', { name: 'Check' }).count()).toBe(0);
    const got = '200 "<b>ok</b>"';
    const summary = { ...CHECKED.summary, pass: 1 };
    const unobserved = {
      ...passed,
      id: 'dup.again',
      verdict: 'unknown',
      reason: 'The probe printed nothing.',
    } as const;
    const checks = [passed, { ...failed, got }, unobserved];
    await client.put('check', { body: { ...CHECKED, summary, checks } });
    await sections.getByRole('link', { name: 'Check' }).click();
    expect(await page.locator('p', { hasText: CHECKED.headline }).getAttribute('class')).toBe('loud');
    await page.getByText('The probe printed nothing.').waitFor();
    const result = page.getByRole('region', { name: failed.id });
    for (const text of [failed.sent, got, failed.likely, failed.fix, failed.link]) {
      await result.getByText(text, { exact: true }).waitFor();
    }
    const command = `npx sandbox check --forward-to 3000/webhooks --only ${failed.id} --verbose`;
    await result.getByText(command, { exact: true }).waitFor();
    await result.getByRole('button', { name: `Copy ${failed.id}` }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(command);
    await page.getByText('passed: 1').click();
    await page.getByText('accept.raw').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const [checks, tone] of [
      [[passed, unobserved], 'waiting'],
      [[passed], 'good'],
    ] as const) {
      const headline = `Headline: ${tone}.`;
      await client.put('check', { body: { ...CHECKED, ok: true, headline, checks, again: null } });
      expect(await page.getByText(headline).getAttribute('class')).toBe(tone);
    }
    expect(await result.count()).toBe(0);
    expect(offences).toEqual({ requests: [], reports: [], errors: [] });
  }).finally(() => server.close(0));
});
