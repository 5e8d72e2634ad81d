import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { NotReachableError, SandboxError } from '../../src/client/control.js';
import { createSocketClient } from '../../src/client/socket.js';
import { SANDBOX_HEADER } from '../../src/text/control-api.js';
import { rejectionOf } from '../helpers/thrown-by.js';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that answers as told, and a client of it. */
async function served(answer: (response: ServerResponse) => void, token?: string, isSandbox = true) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      if (isSandbox) response.setHeader(SANDBOX_HEADER, '1');
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createSocketClient({ url: `${url}/`, token });
  return {
    client,
    url,
    seen,
    server,
    async [Symbol.asyncDispose]() {
      client.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function json(status: number, body: unknown) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('API requests', () => {
  test('get sends the provided query and the token', async () => {
    await using it = await served(json(200, { ok: true }), 'secret');
    expect(await it.client.get('charges', { status: 'PENDING', after: undefined, limit: 5 })).toEqual({
      ok: true,
    });
    expect(it.client.url).toBe(it.url);
    expect(it.seen[0]).toMatchObject({
      method: 'GET',
      url: '/_sandbox/charges?status=PENDING&limit=5',
      body: '',
    });
    expect(it.seen[0]?.headers.authorization).toBe('Bearer secret');
    expect(it.seen[0]?.headers.accept).toBe('application/json');
  });

  test('escapes names in a path, and sends the remaining ones as the query', async () => {
    await using it = await served(json(200, {}));
    await it.client.get('charges/:id', { id: 'a/b?c' });
    await it.client.post('charges/:id/settle', { id: 'x', app: 'shop & co' });
    expect(it.seen.map(({ url }) => url)).toEqual([
      '/_sandbox/charges/a%2Fb%3Fc',
      '/_sandbox/charges/x/settle?app=shop+%26+co',
    ]);
  });

  test('post sends JSON, or no body at all', async () => {
    await using it = await served(json(201, {}));
    await it.client.post('charges', { body: { payer_name: 'João', code: undefined } });
    await it.client.post('deliveries/:id/retry', { id: 'x' });
    const [first, second] = it.seen;
    expect(first?.body).toBe('{"payer_name":"João"}');
    expect(first?.headers['content-type']).toBe('application/json');
    expect(first?.headers['content-length']).toBe('22');
    expect(first?.headers.authorization).toBeUndefined();
    expect(second?.body).toBe('');
    expect(second?.headers['content-type']).toBeUndefined();
  });

  test('one connection carries many requests', async () => {
    await using it = await served(json(200, {}));
    let connections = 0;
    it.server.on('connection', () => (connections += 1));
    for (let call = 0; call < 5; call += 1) await it.client.get('status');
    expect(connections).toBe(1);
  });
});

describe('client errors', () => {
  test('a rejection by the sandbox throws a SandboxError with its code, hint and details', async () => {
    const error = {
      code: 'NOT_FOUND',
      message: 'There is no charge x.',
      request_id: 'req_1',
      details: [{ field: 'id', message: 'Is unknown.' }],
      hint: 'List them.',
    };
    await using it = await served(json(404, { error }));
    const thrown = await rejectionOf(it.client.get('charges/:id', { id: 'x' }), SandboxError);
    expect(thrown.status).toBe(404);
    expect(thrown.message).toBe('There is no charge x.\n  id: Is unknown.\nList them.');
    expect(thrown).toMatchObject({ code: 'NOT_FOUND', details: error.details, hint: 'List them.' });
    expect(thrown.request).toBe('GET /_sandbox/charges/x');
    expect(thrown.body).toEqual(error);
  });

  test.each(['<h1>Not here</h1>', '{"message":"no"}', ''])(
    'reports no sandbox for the error %j in place of a response',
    async (body) => {
      await using it = await served((response) => {
        response.statusCode = 502;
        response.end(body);
      });
      const thrown = await rejectionOf(it.client.get('status'), SandboxError);
      expect(thrown.body).toMatchObject({
        code: 'NOT_A_SANDBOX',
        message: `${it.url} responded with HTTP 502, but it is not a pix-sandbox.`,
        hint: 'Check `--url` and `SANDBOX_URL`.',
      });
    },
  );

  const ERROR = { code: 'NOT_FOUND', message: 'No.', request_id: '', details: [] };
  test.each<[number, unknown]>([
    [200, {}],
    [404, { error: ERROR }],
  ])(
    'reports no sandbox for a server without our header, whatever it responds (%i, %j)',
    async (status, body) => {
      await using it = await served(json(status, body), undefined, false);
      const calls = [
        it.client.get('status'),
        it.client.getText('events/:id/body', { id: 'x' }),
        it.client.list('charges'),
        it.client.stream('GET stream/timeline').next(),
      ];
      for (const call of calls) {
        expect((await rejectionOf(call, SandboxError)).code).toBe('NOT_A_SANDBOX');
      }
    },
  );

  test('does not read an endless third-party body', async () => {
    let hasClosed = () => {};
    const closed = new Promise<void>((resolve) => {
      hasClosed = resolve;
    });
    const endless = (response: ServerResponse) => response.once('close', hasClosed).write('{');
    await using it = await served(endless, undefined, false);
    expect((await rejectionOf(it.client.get('status'), SandboxError)).code).toBe('NOT_A_SANDBOX');
    await closed;
  });

  test('throws a NotReachableError with the URL if nobody listens', async () => {
    const client = createSocketClient({ url: 'http://127.0.0.1:1' });
    const thrown = await rejectionOf(client.get('status'), NotReachableError);
    expect(thrown.url).toBe('http://127.0.0.1:1');
    expect(thrown.message).toBe('Nothing responds at http://127.0.0.1:1.');
  });

  test('throws a NotReachableError for a connection that ends without a response', async () => {
    await using it = await served((response) => response.socket?.destroy());
    await rejectionOf(it.client.get('status'), NotReachableError).then(({ url }) => expect(url).toBe(it.url));
  });

  test('reports an aborted request', async () => {
    const stopping = new AbortController();
    await using it = await served(() => stopping.abort());
    await expect(it.client.post('clock/next', { signal: stopping.signal })).rejects.toThrow('aborted');
  });
});

describe('client streams', () => {
  test('reads events split at any point', async () => {
    const stream = Buffer.from('data: {"name":"João"}\n\n: still here\n\ndata: {"number":2}\n\n');
    await using it = await served((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of stream) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await allOf(it.client.stream('GET stream/timeline', { q: 'a b' }))).toEqual([
      { name: 'João' },
      { number: 2 },
    ]);
    expect(it.seen[0]).toMatchObject({ method: 'GET', url: '/_sandbox/stream/timeline?q=a+b' });
    expect(it.seen[0]?.headers.accept).toContain('text/event-stream');
  });

  test('reads the last line with or without its line break', async () => {
    await using it = await served((response) => response.end('{"step":1}\n{"step":2}\n{"done":true}'));
    expect(await allOf(it.client.stream('POST clock/advance', { body: { by: '1h' } }))).toEqual([
      { step: 1 },
      { step: 2 },
      { done: true },
    ]);
    expect(it.seen[0]).toMatchObject({ method: 'POST', body: '{"by":"1h"}' });
    expect(it.seen[0]?.headers.accept).toContain('application/x-ndjson');
  });

  test('throws a SandboxError for a rejection before the stream starts', async () => {
    const error = { code: 'CLOCK_BUSY', message: 'Busy.', request_id: '', details: [] };
    await using it = await served(json(409, { error }));
    const thrown = await rejectionOf(
      allOf(it.client.stream('POST clock/advance', { body: { by: '1h' } })),
      SandboxError,
    );
    expect(thrown.body.code).toBe('CLOCK_BUSY');
  });

  test('ends an aborted stream', async () => {
    const stopping = new AbortController();
    await using it = await served((response) => response.write('data: {"number":1}\n\n'));
    const events = it.client.stream('GET stream/timeline', { signal: stopping.signal });
    expect(await events.next()).toEqual({ done: false, value: { number: 1 } });
    stopping.abort();
    await expect(events.next()).rejects.toThrow('aborted');
  });
});
