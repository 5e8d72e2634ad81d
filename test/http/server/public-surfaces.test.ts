import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createControlApp } from '../../../src/http/control/app.js';
import type { PublicSandbox } from '../../helpers/http/public-sandbox.js';
import {
  PROBE,
  PUBLIC_HOST,
  PUBLIC_ORIGIN,
  openPublicSandbox,
  signedCharge,
} from '../../helpers/http/public-sandbox.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
import { admitNone } from '../../helpers/http/admit-none.js';

const CONTROL_TOKEN = 'the-control-token';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const NOWHERE = '/nowhere/at-all';

let surfaces: PublicSandbox;

beforeAll(async () => {
  surfaces = await openPublicSandbox({ controlToken: CONTROL_TOKEN });
});

afterAll(async () => {
  await surfaces[Symbol.asyncDispose]();
});

/** The paths of every control route, with something for what varies. */
function controlPaths(): string[] {
  const facts = {
    instanceId: '',
    version: '',
    pid: 0,
    startedAt: 0,
    url: () => '',
    env: () => expect.fail(),
  };
  const { routes } = createControlApp(surfaces.server.sandbox, facts, admitNone, undefined);
  return [...new Set(routes.map(({ path }) => path.replaceAll(/:\w+/g, 'order-1')))];
}

describe('a control route', () => {
  test('responds like an unknown path to every method', async () => {
    const paths = controlPaths();
    expect(paths.length).toBeGreaterThan(40);
    for (const method of METHODS) {
      const nothing = await surfaces.bytes(`${method} ${NOWHERE}`);
      expect(nothing).toMatch(method === 'TRACE' ? /^HTTP\/1\.1 [45]/ : /^HTTP\/1\.1 404 /);
      const answers = await Promise.all(paths.map((path) => surfaces.bytes(`${method} ${path}`)));
      expect(paths.filter((_, index) => answers[index] !== nothing)).toEqual([]);
    }
  }, 30_000);

  test('a control route is available with its token, a body, and the headers of a proxy', async () => {
    const body = '{"event":"pix.settled"}';
    const headers = [
      `Authorization: Bearer ${CONTROL_TOKEN}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'X-Forwarded-Host: localhost',
      'X-Forwarded-For: 127.0.0.1',
      'X-Original-URL: /_sandbox/trigger',
      'X-HTTP-Method-Override: POST',
    ];
    const events = surfaces.server.sandbox.world.events.rows.length;
    const nothing = await surfaces.bytes(`POST ${NOWHERE}`, headers, body);
    for (const path of controlPaths()) {
      expect({ path, bytes: await surfaces.bytes(`POST ${path}`, headers, body) }).toEqual({
        path,
        bytes: nothing,
      });
    }
    expect(surfaces.server.sandbox.world.events.rows).toHaveLength(events);
  });

  test.for(
    [
      '/_sandbox //_sandbox/livez /x/../_sandbox/livez /session/../_sandbox/livez',
      '/api/v1/kyc/../../../_sandbox/livez /_sandbox%2flivez /%5fsandbox/livez /%2e/_sandbox/livez',
      '/_SANDBOX/livez /_sandbox/livez/ /_sandbox/livez;x /_sandbox/livez%00 /_sandbox/livez#x',
    ].flatMap((line) => line.split(' ')),
  )('a control route is not available as %s either', async (target) => {
    expect(await surfaces.bytes(`GET ${target}`)).toBe(await surfaces.bytes(`GET ${NOWHERE}`));
  });

  test.for([
    (path: string) => `http://${PUBLIC_HOST}${path}`,
    (path: string) => `http://localhost${path}`,
    (path: string) => `/x\\..${path}`,
    (path: string) => path.replaceAll('/', '\\'),
    (path: string) => `*${path}`,
    (path: string) => `/${path}%`,
  ])('a control route is not available by an unusual target (%#)', async (form) => {
    expect(await surfaces.bytes(`GET ${form('/_sandbox/livez')}`)).toBe(
      await surfaces.bytes(`GET ${form(NOWHERE)}`),
    );
  });

  test('a control route is shown in the request log', async () => {
    await surfaces.ask('GET /_sandbox/status?x=1');
    const [call] = surfaces.server.sandbox.calls.newest();
    expect(call).toMatchObject({ api: 'api', path: '/_sandbox/status?x=1', status: 404, matched: false });
  });
});

describe('the tunnel', () => {
  test('exposes the public API over the same sandbox', async () => {
    const answer = await surfaces.ask(...signedCharge(surfaces.server));
    expect(answer.status).toBe(201);
    expect(surfaces.server.sandbox.world.charges.rows.map(({ code }) => code)).toContain('order-1');
  });

  test('hides hints, which the request log contains', async () => {
    const answer = await surfaces.ask(...signedCharge(surfaces.server, { secret: 'wrong' }));
    const { error } = JSON.parse(answer.text) as { error: Record<string, unknown> };
    expect(Object.keys(error)).toEqual(['code', 'message', 'request_id', 'details']);
    expect(error['code']).toBe('SIGNATURE_INVALID');
    const [logged] = surfaces.server.sandbox.calls.newest();
    expect(logged?.requestId).toBe(error['request_id']);
    expect(logged?.hint).toContain('signing secret');
    for (const line of [
      'GET /api/public/v1/withdrawals',
      'DELETE /api/public/v1/pix',
      'GET /api/public/v1/pixx',
    ]) {
      expect((await surfaces.ask(line)).text).not.toContain('"hint"');
    }
    const plain = await surfaces.ask(
      'POST /api/public/v1/pix',
      ['Content-Type: text/plain', 'Content-Length: 1'],
      'x',
    );
    expect([plain.code, plain.text.includes('"hint"')]).toEqual(['UNSUPPORTED_MEDIA_TYPE', false]);
  });

  test('exposes the identity API, with its pages at the public origin', async () => {
    const body = '{"customerType":"individual"}';
    const { kycToken } = surfaces.server.sandbox.credentials;
    const answer = await surfaces.ask(
      'POST /api/v1/kyc/sessions',
      [
        `Authorization: Bearer ${kycToken}`,
        'Idempotency-Key: 0123456789abcdef',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-Proto: http',
      ],
      body,
    );
    expect(answer.status).toBe(201);
    const { sessionId, url } = JSON.parse(answer.text) as Record<'sessionId' | 'url', string>;
    expect(url).toBe(`${PUBLIC_ORIGIN}/session/${sessionId}`);

    const page = await surfaces.ask(`GET /session/${sessionId}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = new URLSearchParams({ token, step: 'camera' }).toString();
    const post = (origin: string) =>
      surfaces.ask(
        `POST /session/${sessionId}`,
        [
          `Origin: ${origin}`,
          'Content-Type: application/x-www-form-urlencoded',
          `Content-Length: ${form.length}`,
        ],
        form,
      );
    expect((await post(PUBLIC_ORIGIN)).status).toBe(303);
    for (const origin of [`http://${PUBLIC_HOST}`, 'https://evil.example', 'http://localhost:3000', 'null']) {
      const refused = await post(origin);
      expect([refused.status, refused.code]).toEqual([403, 'FORBIDDEN']);
    }
  });

  test('responds to the probe of the tunnel', async () => {
    const answer = await surfaces.ask(`GET ${PROBE.path}`);
    expect([answer.status, answer.text]).toEqual([200, PROBE.token]);
  });

  test('applies faults of API requests that do not need the connection', async () => {
    await using spoilt = await openPublicSandbox();
    const add = (fault: object) =>
      fetch(`${spoilt.server.url}/_sandbox/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fault),
      });
    expect((await add({ action: 'status', status: 503, count: 1 })).status).toBe(201);
    const answer = await spoilt.ask('GET /api/public/v1/withdrawals');
    expect([answer.status, answer.text.includes('"hint"')]).toEqual([503, false]);
  });
});

describe('the rate limit', () => {
  const line = 'GET /api/public/v1/withdrawals';
  const bearer = (token: string) => [`Authorization: Bearer ${token}`];

  test('applies to each application, and to all strangers together', async () => {
    await using busy = await openPublicSandbox({ limits: { each: { calls: 2, perMs: 60_000 } } });
    const statuses = async (headers: readonly string[]) => {
      const answers = [];
      for (let n = 0; n < 3; n += 1) answers.push((await busy.ask(line, headers)).status);
      return answers;
    };
    const { token, kycToken } = busy.server.sandbox.credentials;
    expect(await statuses(bearer(token))).toEqual([200, 200, 429]);
    expect(await statuses(bearer('made-up-1'))).toEqual([401, 401, 429]);
    expect((await busy.ask(line, bearer('made-up-2'))).status).toBe(429);
    expect(await statuses(bearer(kycToken))).toEqual([401, 401, 429]);
    const refused = await busy.ask(line);
    expect(refused.code).toBe('RATE_LIMITED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.text).not.toContain('hint');
  });

  test('applies to all together, and leaves the sandbox itself unchanged', async () => {
    await using busy = await openPublicSandbox({ limits: { total: { calls: 3, perMs: 60_000 } } });
    const { token } = busy.server.sandbox.credentials;
    for (let n = 0; n < 3; n += 1) await busy.ask(`GET ${NOWHERE}`);
    expect((await busy.ask(line, bearer(token))).status).toBe(429);
    expect((await busy.ask(`GET ${PROBE.path}`)).status).toBe(200);
    const local = await fetch(`${busy.server.url}/api/public/v1/withdrawals`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(local.status).toBe(200);
  });
});

test('limits the wait for a missing body', async () => {
  await using slow = await openPublicSandbox({ limits: { bodyMs: 50 } });
  const [line, headers] = signedCharge(slow.server);
  await using connection = new RawConnection(slow.port);
  connection.request([`${line} HTTP/1.1`, `Host: ${PUBLIC_HOST}`, ...headers], '{"code":');
  expect(await connection.rest()).toBe('');
});
