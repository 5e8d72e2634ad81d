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
  test('is a POST with path, query, headers and exactly the bytes of the body', async () => {
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

  test('has its headers in one order and spelling', async () => {
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

  test('goes where the route of its origin says, with the Host of the target', async () => {
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

  test('with a header that cannot be sent is a mistake of the caller', async () => {
    const sending = newSender().send(post('http://127.0.0.1:1/', { headers: { 'x-bad': 'a\nb' } }));
    await expect(sending).rejects.toThrow(TypeError);
  });
});

describe('the answer', () => {
  test('keeps headers in order, as spelt and repeated, and the body', async () => {
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

  test('of a redirect says nothing that may be a token', async () => {
    await using receiver = await startRawReceiver((socket) =>
      socket.write(
        'HTTP/1.1 302 Found\r\nlocation: https://me:pw@shop.example/in?token=abc\r\ncontent-length: 0\r\n\r\n',
      ),
    );
    const { detail } = await newSender().send(post(receiver.url));
    expect(detail).toBe('It redirects to https://…@shop.example/in?token=…');
  });

  test('of a redirect says where to, and no request goes there', async () => {
    await using target = await startRawReceiver(answersOk);
    await using receiver = await startRawReceiver((socket) =>
      socket.write(`HTTP/1.1 307 Moved\r\nlocation: ${target.url}\r\ncontent-length: 0\r\n\r\n`),
    );
    const result = await newSender().send(post(receiver.url));
    expect(result).toMatchObject({ error: 'REDIRECT', status: 307, detail: `It redirects to ${target.url}` });
    expect(target.connections()).toBe(0);
  });

  test('keeps a compressed body as it came', async () => {
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
  ])('with a body of $size bytes under a cap of 100', async ({ size, truncated }) => {
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

  test('without end is left at the cap of 16 KiB, and the connection with it', async () => {
    await using receiver = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      pour(socket, Buffer.alloc(64 * 1024));
    });
    const { response } = await newSender().send(post(receiver.url));
    expect(response?.body.length).toBe(16 * 1024);
    expect(response?.truncated).toBe(true);
    await receiver.idle();
  });

  test('that trickles is left at the time limit, and the connection with it', async () => {
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

describe('time', () => {
  test('is measured by the given clock, to the final headers', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const readings = [1_000, 1_042.5];
    const { latencyMs } = await newSender({ now: () => readings.shift() ?? 0 }).send(post(receiver.url));
    expect(latencyMs).toBe(42.5);
  });

  test('is up for headers that came after the limit although the timer was late too', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const readings = [0, 10_001, 10_001];
    const result = await newSender({ now: () => readings.shift() ?? 0 }).send(post(receiver.url));
    expect(result).toMatchObject({ error: 'TIMEOUT', status: null, response: null });
    await receiver.idle();
  });

  test('runs during the lookup of the name', async () => {
    const policy = {
      ...strict,
      resolve: () => new Promise<never>(() => {}),
    };
    const result = await newSender({ policy }).send(post('https://shop.example/', { timeoutMs: 50 }));
    expect(result.error).toBe('TIMEOUT');
    expect(result.detail).toBe('No answer within 50 ms: the host name was being looked up.');
  });

  test('is up after the ten seconds of the contract, and no sooner', async () => {
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
  test('are used again, also after an error status', async () => {
    await using receiver = await startRawReceiver((socket, ordinal) =>
      socket.write(ordinal === 2 ? 'HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno' : OK),
    );
    const sender = newSender();
    const statuses: (number | null)[] = [];
    for (let round = 0; round < 4; round += 1) statuses.push((await sender.send(post(receiver.url))).status);
    expect(statuses).toEqual([200, 500, 200, 200]);
    expect(receiver.connections()).toBe(1);
  });

  test('go to the checked address of a name, which stays in the Host header', async () => {
    const hosts: (string | undefined)[] = [];
    await using receiver = await startRawReceiver((socket, _ordinal, request) => {
      hosts.push(/^host: (.*)\r$/im.exec(request.toString('latin1'))?.[1]);
      socket.write(OK);
    });
    const { port } = new URL(receiver.url);
    const { status } = await newSender().send(post(`http://no-such-name.localhost:${port}/`));
    expect([status, hosts]).toEqual([200, [`no-such-name.localhost:${port}`]]);
  });

  test('that are waited for delay no other, of the same host or of another', async () => {
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
  ])('over $over', ({ options }) => {
    test('that died while idle cost no attempt: the request goes out again on a fresh one', async () => {
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

    test('that die twice are a failure, after one repetition', async () => {
      await using receiver = await startRawReceiver((socket, ordinal) => {
        if (ordinal > 1) socket.destroy();
        else socket.write(OK);
      }, options);
      const sender = newSender();
      await sender.send(post(receiver.url));
      expect((await sender.send(post(receiver.url))).error).toBe('CONNECTION_RESET');
      expect(receiver.requests()).toBe(3);
    });

    test('that died after the first byte of an answer are a failure at once', async () => {
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

  test('the repetition on a fresh one stays within the same time limit', async () => {
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

describe('the guard at connection time', () => {
  test('refuses a name that now resolves to this machine, and does not connect', async () => {
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

  test('refuses what was registered under a laxer policy', async () => {
    const result = await newSender({ policy: strict }).send(post('http://127.0.0.1:1/'));
    expect(result.error).toBe('DESTINATION_NOT_ALLOWED');
  });

  test('fails closed when the name does not resolve any more', async () => {
    const policy = {
      ...strict,
      resolve: () => Promise.reject(new Error('queryA ENOTFOUND')),
    };
    expect((await newSender({ policy }).send(post('https://shop.example/'))).error).toBe('DNS_FAILED');
  });
});

describe('calling off', () => {
  test('rejects with the reason of the signal and closes the connection', async () => {
    await using receiver = await startRawReceiver(() => aborting.abort(new Error('reset')));
    const aborting = new AbortController();
    await expect(newSender().send(post(receiver.url), aborting.signal)).rejects.toThrow('reset');
    await receiver.idle();
  });

  test('works before the start, and nothing is sent', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const sending = newSender().send(post(receiver.url), AbortSignal.abort(new Error('early')));
    await expect(sending).rejects.toThrow('early');
    expect(receiver.connections()).toBe(0);
  });

  test('works during the lookup, and nothing is sent', async () => {
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

  test('comes too late for an outcome that is known', async () => {
    await using receiver = await startRawReceiver(answersOk);
    const aborting = new AbortController();
    const result = await newSender().send(post(receiver.url), aborting.signal);
    aborting.abort();
    expect(result.status).toBe(200);
  });

  // The limit of 2 s is below the 4 s after which an idle connection is closed anyway.
  test('closing the sender closes what is idle', { timeout: 2_000 }, async () => {
    await using receiver = await startRawReceiver(answersOk);
    const sender = newSender();
    await Promise.all([sender.send(post(receiver.url)), sender.send(post(receiver.url))]);
    expect(receiver.open()).toBe(2);
    sender.close();
    await receiver.idle();
  });

  test('closing the sender rejects what is in flight', async () => {
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
