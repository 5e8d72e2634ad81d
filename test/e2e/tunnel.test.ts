import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';
import { signWebhook } from '../../src/signing/webhook.js';
import { App } from '../helpers/e2e/e2e-app.js';
import { BIN, Project } from '../helpers/e2e/e2e.js';
import { Relay } from '../helpers/tunnel/relay.js';

const SECRET = `whsec_${Buffer.from('a secret of the real environment').toString('base64')}`;
/** A kept connection would keep one of the tunnel's. */
const CLOSE = { connection: 'close' };

/** A delivery as the service sends it. */
function delivery(type = 'pix.settled', secret = SECRET) {
  const body = JSON.stringify({ id: 'evt_1', type, data: { object: { note: 'çãé' } } });
  const headers = signWebhook({
    id: 'evt_1',
    timestampS: Math.floor(Date.now() / 1000),
    body: Buffer.from(body),
    secrets: secret,
  });
  const sent = { ...headers, 'content-type': 'application/json', 'user-agent': 'TheService/1.0', ...CLOSE };
  return { method: 'POST', body, headers: sent };
}

interface Ready {
  readonly type: 'ready';
  readonly url: string;
}

interface Attempt {
  readonly type: 'attempt';
  readonly verified: boolean | null;
  readonly response_status: number | null;
  readonly answered_status: number;
}

describe('listen --tunnel', () => {
  test('forwards external webhooks, and returns the response', async () => {
    using project = new Project();
    await using relay = await Relay.start();
    await using app = await App.start(SECRET);
    app.answer = ({ type }) => (type === 'pix.failed' ? 503 : 202);
    await using listener = project.spawn(
      ['listen', '--json', '--tunnel', '--tunnel-host', relay.url, '--forward-to', app.url],
      { env: { SANDBOX_WEBHOOK_SECRET: SECRET } },
    );
    const { url } = await listener.stdout.nextJson<Ready>('ready');
    expect(url).toBe(relay.tunnel.url);

    const accepted = await fetch(`${url}/any/path`, delivery());
    expect([accepted.status, await accepted.text()]).toEqual([202, 'ok']);
    const failed = await fetch(url, delivery('pix.failed'));
    expect(failed.status).toBe(503);
    expect(app.refusals).toEqual([]);
    expect(app.hooks.map(({ type, target }) => [type, target])).toEqual([
      ['pix.settled', '/webhooks'],
      ['pix.failed', '/webhooks'],
    ]);
    expect(app.hooks[0]?.body).toBe(delivery().body);
    expect(app.hooks[0]?.headers).toMatchObject({
      'user-agent': 'TheService/1.0',
      'content-type': 'application/json',
      host: new URL(app.url).host,
    });

    const forged = await fetch(url, delivery('pix.settled', `whsec_${Buffer.alloc(32).toString('base64')}`));
    expect(forged.status).toBe(401);
    expect(app.hooks).toHaveLength(2);
    const attempts = [];
    for (let n = 0; n < 3; n += 1) attempts.push(await listener.stdout.nextJson<Attempt>('attempt'));
    expect(attempts.map((one) => [one.verified, one.response_status, one.answered_status])).toEqual([
      [true, 202, 202],
      [true, 503, 503],
      [false, null, 401],
    ]);
    const { exitCode, stdout, stderr } = await listener.leave();
    expect(exitCode).toBe(130);
    expect(stderr).toContain(`passes through ${new URL(relay.url).host}`);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  test('exits immediately while the relay does not respond', async () => {
    using project = new Project();
    await using relay = await Relay.start();
    relay.ask = 'hang';
    await using listener = project.spawn([
      'listen',
      '--tunnel',
      '--tunnel-host',
      relay.url,
      '--forward-to',
      '3000',
      '--skip-verify',
    ]);
    await listener.stderr.next('passes through');
    expect(await listener.leave()).toMatchObject({ exitCode: 130 });
  });
});

test('the bundle contains the connections of localtunnel, but not its other dependencies', () => {
  const chunks = join(dirname(BIN), '../dist/chunks');
  const texts = readdirSync(chunks).map((name) => readFileSync(join(chunks, name), 'utf8'));
  const having = (word: string) => texts.filter((text) => text.includes(word)).length;
  expect(having('remote_port')).toBe(1);
  for (const word of ['AxiosError', 'XMLHttpRequest', 'process.env.DEBUG', 'yargs'])
    expect([word, having(word)]).toEqual([word, 0]);
});

interface Opened {
  readonly type: 'tunnel';
  readonly state: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

describe('start --tunnel', () => {
  test('exposes only the service, with separate credentials', async () => {
    using project = new Project();
    await using relay = await Relay.start();
    const options = ['--tunnel', '--tunnel-host', relay.url, '--pay-page'];
    await using sandbox = await project.start(options);
    const { url, env } = await sandbox.stdout.nextJson<Opened>('tunnel');
    expect(env['SANDBOX_BASE_URL']).toBe(url);
    const published = new Set(Object.values(WELL_KNOWN_CREDENTIALS).slice(1));
    const given = Object.values(sandbox.ready.env);
    expect(given.filter((value) => published.has(value))).toEqual([]);

    const token = sandbox.env('SANDBOX_TOKEN');
    const list = (authorization: string) =>
      fetch(`${url}/api/public/v1/withdrawals`, { headers: { authorization, ...CLOSE } });
    expect((await list(`Bearer ${token}`)).status).toBe(200);
    const stranger = await list(`Bearer ${WELL_KNOWN_CREDENTIALS.token}`);
    expect([stranger.status, (await stranger.text()).includes('"hint"')]).toEqual([401, false]);
    const control = { authorization: `Bearer ${sandbox.env('SANDBOX_CONTROL_TOKEN')}`, ...CLOSE };
    expect((await fetch(`${url}/_sandbox/status`, { headers: control })).status).toBe(404);

    // The page on this machine tells the public address of a charge, which has a token and here no buttons.
    const { pay_url: local } = await project.json<{ pay_url: string }>(['charges', 'create']);
    const payPage = async (address: string) => (await fetch(address, { headers: CLOSE })).text();
    const own = await payPage(local);
    const address = /<a href="([^"]*)"/.exec(own)?.[1] ?? '';
    expect(own).toContain('<form');
    expect(address).toMatch(new RegExp(`^${url}${new URL(local).pathname}/[\\w-]{43}$`));
    expect(await payPage(address)).toContain('QR code');
    expect(await payPage(address)).not.toContain('<form');
    expect((await fetch(`${url}${new URL(local).pathname}`, { headers: CLOSE })).status).toBe(404);

    // Commands of this machine find it, and show the token that it needs.
    expect((await project.run(['trigger', 'pix.settled'])).exitCode).toBe(0);
    const { exitCode, stderr } = await sandbox.leave();
    expect(exitCode).toBe(130);
    expect(stderr).toContain('PUBLIC');
    expect(stderr).toContain('The pay pages are also public, without their buttons.');
  });

  test('closes after its duration, and the sandbox continues', async () => {
    using project = new Project();
    await using relay = await Relay.start();
    await using sandbox = await project.start(['--tunnel', '--tunnel-host', relay.url, '--tunnel-for', '2s']);
    await sandbox.stdout.nextJson<Opened>('tunnel');
    await sandbox.stdout.next('"state":"closed"');
    await vi.waitFor(() => expect(relay.tunnel.idle).toBe(0));
    expect((await project.run(['status'])).exitCode).toBe(0);
  });
});
