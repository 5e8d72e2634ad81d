import { describe, expect } from 'vitest';
import { nextDue } from '../../../src/core/due.js';
import { answerValidator } from '../../helpers/http/answer-validator.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { REFUSED_URL, START_MS, testApi, test } from '../../helpers/http/api-client.js';
import { MessageReader } from '../../helpers/http/http-events.js';
import { startRawReceiver } from '../../helpers/delivery/receiver-server.js';
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

test('GET clock shows instant, rate and what is due', async ({ api }) => {
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
  test('runs the whole retry schedule and answers when its attempts are done (§8)', async ({ api }) => {
    await withDelivery(api);
    const { status, body } = await api.control('POST', 'clock/advance', { by: '1d21h' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      from: '2026-01-01T12:00:00.000Z',
      to: '2026-01-03T09:00:00.000Z',
      steps: 7,
      finished: true,
      clock: { now: '2026-01-03T09:00:00.000Z', frozen: true, next_due: null },
    });
    const [line] = (await api.control('GET', 'deliveries')).body.data;
    const delivery = await api.control('GET', `deliveries/${line?.id}`);
    const log = delivery.body.attempt_log as { started_at: string }[];
    expect(log.map(({ started_at }) => (Date.parse(started_at) - START_MS) / 1_000)).toEqual([
      0, 60, 360, 2_160, 9_360, 30_960, 74_160, 160_560,
    ]);
  });

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

  test.for([
    ['no body', undefined, 'by'],
    ['a number', { by: 60 }, 'by'],
    ['no unit', { by: '60' }, 'by'],
    ['a negative one', { by: '-1h' }, 'by'],
    ['words', { by: 'an hour' }, 'by'],
    ['past the year 9999', { by: '3000000d' }, 'by'],
    ['another field', { by: '1h', to: 'x' }, 'to'],
  ] as const)('refuses %s', async ([, body, field], { api }) => {
    for (const headers of [{}, NDJSON]) {
      const sent = { body, headers, sign: false, caller: null };
      const answer = await api.send('POST', '/_sandbox/clock/advance', sent);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details.map((detail) => detail.field)).toEqual([field]);
    }
    expect(api.sandbox.clock.now()).toBe(START_MS);
  });

  test('is CLOCK_BUSY while another is under way, and so is everything that moves the clock', async () => {
    const api = await testApi({ policy: { routes: new Map(), allowLocalEndpoints: true } });
    let letGo = () => {};
    let held = () => {};
    await using receiver = await startRawReceiver((socket) => {
      letGo = () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      held();
    });
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    await api.control('POST', 'endpoints', { url: receiver.url, events: ['pix.expired'] });
    await api.control('POST', 'charges');
    const first = api.control('POST', 'clock/advance', { by: '2d' });
    await isHeld;
    expect((await api.control('GET', 'clock')).body).toMatchObject({ advancing: true, frozen: false });
    const busy = await Promise.all([
      api.control('POST', 'clock/advance', { by: '1s' }),
      api.control('POST', 'clock/next'),
      api.control('POST', 'clock/freeze'),
      api.control('POST', 'clock/speed', { rate: 2 }),
      api.control('POST', 'clock/reset'),
      api.send('POST', '/_sandbox/clock/advance', { body: { by: '1s' }, headers: NDJSON, caller: null }),
    ]);
    expect(busy.map(({ status, body }) => [status, body.error.code])).toEqual(
      busy.map(() => [409, 'CLOCK_BUSY']),
    );
    // A receiver that calls back while it handles its delivery is answered at once.
    expect((await api.call('GET', '/withdrawals')).status).toBe(200);
    letGo();
    expect((await first).body).toMatchObject({ finished: true, steps: 1 });
  });

  test('stops between two steps when its client goes away', async ({ api }) => {
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

  test('stops between two steps when a client that waits goes away', async ({ api }) => {
    await withDelivery(api);
    const going = new AbortController();
    api.sandbox.subscribe(() => going.abort());
    const { body } = await api.send('POST', '/_sandbox/clock/advance', {
      body: { by: '45h' },
      caller: null,
      signal: going.signal,
    });
    expect(body).toMatchObject({ finished: false, steps: 1 });
  });

  test('is ended by a reset', async ({ api }) => {
    await withDelivery(api);
    const reader = new MessageReader(await stream(api, '45h'));
    await reader.nextOf('step');
    await api.control('POST', 'reset');
    expect((await reader.nextOf('done')).finished).toBe(false);
    expect((await api.control('GET', 'clock')).body).toMatchObject({ now: '2026-01-01T12:00:00.000Z' });
  });
});

test('POST clock/next jumps to the next thing due and does it', async ({ api }) => {
  const charge = await api.control('POST', 'charges');
  const { body } = await api.control('POST', 'clock/next');
  expect(body.did).toEqual({ at: '2026-01-02T12:00:00.000Z', kind: 'charge.expire', id: charge.body.id });
  expect((await api.control('GET', `charges/${charge.body.id}`)).body.status).toBe('EXPIRED');
  expect((await api.control('POST', 'clock/next')).body.did).toBeNull();
});

describe('POST clock/freeze', () => {
  test('stands still now, or at a later instant', async () => {
    const api = await testApi({ freezeAt: undefined });
    expect((await api.control('POST', 'clock/freeze')).body).toMatchObject({ rate: 0, frozen: true });
    api.real.nowMs += 5_000;
    expect((await api.control('GET', 'clock')).body.now).toBe('2026-01-01T12:00:00.000Z');
    const later = await api.control('POST', 'clock/freeze', { at: '2026-01-01T10:00:00-03:00' });
    expect(later.body).toMatchObject({ now: '2026-01-01T13:00:00.000Z', frozen: true });
    const { data } = (await api.control('GET', 'timeline?q=frozen')).body;
    expect(data.map(({ by }) => by)).toEqual(['control', 'control']);
  });

  test.for([
    ['2026-01-01T11:59:59.999Z', /backwards/],
    ['2026-01-02', /Not valid: at/],
    ['2026-01-02T12:00:00', /Not valid: at/],
    ['2026-02-30T12:00:00Z', /Not valid: at/],
    ['tomorrow', /Not valid: at/],
    [7, /Not valid: at/],
  ] as const)('refuses %s', async ([at, message]) => {
    const api = await testApi({ freezeAt: undefined });
    const { status, body } = await api.control('POST', 'clock/freeze', { at });
    expect(status).toBe(400);
    expect(body.error.message).toMatch(message);
    expect((await api.control('GET', 'clock')).body).toMatchObject({ rate: 1, frozen: false });
  });
});

test('POST clock/speed changes how fast time passes; reset returns to real time and keeps the offset', async () => {
  const api = await testApi({ freezeAt: undefined });
  expect((await api.control('POST', 'clock/speed', { rate: 60 })).body).toMatchObject({ rate: 60 });
  api.real.nowMs += 1_000;
  expect((await api.control('GET', 'clock')).body.now).toBe('2026-01-01T12:01:00.000Z');
  expect((await api.control('POST', 'clock/reset', {})).body).toMatchObject({ rate: 1 });
  api.real.nowMs += 1_000;
  expect((await api.control('GET', 'clock')).body.now).toBe('2026-01-01T12:01:01.000Z');
  for (const rate of [0, -1, 100_001, '2', null, undefined, [2]]) {
    expect((await api.control('POST', 'clock/speed', { rate })).status).toBe(400);
  }
  expect((await api.control('GET', 'clock')).body.rate).toBe(1);
});

test('a running clock stays at the end of the year 9999, and the state can be imported again', async () => {
  const api = await testApi({ freezeAt: Date.parse('9999-12-31T23:59:00Z') });
  await api.control('POST', 'kyc/sessions');
  await api.control('POST', 'clock/speed', { rate: 100_000 });
  api.real.nowMs += 86_400_000;
  const end = '9999-12-31T23:59:59.999Z';
  expect((await api.control('GET', 'clock')).body['now']).toBe(end);
  expect((await api.control('POST', 'withdrawals')).body['created_at']).toBe(end);
  const exported = (await api.control('GET', 'state')).body;
  expect((await api.control('PUT', 'state', exported)).body).toMatchObject({ imported: true });
  const before = api.state();
  const { status, body } = await api.control('POST', 'clock/advance', { by: '1ms' });
  expect([status, body.error.details]).toEqual([
    400,
    [{ field: 'by', message: 'Must end before the year 10000.' }],
  ]);
  expect(api.state()).toEqual(before);
});

/** A sandbox with an attempt in flight, which ends when it is let go. */
async function busy() {
  const api = await testApi();
  const listener = listenTo(api.sandbox, { status: () => undefined });
  await api.control('POST', 'trigger', { type: 'pix.settled' });
  return { api, letGo: () => listener.answer(listener.received[0], 200) };
}

describe('GET idle', () => {
  test('responds immediately when nothing is in flight, even if something is due later', async ({ api }) => {
    await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    await api.sandbox.idle();
    expect(nextDue(api.sandbox.world)).toBeDefined();
    expect((await api.control('GET', 'idle?timeout=0s')).body).toEqual({ idle: true });
  });

  test('responds as soon as the attempt in flight has ended', async () => {
    const { api, letGo } = await busy();
    const waiting = api.control('GET', 'idle?timeout=1h');
    await setImmediate();
    letGo();
    expect((await waiting).body).toEqual({ idle: true });
  });

  test('says no when the time is up first, or the sandbox closes', async () => {
    const { api } = await busy();
    expect((await api.control('GET', 'idle?timeout=5ms')).body).toEqual({ idle: false });
    const waiting = api.control('GET', 'idle?timeout=1h');
    await setImmediate();
    api.sandbox.close();
    expect((await waiting).body).toEqual({ idle: false });
  });

  test.each(['30', 'soon', '2d'])('refuses the timeout %s', async (timeout) => {
    const { status, body } = await (await testApi()).control('GET', `idle?timeout=${timeout}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});
