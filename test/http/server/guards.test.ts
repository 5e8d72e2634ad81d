import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import type { RawResponse } from '../../helpers/http/http-raw.js';
import { RawConnection } from '../../helpers/http/http-raw.js';

let server: SandboxServer;

beforeAll(async () => {
  server = await startServer({ port: 0, allowedHosts: ['Sandbox.Internal', 'dotted.internal.'] });
});

afterAll(() => server.close(0));

/** Sends a request over a socket. */
async function ask(requestLine: string, ...lines: readonly string[]): Promise<RawResponse> {
  await using connection = new RawConnection(server.port);
  return await connection.request([`${requestLine} HTTP/1.1`, ...lines]).response();
}

const READY = 'GET /_sandbox/readyz';

describe('header lines', () => {
  const filling = (count: number) => Array.from({ length: count }, (_, index) => `a${index % 7}: b`);

  test('header lines are accepted up to the limit', async () => {
    expect((await ask(READY, 'Host: localhost', ...filling(LIMITS.requestHeaders - 1))).status).toBe(200);
  });

  test.for([
    ['an origin after a thousand others', [...filling(999), 'Origin: https://evil.example']],
    ['an upgrade', [...filling(999), 'Connection: Upgrade', 'Upgrade: websocket']],
    ['an expectation', ['Expect: tea', ...filling(999)]],
    ['a body that waits for 100 Continue', ['Expect: 100-continue', 'Content-Length: 2', ...filling(999)]],
  ] as const)('header lines are rejected over the limit: %s', async ([, lines]) => {
    const { status, code, text } = await ask(READY, 'Host: localhost', ...lines);
    expect([status, code]).toEqual([431, 'HEADERS_TOO_LARGE']);
    expect(text).toContain(`${LIMITS.requestHeaders} header lines; received ${lines.length + 1}`);
  });
});

describe('the Host header', () => {
  test('the Host header is required once, in any spelling', async () => {
    for (const lines of [[], ['Host: localhost', 'hOST: evil.example']]) {
      const { status, code } = await ask(READY, ...lines);
      expect([status, code]).toEqual([400, 'INVALID_REQUEST']);
    }
    expect((await ask(READY, 'Host:')).status).toBe(403);
  });

  test('a Host header of another machine is rejected in JSON with a request id', async () => {
    const { status, code, headers, text } = await ask(READY, 'Host: evil.example');
    expect([status, code, headers.get('content-type')]).toEqual([403, 'FORBIDDEN', 'application/json']);
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(text).toContain('--allow-host');
  });
});

describe('a cross-origin page', () => {
  const PAGE = ['Host: localhost:7490', 'Origin: https://editor.example', 'Sec-Fetch-Site: cross-site'];

  test('a cross-origin page may read the document, which contains no secret', async () => {
    const { status, headers } = await ask('GET /openapi.json?now', ...PAGE);
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  test('gets no permission by a preflight', async () => {
    const { status, headers } = await ask(
      'OPTIONS /_sandbox/readyz',
      ...PAGE,
      'Access-Control-Request-Method: POST',
    );
    expect(status).toBe(403);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the request target', () => {
  test.for([
    ['/_sandbox\\readyz', 400],
    ['//evil.example/_sandbox/readyz', 404],
    ['/_sandbox/%00', 404],
    ['/_sandbox/charges/%zz', 404],
    ['/_sandbox/charges/%2e%2e%2freadyz', 404],
    ['/%5fsandbox/readyz', 404],
    ['/_sandbox/../_sandbox/readyz', 200],
    ['/_sandbox/readyz?x=%zz&y#z', 200],
    ['/_sandbox/readyz/..', 404],
  ] as const)('%s gets a response in JSON', async ([target, status]) => {
    const response = await ask(`GET ${target}`, 'Host: localhost');
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });
});
