import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import type { DestinationPolicy } from '../../src/delivery/destination.js';
import {
  createHttpSender,
  type AttemptRequest,
  type HttpSender,
  type HttpSenderOptions,
} from '../../src/delivery/http-attempt.js';
import { goodCertificate } from '../helpers/delivery/receiver-certificates.js';
import { fakeTimers } from '../helpers/fake-timers.js';
import { pour, startRawReceiver, type OnRequest } from '../helpers/delivery/receiver-server.js';
import { testAuthority } from '../helpers/delivery/receivers.js';

const local: DestinationPolicy = { routes: new Map(), allowLocalEndpoints: true };
const strict: DestinationPolicy = { routes: new Map(), allowLocalEndpoints: false };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const answersOk: OnRequest = (socket) => socket.write(OK);

const senders: HttpSender[] = [];
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close();
});

function newSender(options: Partial<HttpSenderOptions> = {}): HttpSender {
  const sender = createHttpSender({ policy: local, ca: testAuthority, ...options });
  senders.push(sender);
  return sender;
}

function post(url: string, more: Partial<AttemptRequest> = {}): AttemptRequest {
  return { url, headers: {}, body: Buffer.from('{}'), timeoutMs: 10_000, ...more };
}

function text(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('latin1');
}

describe('the request', () => {
  test('the request is a POST with path, query, headers and exactly the bytes of the body', async () => {
    const seen: Buffer[] = [];
    await using receiver = await startRawReceiver((socket, _ordinal, request) => {
      seen.push(Buffer.from(request));
      socket.write(OK);
    });
    const body = Buffer.from([0x7b, 0x00, 0xff, 0xc3, 0x28, 0x7d]);
    const headers = { 'webhook-id': 'evt_1', 'content-type': 'application/json' };
    await newSender().send(post(`${receiver.url}//a%20b/../c?x=1&y=%C3%A7#part`, { headers, body }));
    const request = Buffer.concat(seen);
    const headEnd = request.indexOf('\r\n\r\n');
    const [requestLine, ...lines] = request.toString('latin1', 0, headEnd).split('\r\n');
    expect(requestLine).toBe('POST /webhooks//c?x=1&y=%C3%A7 HTTP/1.1');
    expect(lines.map((line) => line.toLowerCase()).toSorted()).toEqual([
      'connection: keep-alive',
      'content-length: 6',
      'content-type: application/json',
      `host: ${new URL(receiver.url).host}`,
      'webhook-id: evt_1',
    ]);
    expect(request.subarray(headEnd + 4)).toEqual(body);
  });

  test('the request has its headers in one order and spelling', async () => {
    const heads: string[] = [];
    await using receiver = await startRawReceiver((socket, _ordinal, request) => {
      heads.push(request.toString('latin1'));
      socket.write(OK);
    });
    const sender = newSender();
    const headers = { 'user-agent': 'one/1', 'webhook-id': 'evt_1' };
    for (let sent = 0; sent < 2; sent += 1) await sender.send(post(receiver.url, { headers }));
    const head = [
      'POST /webhooks HTTP/1.1',
      'user-agent: one/1',
      'webhook-id: evt_1',
      `Host: ${new URL(receiver.url).host}`,
      'Connection: keep-alive',
      'Content-Length: 2',
      '',
      '{}',
    ].join('\r\n');
    expect(heads).toEqual([head, head]);
  });

  test('follows the route of its origin, with the Host of the target', async () => {
    const seen: string[] = [];
    await using receiver = await startRawReceiver((socket, _ordinal, request) => {
      seen.push(request.toString('latin1'));
      socket.write(OK);
    });
    const { port } = new URL(receiver.url);
    const resolve = vi.fn<() => Promise<never>>();
    const policy = {
      routes: new Map([['https://shop.example', `http://localhost:${port}`]]),
      allowLocalEndpoints: false,
      resolve,
    };
    const result = await newSender({ policy }).send(post('https://shop.example//elsewhere.example/x?y=1'));
    expect(result.status).toBe(200);
    expect(seen[0]).toContain('POST //elsewhere.example/x?y=1 HTTP/1.1');
    expect(seen[0]).toContain(`Host: localhost:${port}\r\n`);
    expect(resolve).not.toHaveBeenCalled();
  });

  test('throws on a header that cannot be sent', async () => {
    const sending = newSender().send(post('http://127.0.0.1:1/', { headers: { 'x-bad': 'a\nb' } }));
    await expect(sending).rejects.toThrow(TypeError);
  });
});

describe('the response', () => {
  test('preserves the order, spelling and repetition of headers, and the body', async () => {
    await using receiver = await startRawReceiver((socket) =>
      socket.write('HTTP/1.1 500 No\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\nContent-Length: 4\r\n\r\noops'),
    );
    const { response } = await newSender().send(post(receiver.url));
    expect(response?.headers).toEqual([
      ['X-B', '1'],
      ['x-a', '2'],
      ['X-B', '3'],
      ['Content-Length', '4'],
    ]);
    expect(text(response?.body)).toBe('oops');
    expect(response?.truncated).toBe(false);
  });

  test('omits a possible token in a redirect', async () => {
    await using receiver = await startRawReceiver((socket) =>
      socket.write(
        'HTTP/1.1 302 Found\r\nlocation: https://me:pw@shop.example/in?token=abc\r\ncontent-length: 0\r\n\r\n',
      ),
    );
    const { detail } = await newSender().send(post(receiver.url));
    expect(detail).toBe('Redirects to https://…@shop.example/in?token=…');
  });

  test('reports the target of a redirect without following it', async () => {
    await using target = await startRawReceiver(answersOk);
    await using receiver = await startRawReceiver((socket) =>
      socket.write(`HTTP/1.1 307 Moved\r\nlocation: ${target.url}\r\ncontent-length: 0\r\n\r\n`),
    );
    const result = await newSender().send(post(receiver.url));
    expect(result).toMatchObject({ error: 'REDIRECT', status: 307, detail: `Redirects to ${target.url}` });
    expect(target.connections()).toBe(0);
  });

  test('leaves a compressed body unchanged', async () => {
    const packed = gzipSync('x'.repeat(100_000));
    await using receiver = await startRawReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    const { response } = await newSender().send(post(receiver.url));
    expect(Buffer.from(response?.body ?? [])).toEqual(packed);
  });

  test.for([
    { size: 0, truncated: false },
    { size: 99, truncated: false },
    { size: 100, truncated: false },
    { size: 101, truncated: true },
    { size: 500_000, truncated: true },
  ])('reads a body of $size bytes under a cap of 100', async ({ size, truncated }) => {
    await using receiver = await startRawReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
      socket.write(Buffer.alloc(size, 'x'));
    });
    const { response, error } = await newSender({ maxBodyBytes: 100 }).send(post(receiver.url));
    expect(error).toBeNull();
    expect(response?.truncated).toBe(truncated);
    expect(response?.body.length).toBe(Math.min(size, 100));
    expect(response?.body.buffer.byteLength).toBeLessThanOrEqual(100);
  });

  test('ends at the cap of 16 KiB, closing the connection', async () => {
    await using receiver = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      pour(socket, Buffer.alloc(64 * 1024));
    });
    const { response } = await newSender().send(post(receiver.url));
    expect(response?.body.length).toBe(16 * 1024);
    expect(response?.truncated).toBe(true);
    await receiver.idle();
  });

  test('ends a trickling body at the time limit, closing the connection', async () => {
    fakeTimers();
    await using receiver = await startRawReceiver((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart'),
    );
    const readings = [0, 42];
    const sender = newSender({ now: () => readings.shift() ?? 100 });
    const sending = sender.send(post(receiver.url, { timeoutMs: 100 }));
    // The clock is read for the second time when the headers have come; the part of the body comes with them.
    while (readings.length > 0) await setImmediate();
    await setImmediate();
    vi.advanceTimersByTime(100);
    const result = await sending;
    expect(result).toMatchObject({
      error: null,
      status: 200,
      latencyMs: 42,
      bodyError: 'The body did not end within 100 ms.',
    });
    expect(text(result.response?.body)).toBe('part');
    await receiver.idle();
  });
});

describe('the duration', () => {
  test('the duration is measured up to the final headers by the provided clock', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const readings = [1_000, 1_042.5];
    const { latencyMs } = await newSender({ now: () => readings.shift() ?? 0 }).send(post(receiver.url));
    expect(latencyMs).toBe(42.5);
  });

  test('includes headers that came after the limit even if the timer was late', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const readings = [0, 10_001, 10_001];
    const result = await newSender({ now: () => readings.shift() ?? 0 }).send(post(receiver.url));
    expect(result).toMatchObject({ error: 'TIMEOUT', status: null, response: null });
    await receiver.idle();
  });

  test('includes the lookup of the name', async () => {
    const policy = {
      ...strict,
      resolve: () => new Promise<never>(() => {}),
    };
    const result = await newSender({ policy }).send(post('https://shop.example/', { timeoutMs: 50 }));
    expect(result.error).toBe('TIMEOUT');
    expect(result.detail).toBe('No response within 50 ms: the host name was being looked up.');
  });

  test('the duration is limited to exactly the ten seconds of the contract', async () => {
    fakeTimers();
    const policy = { ...strict, resolve: () => new Promise<never>(() => {}) };
    const timeoutMs = LIMITS.attemptTimeoutMs;
    const sending = newSender({ policy }).send(post('https://shop.example/', { timeoutMs }));
    vi.advanceTimersByTime(9_999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await sending).toMatchObject({ error: 'TIMEOUT', status: null });
  });
});

describe('connections', () => {
  test('connections are reused, even after an error status', async () => {
    await using receiver = await startRawReceiver((socket, ordinal) =>
      socket.write(ordinal === 2 ? 'HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno' : OK),
    );
    const sender = newSender();
    const statuses: (number | null)[] = [];
    for (let round = 0; round < 4; round += 1) statuses.push((await sender.send(post(receiver.url))).status);
    expect(statuses).toEqual([200, 500, 200, 200]);
    expect(receiver.connections()).toBe(1);
  });

  test('connections use the checked address of a name, which stays in the Host header', async () => {
    const hosts: (string | undefined)[] = [];
    await using receiver = await startRawReceiver((socket, _ordinal, request) => {
      hosts.push(/^host: (.*)\r$/im.exec(request.toString('latin1'))?.[1]);
      socket.write(OK);
    });
    const { port } = new URL(receiver.url);
    const { status } = await newSender().send(post(`http://no-such-name.localhost:${port}/`));
    expect([status, hosts]).toEqual([200, [`no-such-name.localhost:${port}`]]);
  });

  test('connections delay no other while they are pending, of the same host or another', async () => {
    await using slow = await startRawReceiver((socket, ordinal) => {
      if (ordinal > 200) socket.write(OK);
    });
    await using quick = await startRawReceiver(answersOk);
    const sender = newSender();
    const waiting = Array.from({ length: 200 }, () => sender.send(post(slow.url)).catch(() => 'closed'));
    await vi.waitUntil(() => slow.requests() === 200, { interval: 5, timeout: 5_000 });
    expect((await sender.send(post(quick.url))).status).toBe(200);
    expect((await sender.send(post(slow.url))).status).toBe(200);
    sender.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['closed']));
  });

  describe.each([
    { over: 'plain HTTP', options: {} },
    { over: 'TLS', options: { certificate: goodCertificate } },
  ])('a dropped connection over $over', ({ options }) => {
    test('retries on a fresh connection when the pooled one died idle, without using an attempt', async () => {
      await using receiver = await startRawReceiver((socket, ordinal) => {
        if (ordinal === 2) socket.destroy();
        else socket.write(OK);
      }, options);
      const sender = newSender();
      await sender.send(post(receiver.url));
      const second = await sender.send(post(receiver.url));
      expect(second).toMatchObject({ status: 200, error: null });
      expect(receiver.requests()).toBe(3);
      expect(receiver.connections()).toBe(2);
    });

    test('fails after one retry when the connection dies twice', async () => {
      await using receiver = await startRawReceiver((socket, ordinal) => {
        if (ordinal > 1) socket.destroy();
        else socket.write(OK);
      }, options);
      const sender = newSender();
      await sender.send(post(receiver.url));
      expect((await sender.send(post(receiver.url))).error).toBe('CONNECTION_RESET');
      expect(receiver.requests()).toBe(3);
    });

    test('fails immediately when the connection died after the first byte of a response', async () => {
      await using receiver = await startRawReceiver((socket, ordinal) => {
        if (ordinal > 1) socket.end('HTTP/1.1 2');
        else socket.write(OK);
      }, options);
      const sender = newSender();
      await sender.send(post(receiver.url));
      expect((await sender.send(post(receiver.url))).error).toBe('CONNECTION_RESET');
      expect(receiver.requests()).toBe(2);
    });
  });

  test('retries within the same time limit', async () => {
    await using receiver = await startRawReceiver((socket, ordinal) => {
      if (ordinal === 1) socket.write(OK);
      if (ordinal === 2) socket.destroy();
    });
    const sender = newSender();
    await sender.send(post(receiver.url));
    const result = await sender.send(post(receiver.url, { timeoutMs: 100 }));
    expect(result.error).toBe('TIMEOUT');
    expect(receiver.requests()).toBe(3);
    await receiver.idle();
  });
});

describe('address checks at connection time', () => {
  test('address checks reject a name that now resolves to this machine, without connecting', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const { port } = new URL(receiver.url);
    const policy = {
      ...strict,
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    };
    const result = await newSender({ policy }).send(post(`https://shop.example:${port}/`));
    expect(result).toMatchObject({
      status: null,
      error: 'DESTINATION_NOT_ALLOWED',
      detail: 'The host name shop.example resolves to 127.0.0.1, which is not a public address.',
      response: null,
    });
    expect(receiver.connections()).toBe(0);
  });

  test('address checks reject an endpoint registered under a more permissive policy', async () => {
    const result = await newSender({ policy: strict }).send(post('http://127.0.0.1:1/'));
    expect(result.error).toBe('DESTINATION_NOT_ALLOWED');
  });

  test('address checks reject a name that no longer resolves', async () => {
    const policy = {
      ...strict,
      resolve: () => Promise.reject(new Error('queryA ENOTFOUND')),
    };
    expect((await newSender({ policy }).send(post('https://shop.example/'))).error).toBe('DNS_FAILED');
  });
});

describe('an aborted attempt', () => {
  test('rejects with the reason of the signal and closes the connection', async () => {
    await using receiver = await startRawReceiver(() => aborting.abort(new Error('reset')));
    const aborting = new AbortController();
    await expect(newSender().send(post(receiver.url), aborting.signal)).rejects.toThrow('reset');
    await receiver.idle();
  });

  test('sends nothing when aborted before the start', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const sending = newSender().send(post(receiver.url), AbortSignal.abort(new Error('early')));
    await expect(sending).rejects.toThrow('early');
    expect(receiver.connections()).toBe(0);
  });

  test('sends nothing when aborted during the lookup', async () => {
    const aborting = new AbortController();
    let found = (_addresses: { address: string; family: number }[]) => {};
    const policy: DestinationPolicy = {
      ...strict,
      resolve: () => new Promise((resolve) => (found = resolve)),
    };
    const sending = newSender({ policy }).send(post('https://shop.example/'), aborting.signal);
    aborting.abort(new Error('reset'));
    await expect(sending).rejects.toThrow('reset');
    found([{ address: '93.184.215.14', family: 4 }]);
  });

  test('keeps an outcome known before', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const aborting = new AbortController();
    const result = await newSender().send(post(receiver.url), aborting.signal);
    aborting.abort();
    expect(result.status).toBe(200);
  });

  // The limit of 2 s is below the 4 s after which an idle connection is closed anyway.
  test('closing the sender closes idle connections', { timeout: 2_000 }, async () => {
    await using receiver = await startRawReceiver(answersOk);
    const sender = newSender();
    await Promise.all([sender.send(post(receiver.url)), sender.send(post(receiver.url))]);
    expect(receiver.open()).toBe(2);
    sender.close();
    await receiver.idle();
  });

  test('closing the sender rejects attempts in flight', async () => {
    const sender = newSender();
    await using receiver = await startRawReceiver((socket, ordinal) => {
      if (ordinal === 1) socket.write(OK);
      else sender.close();
    });
    await sender.send(post(receiver.url));
    const sending = sender.send(post(receiver.url));
    await expect(sending).rejects.toThrow('The sender was closed.');
    await receiver.idle();
  });
});
