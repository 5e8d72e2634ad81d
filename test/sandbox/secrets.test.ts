import { describe, expect, test } from 'vitest';
import { importWorld } from '../../src/core/state/import.js';
import { exportWorld } from '../../src/core/state/export.js';
import type { Call } from '../../src/sandbox/call-log.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import type { TestApi } from '../helpers/http/api-client.js';
import { testApi } from '../helpers/http/api-client.js';
import { MessageReader } from '../helpers/http/http-events.js';

const CONTROL_TOKEN = 'the-control-token-of-this-sandbox';
const SECRETS = {
  token: 'token-of/the+other=shop',
  signing: 'signing secret of the other shop',
};

const control = { caller: null, sign: false, headers: { authorization: `Bearer ${CONTROL_TOKEN}` } } as const;

/** A sandbox with two applications and an endpoint whose secret was rotated, and every secret in it. */
async function shop() {
  const api = await testApi({ controlToken: CONTROL_TOKEN });
  const { sandbox } = api;
  const app = await api.send('POST', '/_sandbox/apps', {
    ...control,
    body: { token: SECRETS.token, signing_secret: SECRETS.signing, organization: 'other' },
  });
  expect(app.status).toBe(201);
  const created = await api.call('POST', '/webhook-endpoints', {
    body: { url: 'https://refused.example/hooks', events: ['pix.settled'] },
  });
  const rotated = await api.call('POST', `/webhook-endpoints/${created.body.id}/rotate-secret`);
  const {
    accountId: _account,
    kycPublishableKey: _public,
    webhookSecret: _webhook,
    ...own
  } = sandbox.credentials;
  const secrets: Record<string, string> = {
    ...own,
    control: CONTROL_TOKEN,
    otherToken: SECRETS.token,
    otherSigning: SECRETS.signing,
    otherKyc: String(app.body['kyc_token']),
    previous: created.body.secret,
    current: rotated.body.secret,
  };
  expect(new Set(Object.values(secrets)).size).toBe(9);
  return { api, secrets };
}

function expectHidden(shown: unknown, secrets: Readonly<Record<string, string>>): void {
  const text = JSON.stringify(shown);
  const found = Object.entries(secrets).filter(([, secret]) =>
    [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')].some((form) =>
      text.includes(form),
    ),
  );
  expect(found.map(([name]) => name)).toEqual([]);
}

const get = (api: TestApi, path: string) => api.send('GET', `/_sandbox/${path}`, control);

const PLACES: readonly ((secret: string) => string)[] = [
  (secret) => `/api/public/v1/${encodeURIComponent(secret)}`,
  (secret) => `/api/v1/kyc/x${encodeURIComponent(secret)}/y`,
  (secret) => `/start/${encodeURIComponent(secret).replaceAll('e', '%65')}`,
  (secret) => `/api/public/v1/withdrawals?status=${encodeURIComponent(secret)}`,
];

describe('secrets of the sandbox', () => {
  test('secrets of the sandbox are hidden in every part of a request or a log', async () => {
    const { api, secrets } = await shop();
    for (const secret of Object.values(secrets)) {
      for (const place of PLACES) {
        await api.open('GET', place(secret));
      }
    }
    const calls = (await get(api, 'calls')).body.data;
    expect(calls.slice(0, PLACES.length).map(({ path }) => path)).toEqual([
      '/api/public/v1/withdrawals?status=…',
      '/start/…',
      '/api/v1/kyc/x…/y',
      '/api/public/v1/…',
    ]);
    for (const path of ['calls', 'logs', 'timeline']) expectHidden((await get(api, path)).body, secrets);
  });

  test('secrets of the sandbox are hidden in the headers and bodies of a request, however they are escaped', async () => {
    const { api, secrets } = await shop();
    const escaped = (secret: string) =>
      secret.replaceAll(/./g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
    for (const secret of Object.values(secrets)) {
      const text = JSON.stringify({ code: secret, password: secret }).replaceAll('/', '\\/');
      const bodies = [
        text,
        `{"amount":"${escaped(secret)}"}`,
        new Uint8Array([0xff, ...Buffer.from(secret)]),
      ];
      for (const body of bodies) {
        const headers = { authorization: `Bearer ${secret}`, 'x-nonce': secret, cookie: `a=${secret}` };
        await api.open('POST', '/api/public/v1/pix', { body, headers });
        await api.open('POST', '/api/public/v1/pix', { body, headers: { 'x-echo': `<${secret}>` } });
      }
    }
    await api.call('POST', '/webhook-endpoints', {
      body: { url: 'https://refused.example/more', events: ['pix.settled'] },
    });
    const calls = (await get(api, 'calls')).body.data;
    expect(calls.length).toBeGreaterThan(50);
    for (const { id } of calls) {
      const call = (await get(api, `calls/${id}`)).body;
      expectHidden(call, secrets);
      for (const { secret } of Array.from(api.sandbox.world.endpoints.values()))
        expect(JSON.stringify(call)).not.toContain(secret);
      const text = JSON.stringify(call).replaceAll('\\\\', '\\');
      for (const secret of Object.values(secrets)) {
        expect(text).not.toContain(escaped(secret));
        expect(text).not.toContain(secret.replaceAll('/', '\\/'));
      }
      const { body_base64: bytes = '' } = call['request'] as { body_base64?: string };
      expectHidden(Buffer.from(bytes, 'base64').toString('latin1'), secrets);
    }
  });

  test('secrets of the sandbox are hidden in responses of a receiver and in errors', async () => {
    const { api, secrets } = await shop();
    const said = Object.values(secrets).join('\n');
    const listener = new MessageReader(await api.open('POST', '/_sandbox/listeners', control));
    const { listener: endpoint } = (await listener.nextOf('ready')) as { listener: { id: string } };
    await api.send('POST', '/_sandbox/trigger', { ...control, body: { type: 'pix.failed' } });
    const attempt = await listener.nextOf('attempt');
    await api.send('POST', `/_sandbox/listeners/${endpoint.id}/results`, {
      ...control,
      body: {
        attempt_id: attempt['attempt_id'],
        response_status: 500,
        error: 'HTTP_STATUS',
        detail: said,
        body_error: said,
        response_headers: [['x-echo', said.replaceAll('\n', ' ')]],
        response_body: Buffer.from(`olá ${said}\nç`).toString('base64'),
      },
    });
    await listener.cancel();
    const delivery = (await get(api, `deliveries/${String(attempt['delivery_id'])}`)).body;
    expectHidden(delivery, secrets);
    expectHidden((await get(api, 'logs')).body, secrets);
    const [{ response }] = delivery['attempt_log'] as [{ response: { body: string } }];
    expect(response.body).toBe(`olá ${'…\n'.repeat(9)}ç`);
  });

  test('secrets of the sandbox stay secret after their world, and are known again with it', async () => {
    const { sandbox } = (await shop()).api;
    const world = importWorld(structuredClone(exportWorld(sandbox.world)));
    const own = `/x/${CONTROL_TOKEN}/${encodeURIComponent(sandbox.credentials.signingSecret)}`;
    const other = `/x/${SECRETS.token}`;
    expect([shownPath(sandbox, own), shownPath(sandbox, other)]).toEqual(['/x/…/…', '/x/…']);
    sandbox.reset();
    expect([shownPath(sandbox, own), shownPath(sandbox, other)]).toEqual(['/x/…/…', '/x/…']);
    sandbox.replaceWorld({ rate: 0, world });
    expect([shownPath(sandbox, own), shownPath(sandbox, other)]).toEqual(['/x/…/…', '/x/…']);
  });
});

function shownPath(sandbox: Sandbox, path: string): string | undefined {
  const call: Call = {
    requestId: 'request',
    at: 0,
    realAt: 0,
    api: 'api',
    method: 'GET',
    path,
    status: 404,
    matched: false,
    appId: null,
    resourceId: null,
    error: null,
    hint: null,
    warnings: [],
    faults: [],
  };
  sandbox.calls.add(call);
  return sandbox.calls.newest()[0]?.path;
}
