import { setImmediate } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { TestApi } from '../../helpers/http/api-client.js';
import { otherApp, REFUSED_URL, testApi, test } from '../../helpers/http/api-client.js';
import { listenTo, TestListener } from '../../helpers/sandbox/sandbox.js';

async function withEndpoint(api: TestApi): Promise<string> {
  const fields = { url: REFUSED_URL, events: ['pix.settled', 'withdrawal.failed'] };
  return (await api.control('POST', 'endpoints', fields)).body.id;
}

async function trigger(api: TestApi, type: string): Promise<string> {
  const { body } = await api.control('POST', 'trigger', { type });
  await api.sandbox.idle();
  return body.events[0]?.id ?? '';
}

describe('events', () => {
  test('events are listed newest first, by pages and by type', async ({ api }) => {
    for (const type of ['pix.settled', 'pix.failed', 'pix.settled']) await trigger(api, type);
    const all = await api.control('GET', 'events?limit=2');
    expect(all.body.data.map(({ type }) => type)).toEqual(['pix.settled', 'pix.failed']);
    const rest = await api.control('GET', `events?limit=2&after=${all.body.paging.after}`);
    expect(rest.body.data).toHaveLength(1);
    expect((await api.control('GET', 'events?type=pix.failed')).body.data).toHaveLength(1);
    expect((await api.control('GET', 'events?type=pix.paid')).status).toBe(400);
  });
  test('events are shown with their payload and deliveries', async ({ api }) => {
    await withEndpoint(api);
    const id = await trigger(api, 'pix.settled');
    const { body } = await api.control('GET', `events/${id}`);
    expect(body).toMatchObject({
      id,
      payload: {
        id,
        type: 'pix.settled',
        schema_version: 1,
        timestamp: '2026-01-01T12:00:00.000Z',
        environment: 'TEST',
        data: { object: { status: 'SETTLED' } },
      },
      deliveries: [{ event_id: id, status: 'PENDING', attempts: 1 }],
    });
    expect((await api.control('GET', 'events/none')).status).toBe(404);
  });

  test.each(['full', 'omit'] as const)(
    'events show and return the sent bytes, with the image where it is %s',
    async (image) => {
      const api = await testApi({ assume: { 'event.qr_image': image } });
      const listener = new TestListener(api.sandbox);
      const override = { 'data.object.metadata:': { a: [1, null], b: 'Zoë "☃" \u2028' } };
      const { body } = await api.control('POST', 'trigger', { type: 'pix.settled', override });
      await api.sandbox.idle();
      const id = body.events[0]?.id ?? '';
      for (const named of [id, id.slice(0, 'evt_'.length + 4)]) {
        const answer = await api.open('GET', `/_sandbox/events/${named}/body`, { caller: null });
        expect(answer.headers.get('content-type')).toBe('application/json');
        expect(answer.headers.get('cache-control')).toBe('no-store');
        const sent = Buffer.from(listener.received[0]?.body ?? '', 'base64');
        expect(Buffer.from(await answer.arrayBuffer()).equals(sent)).toBe(true);
      }
      expect((await api.control('GET', 'events/evt_ffff/body')).status).toBe(404);
      const shown = await api.control('GET', `events/${id}`);
      expect(JSON.stringify(shown.body['payload'])).toBe(listener.bodies()[0]);
      const picture = image === 'full' ? '"iVBORw0KGgo' : 'null';
      expect(listener.bodies()[0]).toContain(`"qr_code_base64":${picture}`);
    },
  );

  test('events are sent again under the same id, to all endpoints or one', async ({ api }) => {
    const endpoint = await withEndpoint(api);
    const id = await trigger(api, 'pix.settled');
    const resent = await api.control('POST', `events/${id}/resend`);
    expect(resent.status).toBe(202);
    expect(resent.body.deliveries).toMatchObject([{ event_id: id, endpoint_id: endpoint }]);
    const toOne = await api.control('POST', `events/${id}/resend`, { endpoint });
    expect(toOne.body.deliveries).toHaveLength(1);
    expect((await api.control('POST', 'events/none/resend')).status).toBe(404);
    expect((await api.control('POST', `events/${id}/resend`, { endpoint: 'x' })).status).toBe(404);
    expect((await api.control('POST', `events/${id}/resend`, { to: endpoint })).status).toBe(400);
  });
});

describe('deliveries', () => {
  test('deliveries show the target of their attempts, and whether their endpoint has its own secret', async ({
    api,
  }) => {
    await withEndpoint(api);
    const shown = async () => {
      const event = await trigger(api, 'pix.settled');
      const { data } = (await api.control('GET', `deliveries?event=${event}&limit=1`)).body;
      return (await api.control('GET', `deliveries/${data[0]?.id}`)).body;
    };
    const { pathname } = new URL(REFUSED_URL);
    expect(await shown()).toMatchObject({
      endpoint_url: REFUSED_URL,
      target_url: `http://127.0.0.1:1${pathname}`,
      own_secret: true,
    });
    const { endpoint } = new TestListener(api.sandbox);
    expect(await shown()).toMatchObject({ target_url: null });
    Object.assign(endpoint, {
      description: 'listener → http://localhost:3000/hook',
      secret: api.sandbox.credentials.webhookSecret,
    });
    expect(await shown()).toMatchObject({ target_url: 'http://localhost:3000/hook', own_secret: false });
  });

  test('deliveries are listed by status, event type, endpoint, event and code', async ({ api }) => {
    const endpoint = await withEndpoint(api);
    const event = await trigger(api, 'pix.settled');
    await trigger(api, 'withdrawal.failed');
    const count = async (query: string) => {
      const { status, body } = await api.control('GET', `deliveries?${query}`);
      return status === 200 ? body.data.length : status;
    };
    expect(await count('')).toBe(2);
    expect(await count('status=PENDING')).toBe(2);
    expect(await count('status=FAILED')).toBe(0);
    expect(await count('event_type=withdrawal.failed')).toBe(1);
    expect(await count(`event=${event}&endpoint=${endpoint}`)).toBe(1);
    expect(await count('code=charge-1')).toBe(1);
    expect(await count('code=unknown')).toBe(0);
    expect([await count('failed=true'), await count('failed=true&status=PENDING')]).toEqual([2, 2]);
    expect(await count('failed=false')).toBe(0);
    await api.control('POST', `endpoints/${endpoint}/disable`);
    expect([await count('failed=true'), await count('failed=true&status=FAILED')]).toEqual([2, 2]);
  });

  test('deliveries are listed for a deleted endpoint, and awaited for a future id', async ({ api }) => {
    const endpoint = await withEndpoint(api);
    await trigger(api, 'pix.settled');
    const statusOf = async (path: string) => (await api.control('GET', path)).status;
    for (const list of ['deliveries', 'events', 'endpoints', 'withdrawals', 'kyc/sessions'])
      expect([list, await statusOf(`${list}?app=none`)]).toEqual([list, 404]);
    for (const query of ['endpoint=00000000-0000-4000-8000-00000000dead', 'event=evt_none', 'app=none']) {
      const { status, body } = await api.control('GET', `deliveries/wait?${query}&timeout=0s`);
      expect([query, status, body['satisfied']]).toEqual([query, 200, false]);
    }
    expect(await statusOf('logs?endpoint=https://nowhere.example/')).toBe(200);
    await api.control('DELETE', `endpoints/${endpoint}`);
    const { body } = await api.control('GET', `deliveries?endpoint=${endpoint}`);
    expect(body.data).toHaveLength(1);
    expect(await statusOf(`logs?endpoint=${endpoint}`)).toBe(200);
  });

  test('deliveries are separated by application, like everything that is listed', async ({ api }) => {
    await otherApp(api, { name: 'second' });
    const id = api.sandbox.world.apps.rows[1]?.id ?? '';
    await withEndpoint(api);
    const fields = { url: REFUSED_URL, events: ['pix.settled'], app: 'second' };
    await api.control('POST', 'endpoints', fields);
    await api.control('POST', 'charges', { code: 'theirs', app: id });
    await api.control('POST', `trigger?app=${id}`, { type: 'pix.settled', charge: 'theirs' });
    await trigger(api, 'pix.settled');
    for (const list of ['charges', 'events', 'deliveries', 'endpoints']) {
      for (const app of [id, 'second']) {
        const { data } = (await api.control('GET', `${list}?app=${app}`)).body;
        expect([list, data.length]).toEqual([list, 1]);
      }
      expect((await api.control('GET', list)).body.data).toHaveLength(2);
    }
    const waited = await api.control('GET', 'deliveries/wait?app=second&timeout=0s');
    expect(waited.body.deliveries).toHaveLength(1);
    const page = await api.control('GET', 'charges?app=second&limit=1');
    expect(page.body.paging).toEqual({ before: null, after: null });
  });

  test('deliveries are shown with every attempt', async ({ api }) => {
    await withEndpoint(api);
    await trigger(api, 'pix.settled');
    await api.control('POST', 'clock/advance', { by: '1m' });
    const [line] = (await api.control('GET', 'deliveries')).body.data;
    const { body } = await api.control('GET', `deliveries/${line?.id}`);
    expect(body).toMatchObject({ id: line?.id, attempts: 2, attempt_limit: 8, endpoint_url: REFUSED_URL });
    expect(body.attempt_log).toMatchObject([
      { number: 1, started_at: '2026-01-01T12:00:00.000Z', error: 'CONNECTION_REFUSED', response: null },
      { number: 2, started_at: '2026-01-01T12:01:00.000Z', error: 'CONNECTION_REFUSED', response: null },
    ]);
    const [first, second] = ['2026-01-01T12:00:00.000Z', '2026-01-01T12:01:00.000Z'];
    expect((body['schedule'] as object[]).slice(0, 3)).toEqual([
      { attempt: 1, due_at: first, at: first, outcome: 'failed' },
      { attempt: 2, due_at: second, at: second, outcome: 'failed' },
      { attempt: 3, due_at: '2026-01-01T12:06:00.000Z' },
    ]);
    expect((await api.control('GET', 'deliveries/none')).status).toBe(404);
  });

  test('deliveries are retried by event type and endpoint, and others are counted', async ({ api }) => {
    const listener = listenTo(api.sandbox, { name: 'shop', schedule: 'off', status: () => 500 });
    await trigger(api, 'pix.settled');
    const retry = async (body: object) => {
      const answer = await api.control('POST', 'deliveries/retry', body);
      await api.sandbox.idle();
      return [answer.status, answer.body];
    };
    const none = { retried: 0, skipped: 0, skipped_for: {} };
    expect(await retry({ event_type: 'pix.*', endpoint: 'shop' })).toEqual([202, { ...none, retried: 1 }]);
    listener.hangUp();
    expect(await retry({})).toEqual([202, { ...none, skipped: 1, skipped_for: { away: 1 } }]);
    expect((await retry({ endpoint: 'nowhere' }))[0]).toBe(404);
  });
});

describe('GET deliveries/wait', () => {
  const wait = (api: TestApi, query: string) => api.control('GET', `deliveries/wait?${query}`);

  test('responds as soon as enough match, with those that do, oldest first', async ({ api }) => {
    await withEndpoint(api);
    await trigger(api, 'pix.settled');
    await trigger(api, 'withdrawal.failed');
    const waiting = wait(api, 'status=FAILED&count=2&timeout=1h');
    await setImmediate();
    await api.control('POST', 'clock/advance', { by: '45h' });
    const { body } = await waiting;
    expect(body.satisfied).toBe(true);
    expect(body.deliveries.map(({ event_type }) => event_type)).toEqual(['pix.settled', 'withdrawal.failed']);
  });

  test('does not count former matches, or deliveries before a reset', async ({ api }) => {
    await withEndpoint(api);
    await trigger(api, 'pix.settled');
    const two = wait(api, 'count=2&timeout=1h');
    const none = wait(api, 'status=FAILED&count=1&timeout=1h');
    await setImmediate();
    await api.control('POST', 'reset');
    await withEndpoint(api);
    await trigger(api, 'pix.settled');
    await api.control('POST', 'trigger', { type: 'pix.settled' });
    const { body } = await two;
    expect(body.deliveries).toHaveLength(2);
    api.sandbox.close();
    expect((await none).body).toMatchObject({ satisfied: false, deliveries: [] });
  });

  test('stops when its client disconnects', async ({ api }) => {
    const going = new AbortController();
    const waiting = api.send('GET', '/_sandbox/deliveries/wait?timeout=1h', {
      caller: null,
      signal: going.signal,
    });
    await setImmediate();
    going.abort();
    expect((await waiting).body.satisfied).toBe(false);
  });
});

test('pausing holds attempts, reports it, and releases them', async ({ api }) => {
  await withEndpoint(api);
  expect((await api.control('POST', 'deliveries/pause')).body).toEqual({ paused: true, waiting: 0 });
  const { body } = await api.control('POST', 'trigger', { type: 'pix.settled', until: 'attempted' });
  expect(body).toMatchObject({ reached: false, deliveries: [{ status: 'PENDING', attempts: 0 }] });
  expect((await api.control('GET', 'status')).body).toMatchObject({ deliveries_paused: true, idle: true });
  expect((await api.control('POST', 'deliveries/resume')).body).toEqual({ paused: false, waiting: 1 });
  await api.sandbox.idle();
  expect((await api.control('GET', 'deliveries')).body.data).toMatchObject([{ attempts: 1 }]);
});
