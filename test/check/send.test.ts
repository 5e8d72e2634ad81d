import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { WebhookMessage } from '../../src/check/send.js';
import { createFetchTarget, createSocketTarget } from '../../src/check/send.js';

const { signal } = new AbortController();
const BODY = Buffer.from('{"a":1}');

function message(more: Partial<WebhookMessage> = {}): WebhookMessage {
  return { method: 'POST', headers: { 'webhook-id': 'evt_1' }, body: BODY, ...more };
}

/** What a receiver saw of each message. */
async function seen(more: Partial<WebhookMessage>) {
  const requests: { method: string; length: string | null; body: string; isAborted: boolean }[] = [];
  const fetch = async (request: Request) => {
    const { method, headers } = request;
    const body = await request.text();
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
    requests.push({ method, length: headers.get('content-length'), body, isAborted: request.signal.aborted });
    return new Response('ok', { status: 201, headers: { 'x-shop': 'open' } });
  };
  const response = await createFetchTarget({ fetch }, '/hook', 1_000).send(message(more), signal);
  return { response, request: requests[0] };
}

test('passes on method, length and body, and returns the whole response', async () => {
  const { response, request } = await seen({});
  expect(request).toEqual({ method: 'POST', length: '7', body: '{"a":1}', isAborted: false });
  expect(response).toMatchObject({ status: 201, error: null });
  expect(response.headers).toContainEqual(['x-shop', 'open']);
  expect(Buffer.from(response.body).toString()).toBe('ok');
});

test('sends a chunked body without a length, and a GET with a body', async () => {
  expect((await seen({ isChunked: true })).request).toMatchObject({ length: null, body: '{"a":1}' });
  expect((await seen({ method: 'GET' })).request).toMatchObject({ method: 'GET', body: '{"a":1}' });
});

test('passes on a cut request completely, and disconnects before the response', async () => {
  const { response, request } = await seen({ cutAfterMs: 0 });
  expect(request).toMatchObject({ body: '{"a":1}', isAborted: true });
  expect(response).toMatchObject({ status: null, error: 'CUT' });
});

test('returns no status for a receiver that throws or hangs', async () => {
  const broken = createFetchTarget({ fetch: () => Promise.reject(new Error('down')) }, '/', 1_000);
  expect(await broken.send(message(), signal)).toMatchObject({
    status: null,
    error: 'CONNECTION_RESET: down',
  });
  const hanging = createFetchTarget({ fetch: () => new Promise<Response>(() => undefined) }, '/', 10);
  expect(await hanging.send(message(), signal)).toMatchObject({
    status: null,
    error: expect.stringMatching(/^TIMEOUT/),
  });
});

test('delivers a split body in two chunks, with its length', async () => {
  const chunks: string[] = [];
  const fetch = async (request: Request) => {
    for await (const chunk of request.body ?? []) chunks.push(Buffer.from(chunk).toString());
    return new Response(request.headers.get('content-length'));
  };
  const response = await createFetchTarget({ fetch }, '/', 1_000).send(message({ splitAt: 3 }), signal);
  expect([chunks, Buffer.from(response.body).toString()]).toEqual([['{"a', '":1}'], '7']);
});

test('sends a split body in two writes', async () => {
  const chunks: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk.toString('latin1')));
    request.on('end', () => response.end(request.headers['content-length']));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = createSocketTarget(new URL(`http://127.0.0.1:${port}/`), 5_000);
  try {
    const body = Buffer.from('"São"');
    const { status } = await target.send(
      { method: 'POST', headers: {}, body, splitAt: 3 },
      new AbortController().signal,
    );
    expect([status, chunks]).toEqual([200, ['"S\u00C3', '\u00A3o"']]);
  } finally {
    target.close();
    server.close();
  }
});
