import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
import { openPublicSandbox } from '../../helpers/http/public-sandbox.js';

const PIX = '/api/public/v1/pix';
const HOST = 'Host: localhost';
const JSON_TYPE = 'Content-Type: application/json';

let server: SandboxServer;

beforeAll(async () => {
  server = await startServer({ port: 0 });
});

afterAll(async () => {
  await server.close(0);
});

beforeEach(() => {
  server.sandbox.calls.clear();
});

/** Sends a request as it is, and returns what the call log has of it. */
async function logged(lines: readonly string[], body = '', count = 1) {
  await using connection = new RawConnection(server.port);
  const { status } = await connection.request(lines, body).response();
  const calls = server.sandbox.calls.newest();
  expect(calls.length).toBeLessThanOrEqual(count);
  expect(calls[0]?.status ?? status).toBe(status);
  return calls[0];
}

describe('a request rejected before it reaches an API', () => {
  const UNSUPPORTED = 'UNSUPPORTED_MEDIA_TYPE';

  test.each([
    ['with a form', `POST /api/v1/kyc/sessions`, [HOST, 'Content-Length: 2'], 'identity', true, UNSUPPORTED],
    ['to a wrong path', 'POST /pix', [HOST, 'Content-Length: 2'], 'api', false, UNSUPPORTED],
    ['from a web page', `POST ${PIX}`, [HOST, 'Origin: https://shop.example'], 'api', true, 'FORBIDDEN'],
    ['for a foreign host', `GET ${PIX}`, ['Host: shop.example'], 'api', false, 'FORBIDDEN'],
    ['without a host', `POST ${PIX}`, [], 'api', true, 'INVALID_REQUEST'],
    [
      'with long headers',
      `POST ${PIX}`,
      [HOST, `X: ${'a'.repeat(20_000)}`],
      'api',
      true,
      'HEADERS_TOO_LARGE',
    ],
    ['with a header that is not HTTP', `POST ${PIX}`, [HOST, 'X Y: 1'], 'api', true, 'INVALID_REQUEST'],
    ['for a hosted page', 'GET /sdk.js', [HOST, 'Origin: https://shop.example'], 'hosted', true, 'FORBIDDEN'],
  ])('a rejected request is in the request log %s', async (_title, line, headers, api, matched, error) => {
    const call = await logged(
      [`${line} HTTP/1.1`, ...headers],
      headers.includes('Content-Length: 2') ? '{}' : '',
    );
    const [method, path] = line.split(' ');
    expect(call).toMatchObject({ method, path, api, matched, error, appId: null, faults: [] });
    expect(call?.message).toBeTruthy();
    expect(String(call?.exchange?.response?.body)).toContain(`"request_id":"${call?.requestId}"`);
  });

  test('a rejected request is on the timeline', async () => {
    const call = await logged([`POST ${PIX} HTTP/1.1`, HOST, 'Content-Length: 2'], '{}');
    const { ring } = server.sandbox.timeline;
    expect(ring.get(ring.newest)).toMatchObject({
      kind: 'call',
      id: call?.requestId,
      title: `POST ${PIX} 415 UNSUPPORTED_MEDIA_TYPE`,
    });
  });

  test('a rejected request to the control API, the console, the document or payment pages is not logged', async () => {
    for (const target of ['/_sandbox/charges', '/console/a.js', '/openapi.json', '/pay/1']) {
      expect(await logged([`POST ${target} HTTP/1.1`, HOST, 'Content-Length: 2'], '{}')).toBeUndefined();
    }
  });

  test('a rejected request is logged without the end of a path that is too long', async () => {
    const call = await logged([`POST /${'a'.repeat(10_000)} HTTP/1.1`, HOST, 'Content-Length: 2'], '{}');
    expect(call?.path).toHaveLength(LIMITS.urlLength + 1);
  });

  test('a rejected request is logged through a tunnel, too', async () => {
    await using surfaces = await openPublicSandbox();
    await surfaces.ask(`POST ${PIX}`, ['Content-Length: 2'], '{}');
    expect(surfaces.server.sandbox.calls.newest()).toMatchObject([{ status: 415, path: PIX }]);
  });
});

describe('bytes that are not HTTP', () => {
  /** What the call log has of the first bytes of a connection. */
  async function loggedBytes(bytes: Buffer | string) {
    await using connection = new RawConnection(server.port);
    connection.socket.write(bytes);
    await connection.rest();
    return server.sandbox.calls.newest();
  }

  test('bytes that are not HTTP are logged as unreadable, and a TLS handshake with the right URL', async () => {
    const [call, ...others] = await loggedBytes(Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5]));
    expect(others).toEqual([]);
    expect(call).toMatchObject({ method: 'UNKNOWN', path: '(unreadable)', status: 400, matched: false });
    expect([call?.message, call?.hint]).toEqual([
      'Received a TLS request, but this port accepts only plain HTTP.',
      'Use http:// instead of https:// for the sandbox.',
    ]);
  });

  test('bytes that are not HTTP are logged once if an API has received their head', async () => {
    const added = new Promise((resolve) => server.sandbox.calls.subscribe(resolve));
    const lines = [`POST ${PIX} HTTP/1.1`, HOST, JSON_TYPE, 'Transfer-Encoding: chunked', '', 'nonsense', ''];
    await loggedBytes(lines.join('\r\n'));
    await added;
    await logged(['GET /later HTTP/1.1', HOST], '', 2);
    const [, call] = server.sandbox.calls.newest();
    expect(call).toMatchObject({ method: 'POST', path: PIX, status: 400, error: 'INVALID_REQUEST' });
  });
});

describe('the 415 response', () => {
  test.each([
    [[], 'the header is missing.'],
    [['Content-Type: application/json; charset=latin1'], 'received "application/json; charset=latin1".'],
    [['Content-Type: '], 'received "".'],
    [[`Content-Type: ${'a'.repeat(500)}`], `received "${'a'.repeat(80)}…".`],
    [['Content-Type: a\u0085\u009b[31mb'], String.raw`received "a\x85\x9b[31mb".`],
  ])('states what was received: %j', async (headers, said) => {
    const call = await logged([`POST ${PIX} HTTP/1.1`, HOST, 'Content-Length: 2', ...headers], '{}');
    expect(call?.message).toBe(`The request body requires Content-Type: application/json; ${said}`);
    expect(call?.hint).toBe('Send the header Content-Type: application/json.');
  });
});
