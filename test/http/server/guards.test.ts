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

afterAll(async () => {
  await server.close(0);
});

/** Every door is behind the same guards: each request is made to both of them, and the answers must agree. */
async function ask(lines: readonly string[], body = '', method = 'GET'): Promise<RawResponse> {
  const doors = ['/_sandbox/readyz', '/api/public/v1/withdrawals'];
  const answers = await Promise.all(
    doors.map(async (target) => {
      await using connection = new RawConnection(server.port);
      return await connection.request([`${method} ${target} HTTP/1.1`, ...lines], body).response();
    }),
  );
  const [control, api] = answers;
  if (control === undefined || api === undefined) throw new Error('Expected two answers.');
  const passed = control.status === 200 || control.status === 405;
  const isSame = passed ? api.status === 401 || api.status === 405 : api.status === control.status;
  expect(isSame, `control ${control.status}, api ${api.status}`).toBe(true);
  return control;
}

describe('header lines', () => {
  const filling = (count: number) => Array.from({ length: count }, (_, index) => `a${index % 7}: b`);

  test('up to the limit may pass', async () => {
    expect((await ask(['Host: localhost', ...filling(LIMITS.requestHeaders - 1)])).status).toBe(200);
  });

  test.for([
    ['one too many', [...filling(LIMITS.requestHeaders)]],
    ['what stands behind a thousand', [...filling(999), 'Origin: https://evil.example']],
    ['a second host behind a thousand', [...filling(1_500), 'Host: evil.example']],
    ['an upgrade', [...filling(999), 'Connection: Upgrade', 'Upgrade: websocket']],
    ['an expectation', ['Expect: tea', ...filling(999)]],
    ['a body that is to be asked for', ['Expect: 100-continue', 'Content-Length: 2', ...filling(999)]],
  ] as const)('over the limit are refused: %s', async ([, lines]) => {
    const answer = await ask(['Host: localhost', ...lines]);
    expect([answer.status, answer.code]).toEqual([431, 'HEADERS_TOO_LARGE']);
    expect(answer.text).toContain(
      `may have ${LIMITS.requestHeaders} header lines; this one has ${lines.length + 1}`,
    );
  });
});

describe('the Host header', () => {
  test.for([
    'localhost',
    'localhost:7490',
    'LOCALHOST:1',
    'localhost.',
    'localhost.:80',
    'shop.localhost:3000',
    '127.0.0.1',
    '127.8.9.10:99',
    '[::1]',
    '[::1]:7490',
    'sandbox.internal',
    'SANDBOX.internal:8080',
    'sandbox.internal.',
    'dotted.internal',
  ])('%s may pass', async (host) => {
    expect((await ask([`Host: ${host}`])).status).toBe(200);
  });

  test.for([
    'evil.example',
    'evil.example:7490',
    'localhost.evil.example',
    'evil-localhost',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    'evil.example@127.0.0.1',
    '128.0.0.1',
    '0.0.0.0',
    '192.168.0.1',
    '[::]',
    '[::ffff:127.0.0.1]',
    'sub.sandbox.internal',
    'localhost:7490:80',
    'localhost/x',
    'localhost ,evil',
    'http://localhost',
    '..',
  ])('%s may not', async (host) => {
    const answer = await ask([`Host: ${host}`]);
    expect([answer.status, answer.code]).toEqual([403, 'FORBIDDEN']);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(answer.text).toContain('--allow-host');
  });

  test('is needed once', async () => {
    const twice = ['Host: localhost', 'Host: localhost'];
    const hidden = ['Host: localhost', 'hOST: evil.example'];
    for (const lines of [[], twice, hidden]) {
      const answer = await ask(lines);
      expect([answer.status, answer.code]).toEqual([400, 'INVALID_REQUEST']);
    }
    expect((await ask(['Host:'])).status).toBe(403);
  });
});

describe('the Origin header', () => {
  test.for([
    ['localhost:7490', 'http://localhost:7490'],
    ['localhost:7490', 'http://LOCALHOST:7490'],
    ['sandbox.internal', 'http://sandbox.internal'],
  ] as const)('of our own page at %s may pass', async ([host, origin]) => {
    expect((await ask([`Host: ${host}`, `Origin: ${origin}`])).status).toBe(200);
  });

  test.for([
    'http://localhost:3000',
    'http://localhost',
    'https://localhost:7490',
    'http://127.0.0.1:7490',
    'https://evil.example',
    'null',
    '',
    'http://localhost:7490, http://localhost:7490',
  ])('%s may not', async (origin) => {
    const answer = await ask(['Host: localhost:7490', `Origin: ${origin}`]);
    expect([answer.status, answer.code]).toEqual([403, 'FORBIDDEN']);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
  });

  describe('of any page', () => {
    const page = ['Host: localhost:7490', 'Origin: https://editor.example', 'Sec-Fetch-Site: cross-site'];
    const read = async (target: string, method = 'GET', lines: readonly string[] = page) => {
      await using connection = new RawConnection(server.port);
      return await connection.request([`${method} ${target} HTTP/1.1`, ...lines]).response();
    };

    test.for(['/openapi.json', '/openapi.json?now'])('may read %s, which holds no secret', async (target) => {
      const answer = await read(target);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    });

    test.for([
      ['GET', '/_sandbox/openapi.json'],
      ['GET', '/openapi.json/../_sandbox/env'],
      ['GET', '/openapi.jsonx'],
      ['GET', '/openapi.json/'],
      ['GET', '//openapi.json'],
      ['POST', '/openapi.json'],
      ['OPTIONS', '/openapi.json'],
    ] as const)('may not %s %s', async ([method, target]) => {
      const answer = await read(target, method);
      expect(answer.status).toBe(403);
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    });

    test('may not read it under a name that is not ours', async () => {
      const lines = page.map((line) => (line.startsWith('Host') ? 'Host: evil.example' : line));
      expect((await read('/openapi.json', 'GET', lines)).status).toBe(403);
    });
  });

  test('a preflight of another origin gets no permission', async () => {
    const lines = [
      'Host: localhost:7490',
      'Origin: https://evil.example',
      'Access-Control-Request-Method: POST',
    ];
    const answer = await ask(lines, '', 'OPTIONS');
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the Sec-Fetch-Site header, which browsers send also where they send no Origin', () => {
  test.for(['same-origin', 'none'])('%s may pass', async (site) => {
    expect((await ask(['Host: localhost', `Sec-Fetch-Site: ${site}`])).status).toBe(200);
  });

  test.for(['cross-site', 'same-site'])('%s is refused: an image or a link of another page', async (site) => {
    expect((await ask(['Host: localhost', `Sec-Fetch-Site: ${site}`])).status).toBe(403);
  });

  test.for(['/sdk.js', '/start?publishable_key=x', '/session/kyc_1'])(
    '%s is what other pages open',
    async (target) => {
      await using connection = new RawConnection(server.port);
      const request = [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Sec-Fetch-Site: cross-site'];
      const { code } = await connection.request(request).response();
      expect(code).not.toBe('FORBIDDEN');
    },
  );
});

describe('a link of another page to a pay page', () => {
  const LINK = { site: 'cross-site', mode: 'navigate', dest: 'document' };

  test.for([
    ['opens it', 'GET', {}, 404],
    ['opens it at its public address', 'GET', { target: '/pay/1/token' }, 404],
    ['opens it from a neighbouring site', 'GET', { site: 'same-site' }, 404],
    ['opens it in no frame', 'GET', { dest: 'iframe' }, 403],
    ['opens it in no object', 'GET', { dest: 'object' }, 403],
    ['does not read it', 'GET', { mode: 'cors', dest: 'empty' }, 403],
    ['does not load it as an image', 'GET', { mode: 'no-cors', dest: 'image' }, 403],
    ['posts nothing', 'POST', {}, 403],
    ['does not read its stream', 'GET', { target: '/pay/1/stream', mode: 'cors', dest: 'empty' }, 403],
    ['reaches nothing behind it', 'GET', { target: '/pay/../_sandbox/readyz' }, 403],
  ] as const)('%s', async ([, method, differing, status]) => {
    const { target = '/pay/1', ...fetched } = { ...LINK, ...differing } as Record<string, string>;
    await using connection = new RawConnection(server.port);
    const lines = Object.entries(fetched).map(([name, value]) => `Sec-Fetch-${name}: ${value}`);
    const request = [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...lines];
    expect((await connection.request(request).response()).status).toBe(status);
  });
});

describe('the media type of a body', () => {
  const withBody = (type: string[]) => ask(['Host: localhost', 'Content-Length: 2', ...type], '{}', 'PUT');

  test.for([
    'application/json',
    'APPLICATION/JSON',
    'application/json ; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8; x=y',
  ])('%s may pass', async (type) => {
    expect((await withBody([`Content-Type: ${type}`])).status).toBe(405);
  });

  test.for([
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/problem+json',
    'application/jsonp',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    '',
  ])('%s may not', async (type) => {
    const answer = await withBody([`Content-Type: ${type}`]);
    expect([answer.status, answer.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test('is asked for when there is a body, of whatever transfer', async () => {
    expect((await withBody([])).status).toBe(415);
    const chunked = await ask(
      ['Host: localhost', 'Transfer-Encoding: chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
      'PUT',
    );
    expect(chunked.status).toBe(415);
    const empty = await ask(['Host: localhost', 'Content-Length: 0', 'Content-Type: text/plain'], '', 'PUT');
    expect(empty.status).toBe(405);
  });
});

describe('the request target', () => {
  test.for([
    'http://localhost/_sandbox/readyz',
    'http://evil.example/_sandbox/readyz',
    '*',
    'localhost:80',
    '_sandbox/readyz',
  ])('%s is not a path', async (target) => {
    await using connection = new RawConnection(server.port);
    const answer = await connection.request([`OPTIONS ${target} HTTP/1.1`, 'Host: localhost']).response();
    expect([answer.status, answer.code]).toEqual([400, 'INVALID_REQUEST']);
  });

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
  ] as const)('%s is answered in JSON', async ([target, status]) => {
    await using connection = new RawConnection(server.port);
    const answer = await connection.request([`GET ${target} HTTP/1.1`, 'Host: localhost']).response();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });
});
