import { spawnSync } from 'node:child_process';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../src/signing/webhook.js';
import type { CliSandbox } from '../helpers/cli/cli-sandbox.js';
import { cliSandbox, LOCAL, register, trigger } from '../helpers/cli/cli-sandbox.js';
import { App } from '../helpers/e2e/e2e-app.js';
import { TestApi } from '../helpers/http/api-client.js';
import { createWebhookSecret } from '../../src/sandbox/credentials.js';

/** Those that are installed; the others are left out. */
const SHELLS = ['sh', 'bash', 'zsh'].filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);
const missing = ['curl', 'openssl'].filter((program) => spawnSync(program, ['version']).error !== undefined);

const KYC = '/api/v1/kyc/sessions';
const CHARGE = { account_id: '00000000-0000-4000-8000-000000000001', amount: '10.00' };

let cli: CliSandbox;
let api: TestApi;
let env: Record<string, string>;

beforeAll(async () => {
  cli = await cliSandbox({ ...LOCAL, assume: { 'event.qr_image': 'full' } });
  api = new TestApi(cli.server, { nowMs: Date.now() });
  env = { PATH: process.env['PATH'] ?? '', ...cli.server.env };
});

afterAll(() => cli[Symbol.asyncDispose]());

/** Runs what was printed, by each shell. */
async function runs(script: string, more: Record<string, string> = {}): Promise<string[]> {
  const outputs: string[] = [];
  for (const shell of SHELLS) {
    // As if it were pasted: the shell reads it line by line.
    const { stdout } = await execa(shell, { input: script, env: { ...env, ...more }, extendEnv: false });
    outputs.push(stdout);
  }
  return outputs;
}

function hasNoSecret(text: string): boolean {
  const { token, signingSecret, kycToken, webhookSecret } = cli.server.sandbox.credentials;
  return ![token, signingSecret, kycToken, webhookSecret].some((secret) => text.includes(secret));
}

interface Case {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

const charge = (code: string, more: object = {}) => JSON.stringify({ code, ...CHARGE, ...more });
const CASES: readonly (readonly [name: string, Case])[] = [
  ['a HEAD', { method: 'HEAD', path: '/api/public/v1/withdrawals', status: 200 }],
  [
    'quotes, lines and letters of any script',
    {
      method: 'POST',
      path: '/api/public/v1/pix?a=[1]&b=it%27s',
      body: JSON.stringify(
        { code: 'odd', ...CHARGE, metadata: { "it's": 'ç 😀 $HOME `id` \\ ! %s "' } },
        null,
        '\t',
      ),
      headers: { 'X-Note': "it's $HOME `id`", 'X-Empty': '' },
      status: 200,
    },
  ],
  [
    'NUL and bytes that are no text',
    { method: 'POST', path: '/api/public/v1/pix', body: Buffer.from([0, 255, 10, 39]), status: 400 },
  ],
  [
    'a route that there is not',
    { method: 'POST', path: '/api/public/v1/pixx/../$HOME', body: '{}', status: 404 },
  ],
  [
    'a session',
    {
      method: 'POST',
      path: KYC,
      body: '{"customerType":"individual"}',
      headers: { 'idempotency-key': 'attempt-of-maria-1' },
      status: 200,
    },
  ],
];

/** Sends a request over a socket; resolves to the id of its call. */
async function sent({ method, path, body, headers = {} }: Case): Promise<string> {
  const isIdentity = path.startsWith(KYC);
  const all = {
    ...api.headersOf(method, path, { body, ...(isIdentity ? { sign: false } : {}) }),
    ...(isIdentity ? { authorization: `Bearer ${cli.server.sandbox.credentials.kycToken}` } : {}),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => [
    '-H',
    value === '' ? `${name};` : `${name}: ${value}`,
  ]);
  const input = body === undefined ? undefined : Buffer.from(body);
  const data = input === undefined ? [] : ['--data-binary', '@-'];
  const asked = method === 'HEAD' ? ['-I'] : ['-X', method];
  const args = ['-sS', '--path-as-is', '--globoff', ...asked, cli.server.url + path, ...lines, ...data];
  await execa('curl', args, input === undefined ? {} : { input });
  return newest().requestId;
}

function newest() {
  const [call] = cli.server.sandbox.calls.newest();
  if (call === undefined) throw new Error('Expected a call.');
  return call;
}

describe.skipIf(missing.length > 0)(
  `curl commands of stored requests (lacking: ${missing.join() || 'nothing'})`,
  () => {
    test.for(CASES)('curl commands repeat %s byte for byte with a new signature', async ([, one]) => {
      const id = await sent(one);
      const first = newest();
      const { stdout } = await cli.run('calls show', { args: [id], options: { curl: true } });
      expect(hasNoSecret(stdout)).toBe(true);
      const { count } = cli.server.sandbox.calls;
      await runs(stdout);
      expect(cli.server.sandbox.calls.count).toBe(count + SHELLS.length);
      for (const call of cli.server.sandbox.calls.newest().slice(0, SHELLS.length)) {
        expect(call).toMatchObject({ method: one.method, path: first.path, status: one.status });
        expect(call.exchange?.request.body).toEqual(first.exchange?.request.body);
        const kept = (message = call.exchange) =>
          message?.request.headers
            .filter(([name]) => !/^(?:x-(?:nonce|timestamp|signature)|content-length)$/i.test(name))
            .map(([name, value]) => `${name}: ${value}`)
            .sort();
        expect(kept(call.exchange)).toEqual(kept(first.exchange));
      }
    });

    test('curl commands name a session by a variable, because its id is a credential', async () => {
      const created = await api.send('POST', KYC, {
        body: { customerType: 'individual' },
        sign: false,
        headers: {
          authorization: `Bearer ${cli.server.sandbox.credentials.kycToken}`,
          'idempotency-key': 'attempt-of-maria-2',
        },
      });
      const { sessionId } = created.body as unknown as { sessionId: string };
      const id = await sent({ method: 'GET', path: `${KYC}/${sessionId}/result`, status: 409 });
      const { stdout } = await cli.run('calls show', { args: [id], options: { curl: true } });
      expect(stdout).not.toContain(sessionId);
      const outputs = await runs(stdout, { SANDBOX_SESSION_ID: sessionId });
      expect(outputs.filter((output) => !output.includes('NOT_TERMINAL'))).toEqual([]);
    });

    test('curl commands work under another signature scheme', async () => {
      const scheme = {
        'signature.encoding': 'base64',
        'signature.digest_encoding': 'base64',
        'signature.path': 'target',
      } as const;
      await using other = await cliSandbox({ assume: scheme });
      const target = '/api/public/v1/pix?a=1';
      const signed = new TestApi(other.server, { nowMs: Date.now() });
      const sign = {
        scheme: { signatureEncoding: 'base64', digestEncoding: 'base64', pathForm: 'target' },
      } as const;
      const first = await signed.send('POST', target, { body: JSON.parse(charge('one')), sign });
      expect(first.status).toBe(201);
      const id = first.headers.get('x-request-id') ?? '';
      const { stdout } = await other.run('calls show', { args: [id], options: { curl: true } });
      await runs(stdout);
      expect(other.server.sandbox.calls.newest().map(({ status }) => status)).toEqual([
        ...SHELLS.map(() => 200),
        201,
      ]);
    });
  },
);

describe.skipIf(missing.length > 0)('curl commands of deliveries', () => {
  test.for(['the old secret', 'the new secret'])(
    'curl commands are accepted by two libraries and verify under %s of a rotation, with an image',
    async (which) => {
      await using app = await App.start('');
      const endpoint = register(cli, app.url);
      app.secret = endpoint.secret;
      trigger(cli);
      await cli.server.sandbox.idle();
      const [first] = app.hooks;
      const fresh = createWebhookSecret(cli.server.sandbox.epoch.drawBytes);
      cli.server.sandbox.dispatch({ type: 'endpoint.rotate', endpointId: endpoint.id, secret: fresh });
      if (which === 'the new secret') app.secret = fresh;
      const delivery = cli.server.sandbox.world.deliveries.rows.at(-1)?.id ?? '';
      const { stdout } = await cli.run('deliveries show', { args: [delivery], options: { curl: true } });
      expect(stdout).not.toContain(app.secret.slice('whsec_'.length));
      await runs(stdout, { [`ENDPOINT_SECRET_${endpoint.id.slice(0, 8)}`]: app.secret });
      expect(app.refusals).toEqual([]);
      expect(app.hooks).toHaveLength(1 + SHELLS.length);
      expect(first?.body).toContain('"qr_code_base64":"iVBOR');
      for (const { body, id, headers } of app.hooks.slice(1)) {
        expect({ body, id }).toEqual({ body: first?.body, id: first?.id });
        expect(headers['user-agent']).toBe(first?.headers['user-agent']);
        const nowS = Math.floor(Date.now() / 1000);
        expect(verifyWebhook({ body, headers, secrets: app.secret, nowS }).ok).toBe(true);
      }
      cli.server.sandbox.dispatch({ type: 'endpoint.delete', endpointId: endpoint.id });
    },
  );

  test('curl commands of deliveries use the route of an endpoint, and sign with its secret only', async () => {
    await using app = await App.start('');
    const routes = new Map([['https://shop.example', app.origin]]);
    await using other = await cliSandbox({ policy: { routes, allowLocalEndpoints: false } });
    const endpoint = register(other, 'https://shop.example/webhooks?shop=1');
    app.secret = endpoint.secret;
    trigger(other);
    await other.server.sandbox.idle();
    const delivery = other.server.sandbox.world.deliveries.rows.at(-1)?.id ?? '';
    const { stdout } = await other.run('deliveries show', { args: [delivery], options: { curl: true } });
    const failed = await execa('sh', { input: stdout, env, extendEnv: false, reject: false });
    expect(failed.exitCode).not.toBe(0);
    expect(failed.stderr).toContain(`shown when endpoint ${endpoint.id} was created or rotated`);
    expect(app.hooks).toHaveLength(1);
    await runs(stdout, { [`ENDPOINT_SECRET_${endpoint.id.slice(0, 8)}`]: endpoint.secret });
    expect(app.refusals).toEqual([]);
    expect(app.hooks.map(({ target }) => target)).toEqual(
      Array.from({ length: 1 + SHELLS.length }, () => '/webhooks?shop=1'),
    );
  });

  test('curl commands of a listener sign with SANDBOX_WEBHOOK_SECRET', async () => {
    await using app = await App.start(cli.server.sandbox.credentials.webhookSecret);
    const endpoint = register(cli, app.url);
    Object.assign(endpoint, { secret: app.secret });
    trigger(cli);
    await cli.server.sandbox.idle();
    const delivery = cli.server.sandbox.world.deliveries.rows.at(-1)?.id ?? '';
    const { stdout } = await cli.run('deliveries show', { args: [delivery], options: { curl: true } });
    await runs(stdout);
    expect(app.refusals).toEqual([]);
    expect(app.hooks).toHaveLength(1 + SHELLS.length);
    cli.server.sandbox.dispatch({ type: 'endpoint.delete', endpointId: endpoint.id });
  });
});
