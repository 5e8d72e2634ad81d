import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../src/cli/declarations/serve.js';
import { planListeners } from '../../../../src/cli/commands/listen/plan.js';
import { TunnelForwarder, runTunnel } from '../../../../src/cli/commands/listen/tunnel.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import type { AttemptRequest, AttemptResult } from '../../../../src/delivery/http-attempt.js';
import { signWebhook } from '../../../../src/signing/webhook.js';
import { TUNNEL_LIMITS, createProbe } from '../../../../src/tunnel/tunnel.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { Relay } from '../../../helpers/tunnel/relay.js';
import { Pauses } from '../../../helpers/tunnel/tunnel.js';

const SECRETS = ['first secret, thirty-two bytes ..', 'other secret, thirty-two bytes ..'].map(
  (text) => `whsec_${Buffer.from(text).toString('base64')}`,
);

function result(changes: Partial<AttemptResult> = {}): AttemptResult {
  const response = { headers: [] as [string, string][], body: Buffer.from('fine'), truncated: false };
  return { status: 200, error: null, detail: null, bodyError: null, latencyMs: 5, response, ...changes };
}

const UNKNOWN = `whsec_${Buffer.from('a secret that is not known here .').toString('base64')}`;

interface Stage {
  readonly forwardTo?: readonly string[];
  readonly events?: string;
  readonly skipVerify?: boolean;
  readonly json?: boolean;
  readonly answer?: AttemptResult;
  readonly takesAll?: boolean;
}

/** A forwarder before an application that answers as it is told. */
function staged({
  forwardTo = ['3000/hook'],
  events,
  skipVerify,
  json,
  answer = result(),
  takesAll = true,
}: Stage = {}) {
  const said = fakeIo({ json: json ?? false });
  const sent: AttemptRequest[] = [];
  const routes = planListeners(readOptions(listen.options, { forwardTo, events }));
  const forwarder = new TunnelForwarder({
    io: said.io,
    routes,
    takesAll,
    sender: {
      send: async (request) => {
        sent.push(request);
        return answer;
      },
      close: () => {},
    },
    headers: { 'x-added': 'yes', 'user-agent': 'never' },
    secrets: skipVerify === true ? null : SECRETS,
    timeoutMs: 1_234,
  });
  return { ...said, forwarder, sent };
}

/** A delivery as Node hands it over. */
function arrived(type = 'pix.settled', { secret = SECRETS[0] ?? '', more = {} } = {}) {
  const body = Buffer.from(`{ "type": "${type}" }\n`);
  const timestampS = Math.floor(Date.now() / 1000);
  const signed = signWebhook({ id: 'evt_7', timestampS, body, secrets: secret });
  const headers = {
    host: 'x.relay.example',
    'content-type': 'application/json',
    'user-agent': 'TheService/1',
    ...signed,
  };
  return { headers: { ...headers, ...more }, body };
}

test('verifies a delivery without a target and responds to it', async () => {
  const { forwarder, sent, stdout } = staged({ forwardTo: [] });
  expect(await forwarder.handleRequest(arrived())).toMatchObject({ status: 200 });
  expect(await forwarder.handleRequest(arrived('pix.settled', { secret: UNKNOWN }))).toMatchObject({
    status: 401,
  });
  expect([sent.length, forwarder.kept]).toEqual([0, 2]);
  expect(stdout()).toContain('✓ signed');
});

describe('a valid delivery', () => {
  test('a valid delivery is forwarded unchanged, without connection headers', async () => {
    const { forwarder, sent, stdout } = staged();
    const hop = {
      connection: 'keep-alive, X-Secret-Hop',
      'x-secret-hop': '1',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
      'content-length': '22',
      'proxy-authorization': 'Basic x',
      'x-forwarded-for': '203.0.113.9',
    };
    const delivery = arrived('pix.settled', { more: hop });
    expect(await forwarder.handleRequest(delivery)).toEqual({
      status: 200,
      headers: {},
      body: Buffer.from('fine'),
    });
    const [request] = sent;
    expect(request).toMatchObject({ url: 'http://localhost:3000/hook', timeoutMs: 1_234 });
    expect(Buffer.from(request?.body ?? '').equals(delivery.body)).toBe(true);
    expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
      'x-added',
      'x-forwarded-for',
    ]);
    expect(request?.headers['user-agent']).toBe('TheService/1');
    expect(stdout()).toMatch(/200 pix\.settled +5 ms {2}evt_7 {2}✓ signed\n$/);
    expect(forwarder).toMatchObject({ accepted: 1, failed: 0, kept: 0 });
  });

  test('hides secrets that the application repeats, and returns the unchanged response to its sender', async () => {
    for (const json of [false, true]) {
      const said = `own ${SECRETS[0]} drawn pix_test_token_0000000000000001`;
      const body = Buffer.from(said);
      const response = { headers: [['x-echo', said]] as [string, string][], body, truncated: false };
      const answer = result({ status: 500, error: 'HTTP_STATUS', detail: said, response });
      const { forwarder, stdout } = staged({ answer, json });
      expect((await forwarder.handleRequest(arrived())).body).toBe(body);
      expect(stdout()).toContain(json ? '"response_body":"own … drawn …"' : 'own … drawn …');
      for (const secret of [SECRETS[0] ?? '', 'pix_test_token']) expect(stdout()).not.toContain(secret);
    }
  });

  test.for<[string, AttemptResult, number, string]>([
    [
      'a status',
      result({ status: 503, error: 'HTTP_STATUS' }),
      503,
      'responded with 503; the sender decides',
    ],
    ['a redirect', result({ status: 302, error: 'REDIRECT' }), 302, 'responded with 302'],
    [
      'nothing',
      result({ status: null, error: 'CONNECTION_REFUSED', response: null }),
      502,
      'Start the application,',
    ],
    [
      'nothing in time',
      result({ status: null, error: 'TIMEOUT', response: null }),
      504,
      'responded with 504',
    ],
    ['no final status', result({ status: 101, error: 'INVALID_RESPONSE' }), 502, 'responded with 502'],
  ])('gets the documented response if it meets %s', async ([, answer, status, line]) => {
    const { forwarder, stdout } = staged({ answer });
    expect((await forwarder.handleRequest(arrived())).status).toBe(status);
    expect(stdout()).toContain(line);
    expect(forwarder.failed).toBe(1);
  });

  test('returns the content type of the response, and no cookie', async () => {
    const headers: [string, string][] = [
      ['Content-Type', 'application/problem+json'],
      ['Retry-After', '9'],
      ['Set-Cookie', 'a=b'],
    ];
    const answer = result({
      status: 429,
      error: 'HTTP_STATUS',
      response: { headers, body: Buffer.from('{}'), truncated: false },
    });
    expect(await staged({ answer }).forwarder.handleRequest(arrived())).toEqual({
      status: 429,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '9' },
      body: Buffer.from('{}'),
    });
  });

  test('goes to the target of its type', async () => {
    const { forwarder, sent } = staged({
      forwardTo: ['pix.*=3000/pix', 'withdrawal.*=3000/out'],
      takesAll: false,
    });
    await forwarder.handleRequest(arrived('withdrawal.failed'));
    await forwarder.handleRequest(arrived('pix.settled'));
    expect(sent.map(({ url }) => new URL(url).pathname)).toEqual(['/out', '/pix']);
  });

  test('a valid delivery is stored if nobody wants its type, and gets a response nevertheless', async () => {
    const { forwarder, sent, stdout } = staged({ events: 'withdrawal.*', takesAll: false });
    expect((await forwarder.handleRequest(arrived('pix.settled'))).status).toBe(200);
    expect(sent).toEqual([]);
    expect(stdout()).toContain('not forwarded, responded with 200');
    expect(forwarder).toMatchObject({ accepted: 0, kept: 1 });
  });

  test('a valid delivery of an unknown type goes to the listener of all types', async () => {
    const { forwarder, sent } = staged();
    await forwarder.handleRequest(arrived('pix.invented'));
    expect(sent).toHaveLength(1);
  });
});

describe('an invalid delivery', () => {
  const forged = () => arrived('pix.settled', { secret: `whsec_${Buffer.alloc(32).toString('base64')}` });

  test('an invalid delivery is not forwarded, and gets a 401 response', async () => {
    const { forwarder, sent, stdout } = staged();
    expect((await forwarder.handleRequest(forged())).status).toBe(401);
    expect((await forwarder.handleRequest({ headers: {}, body: Buffer.from('hello') })).status).toBe(401);
    expect(sent).toEqual([]);
    expect(stdout()).toContain('✗ signature_mismatch');
    expect(stdout()).toContain('--skip-verify');
    expect(forwarder.kept).toBe(2);
  });

  test('an invalid delivery is forwarded with --skip-verify', async () => {
    const { forwarder, sent } = staged({ skipVerify: true });
    expect((await forwarder.handleRequest(forged())).status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  test('an invalid delivery is a line of JSON that verify accepts, with the response', async () => {
    const { forwarder, stdout } = staged({ json: true });
    const delivery = forged();
    await forwarder.handleRequest(delivery);
    await forwarder.handleRequest(arrived());
    const [refused, forwarded] = stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(refused).toMatchObject({
      type: 'attempt',
      verified: false,
      forwarded_to: null,
      answered_status: 401,
      response_status: null,
      body: delivery.body.toString(),
    });
    expect(forwarded).toMatchObject({
      verified: true,
      forwarded_to: 'http://localhost:3000/hook',
      answered_status: 200,
      response_status: 200,
    });
  });

  test('an invalid delivery cannot reach the terminal by its headers or its type', async () => {
    const { forwarder, stdout } = staged({ skipVerify: true });
    const headers = { 'webhook-id': 'evt\u009b2J\u001b[31m' };
    await forwarder.handleRequest({ headers, body: Buffer.from('{"type":"x\u009b2J"}') });
    expect(stdout()).toMatch(/200 x\\x9b2J .* evt\\x9b2J\\x1b\[31m\n$/);
  });
});

/** A tunnel to a server that answers the probe alone, and what is said of it. */
async function running(relay: Relay, { json = false } = {}) {
  const probe = createProbe();
  const server = createServer((_, response) => response.end(probe.token)).listen(0, 'localhost');
  await once(server, 'listening');
  const said = fakeIo({ json });
  const pauses = new Pauses([TUNNEL_LIMITS.healthMs]);
  const ready: string[] = [];
  const ended = runTunnel({
    plan: { relay: new URL(relay.url), name: undefined, forMs: 0 },
    io: said.io,
    probe,
    localPort: (server.address() as AddressInfo).port,
    signal: said.io.stopping,
    pause: pauses.pause,
    onReady: (url) => ready.push(url),
  }).catch((error: unknown) => error);
  onTestFinished(async () => {
    said.stop();
    await ended;
    server.closeAllConnections();
    server.close();
  });
  return { ...said, ready, ended, emitted: () => parsed(said.stdout()) };
}

function parsed(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

describe('the tunnel of a command', () => {
  test('shows a warning with the name of its relay, and is ready once', async () => {
    await using relay = await Relay.start();
    const { ready, stderr, stop, ended } = await running(relay);
    await vi.waitFor(() => expect(ready).toHaveLength(1));
    await relay.forget();
    await vi.waitFor(() => expect(stderr()).toContain('The tunnel was reopened'));
    expect(stderr()).toContain(`warning All traffic passes through ${new URL(relay.url).host}`);
    expect(stderr()).toMatch(/The tunnel is closed\. .* Retrying in 1 s \(attempt 2 of 10\)\./);
    expect(ready).toEqual([relay.tunnel.url]);
    stop();
    expect(await ended).toBeUndefined();
  });

  test('prints the new URL loudly if it changes', async () => {
    await using relay = await Relay.start();
    const { ready, stderr, emitted } = await running(relay, { json: true });
    await vi.waitFor(() => expect(ready).toHaveLength(1));
    relay.isForgetful = true;
    await relay.forget();
    await vi.waitFor(() => expect(emitted()).toHaveLength(2));
    const { url } = relay.tunnel;
    expect(stderr()).toContain(`The public URL has changed. Register ${url} instead of ${ready[0]}`);
    expect(emitted()).toEqual([
      expect.objectContaining({ type: 'tunnel', state: 'failed', tries: 1, limit: 10, wait_ms: 1_000 }),
      { type: 'tunnel', state: 'open', url, changed: true },
    ]);
  });

  test('exits with 1 and advice if it cannot be opened, after reporting each attempt', async () => {
    await using relay = await Relay.start();
    relay.ask = 502;
    const { ready, stderr, ended } = await running(relay);
    const error = await ended;
    if (!(error instanceof CliError)) throw new Error(`Expected a CliError; got ${String(error)}`);
    expect([error.exitCode, error.code]).toEqual([1, 'TUNNEL_FAILED']);
    expect(error.message).toContain(
      `The tunnel could not be opened. The relay ${new URL(relay.url).host} responded with HTTP 502`,
    );
    expect(error.hint).toContain('--tunnel-host');
    expect(stderr().match(/Retrying in \d s \(attempt \d of 5\)/g)).toEqual([
      'Retrying in 1 s (attempt 2 of 5)',
      'Retrying in 2 s (attempt 3 of 5)',
      'Retrying in 4 s (attempt 4 of 5)',
      'Retrying in 8 s (attempt 5 of 5)',
    ]);
    expect(ready).toEqual([]);
  });

  test('reports that it was open if it is lost permanently', async () => {
    await using relay = await Relay.start();
    const { ready, ended } = await running(relay);
    await vi.waitFor(() => expect(ready).toHaveLength(1));
    await relay.die();
    expect(await ended).toMatchObject({ exitCode: 1, code: 'TUNNEL_LOST' });
  });
});
