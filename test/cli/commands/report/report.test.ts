import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '../../../../src/contract/limits.js';
import { exportWorld } from '../../../../src/core/state/export.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../../src/sandbox/credentials.js';
import type { Report } from '../../../../src/cli/commands/report/build.js';
import {
  cliSandbox,
  LOCAL,
  register,
  START_INSTANT,
  type CliSandbox,
} from '../../../helpers/cli/cli-sandbox.js';
import { cpfFrom } from '../../../helpers/core/documents.js';
import { ATTACK } from '../../../helpers/e2e/hostile.js';
import { TestApi, chargeBody } from '../../../helpers/http/api-client.js';
import { chanceOf } from '../../../helpers/random.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A sandbox, its API and a receiver that replies with `reply`. */
async function stage() {
  const shown: { reply: Reply } = { reply: {} };
  const receiver = createServer((_, response) => {
    const { status = 200, headers = {}, body = '' } = shown.reply;
    response.writeHead(status, headers).end(body);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const cli = await cliSandbox({ ...LOCAL, realNow: () => Date.parse(START_INSTANT) });
  const folder = tempFolder();
  onTestFinished(async () => {
    await cli[Symbol.asyncDispose]();
    receiver.close();
    folder[Symbol.dispose]();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  const api = new TestApi(cli.server, { nowMs: Date.parse(START_INSTANT) });
  /** The JSON and the HTML of a report. */
  const reportOn = async (id: string, options: object = {}) => {
    const file = `${reports++}.html`;
    const given = { ...options, output: file };
    const { stdout } = await cli.run('report', { args: [id], options: given, json: true, cwd: folder.path });
    return { json: stdout, report: JSON.parse(stdout) as Report, html: folder.read(file).toString() };
  };
  return { cli, api, url, folder, reportOn, receiver: shown };
}
let reports = 0;

async function settle({ server: { sandbox } }: CliSandbox, code: string): Promise<void> {
  const chargeId = sandbox.world.charges.rows.find((row) => row.code === code)?.id ?? '';
  sandbox.dispatch({ type: 'charge.settle', chargeId });
  await sandbox.idle();
}

const SEED = 20_260_131;

test(`shows no personal data without --with-data, and never a secret (seed ${SEED})`, async () => {
  const { cli, api, url, reportOn, receiver } = await stage();
  const { secret } = register(cli, `${url}?hook=Qhook0000001`);
  const secrets = [
    secret,
    WELL_KNOWN_CREDENTIALS.token,
    WELL_KNOWN_CREDENTIALS.signingSecret,
    'Scookie-00000001',
  ];
  const chance = chanceOf(SEED);
  const mark = (name: string) => `Q${name}${Math.floor(chance() * 1e9)}`;
  for (let run = 0; run < 4; run += 1) {
    const code = `order-${run}`;
    const payer = {
      payer_name: `${mark('name')} ${mark('surname')}`,
      payer_document: cpfFrom(Math.floor(chance() * 9e8)),
    };
    const metadata = { cart: mark('cart'), note: `${mark('note')} "é\\ ${mark('tail')}` };
    const header = mark('header');
    const headers = { 'x-customer': header, cookie: 'sid=Scookie-00000001' };
    const sent = { body: chargeBody({ code, ...payer, metadata }), headers };
    const paid = await api.call('POST', `/pix?ref=${mark('q').slice(0, 12)}`, sent);
    expect(paid.status).toBe(201);
    // Refused, with messages that quote the values.
    const unknown = { customer: { code: mark('inner'), status: mark('status') }, note: mark('unknown') };
    const long = mark('long').padEnd(70, 'x');
    const metadataToo = run % 2 === 0 ? long : { age: 123_456_789 };
    const wrong = chargeBody({ ...unknown, account_id: 'no-uuid', metadata: metadataToo, secret });
    const refused = await api.call('POST', '/pix', { body: wrong, headers });
    expect(refused.status).toBe(400);
    const limit = mark('limit');
    const listed = await api.call('GET', `/withdrawals?limit=${limit}`, { headers });
    expect(listed.body.error.details[0]?.message).toContain(limit);
    const words = [payer.payer_name, payer.payer_document, mark('reply')];
    const body = [
      `Error: ${words.join(' ')} ${secret}\n    at pay (app.js)`,
      JSON.stringify({
        error: words,
        code: mark('code'),
        data: { id: mark('id') },
        token: 'Scookie-00000001',
      }),
      `<p>${words.join('</p>')}`,
    ][run % 3];
    const replied = { 'x-trace': mark('trace'), 'set-cookie': 'sid=Scookie-00000001' };
    receiver.reply = { status: 500, headers: replied, body: body ?? '' };
    await settle(cli, code);
    const key = {
      pix_key: `${mark('key')}@example.com`.toLowerCase(),
      beneficiary_name: mark('owner'),
      beneficiary_document: cpfFrom(run),
    };
    const payout = await api.control('POST', 'withdrawals', {
      code: `out-${run}`,
      amount: '5.00',
      ...key,
      metadata,
    });
    expect(payout.body).toMatchObject({ code: `out-${run}` });
    await api.control('POST', `withdrawals/${payout.body.id}/settle`, {});
    const personal = [
      payer.payer_name,
      payer.payer_document,
      metadata.cart,
      header,
      replied['x-trace'],
      words[2] ?? '',
    ];
    const requestId = refused.headers.get('x-request-id') ?? '';
    for (const [id, markers] of [
      [code, personal],
      [`out-${run}`, [...Object.values(key), metadata.cart]],
      [requestId, [header, unknown.note, unknown.customer.code]],
      [listed.headers.get('x-request-id') ?? '', [limit]],
    ] as const) {
      const redacted = await reportOn(id);
      const whole = await reportOn(id, { withData: true });
      for (const text of [redacted.json, redacted.html]) {
        expect(text.match(/.{0,40}Q[a-z]+\d.{0,20}/i)?.[0]).toBeUndefined();
        expect([...markers, '123456789', 'no-uuidx'].filter((marker) => text.includes(marker))).toEqual([]);
      }
      for (const text of [whole.json, whole.html]) {
        expect(markers.filter((marker) => !text.includes(marker))).toEqual([]);
      }
      const all = [redacted, whole].flatMap(({ json, html }) => [json, html]).join('');
      expect(secrets.filter((one) => all.includes(one))).toEqual([]);
    }
  }
});

test('contains the whole exchanges, the probable causes and the differences from the defaults', async () => {
  const { cli, api, url, reportOn, receiver } = await stage();
  register(cli, url);
  const { sandbox } = cli.server;
  receiver.reply = { status: 404, body: 'Not Found' };
  await api.control('POST', 'faults', { action: 'duplicate', event: 'pix.settled' });
  await api.call('POST', '/pix', { body: chargeBody() });
  const before = JSON.stringify(exportWorld(sandbox.world));
  await settle(cli, 'order-1');
  const after = JSON.stringify(exportWorld(sandbox.world));
  const { report, html } = await reportOn('order-1');
  expect(JSON.stringify(exportWorld(sandbox.world))).toBe(after);
  expect(before).not.toBe(after);
  expect(report).toMatchObject({
    subject: 'order-1',
    versions: { sandbox: __VERSION__, node: process.version },
    assumptions: [{ id: 'charge.qr_image' }].slice(1),
    faults: [{ action: 'duplicate', event: 'pix.settled' }],
    left_out: [],
  });
  const [{ request } = { request: null }] = report.requests;
  expect(report.requests).toMatchObject([{ method: 'POST', path: '/api/public/v1/pix', status: 201 }]);
  expect(request?.headers).toContainEqual(['authorization', 'Bearer …']);
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ code: 'order-1', amount: '10.00' });
  const [delivery] = report.deliveries;
  expect(delivery).toMatchObject({ target_url: url, status: 'PENDING', resource: { code: 'order-1' } });
  expect(JSON.parse(delivery?.request.body ?? '')).toMatchObject({ type: 'pix.settled' });
  const [attempt] = delivery?.attempts ?? [];
  expect(attempt).toMatchObject({ number: 1, error: 'HTTP_STATUS', response_status: 404 });
  expect(attempt?.causes.join('\n')).toContain('POST /hooks does not exist (404)');
  expect(attempt?.request_headers).toContainEqual(['webhook-signature', '…']);
  expect(attempt?.response).toMatchObject({ body: '', body_note: 'redacted: 9 bytes of text, not JSON' });
  expect(html).toContain(`<a href="#${delivery?.id}.1" class="fail">attempt 1 of pix.settled`);
  expect(html).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
});

test('escapes received text, including characters that hide or reorder text', async () => {
  const { cli, url, reportOn, receiver } = await stage();
  register(cli, url);
  receiver.reply = { status: 500, body: `<script>alert(1)</script>" onload="x" ${ATTACK}` };
  cli.server.sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: '<b>&"1' } });
  await cli.server.sandbox.idle();
  const { html } = await reportOn('<b>&"1', { withData: true });
  expect(html).toContain('<h1>Report on &lt;b&gt;&amp;&quot;1</h1>');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x&quot;');
  expect(html).toContain(String.raw`\x202e`);
  expect(html).not.toMatch(/<script|<b>&|(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

test('limits steps and exchanges, and lists what was left out', async () => {
  const { api, reportOn } = await stage();
  const { reportSteps, reportExchanges } = LIMITS;
  Object.assign(LIMITS, { reportSteps: 6, reportExchanges: 2 });
  onTestFinished(() => void Object.assign(LIMITS, { reportSteps, reportExchanges }));
  for (let count = 0; count < 4; count += 1) await api.call('POST', '/pix', { body: chargeBody() });
  const { report, html } = await reportOn('order-1');
  expect(report.requests).toHaveLength(2);
  expect(report.trace.later).toHaveLength(2);
  expect(report.left_out).toEqual([
    'Steps left out: 3 (at most 6 are shown).',
    'Requests and deliveries left out: 1 (at most 2 are shown).',
  ]);
  expect(html).toContain(`<li>${report.left_out[0]}</li>`);
});

test('derives the file name from the id, and never overwrites a file', async () => {
  const { cli, folder, url } = await stage();
  register(cli, url);
  cli.server.sandbox.dispatch({
    type: 'trigger',
    event: 'pix.settled',
    chargeFields: { code: '../order/1' },
  });
  const run = (options = {}) => cli.run('report', { args: ['../order/1'], options, cwd: folder.path });
  expect((await run()).stdout).toContain('The report is in report-order-1.html.');
  expect(statSync(`${folder.path}/report-order-1.html`).mode & 0o777).toBe(0o600);
  await expect(run()).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('already in use'),
  });
  expect((await cli.runJson('report', { args: ['../order/1'], cwd: folder.path })).subject).toBe(
    '../order/1',
  );
  await expect(cli.run('report', { args: ['nothing'], cwd: folder.path })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
