import { describe, expect } from 'vitest';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import {
  ACCOUNT_ID,
  chargeBody,
  otherApp,
  REFUSED_URL,
  testApi,
  test,
} from '../../helpers/http/api-client.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { listenTo } from '../../helpers/sandbox/sandbox.js';
import { watchSandbox } from '../../../src/cli/commands/exec/findings.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { CHECKED } from '../../helpers/check/check-report-example.js';

test('livez, readyz and env identify the sandbox and explain how to use it', async ({ api }) => {
  expect((await api.control('GET', 'livez')).body).toEqual({ live: true });
  expect((await api.control('GET', 'readyz')).body).toEqual({
    ready: true,
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    instance_id: api.server.instanceId,
  });
  const { env } = api.server;
  expect((await api.control('GET', 'env')).body).toEqual(env);
  expect(env).toMatchObject({
    SANDBOX_URL: 'http://sandbox.localhost',
    SANDBOX_TOKEN: WELL_KNOWN_CREDENTIALS.token,
  });
});

test('status counts all rows', async ({ api }) => {
  await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
  await api.control('POST', 'charges');
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  await api.call('GET', '/withdrawals');
  await api.sandbox.idle();
  expect((await api.control('GET', 'status')).body).toMatchObject({
    pid: process.pid,
    url: 'http://sandbox.localhost',
    instance_id: api.server.instanceId,
    idle: true,
    attempts_in_flight: 0,
    clock: { now: '2026-01-01T12:00:00.000Z' },
    charges: { PENDING: 1, SETTLED: 1 },
    withdrawals: {},
    events: 1,
    deliveries: { PENDING: 1 },
    endpoints: [{ url: REFUSED_URL, deliveries: 1 }],
    calls: 1,
    accounts: [{ id: ACCOUNT_ID, balance: '10099.20' }],
  });
});

test('status and the timeline show what retention dropped', async () => {
  const api = await testApi({ keepDeliveries: 10 });
  for (let made = 0; made < 12; made += 1) await api.control('POST', 'trigger', { type: 'pix.expired' });
  expect((await api.control('GET', 'status')).body).toMatchObject({
    charges: { EXPIRED: 12 },
    events: 10,
    retention: { keep: 10, dropped_deliveries: 0, dropped_events: 2 },
  });
  const dropped = (await api.control('GET', 'timeline?q=kind:state')).body.data.at(-1);
  expect(dropped).toMatchObject({ cause: null, by: 'sandbox', to: 'dropped' });
  expect(dropped?.title).toBe('retention dropped the oldest rows: deliveries 0, events 2');
});

test('assumptions are listed with their choices', async () => {
  const api = await testApi({ assume: { 'charge.lifetime': '90m' } });
  const { data } = (await api.control('GET', 'assumptions')).body;
  expect(data.find(({ id }) => id === 'charge.lifetime')).toMatchObject({ value: '1h30m', section: '§2.1' });
  await expect(testApi({ assume: { 'charge.lifetime': 'soon' } })).rejects.toThrow('charge.lifetime');
});

describe('endpoints', () => {
  test('endpoints are created, listed, disabled, enabled and deleted', async ({ api }) => {
    const made = await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ secret: expect.stringMatching(/^whsec_/), transport: 'http' });
    const { id, secret: _secret, ...shown } = made.body;
    const listed = (await api.control('GET', 'endpoints')).body.data;
    expect(listed).toEqual([{ id, ...shown }]);
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    await api.sandbox.idle();
    expect((await api.control('POST', `endpoints/${id}/disable`)).body.status).toBe('DISABLED');
    const [delivery] = (await api.control('GET', 'deliveries')).body.data;
    expect(delivery).toMatchObject({ status: 'FAILED', last_error: 'ENDPOINT_DISABLED' });
    expect((await api.control('POST', 'trigger', { type: 'pix.settled' })).body.deliveries).toEqual([]);
    expect((await api.control('POST', `endpoints/${id}/enable`)).body.status).toBe('ACTIVE');
    expect((await api.control('DELETE', `endpoints/${id}`)).body).toEqual({ deleted: id });
    expect((await api.control('GET', 'deliveries')).body.data).toHaveLength(1);
    for (const [method, path] of [
      ['DELETE', `endpoints/${id}`],
      ['POST', `endpoints/${id}/enable`],
      ['POST', 'endpoints/none/disable'],
    ] as const) {
      expect((await api.control(method, path)).status).toBe(404);
    }
  });

  test('endpoints get a new secret, which only this response shows', async ({ api }) => {
    const listener = listenTo(api.sandbox, { name: 'shop' });
    const rotated = await api.control('POST', 'endpoints/shop/rotate-secret');
    const { secret } = rotated.body;
    expect([rotated.status, secret]).toEqual([200, expect.stringMatching(/^whsec_/)]);
    expect(JSON.stringify((await api.control('GET', 'endpoints')).body)).not.toContain('whsec_');
    expect((await api.control('POST', 'endpoints/none/rotate-secret')).status).toBe(404);
    expect((await api.control('POST', 'endpoints/shop/rotate-secret', { secret })).status).toBe(400);
    expect(listener.endpoint.secret).toBe(secret);
  });
});

describe('apps', () => {
  test('apps are created with chosen scopes, credentials and balance', async ({ api }) => {
    const made = await api.control('POST', 'apps', {
      name: 'shop',
      scopes: ['withdrawals:read', 'pix:write'],
      token: 'shop-token',
      signing_secret: 'shop secret',
      account_id: 'AAAAAAAA-0000-4000-8000-000000000001',
      opening_balance: '12.30',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'shop',
      scopes: ['pix:write', 'withdrawals:read'],
      account_id: 'aaaaaaaa-0000-4000-8000-000000000001',
      token: 'shop-token',
      signing_secret: 'shop secret',
    });
    const caller = { token: 'shop-token', signingSecret: 'shop secret' };
    const body = chargeBody({ account_id: made.body.account_id });
    expect((await api.call('POST', '/pix', { body, caller })).status).toBe(201);
    const ledger = await api.call('GET', `/accounts/${String(made.body.account_id)}/transactions`, {
      caller,
    });
    expect(ledger.body.data).toMatchObject([{ amount: '12.30', direction: 'CREDIT' }]);
    const { data } = (await api.control('GET', 'apps')).body;
    expect(data.map(({ name }) => name)).toEqual(['default', 'shop']);
    expect((await api.control('POST', 'apps')).body['name']).toBe('app-3');
    expect(JSON.stringify(data)).not.toContain('shop secret');
  });

  test('apps have further accounts, which the public API serves', async ({ api }) => {
    const balance = { opening_balance: '50.00' };
    const { status, body } = await api.control('POST', 'apps/default/accounts', balance);
    expect([status, body]).toMatchObject([201, { id: expect.any(String), balance: '50.00' }]);
    const [app] = (await api.control('GET', 'apps')).body.data;
    expect(app).toMatchObject({ account_id: ACCOUNT_ID, account_ids: [ACCOUNT_ID, body.id] });
    const charge = chargeBody({ account_id: body.id });
    expect((await api.call('POST', '/pix', { body: charge })).body['account_id']).toBe(body.id);
    expect((await api.control('POST', 'apps/none/accounts')).status).toBe(404);
    const taken = { account_id: ACCOUNT_ID };
    expect((await api.control('POST', 'apps/default/accounts', taken)).status).toBe(400);
  });

  test('apps are named alike in the query and in the body', async ({ api }) => {
    await otherApp(api, { name: 'second' });
    const { id = '' } = api.sandbox.world.apps.rows[1] ?? {};
    const app = 'second';
    const owners = async (path: string, body: object) => {
      const made = await Promise.all([
        api.control('POST', `${path}?app=${app}`, body),
        api.control('POST', path, { ...body, app }),
        api.control('POST', `${path}?app=${app}`, { ...body, app }),
      ]);
      return made.map((answer) => answer.body['app_id'] ?? answer.body.events[0]?.['app_id']);
    };
    expect(await owners('charges', { amount: '5.00' })).toEqual([id, id, id]);
    expect(await owners('trigger', { type: 'pix.settled' })).toEqual([id, id, id]);
    const settled = await api.control('POST', 'charges/charge-1/settle', { app });
    expect([settled.status, settled.body['app_id']]).toEqual([200, id]);
    const before = api.state();
    for (const [path, body] of [
      ['charges?app=default', { app }],
      ['trigger?app=default', { app, type: 'pix.settled' }],
      ['charges', { app: 7 }],
    ] as const) {
      const { status, body: answer } = await api.control('POST', path, body);
      expect([status, answer.error.details.map(({ field }) => field)]).toEqual([400, ['app']]);
    }
    expect((await api.control('POST', 'charges', { app: 'none' })).status).toBe(404);
    expect((await api.control('POST', 'trigger?app=none', { type: 'pix.settled' })).status).toBe(404);
    expect(api.state()).toEqual(before);
  });

  test.for([{ token: WELL_KNOWN_CREDENTIALS.token }, { account_id: ACCOUNT_ID }])(
    'apps are rejected with %j',
    async (fields, { api }) => {
      const before = api.state();
      expect((await api.control('POST', 'apps', fields)).status).toBe(400);
      expect(api.state()).toEqual(before);
    },
  );
});

test('stop returns 202 with the instance if a process may be ended, only to the control token', async () => {
  let stops = 0;
  const api = await testApi({ controlToken: 'secret', onStop: () => (stops += 1) });
  const stop = (headers: Readonly<Record<string, string>>) =>
    api.send('POST', '/_sandbox/stop', { caller: null, headers });
  const authorization = 'Bearer secret';
  expect((await stop({})).status).toBe(401);
  expect(stops).toBe(0);
  const { status, body } = await stop({ authorization });
  expect([status, body]).toEqual([
    202,
    { stopping: true, instance_id: api.server.instanceId, pid: process.pid },
  ]);
  expect(stops).toBe(1);
});

test('stop is rejected in a process with another purpose', async ({ api }) => {
  const { status, body } = await api.control('POST', 'stop');
  expect([status, body.error]).toMatchObject([
    409,
    { code: 'NOT_STOPPABLE', hint: 'Stop that command, or call `sandbox.close()` in that program.' },
  ]);
});

test('reset accepts no fields, and empties the request log', async ({ api }) => {
  const before = api.state();
  await api.call('POST', '/pix', { body: chargeBody() });
  await api.control('POST', 'clock/advance', { by: '1d' });
  expect((await api.control('POST', 'reset', { hard: true })).status).toBe(400);
  const { body } = await api.control('POST', 'reset');
  expect(body).toMatchObject({ reset: true, clock: { now: '2026-01-01T12:00:00.000Z', frozen: true } });
  expect(api.state()).toEqual(before);
  expect((await api.control('GET', 'calls')).body.data).toEqual([]);
});

test('a registering command uses the sandbox, and is on the timeline', async ({ api }) => {
  const usage = watchSandbox(api.sandbox, []);
  const refused = await api.control('POST', 'uses', { command: 'logs' });
  expect([refused.status, usage.isUsed()]).toEqual([400, false]);
  const registered = await api.control('POST', 'uses', { command: 'explore' });
  expect([registered.status, registered.body, usage.isUsed()]).toEqual([200, { used_by: 'explore' }, true]);
  const { ring } = api.sandbox.timeline;
  expect(ring.get(ring.newest)).toMatchObject({ kind: 'command', title: 'used by explore' });
});

test('the newest report is stored next to the state, and the timeline shows its arrival', async ({ api }) => {
  expect((await api.control('GET', 'check')).body).toEqual({ report: null, received_at: null });
  const before = exportWorld(api.sandbox.world);
  await api.control('PUT', 'check', CHECKED);
  expect(exportWorld(api.sandbox.world)).toEqual(before);
  const { body } = await api.control('GET', 'check');
  expect(body).toEqual({ report: CHECKED, received_at: expect.stringMatching(/Z$/) });
  const newest = api.sandbox.timeline.ring.get(api.sandbox.timeline.ring.newest);
  expect(newest).toMatchObject({
    by: 'control',
    title: `check of http://localhost:3000/webhooks: ${CHECKED.headline}`,
    facts: { command: 'check' },
  });
  const later = { ...CHECKED, ok: true, checks: [], notes: ['Another.'] };
  await api.control('PUT', 'check', later);
  await api.control('POST', 'reset');
  expect((await api.control('GET', 'check')).body).toMatchObject({ report: later });
});

test('rejects an invalid report, and preserves the last one', async ({ api }) => {
  await api.control('PUT', 'check', CHECKED);
  const [check] = CHECKED.checks;
  const wrong = { ...CHECKED, checks: [{ ...check, verdict: 'good' }], color: 'red' };
  const { status, body } = await api.control('PUT', 'check', wrong);
  expect([status, body.error]).toMatchObject([
    400,
    { details: [{ field: 'checks[0].verdict' }, { field: 'color' }] },
  ]);
  expect((await api.control('GET', 'check')).body).toMatchObject({ report: CHECKED });
});

const answerOf = async (api: TestApi, path: string) => (await api.control('GET', path)).body;

test('bootstrap combines the responses of its parts at one point in time', async ({ api }) => {
  listenTo(api.sandbox, { status: () => 500 });
  await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
  for (let count = 0; count < 27; count += 1) await api.control('POST', 'trigger', { type: 'pix.settled' });
  await api.control('POST', 'withdrawals');
  await api.control('POST', 'faults', { action: 'slow', delay: '1s' });
  await api.control('POST', 'state/snapshots', { name: 'before' });
  await api.sandbox.idle();
  const shown = await answerOf(api, 'bootstrap');
  expect(shown).toMatchObject({
    status: await answerOf(api, 'status'),
    charges: await answerOf(api, 'charges'),
    withdrawals: await answerOf(api, 'withdrawals'),
    deliveries: await answerOf(api, 'deliveries'),
    agenda: await answerOf(api, 'agenda'),
    timeline: await answerOf(api, 'timeline'),
    faults: (await answerOf(api, 'faults'))['data'],
    snapshots: (await answerOf(api, 'state/snapshots'))['data'],
    version: (await answerOf(api, 'status'))['version'],
    run: api.sandbox.timeline.run,
    seq: api.sandbox.timeline.ring.newest,
  });
});

test.for([
  ['GET', '/_sandbox', 'The paths of this API begin with /_sandbox/. '],
  ['GET', '/_sandbox?x=1', 'The paths of this API begin with /_sandbox/. '],
  ['GET', '/_sandbox/', ''],
  ['POST', '/_sandbox/', ''],
  ['GET', '/_sandbox/nope', ''],
  ['GET', '/_sandbox/charge', 'Did you mean GET /_sandbox/charges? '],
] as const)('a request without a route gets the document with all routes: %s %s', async (row, { api }) => {
  const [method, path, before] = row;
  const { status, body } = await api.send(method, path);
  expect([status, body.error.hint]).toEqual([
    404,
    `${before}GET /_sandbox/openapi.json describes every route.`,
  ]);
});
