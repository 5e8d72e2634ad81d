import { describe, expect } from 'vitest';
import { answerValidator } from '../../helpers/http/response-validator.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { REFUSED_URL, START_MS, testApi, test } from '../../helpers/http/api-client.js';
import { MessageReader } from '../../helpers/http/http-events.js';
import { setImmediate } from 'node:timers/promises';
import { listenTo } from '../../helpers/sandbox/sandbox.js';

const NDJSON = { accept: 'application/x-ndjson' };

async function withDelivery(api: TestApi, url = REFUSED_URL): Promise<void> {
  await api.control('POST', 'endpoints', { url, events: ['pix.settled'] });
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  await api.sandbox.idle();
}

function stream(api: TestApi, by: string): Promise<Response> {
  return api.open('POST', '/_sandbox/clock/advance', { body: { by }, headers: NDJSON, caller: null });
}

/** A sandbox with an attempt in flight, which ends when it is let go. */
async function busy() {
  const api = await testApi();
  const listener = listenTo(api.sandbox, { status: () => undefined });
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  return { api, letGo: () => listener.answer(listener.received[0], 200) };
}

test('GET clock shows time, rate and due items', async ({ api }) => {
  const { body } = await api.control('GET', 'clock');
  expect(body).toEqual({
    now: '2026-01-01T12:00:00.000Z',
    real_now: '2026-01-01T12:00:00.000Z',
    rate: 0,
    frozen: true,
    advancing: false,
    next_due: null,
  });
  const charge = await api.control('POST', 'charges');
  expect((await api.control('GET', 'clock')).body.next_due).toEqual({
    at: '2026-01-02T12:00:00.000Z',
    kind: 'charge.expire',
    id: charge.body.id,
  });
});

describe('POST clock/advance', () => {
  test('streams its steps to a client that accepts NDJSON', async ({ api }) => {
    await withDelivery(api);
    const response = await stream(api, '10m');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const messages = await new MessageReader(response).all();
    expect(messages.map(({ type, at, kind }) => [type, at, kind])).toEqual([
      ['step', '2026-01-01T12:01:00.000Z', 'delivery.attempt'],
      ['step', '2026-01-01T12:06:00.000Z', 'delivery.attempt'],
      ['done', undefined, undefined],
    ]);
    expect(messages.at(-1)).toMatchObject({ steps: 2, finished: true });
    const validator = await answerValidator();
    const told = { method: 'POST', target: '/_sandbox/clock/advance', mediaType: 'application/x-ndjson' };
    for (const message of messages) {
      expect(validator.problemOfMessage({ ...told, text: JSON.stringify(message) })).toBeUndefined();
    }
  });

  test('POST clock/advance is rejected beyond the year 9999', async () => {
    const api = await testApi({ freezeAt: Date.parse('9999-12-31T23:59:59.999Z') });
    const { status, body } = await api.control('POST', 'clock/advance', { by: '1ms' });
    const details = [{ field: 'by', message: 'Must end before the year 10000.' }];
    expect([status, body.error.details]).toEqual([400, details]);
  });

  test('POST clock/advance is CLOCK_BUSY during another one, like everything that moves the clock', async () => {
    const { api, letGo } = await busy();
    const first = api.control('POST', 'clock/advance', { by: '1s' });
    await setImmediate();
    expect((await api.control('GET', 'clock')).body).toMatchObject({ advancing: true, frozen: false });
    const moves = [
      await api.control('POST', 'clock/advance', { by: '1s' }),
      await api.control('POST', 'clock/next'),
      await api.control('POST', 'clock/freeze'),
      await api.control('POST', 'clock/speed', { rate: 2 }),
      await api.control('POST', 'clock/reset'),
      await api.send('POST', '/_sandbox/clock/next', { headers: NDJSON, caller: null }),
    ];
    expect(moves.map(({ status, body }) => [status, body.error.code])).toEqual(
      moves.map(() => [409, 'CLOCK_BUSY']),
    );
    letGo();
    expect((await first).body).toMatchObject({
      from: '2026-01-01T12:00:00.000Z',
      to: '2026-01-01T12:00:01.000Z',
      steps: 0,
      finished: true,
      clock: { now: '2026-01-01T12:00:01.000Z', frozen: true, next_due: null },
    });
  });

  test('stops between two steps when its client disconnects', async ({ api }) => {
    await withDelivery(api);
    const reader = new MessageReader(await stream(api, '45h'));
    await reader.nextOf('step');
    await reader.cancel();
    await api.sandbox.idle();
    const { body } = await api.control('GET', 'clock');
    expect(body).toMatchObject({ advancing: false, frozen: true });
    expect(Date.parse(String(body.now))).toBeLessThan(START_MS + 45 * 3_600_000);
    expect((await api.control('POST', 'clock/advance', { by: '1s' })).status).toBe(200);
  });
});

test('POST clock/next jumps to the next due item and runs it', async ({ api }) => {
  const charge = await api.control('POST', 'charges');
  const { body } = await api.control('POST', 'clock/next');
  expect(body.did).toEqual({ at: '2026-01-02T12:00:00.000Z', kind: 'charge.expire', id: charge.body.id });
  expect((await api.control('GET', `charges/${charge.body.id}`)).body.status).toBe('EXPIRED');
  expect((await api.control('POST', 'clock/next')).body.did).toBeNull();
});

describe('POST clock/freeze', () => {
  test('freezes the clock now, or at a later time', async () => {
    const api = await testApi({ freezeAt: undefined });
    expect((await api.control('POST', 'clock/freeze')).body).toMatchObject({ rate: 0, frozen: true });
    api.real.nowMs += 5_000;
    expect((await api.control('GET', 'clock')).body.now).toBe('2026-01-01T12:00:00.000Z');
    const later = await api.control('POST', 'clock/freeze', { at: '2026-01-01T10:00:00-03:00' });
    expect(later.body).toMatchObject({ now: '2026-01-01T13:00:00.000Z', frozen: true });
    const earlier = await api.control('POST', 'clock/freeze', { at: '2026-01-01T12:59:59.999Z' });
    expect([earlier.status, earlier.body.error.message]).toEqual([
      400,
      expect.stringMatching(/cannot move backward/),
    ]);
    const { data } = (await api.control('GET', 'timeline?q=frozen')).body;
    expect(data.map(({ by }) => by)).toEqual(['control', 'control']);
  });
});

test('POST clock/speed changes the speed of time; reset returns to real time and keeps the offset', async () => {
  const api = await testApi({ freezeAt: undefined });
  expect((await api.control('POST', 'clock/speed', { rate: 60 })).body).toMatchObject({ rate: 60 });
  api.real.nowMs += 1_000;
  expect((await api.control('GET', 'clock')).body.now).toBe('2026-01-01T12:01:00.000Z');
  expect((await api.control('POST', 'clock/reset', {})).body).toMatchObject({ rate: 1 });
  api.real.nowMs += 1_000;
  expect((await api.control('GET', 'clock')).body.now).toBe('2026-01-01T12:01:01.000Z');
});

describe('GET idle', () => {
  test('responds as soon as the attempt in flight has ended', async () => {
    const { api, letGo } = await busy();
    const waiting = api.control('GET', 'idle?timeout=1h');
    await setImmediate();
    letGo();
    expect((await waiting).body).toEqual({ idle: true });
  });

  test('reports a timeout, or that the sandbox closes', async () => {
    const { api } = await busy();
    expect((await api.control('GET', 'idle?timeout=5ms')).body).toEqual({ idle: false });
    const waiting = api.control('GET', 'idle?timeout=1h');
    await setImmediate();
    api.sandbox.close();
    expect((await waiting).body).toEqual({ idle: false });
  });
});
