import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CallFaultAction } from '../../../src/contract/fault-kinds.js';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { LIMITS } from '../../../src/contract/limits.js';
import type { ServerOptions } from '../../../src/http/server/start.js';
import type { Sent } from '../../helpers/http/api-client.js';
import { API, chargeBody, TestApi, testApi } from '../../helpers/http/api-client.js';
import { findLedgerProblems } from '../../../src/core/payments/ledger.js';
import { callFault } from '../../helpers/core/fault-commands.js';
import { rejectionOf } from '../../helpers/thrown-by.js';
import { startRawReceiver } from '../../helpers/delivery/receiver-server.js';
import { fakeTimers } from '../../helpers/fake-timers.js';
import { newCharge } from '../../helpers/sandbox/sandbox.js';

const LOCAL: ServerOptions = { policy: { routes: new Map(), allowLocalEndpoints: true } };
const LIMIT_OF_EVENT_FIRST_MS = 2_000;

/** A sandbox with a socket, and one fault. */
async function under(
  action: CallFaultAction,
  fields: Parameters<typeof callFault>[1] = {},
  options: ServerOptions = {},
): Promise<TestApi> {
  const api = await testApi({ port: 0, ...options });
  api.sandbox.dispatch({ type: 'fault.add', fault: callFault(action, fields) });
  return api;
}

/** What a client on a bare socket gets: everything that came, and the error or the clean end of the connection. */
interface Exchange {
  readonly text: string;
  readonly ending: string;
}

async function exchange(api: TestApi, method: string, path: string, sent: Sent = {}): Promise<Exchange> {
  const target = API + path;
  const body = sent.body === undefined ? '' : JSON.stringify(sent.body);
  const headers = { ...api.headersOf(method, target, sent), host: 'localhost', connection: 'close' };
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
  const socket = connect(api.server.port, '127.0.0.1');
  let text = '';
  let ending = 'end';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    ending = error.code ?? error.message;
  });
  socket.write(
    `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
  return { text, ending };
}

function create(api: TestApi, fields: object = {}): Promise<Exchange> {
  return exchange(api, 'POST', '/pix', { body: chargeBody(fields) });
}

interface Parsed {
  readonly status: number;
  readonly headers: string;
  readonly body: { readonly status?: string; readonly error?: { readonly code: string } };
}

function parsed({ text, ending }: Exchange): Parsed {
  expect(ending).toBe('end');
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(text.split(' ')[1]), headers: headers.toLowerCase(), body: JSON.parse(body) };
}

function charges(api: TestApi): string[] {
  return api.sandbox.world.charges.rows.map(({ code }) => code);
}

function newestCall(api: TestApi) {
  const [call] = api.sandbox.calls.newest();
  return call;
}

describe('an API request under a fault', () => {
  test.for([
    [null, 500, 'SERVICE_UNAVAILABLE'],
    [401, 401, 'UNAUTHENTICATED'],
    [418, 418, 'SERVICE_UNAVAILABLE'],
  ] as const)(
    'gets for a status of %s the response %i %s, and does nothing',
    async ([status, answered, code]) => {
      const api = await under('status', { status });
      const { status: got, body, headers } = parsed(await create(api));
      expect([got, body.error?.code]).toEqual([answered, code]);
      expect(headers).toContain('x-request-id: req_');
      expect(charges(api)).toEqual([]);
    },
  );

  test('gets a delayed response after its effect', async () => {
    const api = await under('delay', { delayMs: 80 });
    const startedAt = performance.now();
    expect(parsed(await create(api)).status).toBe(201);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(79);
  });

  test('an API request under a fault is disconnected by a reset, and does nothing', async () => {
    const api = await under('reset');
    expect(await create(api)).toEqual({ text: '', ending: 'ECONNRESET' });
    expect(charges(api)).toEqual([]);
  });

  test('gets an empty response without a byte, and does nothing', async () => {
    const api = await under('empty');
    expect(await create(api)).toEqual({ text: '', ending: 'end' });
    expect(charges(api)).toEqual([]);
  });

  test('an API request under a fault has its effect, and a response truncated in the middle', async () => {
    const api = await under('cut');
    const { text, ending } = await create(api);
    const [headers = '', body = ''] = text.split('\r\n\r\n');
    expect(ending).toBe('end');
    expect(headers).toMatch(/^HTTP\/1\.1 201 /);
    const length = Number(/content-length: (\d+)/i.exec(headers)?.[1]);
    expect(body).toHaveLength(Math.floor(length / 2));
    expect(body).toContain('"code":"order-1"');
    expect(charges(api)).toEqual(['order-1']);
    expect(newestCall(api)?.exchange?.response?.bytes).toBe(body.length);
  });

  test('a request with a dropped response has its effect; the same code then returns 200 with its charge', async () => {
    const api = await under('lose-response', { count: 1 });
    expect(await create(api)).toEqual({ text: '', ending: 'ECONNRESET' });
    expect(charges(api)).toEqual(['order-1']);
    expect(newestCall(api)).toMatchObject({ status: 201, faults: [{ action: 'lose-response' }] });
    expect(newestCall(api)?.exchange?.response).toBeNull();
    const again = parsed(await create(api));
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ id: api.sandbox.world.charges.rows[0]?.id, status: 'PENDING' });
    expect(charges(api)).toHaveLength(1);
  });

  test.for([
    [null, '1'],
    [2_500, '3'],
    [60_000, '60'],
  ] as const)(
    'a request over the rate limit is told to retry after %s ms: %s s',
    async ([delayMs, after]) => {
      const api = await under('rate-limit', { delayMs });
      const { status, headers, body } = parsed(await create(api));
      expect([status, body.error?.code]).toEqual([429, 'RATE_LIMITED']);
      expect(headers).toContain(`\r\nretry-after: ${after}`);
      expect(charges(api)).toEqual([]);
    },
  );

  test('faults may affect identity requests', async () => {
    const api = await under('status', { status: 503, match: { api: 'identity' } });
    expect(parsed(await create(api)).status).toBe(201);
    const { status } = await api.send('POST', '/api/v1/kyc/sessions', { body: {}, caller: null });
    expect(status).toBe(503);
  });

  test.each([
    ['reset', 'ECONNRESET', []],
    ['lose-response', 'ECONNRESET', ['order-1']],
    ['empty', 'UND_ERR_SOCKET', []],
  ] as const)('rejects without a socket like global fetch, by %s: %s', async (action, code, made) => {
    const api = await under(action);
    const error = await rejectionOf(api.call('POST', '/pix', { body: chargeBody() }), TypeError);
    expect([error.message, error.cause]).toEqual(['fetch failed', expect.objectContaining({ code })]);
    expect(charges(api)).toEqual(made);
    expect((await api.control('GET', 'calls')).status).toBe(200);
  });

  test('a response without a socket is cut off in the middle of its body', async () => {
    const api = await under('cut');
    const response = await api.open('POST', `${API}/pix`, { body: chargeBody() });
    expect([response.status, charges(api)]).toEqual([201, ['order-1']]);
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(2 * (value?.length ?? 0)).toBeCloseTo(Number(response.headers.get('content-length')), -1);
    await expect(reader?.read()).rejects.toThrow('terminated');
  });
});

test.for(['status', 'event-first'] as const)('records a firing of %s', async (action) => {
  const api = await under(action);
  await create(api);
  const faults = [{ id: [...api.sandbox.world.faults.keys()][0], action }];
  const { body } = await api.control('GET', 'calls');
  expect(body.data[0]).toMatchObject({ method: 'POST', path: '/api/public/v1/pix', faults });
});

describe('an event before the response', () => {
  async function withEndpoint(url: string, options: ServerOptions = {}) {
    const api = await under('event-first', {}, { ...LOCAL, ...options });
    const { status } = await api.control('POST', 'endpoints', { url, events: ['pix.settled'] });
    expect(status).toBe(201);
    return api;
  }

  test('reaches the receiver before the POST responds', async () => {
    const order: string[] = [];
    await using receiver = await startRawReceiver((socket) => {
      order.push('event');
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const api = await withEndpoint(receiver.url);
    const { status, body } = parsed(
      await create(api).finally(() => {
        order.push('answer');
      }),
    );
    expect(order).toEqual(['event', 'answer']);
    expect([status, body.status]).toEqual([201, 'PENDING']);
    expect(api.sandbox.world.charges.rows).toMatchObject([{ status: 'SETTLED' }]);
    expect(api.sandbox.world.deliveries.rows).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
  });

  test('delays the POST for at most two seconds', async () => {
    await using receiver = await startRawReceiver(() => {});
    const api = await withEndpoint(receiver.url);
    fakeTimers();
    const answered = vi.fn<() => void>();
    const creating = create(api).finally(answered);
    while (receiver.requests() === 0) await setImmediate();
    await vi.advanceTimersByTimeAsync(LIMIT_OF_EVENT_FIRST_MS - 1);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(parsed(await creating).status).toBe(201);
    expect(receiver.requests()).toBe(1);
  });

  test('an event before the response is not sent for a repeated or rejected request', async () => {
    const api = await under('event-first');
    newCharge(api.sandbox, 'order-1');
    const known = api.sandbox.world.charges.rows[0];
    const { payerName, payerDocument } = known ?? {};
    const fields = { amount: '100.00', payer_name: payerName, payer_document: payerDocument };
    expect(parsed(await create(api, fields)).status).toBe(200);
    expect(parsed(await create(api, { code: 'new', amount: 'much' })).status).toBe(400);
    expect(known?.status).toBe('PENDING');
    expect(api.sandbox.world.events.rows).toEqual([]);
  });

  test('lets the next one settle it once, silently, and rejects the one after', async () => {
    const api = await under('event-first', { count: 1 });
    await create(api);
    const { events, charges: made } = api.sandbox.world;
    const id = made.rows[0]?.id;
    const settle = () => api.control('POST', 'trigger', { type: 'pix.settled', charge: id });
    expect((await settle()).status).toBeLessThan(300);
    expect([made.rows[0]?.status, events.rows.length]).toEqual(['SETTLED', 1]);
    expect((await settle()).body.error.code).toBe('INVALID_TRANSITION');
  });
});

describe('an aimed fault', () => {
  test('a fault aimed by code or rank affects the requests about that charge, even repeated ones', async () => {
    const api = await under('status', { match: { resource: 2 } });
    api.sandbox.dispatch({
      type: 'fault.add',
      fault: callFault('status', { status: 503, match: { code: 'c-*', nth: 2 } }),
    });
    const made = async (code: string) =>
      (await api.call('POST', '/pix', { body: chargeBody({ code }) })).status;
    expect(await made('a')).toBe(201);
    expect([await made('b'), await made('b')]).toEqual([500, 500]);
    api.sandbox.dispatch({ type: 'fault.remove', id: [...api.sandbox.world.faults.keys()][0] ?? '' });
    expect([await made('b'), await made('c-1'), await made('c-2'), await made('c-3')]).toEqual([
      201, 201, 503, 201,
    ]);
  });

  test('leaves the rejection of a request with an unreadable body unchanged', async () => {
    const api = await under('status', { match: { code: '*' } });
    const large = await api.call('POST', '/pix', { body: 'x'.repeat(LIMITS.bodyBytes + 1) });
    const broken = await api.call('POST', '/pix', { body: '{"code":' });
    expect([large.status, broken.status]).toEqual([413, 400]);
    expect(newestCall(api)?.faults).toEqual([]);
  });
});

describe('rows between pages', () => {
  test.each(['/withdrawals', 'transactions'])(
    'rows between pages follow a page of %s: the ledger stays balanced, nothing is announced',
    async (list) => {
      const api = await under('insert-between-pages', { count: 1 });
      const { accountId } = api.sandbox.credentials;
      await api.control('POST', 'endpoints', { url: 'https://shop.example/hooks', events: EVENT_TYPES });
      for (const event of ['withdrawal.settled', 'withdrawal.settled'] as const)
        api.sandbox.dispatch({ type: 'trigger', event });
      const path = list === 'transactions' ? `/accounts/${accountId}/transactions` : list;
      const { balanceCents } = api.sandbox.world.accounts.get(accountId) ?? {};
      const events = api.sandbox.world.events.rows.length;
      const first = await api.call('GET', `${path}?limit=1`);
      const second = await api.call('GET', `${path}?limit=1`);
      expect(first.body.data[0]?.id).not.toBe(second.body.data[0]?.id);
      const older = await api.call('GET', `${path}?limit=50&after=${first.body.paging.after}`);
      expect(older.body.data.map(({ id }: { id: string }) => id)).not.toContain(second.body.data[0]?.id);
      expect(api.sandbox.world.withdrawals.rows.map(({ status }) => status)).toEqual([
        'SETTLED',
        'SETTLED',
        'PENDING',
      ]);
      expect(findLedgerProblems(api.sandbox.world)).toEqual([]);
      expect(api.sandbox.world.accounts.get(accountId)?.balanceCents).toBe(balanceCents);
      expect(api.sandbox.world.events.rows).toHaveLength(events);
    },
  );

  test('rows between pages do not follow other requests, or a rejected page', async () => {
    const api = await under('insert-between-pages');
    await create(api);
    expect([...api.sandbox.world.faults.values()][0]?.seen).toBe(0);
    expect((await api.call('GET', '/withdrawals?limit=0')).status).toBe(400);
    expect(
      (await api.call('GET', '/withdrawals', { headers: { authorization: 'Bearer none' } })).status,
    ).toBe(401);
    expect(api.sandbox.world.withdrawals.rows).toEqual([]);
  });
});

test('a delayed request ends when the sandbox closes, and does nothing more', async () => {
  const api = await under('delay', { delayMs: 60_000 });
  const answer = api.call('POST', '/pix', { body: chargeBody() });
  while (![...api.sandbox.world.faults.values()].every(({ seen }) => seen > 0)) await setImmediate();
  await api.server.close(0);
  expect((await answer).status).toBe(503);
  expect(charges(api)).toEqual([]);
  onTestFinished(() => expect(api.sandbox.epoch.openAttempts).toBe(0));
});
