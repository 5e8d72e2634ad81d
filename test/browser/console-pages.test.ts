import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Download } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScenarioService } from '../../src/cli/commands/run/scenarios.js';
import type { Endpoint } from '../../src/core/world.js';
import { type SandboxServer, startServer } from '../../src/http/server/start.js';
import { launchBrowser } from '../helpers/browser/browser.js';
import { CHECKED } from '../helpers/check/check-report-example.js';
import { clientOf, type ConsoleStage, onConsole } from '../helpers/browser/console-stage.js';
import { START_MS } from '../helpers/http/api-client.js';
import { settle } from '../helpers/sandbox/sandbox.js';
import { tempFolder } from '../helpers/temp-folder.js';

const ANYWHERE = { routes: new Map<string, string>(), allowLocalEndpoints: true };
const RECEIVER = 'http://localhost:9/webhooks';

let browser: Browser;
let server: SandboxServer;

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startSandbox();
});

afterAll(async () => {
  await browser?.close();
  await server?.close(0);
});

async function startSandbox(): Promise<SandboxServer> {
  const started: SandboxServer = await startServer({
    port: 0,
    seed: 'console',
    freezeAt: START_MS,
    policy: ANYWHERE,
    scenarios: () => Promise.resolve(createScenarioService(started, undefined)),
  });
  return started;
}

function onlyEndpoint(): Endpoint {
  const [endpoint] = server.sandbox.world.endpoints.values();
  if (endpoint === undefined) throw new Error('Expected an endpoint.');
  return endpoint;
}

test('adds, edits and deletes an endpoint, and reveals its secret only on request', async () => {
  await onConsole(browser, server, '/endpoints', async ({ page, act, press, shows }) => {
    await page.getByText('Add endpoint').click();
    await page.getByLabel('URL').fill(RECEIVER);
    const description = page.getByLabel('Description');
    await description.fill('x'.repeat(501));
    expect(await act('Add')).toBe('POST endpoints');
    await page.locator('input[name=description][aria-invalid=true]:focus').waitFor();
    await page
      .getByRole('alert')
      .getByText(/500 characters/)
      .waitFor();
    await description.fill('');
    await page.getByRole('checkbox', { name: 'pix.settled' }).check();
    expect(await act('Add')).toBe('POST endpoints');
    await shows(`npx sandbox endpoints create ${RECEIVER} --events pix.settled`);
    const { id, secret } = onlyEndpoint();
    const card = page.getByRole('row', { name: RECEIVER });
    await card.getByRole('button', { name: 'Show secret' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await press('Show secret', card);
    await card.getByText(secret).waitFor();
    await press('Hide secret', card);
    expect(await page.content()).not.toContain(secret);
    await card.getByRole('link').click();
    const detail = page.getByRole('region', { name: 'Details' });
    expect(await act('Disable', detail)).toBe('POST endpoints/:id/disable');
    await detail.getByText('DISABLED').waitFor();
    expect(await act('Enable', detail)).toBe('POST endpoints/:id/enable');
    await detail.getByText('ACTIVE').waitFor();
    await press('Show secret', card);
    expect(await act('Rotate secret', detail)).toBe('POST endpoints/:id/rotate-secret');
    await page.getByText('Done: Rotate secret.').waitFor();
    expect(onlyEndpoint().secret).not.toBe(secret);
    expect(await page.content()).not.toContain(onlyEndpoint().secret);
    expect(await act('Pause deliveries')).toBe('POST deliveries/pause');
    settle(server.sandbox);
    await card.getByText('1 held').waitFor();
    expect(await act('Resume deliveries')).toBe('POST deliveries/resume');
    await card.getByText('1 held').waitFor({ state: 'detached' });
    await server.sandbox.travel.advanceBy(45 * 3_600_000);
    await detail.getByText('FAILED').waitFor();
    expect(await act('Retry all failed', detail)).toBe('POST deliveries/retry');
    await shows(`npx sandbox deliveries retry --failed --endpoint ${id}`);
    await press('Delete', detail);
    await page.getByRole('dialog').getByText(`Delete ${RECEIVER}?`).waitFor();
    await press('Close', page.getByRole('dialog'));
    expect(server.sandbox.world.endpoints.size).toBe(1);
    await press('Delete', detail);
    expect(await act('Delete', page.getByRole('dialog'))).toBe('DELETE endpoints/:id');
    await shows('Nothing here yet.');
    expect(new URL(page.url()).pathname).toBe('/endpoints');
  });
});

test('shows each fault form’s own fields, and links an API request to a form', async () => {
  const { SANDBOX_TOKEN } = server.env;
  const path = '/api/public/v1/webhook-endpoints/abc/deliveries';
  await fetch(`${server.url}${path}?limit=1`, { headers: { authorization: `Bearer ${SANDBOX_TOKEN}` } });
  const [call] = server.sandbox.calls.newest();
  await onConsole(browser, server, `/calls/${call?.requestId}`, async ({ page, act, press, shows }) => {
    await page.getByRole('link', { name: 'Add fault for this request' }).click();
    const status = page.getByRole('textbox', { name: 'Status' });
    await status.fill('99');
    expect(await act('Add')).toBe('POST faults');
    await page.locator('input[name=status][aria-invalid=true]:focus').waitFor();
    await status.fill('503');
    await page.getByLabel('Count').fill('1');
    expect(await act('Add')).toBe('POST faults');
    await shows(
      "npx sandbox faults add status --status 503 --count 1 --api api --method GET --path '/api/public/v1/webhook-endpoints/*/deliveries'",
    );
    const hit = await fetch(server.url + path, { headers: { authorization: `Bearer ${SANDBOX_TOKEN}` } });
    expect(hit.status).toBe(503);
    await page.getByRole('row', { name: 'status' }).getByText('affected 1 of 1 matches').waitFor();
    const fault = page.getByRole('combobox', { name: 'Fault' });
    await fault.selectOption('delivery duplicate');
    await page.getByRole('textbox', { name: 'Extra copies' }).fill('2');
    expect(await page.getByRole('textbox', { name: 'Status' }).count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Method' }).count()).toBe(0);
    await page.getByText('More fields').click();
    await page.getByRole('combobox', { name: 'Event' }).fill('pix.*');
    expect(await act('Add')).toBe('POST faults');
    await page.getByRole('row', { name: 'duplicate' }).waitFor();
    await fault.selectOption('call delay');
    await page.getByRole('textbox', { name: 'Delay' }).fill('soon');
    expect(await act('Add')).toBe('POST faults');
    await page.getByRole('alert').getByText('Must be').waitFor();
    expect(await page.getByRole('textbox', { name: 'Delay' }).inputValue()).toBe('soon');
    expect(await act('Remove duplicate')).toBe('DELETE faults/:id');
    await page.getByRole('row', { name: 'duplicate' }).waitFor({ state: 'detached' });
    expect(await act('Remove all')).toBe('DELETE faults');
    await shows('Nothing here yet.');
    expect(server.sandbox.world.faults.size).toBe(0);
    await press('Close', page.locator('.said'));
  });
});

test('creates, opens and decides an identity session without showing its id', async () => {
  await onConsole(browser, server, '/identity', async ({ page, act, press, shows }) => {
    await page.getByLabel('Customer type').selectOption('business');
    expect(await act('New session')).toBe('POST kyc/sessions');
    const link = page.getByRole('link', { name: /^kyc_/ });
    await link.waitFor();
    const [session] = server.sandbox.world.sessions.rows;
    const id = session?.id ?? '';
    const short = id.slice(0, 12);
    const opened = page.context().waitForEvent('page');
    await press(`Open page ${short}`, page.getByRole('table'));
    expect((await opened).url()).toContain(`/session/${id}`);
    await (await opened).close();
    await link.click();
    const form = page.getByRole('form', { name: 'Decide' });
    await form.getByLabel('Decision').selectOption('error without a decision');
    await form.getByLabel('Error code').fill('CAMERA_DENIED');
    let send = (): void => undefined;
    const sent = new Promise<void>((resolve) => (send = resolve));
    await page.route('**/_sandbox/kyc/**', (route) => void sent.then(() => route.continue()));
    const request = page.waitForRequest('**/_sandbox/kyc/**');
    const decided = act('Decide', form);
    await request;
    await form.getByLabel('Decision').selectOption('under_review');
    send();
    await decided;
    await shows(`npx sandbox kyc decide ${short} --error CAMERA_DENIED`, page.getByRole('status'));
    expect(session?.error).toBe('CAMERA_DENIED');
    // What was chosen during the request is still chosen, with its fields.
    expect(await form.getByLabel('Error code').count()).toBe(0);
    await act('Decide', form);
    await page.getByRole('heading', { name: /under_review/ }).waitFor();
    await form.getByLabel('Decision').selectOption('approved');
    await form.getByLabel('Result available after').fill('5m');
    await act('Decide', form);
    await shows('Session already decided.');
    await shows(`npx sandbox kyc decide ${short} approved --delay 5m`);
    expect(session?.status).toBe('approved');
    expect(await page.content()).not.toContain(id);
  });
});

test('saves, compares, restores, resets and downloads a state', async () => {
  const { sandbox } = server;
  const charges = () => sandbox.world.charges.rows.length;
  await onConsole(browser, server, '/saved', async ({ page, act, press, shows }) => {
    const name = page.getByLabel('Name');
    await name.fill('my state');
    await press('Save');
    await page.getByRole('alert').getByText('got "my state".').waitFor();
    await name.fill('before');
    expect(await act('Save')).toBe('POST state/snapshots');
    await page.getByRole('rowheader', { name: 'before' }).waitFor();
    await page.getByLabel('Name').fill('before');
    await press('Save');
    await page.getByRole('dialog').getByText('Replace the saved state before?').waitFor();
    await press('Close', page.getByRole('dialog'));
    const saved = charges();
    settle(sandbox);
    const compare = page.getByRole('region', { name: 'Compare' });
    expect(await act('Compare', compare)).toBe('POST state/compare');
    await compare.getByText(/before → now: differences: \d+/).waitFor();
    await press('Restore before');
    expect(await act('Restore', page.getByRole('dialog'))).toBe('POST state/snapshots/before/restore');
    expect(charges()).toBe(saved);
    settle(sandbox);
    const download = page.waitForEvent('download');
    await press('Export');
    const file = await textOf(await download);
    await press('Reset');
    await page.getByRole('dialog').getByText('Reset? All').waitFor();
    expect(await act('Reset', page.getByRole('dialog'))).toBe('POST reset');
    expect(charges()).toBe(0);
    const field = page.locator('input[type=file]');
    await field.setInputFiles({ name: 'no.json', mimeType: '', buffer: Buffer.from('{') });
    await press('Import');
    await shows(/no.json is not a JSON object/);
    await field.setInputFiles({ name: 'my state.json', mimeType: '', buffer: Buffer.from(file) });
    await press('Import');
    expect(await act('Import', page.getByRole('dialog'))).toBe('PUT state');
    await shows("npx sandbox state import 'my state.json'");
    expect(charges()).toBe(saved + 1);
    await press('Delete before');
    expect(await act('Delete', page.getByRole('dialog'))).toBe('DELETE state/snapshots/before');
    await shows('Nothing here yet.');
  });
});

async function textOf(download: Download): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString();
}

test('runs a scenario, shows why another fails, and records the history as one', async () => {
  await onConsole(browser, server, '/scenarios', async ({ page, act, press, shows }) => {
    expect(await act('Run paid')).toBe('POST scenarios/run');
    const result = page.getByRole('status', { name: 'Result' });
    await result.getByRole('heading', { name: /^paid passed/ }).waitFor();
    await shows('npx sandbox run paid --fresh');
    const own = { steps: [{ trigger: 'pix.settled' }, { expect: { balance: '1.00' } }] };
    const file = { name: 'own.json', mimeType: '', buffer: Buffer.from(JSON.stringify(own)) };
    await page.getByLabel('Scenario file').setInputFiles(file);
    await act('Run', page.getByRole('region', { name: 'Run from file' }));
    await shows('npx sandbox run own.json --fresh');
    await result.getByRole('heading', { name: /failed/ }).waitFor();
    expect(await result.locator('.problem').textContent()).toMatch(/1\.00/);
    const record = page.getByRole('region', { name: 'Record scenario' });
    await record.getByLabel('Name').fill('what happened');
    expect(await act('Record scenario', record)).toBe('POST scenarios/record');
    const shown = record.getByLabel('Recorded scenario', { exact: true });
    await shown.waitFor();
    const text = (await shown.textContent()) ?? '';
    expect(JSON.parse(text)).toMatchObject({ name: 'what happened', steps: expect.any(Array) as unknown });
    const download = page.waitForEvent('download');
    await press('Download', record);
    expect(await textOf(await download)).toBe(`${text}\n`);
  });
});

test('masks secrets in the setup until requested, and copies all of it', async () => {
  const fresh = await startSandbox();
  const { env } = fresh;
  const secrets = [env.SANDBOX_TOKEN, env.SANDBOX_SIGNING_SECRET, env.SANDBOX_WEBHOOK_SECRET];
  const look = async ({ page, press }: ConsoleStage) => {
    await page.evaluate(`localStorage.setItem('pix-sandbox-first-steps', 'done')`);
    const block = page.getByRole('region', { name: 'Environment' });
    await block.getByText(env.SANDBOX_ACCOUNT_ID).waitFor();
    const code = page.getByRole('region', { name: 'Code' });
    const request = code.locator('pre[aria-label="Signed request"]');
    await code.getByText('openssl dgst').waitFor();
    const html = await page.content();
    expect(secrets.filter((secret) => html.includes(secret))).toEqual([]);
    await press('Show SANDBOX_TOKEN', block);
    await block.getByText(env.SANDBOX_TOKEN, { exact: true }).waitFor();
    await press('Copy all', block);
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    expect(await copied()).toBe(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    for (const [language, mark] of LANGUAGES) {
      await code.getByLabel('Language').selectOption(language);
      await request.getByText(mark).waitFor();
      await code.locator('pre[aria-label="Webhook receiver"]').getByText('whsec_').waitFor();
    }
    await page.getByText('npx sandbox start --forward-to 3000/webhooks').waitFor();
    await press('Turn off single-key shortcuts');
    await page.keyboard.press('?');
    await press('Turn on single-key shortcuts');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('?');
    await press('Close', page.getByRole('dialog'));
    await page.getByText('Version 0').waitFor();
    await press('Show first steps');
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('region', { name: 'First steps' }).waitFor();
  };
  await onConsole(browser, fresh, '/setup', look).finally(() => fresh.close(0));
});

const LANGUAGES = [
  ['Node', 'createHmac'],
  ['Python', 'import hmac'],
  ['Go', 'package main'],
  ['Ruby', 'OpenSSL::HMAC'],
  ['Java', 'class Charge'],
] as const;

test('shows unsaved changes on every page until they are saved', async () => {
  using folder = tempFolder();
  const dataDirectory = join(folder.path, 'data');
  const saving = await startServer({ port: 0, freezeAt: START_MS, dataDirectory });
  try {
    await onConsole(browser, saving, '/charges', async ({ page }) => {
      const alert = page.getByRole('alert').filter({ hasText: 'Changes are not saved' });
      expect(await alert.count()).toBe(0);
      renameSync(dataDirectory, `${dataDirectory}.moved`);
      settle(saving.sandbox);
      await alert.filter({ hasText: 'deleted, moved or replaced' }).waitFor();
      renameSync(`${dataDirectory}.moved`, dataDirectory);
      await alert.waitFor({ state: 'detached' });
    });
  } finally {
    await saving.close(0);
  }
});

test('shows a check report with failures first, and updates it when another arrives', async () => {
  const checked = await startServer({ port: 0 });
  const client = clientOf(checked);
  const [failed] = CHECKED.checks;
  if (failed === undefined) throw new Error('Expected a check.');
  const passed = { ...failed, id: 'accept.raw', verdict: 'pass', expected: '2xx' } as const;
  await onConsole(browser, checked, '/', async ({ page, press }) => {
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Setup' }).waitFor();
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
    await press(`Copy ${failed.id}`, result);
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(command);
    await page.getByText('passed: 1').click();
    await page.getByText('accept.raw').waitFor();
    for (const [checks, tone] of [
      [[passed, unobserved], 'waiting'],
      [[passed], 'good'],
    ] as const) {
      const headline = `Headline: ${tone}.`;
      await client.put('check', { body: { ...CHECKED, ok: true, headline, checks, again: null } });
      expect(await page.getByText(headline).getAttribute('class')).toBe(tone);
    }
    expect(await result.count()).toBe(0);
  }).finally(() => checked.close(0));
});
