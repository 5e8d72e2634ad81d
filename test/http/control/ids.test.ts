import { describe, expect, test } from 'vitest';
import type { AnswerBody, TestApi } from '../../helpers/http/api-client.js';
import { chargeBody, REFUSED_URL, testApi } from '../../helpers/http/api-client.js';

/** Enough of an id that it begins no other, with its type. */
const START = /^(?:[a-z]+_)?[0-9a-f]{8}/;

function startOf(id: string): string {
  return START.exec(id)?.[0] ?? '';
}

/** A sandbox with a row of every kind, and their ids. */
async function populated() {
  const api = await testApi();
  const one = async (method: string, path: string, body?: unknown) =>
    (await api.control(method, path, body)).body;
  const endpoint = await one('POST', 'endpoints', {
    url: REFUSED_URL,
    events: ['pix.settled', 'withdrawal.settled'],
  });
  const charge = await one('POST', 'charges', { code: 'order-1' });
  await one('POST', 'charges/order-1/settle');
  await api.sandbox.idle();
  await one('POST', 'clock/advance', { by: '46h' });
  await api.call('POST', '/pix', { body: chargeBody({ code: 'order-2' }) });
  const newest = async (list: string): Promise<AnswerBody | undefined> => (await one('GET', list)).data[0];
  return {
    api,
    ids: {
      endpoint: endpoint.id,
      charge: charge.id,
      withdrawal: (await one('POST', 'withdrawals', {})).id,
      event: (await newest('events'))?.id ?? '',
      delivery: (await newest('deliveries'))?.id ?? '',
      session: (await one('POST', 'kyc/sessions', {})).id,
      fault: (await one('POST', 'faults', { action: 'drop', endpoint: endpoint.id })).id,
      app: (await newest('apps'))?.id ?? '',
      call: String((await newest('calls'))?.['id']),
    },
  };
}

type Ids = Awaited<ReturnType<typeof populated>>['ids'];

const ROUTES: readonly (readonly [method: string, path: string, kind: keyof Ids, body?: object])[] = [
  ['GET', 'charges/:id', 'charge'],
  ['POST', 'withdrawals/:id/process', 'withdrawal'],
  ['GET', 'events/:id', 'event'],
  ['POST', 'events/:id/resend', 'event'],
  ['GET', 'deliveries/:id', 'delivery'],
  ['POST', 'deliveries/:id/retry', 'delivery'],
  ['GET', 'deliveries?endpoint=:id', 'endpoint'],
  ['GET', 'deliveries?event=:id', 'event'],
  ['GET', 'logs?source=calls&app=:id', 'app'],
  ['GET', 'calls?app=:id', 'app'],
  ['GET', 'calls/:id', 'call'],
  ['GET', 'trace/:id', 'call'],
  ['GET', 'trace/:id', 'charge'],
  ['GET', 'trace/:id', 'withdrawal'],
  ['GET', 'trace/:id', 'event'],
  ['GET', 'trace/:id', 'delivery'],
  ['GET', 'trace/:id', 'session'],
  ['GET', 'trace/:id', 'endpoint'],
  ['POST', 'endpoints/:id/disable', 'endpoint'],
  ['GET', 'kyc/sessions/:id', 'session'],
  ['POST', 'kyc/sessions/:id/decide', 'session', { status: 'approved' }],
  ['POST', 'charges?app=:id', 'app', {}],
  ['POST', 'apps/:id/origins', 'app', { origin: 'https://shop.example' }],
];

describe('an id prefix', () => {
  test('an id prefix is sufficient in paths and queries', async () => {
    const { api, ids } = await populated();
    for (const [method, path, kind, body] of ROUTES) {
      const found = await api.control(method, path.replace(':id', startOf(ids[kind])), body);
      expect([path, found.status < 300]).toEqual([path, true]);
      expect(found.body.data ?? ['one']).not.toEqual([]);
      const unknown = await api.control(method, path.replace(':id', 'ffff0000ffff'), body);
      expect([path, unknown.status]).toEqual([path, 404]);
    }
  });

  test('an id prefix can be replaced by latest or by the code of a payment', async () => {
    const { api, ids } = await populated();
    const trace = JSON.stringify((await api.control('GET', 'trace/latest')).body);
    expect(trace).toContain(ids.session.slice(0, 12));
    // A retry selects the failed delivery, although the resent one is newer.
    for (const [method, path, kind, body] of ROUTES) {
      const codes = { charge: 'order-1', event: 'order-1', delivery: 'order-1', call: 'order-2' };
      const isRead = method === 'GET' && kind in codes;
      for (const text of ['latest', ...(isRead ? [codes[kind as keyof typeof codes]] : [])]) {
        const found = await api.control(method, path.replace(':id', text), body);
        expect([path, text, found.status < 300]).toEqual([path, text, true]);
        expect(found.body.data ?? ['one']).not.toEqual([]);
      }
    }
  });

  test('an id prefix is sufficient in bodies that name a row', async () => {
    const { api, ids } = await populated();
    const endpoint = startOf(ids.endpoint);
    const fault = await api.control('POST', 'faults', { action: 'drop', endpoint });
    expect(fault.body).toMatchObject({ endpoint: ids.endpoint });
    const resent = await api.control('POST', `events/${ids.event}/resend`, { endpoint });
    expect(resent.body.deliveries).toMatchObject([{ endpoint_id: ids.endpoint }]);
    const awaited = { ids: [startOf(ids.delivery)], timeout: '1ms' };
    expect((await api.control('POST', 'deliveries/until', awaited)).body.deliveries).toMatchObject([
      { id: ids.delivery },
    ]);
    const withdrawal = startOf(ids.withdrawal);
    const triggered = { type: 'withdrawal.settled', withdrawal, app: startOf(ids.app) };
    expect((await api.control('POST', 'trigger', triggered)).body.events).toMatchObject([
      { resource: { id: ids.withdrawal } },
    ]);
  });
});

test('is not sufficient for deleting', async () => {
  const { api, ids } = await populated();
  for (const [path, id] of [
    ['endpoints', ids.endpoint],
    ['faults', ids.fault],
  ] as const) {
    const before = api.state();
    const { status, body } = await api.control('DELETE', `${path}/${startOf(id)}`);
    expect([status, body.error.hint]).toEqual([400, `Use ${id}.`]);
    expect(api.state()).toEqual(before);
  }
  expect((await api.control('DELETE', `faults/${ids.fault}`)).status).toBe(200);
  expect((await api.control('DELETE', `endpoints/${ids.endpoint}`)).status).toBe(200);
});

test('is not sufficient in the public APIs', async () => {
  const { api, ids } = await populated();
  for (const [method, path] of [
    ['GET', `/webhook-endpoints/${startOf(ids.endpoint)}`],
    ['GET', '/webhook-endpoints/latest'],
    ['POST', `/webhook-endpoints/${ids.endpoint}/deliveries/${startOf(ids.delivery)}/retry`],
    ['GET', `/accounts/${api.sandbox.credentials.accountId.slice(0, 8)}/transactions`],
  ] as const) {
    const refused = await api.refused(method, path);
    expect([path, refused.status]).toEqual([path, 404]);
  }
  const headers = { authorization: `Bearer ${api.sandbox.credentials.kycToken}` };
  const result = `/api/v1/kyc/sessions/${startOf(ids.session)}/result`;
  expect((await send(api, result, headers)).status).toBe(404);
  expect((await send(api, `/session/${startOf(ids.session)}`)).status).toBe(404);
});

function send(
  api: TestApi,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return Promise.resolve(api.server.fetch(new Request(`http://localhost${target}`, { headers }), {}));
}
