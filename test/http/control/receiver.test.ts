import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../helpers/http/api-client.js';
import { testApi } from '../../helpers/http/api-client.js';
import { tempFolder } from '../../helpers/temp-folder.js';

const OK = { ok: true, cause: null, message: null, secret: 1, signature: 1, age_s: 0 };

async function trigger(api: TestApi, fields: object = {}) {
  const { body } = await api.control('POST', 'trigger', {
    type: 'pix.settled',
    until: 'attempted',
    timeout: '5s',
    ...fields,
  });
  return body;
}

async function turnedOn(answer?: unknown): Promise<TestApi> {
  const api = await testApi();
  const { status } = await api.control('POST', 'receiver', answer === undefined ? undefined : { answer });
  expect(status).toBe(200);
  return api;
}

async function receiver(api: TestApi) {
  const { body } = await api.control('GET', 'receiver');
  return body as unknown as {
    readonly on: boolean;
    readonly answer: unknown;
    readonly endpoint: { readonly id: string; readonly url: string; readonly connected: boolean } | null;
    readonly received: readonly Readonly<Record<string, unknown>>[];
  };
}

/** What the newest delivery has come to after each of these moves to the next attempt. */
async function outcomes(api: TestApi, attempts: number): Promise<unknown[]> {
  const [delivery] = (await trigger(api)).deliveries;
  for (let moves = 1; moves < attempts; moves += 1) await api.control('POST', 'clock/next');
  const { body } = await api.control('GET', `deliveries/${String(delivery?.id)}`);
  return (body['attempt_log'] as { response_status: unknown; error: unknown }[]).map(
    ({ response_status: status, error }) => error ?? status,
  );
}

describe('the test receiver', () => {
  test('verifies and stores deliveries, and returns 200', async () => {
    const api = await turnedOn();
    const { events, deliveries } = await trigger(api);
    const state = await receiver(api);
    expect(state).toMatchObject({ on: true, answer: 200, endpoint: { connected: true } });
    expect(state.endpoint?.url).toContain('test-receiver');
    expect(state.received).toMatchObject([
      {
        event_type: 'pix.settled',
        webhook_id: events[0]?.id,
        delivery_id: deliveries[0]?.id,
        attempt: 1,
        received_at: '2026-01-01T12:00:00.000Z',
        verdict: OK,
        response_status: 200,
      },
    ]);
    expect(JSON.parse(String(state.received[0]?.['body']))).toMatchObject({ id: events[0]?.id });
    expect(deliveries).toMatchObject([{ status: 'DELIVERED', endpoint_name: 'test-receiver' }]);
  });

  test.each([
    [{ fail: 1 }, '500 to the next attempts (1), then 200'],
    [{ refuse: 1 }, '500 to the next deliveries (1) until they are dead letters, then 200'],
  ])('shows on the timeline that it responds as in %j', async (answer, said) => {
    const api = await turnedOn(200);
    await api.control('POST', 'receiver', { answer });
    const { body } = await api.control('GET', 'timeline?limit=1&q=kind:listener');
    expect(body.data).toMatchObject([{ title: `listener test-receiver replies with ${said}` }]);
  });

  test('the test receiver is off once its listener has been disconnected or deleted by others', async () => {
    const api = await turnedOn();
    for (const [method, end] of [
      ['POST', 'listeners/:id/leave'],
      ['DELETE', 'endpoints/:id'],
    ] as const) {
      const { endpoint } = (await api.control('POST', 'receiver')).body as unknown as Awaited<
        ReturnType<typeof receiver>
      >;
      await api.control(method, end.replace(':id', endpoint?.id ?? ''));
      expect(await receiver(api)).toMatchObject({ on: false, endpoint: null });
    }
  });

  test('registers again after a reset and in a replaced world', async () => {
    const api = await turnedOn({ fail: 1 });
    await api.control('POST', 'state/snapshots', { name: 'before' });
    await trigger(api);
    await api.control('POST', 'state/snapshots/before/restore');
    expect(await receiver(api)).toMatchObject({
      on: true,
      answer: { fail: 1 },
      endpoint: { connected: true },
    });
    await api.control('POST', 'reset');
    expect(await receiver(api)).toMatchObject({ on: true, answer: { fail: 1 }, received: [] });
    expect(await outcomes(api, 2)).toEqual(['HTTP_STATUS', 200]);
    await api.control('DELETE', 'receiver');
    await api.control('POST', 'reset');
    expect(await receiver(api)).toMatchObject({ on: false });
  });

  test('the test receiver is disconnected after a restart of a stored sandbox, until it is turned on again', async () => {
    using folder = tempFolder();
    const first = await testApi({ dataDirectory: folder.path });
    await first.control('POST', 'receiver', { answer: 500 });
    await trigger(first);
    await first.server.close(0);
    const second = await testApi({ dataDirectory: folder.path });
    expect(await receiver(second)).toMatchObject({ on: false, received: [] });
    await second.control('POST', 'clock/advance', { by: '2m' });
    expect((await second.control('GET', 'deliveries')).body.data).toMatchObject([{ attempts: 1 }]);
    await second.control('POST', 'receiver');
    await second.sandbox.idle();
    expect((await receiver(second)).received).toMatchObject([{ attempt: 2, response_status: 200 }]);
  });
});
