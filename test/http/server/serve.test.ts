import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { PortTakenError, serve } from '../../../src/http/server/serve.js';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import { chargeBody } from '../../helpers/http/api-client.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
import { signedCharge } from '../../helpers/http/public-sandbox.js';

let server: SandboxServer;

beforeAll(async () => {
  server = await startServer({ port: 0, assume: { 'charge.qr_image': 'omit' } });
});

afterAll(async () => {
  await server.close(0);
});

const READY = ['GET /_sandbox/readyz HTTP/1.1', 'Host: localhost'];
const POST_CHARGE = ['POST /_sandbox/charges HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];

function post(body: object, headers: Readonly<Record<string, string>> = {}) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

function charges(): number {
  return server.sandbox.world.charges.rows.length;
}

/** The lines of a signed request, without its body. */
function signedLines(code: string, target: string): string[] {
  const [line, headers] = signedCharge(server, { code, target });
  return [`${line} HTTP/1.1`, 'Host: localhost', ...headers];
}

describe('the signed path', () => {
  test.for(['/api/public/v1/pix', '/api/public/v1/pix?trace=a%20b', '/api/public/v1/x/%2e%2E/pix'])(
    'the signed path is the target of the request byte for byte: %s',
    async (target) => {
      await using connection = new RawConnection(server.port);
      const code = `code-${target.length}`;
      const body = JSON.stringify(chargeBody({ code }));
      const answer = await connection.request(signedLines(code, target), body).response();
      expect(answer.status).toBe(201);
      // The same request signed over the path that it comes to does not hold.
      const normalized = target === '/api/public/v1/pix' ? '/api/public/v1/pix/' : '/api/public/v1/pix';
      const [line, ...lines] = signedLines(code, normalized);
      if (target.includes('?')) return;
      const other = [line?.replace(normalized, target) ?? '', ...lines];
      expect((await connection.request(other, body).response()).code).toBe('SIGNATURE_INVALID');
    },
  );
});

describe('a JSON error for invalid HTTP', () => {
  test.for([
    ['no request line', 'hello\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a bare CR', 'GET / HTTP/1.1\r\nHost: local\rhost\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', 400],
    ['headers over 16 KiB', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ] as const)(
    'a JSON error for invalid HTTP is returned for %s',
    async ([, text, status, code = 'INVALID_REQUEST']) => {
      await using connection = new RawConnection(server.port);
      const answer = await connection.write(text).response();
      expect([answer.status, answer.code]).toEqual([status, code]);
      expect(answer.text).toContain(answer.headers.get('x-request-id') ?? 'no id');
      expect(await connection.rest()).toBe('');
    },
  );

  test('an invalid chunk ends the request and changes nothing', async () => {
    const before = charges();
    await using connection = new RawConnection(server.port);
    connection.request([...POST_CHARGE, 'Transfer-Encoding: chunked'], 'ZZ\r\nnot a chunk\r\n');
    expect((await connection.response()).status).toBe(400);
    expect(await connection.rest()).toBe('');
    expect(charges()).toBe(before);
  });

  test('a truncated body changes nothing', async () => {
    const before = charges();
    await using connection = new RawConnection(server.port);
    connection.request([...POST_CHARGE, 'Content-Length: 50', 'Expect: 100-continue'], '{"code":"broken"');
    expect((await connection.response()).status).toBe(100);
    connection.socket.end();
    await connection.rest();
    expect(charges()).toBe(before);
  });
});

describe('bytes that are not HTTP after a request', () => {
  const GARBAGE = 'more\r\n\r\n';

  test('bytes that are not HTTP do not cause the response to a request in progress', async () => {
    await using connection = new RawConnection(server.port);
    const body = JSON.stringify({ code: 'padded' }).padEnd(60);
    connection.request([...POST_CHARGE, `Content-Length: ${body.length}`], body + GARBAGE);
    const answer = await connection.response();
    expect([answer.status, answer.headers.get('connection')]).toEqual([201, 'close']);
    expect(await connection.rest()).toBe('');
  });

  test('bytes that are not HTTP are reported in the second of two requests after the first response', async () => {
    await using connection = new RawConnection(server.port);
    const body = JSON.stringify({ code: 'first-of-two' });
    connection.write(
      [...POST_CHARGE, `Content-Length: ${body.length}`, '', body].join('\r\n') +
        [...POST_CHARGE, 'Transfer-Encoding: chunked', '', 'ZZ\r\n'].join('\r\n'),
    );
    expect((await connection.response()).status).toBe(201);
    expect((await connection.response()).status).toBe(400);
    expect(await connection.rest()).toBe('');
  });

  test('bytes that are not HTTP get no response after a complete request', async () => {
    await using connection = new RawConnection(server.port);
    expect((await connection.request(READY).response()).status).toBe(200);
    connection.write(GARBAGE);
    expect(await connection.rest()).toBe('');
  });

  test.for(['half', 'none'])(
    'bytes that are not HTTP get no response in a rejected body: %s of it',
    async (part) => {
      await using connection = new RawConnection(server.port);
      const lines = ['PATCH /_sandbox/charges HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
      connection.request([...lines, 'Content-Length: 50'], part === 'half' ? '{"code":"half"' : '');
      expect((await connection.response()).status).toBe(405);
      connection.socket.end();
      expect(await connection.rest()).toBe('');
    },
  );

  test('bytes that are not HTTP are not written into a running stream', async () => {
    await using connection = new RawConnection(server.port);
    connection.request(['GET /_sandbox/stream/timeline HTTP/1.1', 'Host: localhost']);
    await once(connection.socket, 'data');
    let received = '';
    connection.socket.on('data', (data) => (received += String(data)));
    connection.write(GARBAGE);
    await using other = new RawConnection(server.port);
    const body = JSON.stringify({ code: 'seen-in-the-stream' });
    other.request([...POST_CHARGE, `Content-Length: ${body.length}`], body);
    expect((await other.response()).status).toBe(201);
    await connection.holds('seen-in-the-stream');
    expect(received).not.toContain('HTTP/1.1');
  });

  test('bytes that are not HTTP are reported as too large headers if they start a request', async () => {
    await using connection = new RawConnection(server.port);
    expect((await connection.request(READY).response()).status).toBe(200);
    const answer = await connection.request([...READY, `X: ${'x'.repeat(20_000)}`]).response();
    expect([answer.status, answer.code]).toEqual([431, 'HEADERS_TOO_LARGE']);
  });
});

describe('uncached JSON without sniffing', () => {
  const KEPT_BY_NOBODY = ['no-store', 'same-origin', 'nosniff'];
  const flushed = ({
    headers,
  }: {
    readonly headers: { get: (name: string) => string | null | undefined };
  }) => [
    headers.get('cache-control'),
    headers.get('cross-origin-resource-policy'),
    headers.get('x-content-type-options'),
  ];

  test.for([
    ['a response of the control API', 'GET /_sandbox/status HTTP/1.1\r\nHost: localhost\r\n\r\n', 200],
    ['a rejection by the API', 'GET /api/public/v1/withdrawals HTTP/1.1\r\nHost: localhost\r\n\r\n', 401],
    ['a rejection by the guards', 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n', 403],
    ['an invalid target', 'GET /_sandbox\\x HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
    ['a method without a route', 'PUT /_sandbox/status HTTP/1.1\r\nHost: localhost\r\n\r\n', 405],
  ] as const)('JSON is uncached and not sniffed: %s', async ([, text, status]) => {
    await using connection = new RawConnection(server.port);
    const answer = await connection.write(text).response();
    expect(answer.status).toBe(status);
    expect(flushed(answer)).toEqual(KEPT_BY_NOBODY);
  });

  test('streams are uncached and not sniffed', async () => {
    for (const [path, init] of [
      ['stream/timeline', {}],
      ['listeners', { method: 'POST' }],
      ['clock/advance', post({ by: '1s' }, { accept: 'application/x-ndjson' })],
    ] as const) {
      const leaving = new AbortController();
      const response = await fetch(`http://127.0.0.1:${server.port}/_sandbox/${path}`, {
        ...init,
        signal: leaving.signal,
      });
      expect([response.status, ...flushed(response)]).toEqual([200, ...KEPT_BY_NOBODY]);
      leaving.abort();
    }
  });

  test('a response truncated by a fault is uncached and not sniffed', async () => {
    const url = `http://127.0.0.1:${server.port}`;
    await fetch(`${url}/_sandbox/faults`, post({ on: 'call', action: 'cut', count: 1 }));
    expect(flushed(await fetch(`${url}/api/public/v1/withdrawals`))).toEqual(KEPT_BY_NOBODY);
  });
});

test('HTTP/1.0 gets a response when it names a host, and the connection then ends', async () => {
  await using connection = new RawConnection(server.port);
  const answer = await connection.request(['GET /_sandbox/readyz HTTP/1.0', 'Host: localhost']).response();
  expect(answer.status).toBe(200);
  expect(await connection.rest()).toBe('');
  await using nameless = new RawConnection(server.port);
  expect((await nameless.request(['GET /_sandbox/readyz HTTP/1.0']).response()).status).toBe(400);
});

test('pipelined requests get responses in their order', async () => {
  await using connection = new RawConnection(server.port);
  const body = JSON.stringify({ code: 'pipelined' });
  connection.request([...POST_CHARGE, `Content-Length: ${body.length}`], body);
  connection.request(['GET /nothing HTTP/1.1', 'Host: localhost']);
  connection.request(['PUT /_sandbox/status HTTP/1.1', 'Host: localhost']);
  connection.request(READY);
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await connection.response()).status);
  expect(statuses).toEqual([201, 404, 405, 200]);
});

test('reads a body of exactly the limit', async () => {
  await using connection = new RawConnection(server.port);
  const body = JSON.stringify({ code: 'exact' }).padEnd(LIMITS.controlBodyBytes);
  connection.request([...POST_CHARGE, `Content-Length: ${body.length}`], body);
  expect((await connection.response()).status).toBe(201);
});

describe('a body over the limit', () => {
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

  test.for([
    ['chunks', ['Transfer-Encoding: chunked'], `${chunk.repeat(40)}0\r\n\r\n`],
    ['a length', [`Content-Length: ${40 * 0x10000}`], 'x'.repeat(40 * 0x10000)],
  ] as const)('leaves the connection usable, with %s', async ([, lines, body]) => {
    await using connection = new RawConnection(server.port);
    connection.request([...POST_CHARGE, ...lines], body);
    connection.request(READY);
    expect((await connection.response()).status).toBe(413);
    expect((await connection.response()).status).toBe(200);
  });

  test('a body over the limit is cut off if it never ends', async () => {
    await using connection = new RawConnection(server.port);
    connection.request([...POST_CHARGE, 'Transfer-Encoding: chunked'], chunk.repeat(17));
    expect((await connection.response()).status).toBe(413);
    expect(await connection.rest()).toBe('');
  });

  test('a body over the limit is rejected if it is compressed, and the connection stays usable', async () => {
    await using connection = new RawConnection(server.port);
    const before = charges();
    connection.request([...POST_CHARGE, 'Content-Encoding: gzip', 'Content-Length: 2'], '{}');
    connection.request([...POST_CHARGE, 'Content-Encoding: gzip', 'Content-Length: 0']);
    expect((await connection.response()).code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect((await connection.response()).status).toBe(201);
    expect(charges()).toBe(before + 1);
  });
});

describe('Expect', () => {
  const body = JSON.stringify({ code: 'expected' });

  test('100-continue is told to continue', async () => {
    await using connection = new RawConnection(server.port);
    connection.request([...POST_CHARGE, `Content-Length: ${body.length}`, 'Expect: 100-continue']);
    expect((await connection.response()).status).toBe(100);
    connection.write(body);
    expect((await connection.response()).status).toBe(201);
  });

  test('a body that the guards reject is not continued, and the connection ends', async () => {
    await using connection = new RawConnection(server.port);
    const [line = '', , type = ''] = POST_CHARGE;
    connection.request([line, 'Host: evil.example', type, 'Content-Length: 2', 'Expect: 100-continue']);
    expect((await connection.response()).status).toBe(403);
    expect(await connection.rest()).toBe('');
  });

  test('other values of Expect are ignored, but the guards apply', async () => {
    await using connection = new RawConnection(server.port);
    expect((await connection.request([...READY, 'Expect: tea']).response()).status).toBe(200);
    const evil = ['GET /_sandbox/readyz HTTP/1.1', 'Host: evil.example', 'Expect: tea'];
    expect((await connection.request(evil).response()).status).toBe(403);
  });
});

describe('the server', () => {
  const guards = { allowedHosts: new Set<string>() };
  const load = async () => () => new Response('{}');

  test('disconnects a client whose headers or body come too slowly', async () => {
    const timeouts = { headersMs: 60, requestMs: 120 };
    const slow = await serve({
      load: async () => async (request) => new Response(await request.text().catch(() => 'cut off')),
      guards,
      hosts: ['127.0.0.1'],
      port: 0,
      timeouts,
    });
    const type = 'Content-Type: application/json';
    for (const lines of [
      ['GET / HTTP/1.1', 'Host: loc'],
      ['POST / HTTP/1.1', 'Host: localhost', type, 'Content-Length: 9', '', '{'],
    ]) {
      await using connection = new RawConnection(slow.port);
      const answer = await connection.write(...lines).response();
      expect([answer.status, answer.code]).toEqual([408, 'INVALID_REQUEST']);
      await connection.rest();
    }
    await slow.close(0);
  });

  test('reports a used port, and releases the others', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const tried = serve({ load, guards, hosts: ['127.0.0.1'], port });
    await expect(tried).rejects.toThrow(PortTakenError);
    await expect(tried).rejects.toMatchObject({ port });
    taken.close();
    await once(taken, 'close');
    // The same address twice: the first is had, and the second finds it taken.
    await expect(serve({ load, guards, hosts: ['127.0.0.1', '127.0.0.1'], port })).rejects.toThrow(
      `Port ${port} is already in use.`,
    );
    const free = await serve({ load, guards, hosts: ['127.0.0.1'], port });
    expect(free.port).toBe(port);
    await free.close(0);
    const elsewhere = serve({ load, guards, hosts: ['192.0.2.1'], port: 0 });
    await expect(elsewhere).rejects.toThrow('EADDRNOTAVAIL');
  });

  test('closes immediately when idle, and ends open responses after the grace period', async () => {
    const started: (() => void)[] = [];
    const hangs = await serve({
      load:
        async () =>
        ({ url }) =>
          url.endsWith('/hang')
            ? new Promise<Response>(() => started.forEach((tell) => tell()))
            : new Response('{}', { headers: { 'content-length': '2' } }),
      guards,
      hosts: ['127.0.0.1'],
      port: 0,
    });
    await using idle = new RawConnection(hangs.port);
    await idle.request(['GET / HTTP/1.1', 'Host: localhost']).response();
    await using open = new RawConnection(hangs.port);
    const isOpen = new Promise<void>((resolve) => started.push(resolve));
    open.request(['GET /hang HTTP/1.1', 'Host: localhost']);
    await isOpen;
    const closed = hangs.close(20);
    expect(await idle.rest()).toBe('');
    expect(await open.rest()).toBe('');
    await closed;
  });
});
