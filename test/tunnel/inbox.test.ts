import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type InboxOptions, createProbe, openInbox } from '../../src/tunnel/tunnel.js';
import { RawConnection } from '../helpers/http/http-raw.js';

const probe = createProbe();

async function inboxOf(options: Partial<InboxOptions> = {}) {
  const inbox = await openInbox({
    probe,
    bodyBytes: 1_000_000,
    bodyMs: 10_000,
    headerLines: 100,
    concurrency: 4,
    handle: async ({ body }) => ({ status: 200, body }),
    ...options,
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await inbox.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { close, url: `http://localhost:${inbox.port}` };
}

describe('the inbox', () => {
  test('passes on a body byte for byte, and returns the provided response', async () => {
    const { url } = await inboxOf({
      handle: async ({ body, headers }) => ({
        status: 418,
        headers: { 'content-type': 'text/x-tea', 'retry-after': '7' },
        body: Buffer.concat([Buffer.from(`${String(headers['x-kind'])}:`), body]),
      }),
    });
    const body = randomBytes(100_000);
    const response = await fetch(`${url}/whatever?x=1`, {
      method: 'POST',
      body,
      headers: { 'x-kind': 'tea' },
    });
    expect(response.status).toBe(418);
    expect(response.headers.get('content-type')).toBe('text/x-tea');
    expect(response.headers.get('retry-after')).toBe('7');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.concat([Buffer.from('tea:'), body]));
  });

  test('responds to the probe, and accepts only POST', async () => {
    const { url } = await inboxOf();
    expect(await (await fetch(url + probe.path)).text()).toBe(probe.token);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await fetch(url, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('rejects too many header lines, even those that Node would drop', async () => {
    const { url } = await inboxOf({ handle: () => Promise.reject(new Error('This was handed over.')) });
    for (const count of [101, 1_500]) {
      await using connection = new RawConnection(Number(new URL(url).port));
      const lines = Array.from({ length: count - 1 }, () => 'a: b');
      const answer = await connection.request(['POST / HTTP/1.1', 'Host: localhost', ...lines]).response();
      expect(answer.status).toBe(431);
    }
  });

  test('rejects a body that is too large, declared or not', async () => {
    const { url } = await inboxOf({ bodyBytes: 10 });
    expect((await fetch(url, { method: 'POST', body: '0123456789' })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', body: '0123456789a' })).status).toBe(413);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_000)) });
    const sent = fetch(url, { method: 'POST', body: endless, duplex: 'half' });
    // The answer may be lost to a client that goes on writing; what counts is that it is cut off.
    expect(await sent.then(({ status }) => status).catch(() => 413)).toBe(413);
  });

  test('limits the time for a body', async () => {
    const { url } = await inboxOf({ bodyMs: 50 });
    const stalled = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
    const response = await fetch(url, { method: 'POST', body: stalled, duplex: 'half' });
    expect(response.status).toBe(408);
  });

  test('handles a limited number of requests concurrently, and the next ones afterwards', async () => {
    const done: (() => void)[] = [];
    const { url } = await inboxOf({
      concurrency: 2,
      handle: () =>
        new Promise((resolve) => {
          done.push(() => resolve({ status: 200, body: '' }));
          if (done.length === 2) bothWork();
        }),
    });
    let bothWork = () => {};
    const working = new Promise<void>((resolve) => {
      bothWork = resolve;
    });
    const first = [fetch(url, { method: 'POST' }), fetch(url, { method: 'POST' })];
    await working;
    const third = await fetch(url, { method: 'POST' });
    expect([third.status, third.headers.get('retry-after')]).toEqual([503, '1']);
    for (const finish of done) finish();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    const later = fetch(url, { method: 'POST' });
    while (done.length < 3) await new Promise((resolve) => setImmediate(resolve));
    done[2]?.();
    expect((await later).status).toBe(200);
  });

  test('closes immediately with requests open', async () => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { url, close } = await inboxOf({
      handle: () => {
        begin();
        return new Promise(() => {});
      },
    });
    const open = fetch(url, { method: 'POST', body: 'x' }).catch((error: unknown) => error);
    await begun;
    await close();
    expect(await open).toBeInstanceOf(Error);
  });
});
