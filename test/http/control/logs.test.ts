import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { API, chargeBody, REFUSED_URL, testApi } from '../../helpers/http/api-client.js';

const SECOND_MS = 1_000;

type Entry = Readonly<Record<string, unknown>> & { readonly call?: { readonly path: string } };

async function logs(api: TestApi, query = ''): Promise<readonly Entry[]> {
  const { status, body } = await api.control('GET', `logs${query}`);
  expect(status).toBe(200);
  return body.data;
}

/** Each entry as a word: the status and path of a call, the event and error of an attempt. */
function words(entries: readonly Entry[]): string[] {
  return entries.map(({ call, event_type, error }) =>
    call === undefined ? `${String(event_type)} ${String(error)}` : call.path.replace(API, ''),
  );
}

/** A second after each other: a call, an attempt that is refused, a call with an error, and one that met no route. */
async function busy(): Promise<TestApi> {
  const api = await testApi();
  await api.control('POST', 'endpoints', { url: REFUSED_URL, events: EVENT_TYPES });
  await api.call('POST', '/pix', { body: chargeBody() });
  api.real.nowMs += SECOND_MS;
  await api.control('POST', 'charges/order-1/settle');
  await api.sandbox.attemptsEnded();
  api.real.nowMs += SECOND_MS;
  await api.call('POST', '/pix', { body: chargeBody({ amount: '11.00' }) });
  api.real.nowMs += SECOND_MS;
  await api.call('GET', '/pixx');
  return api;
}

describe('GET logs', () => {
  test('returns requests and attempts together, oldest first', async () => {
    const api = await busy();
    const entries = await logs(api);
    expect(words(entries)).toEqual(['/pix', 'pix.settled CONNECTION_REFUSED', '/pix', '/pixx']);
    const [delivery] = api.sandbox.world.deliveries.rows;
    expect(entries[1]).toMatchObject({
      type: 'attempt',
      delivery_id: delivery?.id,
      resource: { type: 'pix', id: delivery?.event.resource.id, code: 'order-1' },
      endpoint_name: REFUSED_URL,
      attempt: 1,
      detail: expect.stringContaining('ECONNREFUSED'),
      delivery_status: 'PENDING',
    });
    expect(entries[3]).toMatchObject({ type: 'call', call: { status: 404, matched: false } });
    expect(words(await logs(api, '?limit=2'))).toEqual(['/pix', '/pixx']);
  });

  test.each([
    ['?source=calls', ['/pix', '/pix', '/pixx']],
    ['?source=deliveries', ['pix.settled CONNECTION_REFUSED']],
    ['?source=all&since=1s', ['/pix', '/pixx']],
    ['?status=4xx', ['/pix', '/pixx']],
    ['?status=4XX', ['/pix', '/pixx']],
    ['?status=409', ['/pix']],
    ['?failed=true', ['pix.settled CONNECTION_REFUSED', '/pix', '/pixx']],
    ['?method=get', ['/pixx']],
    ['?path=*/pix', ['/pix', '/pix']],
    ['?matched=false', ['/pixx']],
    ['?type=pix.settled,pix.failed', ['pix.settled CONNECTION_REFUSED']],
    [`?endpoint=${encodeURIComponent(REFUSED_URL)}`, ['pix.settled CONNECTION_REFUSED']],
    ['?app=default', ['/pix', 'pix.settled CONNECTION_REFUSED', '/pix']],
  ])('%s finds %j', async (query, expected) => {
    expect(words(await logs(await busy(), query))).toEqual(expected);
  });

  test.each([
    ['?status=4x', 'The status must be a code such as 401 or a class such as 4xx'],
    ['?since=soon', 'since'],
    ['?type=pix.setled', 'pix.setled'],
    [
      '?method=GET&type=pix.settled',
      'method applies only to API requests, but type applies only to deliveries',
    ],
    [
      '?path=*&source=deliveries',
      'path applies only to API requests, but source=deliveries applies only to deliveries',
    ],
    [
      '?endpoint=x&source=calls',
      'endpoint applies only to deliveries, but source=calls applies only to API requests',
    ],
    ['?source=rain', ''],
    ['?app=nobody', 'There is no application nobody.'],
  ])('%s is rejected', async (query, message) => {
    const api = await testApi();
    const { status, body } = await api.control('GET', `logs${query}`);
    expect([400, 404]).toContain(status);
    expect(JSON.stringify(body.error)).toContain(message);
  });
});

test('returns only what is new after the newest number, and nothing of an earlier world', async () => {
  const api = await busy();
  const { newest } = (await api.control('GET', 'logs')).body;
  expect(await logs(api, `?after=${String(newest)}`)).toEqual([]);
  await api.call('GET', '/withdrawals');
  await api.control('POST', 'trigger', { type: 'withdrawal.failed' });
  await api.sandbox.attemptsEnded();
  const fresh = await logs(api, `?after=${String(newest)}`);
  expect(words(fresh)).toEqual(['/withdrawals', 'withdrawal.failed CONNECTION_REFUSED']);
  expect((await logs(api)).slice(-2)).toEqual(fresh);
  await api.control('POST', 'reset');
  expect(await logs(api)).toEqual([]);
});
