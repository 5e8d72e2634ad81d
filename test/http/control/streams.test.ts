import { streamTimeline } from '../../../src/http/control/timeline.js';
import type { SurfaceContext } from '../../../src/http/shared/response.js';
import { createEventStream, QUEUE_LIMIT_BYTES } from '../../../src/http/streams/sse.js';
import { describeStateChange } from '../../../src/sandbox/timeline/entry-content.js';
import { Timeline } from '../../../src/sandbox/timeline/timeline.js';
import { verifyWebhook } from '../../../src/signing/webhook.js';
import { type AnswerBody, test, type TestApi } from '../../helpers/http/api-client.js';
import { MessageReader } from '../../helpers/http/http-events.js';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished } from 'vitest';

async function open(api: TestApi, path: string, body?: object): Promise<MessageReader> {
  const method = body === undefined ? 'GET' : 'POST';
  const response = await api.open(method, `/_sandbox/${path}`, { caller: null, sign: false, body });
  expect(response.status).toBe(200);
  const reader = new MessageReader(response);
  onTestFinished(() => reader.cancel());
  return reader;
}

/** Connects a listener; its first message says who it is. */
async function listener(api: TestApi, registration: object = {}) {
  const reader = await open(api, 'listeners', registration);
  const ready = await reader.nextOf('ready');
  return { reader, endpoint: ready.listener as AnswerBody, secret: String(ready.secret) };
}

async function endpoints(api: TestApi): Promise<readonly AnswerBody[]> {
  return (await api.control('GET', 'endpoints')).body.data;
}

test('a stream ends when the sandbox closes', async ({ api }) => {
  const reader = await open(api, 'stream/timeline');
  await reader.next();
  api.sandbox.close();
  expect(await reader.next()).toBeUndefined();
});

test('drops a client that does not read once too much is pending', async () => {
  const context = {
    req: new Request('http://localhost/_sandbox/stream/timeline'),
    env: {},
  } as unknown as SurfaceContext;
  const { body } = createEventStream(context, ({ send }) => {
    send({ type: 'ready', run: 'x'.repeat(QUEUE_LIMIT_BYTES), newest: 0 });
    return [];
  });
  await expect(body?.getReader().read()).rejects.toThrow('too far behind');
});

describe('POST listeners', () => {
  test('registers an endpoint that is signed with the webhook secret', async ({ api }) => {
    const { endpoint, secret } = await listener(api, {
      name: 'dev',
      events: ['pix.settled', 'pix.failed'],
      timeout: '90s',
    });
    expect(endpoint).toMatchObject({
      url: 'https://dev.listen.sandbox.localhost/',
      events: ['pix.settled', 'pix.failed'],
      transport: 'listener',
      connected: true,
      retries: 'real',
      timeout_ms: 90_000,
      status: 'ACTIVE',
    });
    expect(secret).toBe(api.server.env.SANDBOX_WEBHOOK_SECRET);
    expect((await api.call('GET', '/webhook-endpoints')).body.data.map(({ id }) => id)).toEqual([
      endpoint.id,
    ]);
  });

  test('sends signed attempts with the body in base64', async ({ api }) => {
    const { reader, secret } = await listener(api, { retries: 'off' });
    await api.control('POST', 'trigger', { type: 'pix.settled', with: { payer_name: 'Zoë' } });
    const attempt = await reader.nextOf('attempt');
    const body = Buffer.from(String(attempt.body), 'base64');
    expect(JSON.parse(body.toString())).toMatchObject({
      type: 'pix.settled',
      data: { object: { payer_name: 'Zoë' } },
    });
    const headers = attempt.headers as Record<string, string>;
    const nowS = Math.floor(api.real.nowMs / 1_000);
    expect(verifyWebhook({ headers, body, secrets: [secret], nowS })).toMatchObject({ ok: true });
    expect(attempt).toMatchObject({ attempt: 1, timeout_ms: 10_000 });
  });

  test.for([
    [{ name: 'Upper' }, /1 to 40 characters from a-z, 0-9 and -/],
    [{ events: ['pix.paid'] }, /only pix.settled, .*; got "pix.paid"/],
    [{ timeout: '25h' }, /up to 1d/],
  ] as const)('rejects %j', async ([registration, message], { api }) => {
    const { status, body } = await api.control('POST', 'listeners', registration);
    expect(status).toBe(400);
    expect(body.error.details[0]?.message).toMatch(message);
    expect(await endpoints(api)).toEqual([]);
  });

  test('sends nothing new after it disconnects, and accepts results in flight', async ({ api }) => {
    const { reader, endpoint } = await listener(api);
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    const taken = await reader.nextOf('attempt');
    const left = await api.control('POST', `listeners/${endpoint.id}/leave`);
    expect([left.status, left.body]).toEqual([200, { held: 0 }]);
    expect((await endpoints(api))[0]).toMatchObject({ connected: false });
    const report = { attempt_id: taken['attempt_id'], response_status: 200 };
    const { body } = await api.control('POST', `listeners/${endpoint.id}/results`, report);
    expect(body.delivery).toMatchObject({ status: 'DELIVERED' });
    expect((await api.control('POST', 'listeners/none/leave')).status).toBe(404);
  });

  test('sends held deliveries after the ready message that counts them', async ({ api }) => {
    const first = await listener(api);
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    await first.reader.nextOf('attempt');
    await first.reader.cancel();
    await api.control('POST', 'clock/advance', { by: '1h' });
    const response = await api.open('POST', '/_sandbox/listeners', { caller: null });
    const reader = new MessageReader(response);
    expect(await reader.next()).toMatchObject({ type: 'ready', released: 1, failed: 0 });
    expect(await reader.next()).toMatchObject({ type: 'attempt', attempt: 2 });
    await reader.cancel();
    const [line] = (await api.control('GET', 'deliveries')).body.data;
    expect(line).toMatchObject({ status: 'PENDING', blocked_by: 'away', attempts: 2 });
    const fresh = await api.open('POST', '/_sandbox/listeners', { caller: null, body: { fresh: true } });
    const last = new MessageReader(fresh);
    expect(await last.next()).toMatchObject({ type: 'ready', released: 0, failed: 1 });
    await last.cancel();
  });

  test('reports an attempt replaced by a fault once, even when it returns', async ({ api }) => {
    await api.control('POST', 'faults', { on: 'delivery', action: 'drop' });
    const first = await listener(api);
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    expect(await first.reader.nextOf('simulated')).toMatchObject({ action: 'drop', attempt: 1 });
    await first.reader.cancel();
    const { reader, endpoint } = await listener(api);
    await api.control('POST', `endpoints/${endpoint.id}/disable`);
    await api.control('POST', 'reset');
    expect(await reader.next()).toMatchObject({ type: 'ready' });
  });

  test('registers again after a reset', async ({ api }) => {
    const { reader, endpoint } = await listener(api);
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    await reader.nextOf('attempt');
    await api.control('POST', 'reset');
    const ready = await reader.nextOf('ready');
    expect((ready.listener as AnswerBody).id).toBe(endpoint.id);
    expect((await endpoints(api))[0]).toMatchObject({ connected: true, deliveries: 0 });
    expect((await api.control('GET', 'deliveries')).body.data).toEqual([]);
  });
});

const KEPT = 20;
/** A few entries of this size fill what is buffered for a client that does not read. */
const LARGE = 150_000;

/** A timeline with few entries and with a disk that `stall` stops until `sync`. */
function timelineOnDisk() {
  const timeline = new Timeline(KEPT);
  let keeping: Promise<void> | undefined;
  let resolve = () => {};
  const open = (lastId?: string) => {
    const request = { method: 'GET', url: 'http://localhost/_sandbox/stream/timeline', header: () => lastId };
    const context = { req: request, env: {} } as unknown as SurfaceContext;
    const flushed = () => keeping;
    const sandbox = { timeline, flushed, clock: { now: () => 0 }, onClose: () => () => undefined };
    const response = streamTimeline(sandbox, context, () => true, 0);
    const reader = new MessageReader(response);
    onTestFinished(() => reader.cancel());
    return reader;
  };
  return {
    timeline,
    open,
    note: (count: number, size = 1) => {
      for (let made = 0; made < count; made += 1)
        timeline.note(describeStateChange('saved', null, 'x'.repeat(size)), 0, 0);
    },
    stall: () => {
      keeping = new Promise((done) => (resolve = done));
    },
    sync: () => {
      resolve();
      keeping = undefined;
    },
  };
}

/** The numbers of the next entries; a gap is negative. */
async function numbers(reader: MessageReader, last: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.at(-1) !== last) {
    const { kind, seq } = (await reader.next()) as { kind: string; seq: number };
    seen.push(kind === 'gap' ? -seq : seq);
  }
  return seen;
}

test('sends entries once they are on disk', async () => {
  const { open, note, stall, sync } = timelineOnDisk();
  note(1);
  const reader = open();
  expect(await reader.next()).toMatchObject({ type: 'ready' });
  expect(await numbers(reader, 1)).toEqual([1]);
  stall();
  note(2);
  let hasCome = false;
  const next = reader.next().then((message) => {
    hasCome = true;
    return message;
  });
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  expect(hasCome).toBe(false);
  sync();
  expect(await next).toMatchObject({ seq: 2 });
  expect(await numbers(reader, 3)).toEqual([3]);
});

test('reports the entries that a slow client missed, and sends the others once', async () => {
  const { open, note } = timelineOnDisk();
  const reader = open();
  await reader.next();
  note(12, LARGE);
  note(KEPT);
  const seen = await numbers(reader, 12 + KEPT);
  const gap = seen.findIndex((seq) => seq < 0);
  expect(gap).toBeGreaterThan(0);
  expect(gap).toBeLessThan(12);
  expect(seen.slice(0, gap)).toEqual(Array.from({ length: gap }, (_, index) => index + 1));
  const oldest = 12 + 1;
  expect(seen.slice(gap)).toEqual([-oldest, ...Array.from({ length: KEPT }, (_, index) => oldest + index)]);
});

test('resumes after any entry', async () => {
  const { timeline, open, note } = timelineOnDisk();
  note(KEPT);
  for (let last = 0; last < KEPT; last += 1) {
    const reader = open(`${timeline.run}-${last}`);
    await reader.next();
    expect((await numbers(reader, KEPT))[0]).toBe(last + 1);
  }
});
