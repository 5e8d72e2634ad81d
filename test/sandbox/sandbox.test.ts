import { describe, expect, test } from 'vitest';
import { exportWorld } from '../../src/core/state/export.js';
import { DAY_MS } from '../../src/contract/time.js';
import { WELL_KNOWN_CREDENTIALS, createWebhookSecret } from '../../src/sandbox/credentials.js';
import { Sandbox } from '../../src/sandbox/sandbox.js';
import { turns } from '../helpers/delivery/attempts.js';
import { startRawReceiver } from '../helpers/delivery/receiver-server.js';
import { newCharge, settle, startSandbox, TestListener } from '../helpers/sandbox/sandbox.js';
import { endpointInput, START_MS } from '../helpers/core/world.js';

const HELD = () => undefined;

const aCall = {
  requestId: 'request-1',
  at: START_MS,
  realAt: START_MS,
  api: 'api',
  method: 'GET',
  path: '/api/public/v1/withdrawals',
  status: 200,
  appId: null,
  resourceId: null,
  error: null,
  hint: null,
  warnings: [],
  matched: true,
  faults: [],
};

describe('a sandbox', () => {
  test('starts with one application that has the well-known credentials and 10000.00', () => {
    const { world, credentials } = startSandbox();
    expect(credentials).toBe(WELL_KNOWN_CREDENTIALS);
    expect(world.apps.rows).toMatchObject([{ name: 'default', token: credentials.token }]);
    expect(world.accounts.get(credentials.accountId)?.balanceCents).toBe(1_000_000n);
  });

  test('a sandbox is stopped at the time where it was frozen', () => {
    const sandbox = startSandbox();
    expect([sandbox.clock.now(), sandbox.clock.rate, sandbox.world.now]).toEqual([START_MS, 0, START_MS]);
  });

  test('rejects invalid options', () => {
    expect(() => new Sandbox({ assume: { nope: '1' } })).toThrow('Unknown assumption nope.');
  });

  test('reports changes and their times to its subscribers, until they leave', () => {
    const sandbox = startSandbox();
    const heard: [string[], number][] = [];
    const leave = sandbox.subscribe((effects, at) => heard.push([effects.map(({ type }) => type), at]));
    settle(sandbox);
    sandbox.dispatch({ type: 'clock.tick' });
    leave();
    settle(sandbox);
    expect(heard).toEqual([[['charge', 'charge', 'event'], START_MS]]);
  });
});

describe('idle', () => {
  test('means that nothing is in flight or due now; a future retry does not count', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: HELD });
    expect(sandbox.isIdle()).toBe(true);
    settle(sandbox);
    expect([sandbox.isIdle(), sandbox.epoch.openAttempts]).toEqual([false, 1]);
    const idle = sandbox.idle();
    listener.answer(listener.received[0], 500);
    await idle;
    expect(sandbox.isIdle()).toBe(true);
    expect(sandbox.world.deliveries.rows[0]?.status).toBe('PENDING');
  });

  test('also waits for the attempt that is overdue when an outcome arrives', async () => {
    let real = START_MS;
    const sandbox = startSandbox({ freezeAt: undefined, realNow: () => real });
    const listener = new TestListener(sandbox, { schedule: 'fast', status: HELD });
    settle(sandbox);
    real += 10_000;
    const idle = sandbox.idle();
    listener.answer(listener.received[0], 500);
    await turns();
    expect(sandbox.isIdle()).toBe(false);
    listener.answer(listener.received[1], 200);
    await idle;
    expect(sandbox.world.deliveries.rows[0]).toMatchObject({ attempts: 2, status: 'DELIVERED' });
  });

  test('runs what has become due since the last command', async () => {
    let real = START_MS;
    const sandbox = startSandbox({ freezeAt: undefined, realNow: () => real });
    const listener = new TestListener(sandbox);
    const { id } = newCharge(sandbox);
    real += DAY_MS;
    expect(sandbox.isIdle()).toBe(false);
    await sandbox.idle();
    expect(sandbox.world.charges.byId.get(id)?.status).toBe('EXPIRED');
    expect(listener.received).toHaveLength(1);
  });

  test('resolves immediately when the sandbox was closed, and nothing is sent after that', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: HELD });
    settle(sandbox);
    const idle = sandbox.idle();
    sandbox.close();
    await idle;
    settle(sandbox);
    await sandbox.idle();
    expect(sandbox.epoch.openAttempts).toBe(0);
    expect(listener.received).toHaveLength(1);
  });
});

describe('a delivery to a listener', () => {
  test('a delivery to a listener is not sent if it became outdated while it waited for its turn', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: HELD });
    for (let count = 0; count < 65; count += 1) settle(sandbox);
    const waiting = sandbox.world.deliveries.rows[64];
    await turns(4);
    expect(listener.received).toHaveLength(64);
    const { id: endpointId } = listener.endpoint;
    sandbox.dispatch({ type: 'endpoint.disable', endpointId });
    sandbox.dispatch({ type: 'endpoint.enable', endpointId });
    sandbox.dispatch({ type: 'delivery.retry', deliveryId: waiting?.id ?? '' });
    for (const attempt of listener.received.slice(0, 64)) listener.answer(attempt);
    await turns();
    const own = listener.received.filter(({ delivery_id: id }) => id === waiting?.id);
    expect(own.map(({ attempt }) => attempt)).toEqual([2]);
  });
});

describe('reset', () => {
  test('returns to the start: the same world as that of a new sandbox', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox);
    settle(sandbox);
    createWebhookSecret(sandbox.epoch.drawBytes);
    await sandbox.travel.advanceTo(START_MS + DAY_MS);
    sandbox.reset();
    const fresh = startSandbox();
    expect(exportWorld(sandbox.world)).toEqual(exportWorld(fresh.world));
    expect([sandbox.clock.now(), sandbox.epoch.openAttempts]).toEqual([START_MS, 0]);
    expect(createWebhookSecret(sandbox.epoch.drawBytes)).toBe(createWebhookSecret(fresh.epoch.drawBytes));
    expect(sandbox.epoch.records.get(listener.received[0]?.delivery_id ?? '', 1)).toBeUndefined();
  });

  test('removes attempts in flight, although their ids repeat', async () => {
    const sandbox = startSandbox();
    const before = new TestListener(sandbox, { status: HELD });
    settle(sandbox);
    sandbox.reset();
    const after = new TestListener(sandbox, { status: HELD });
    settle(sandbox);
    expect(after.endpoint.id).toBe(before.endpoint.id);
    expect(after.received[0]?.delivery_id).toBe(before.received[0]?.delivery_id);
    expect(before.answer(before.received[0], 200)).toBe(false);
    await turns();
    expect(sandbox.world.deliveries.rows).toMatchObject([{ status: 'PENDING', inFlight: true, attempts: 1 }]);
    expect(after.answer(after.received[0], 200)).toBe(true);
    await sandbox.idle();
    expect(sandbox.world.deliveries.rows).toMatchObject([{ status: 'DELIVERED' }]);
  });

  test('drops an outcome that was not yet processed', async () => {
    const sandbox = startSandbox();
    const before = new TestListener(sandbox, { status: HELD });
    settle(sandbox);
    before.answer(before.received[0], 200);
    sandbox.reset();
    await turns();
    expect(exportWorld(sandbox.world)).toEqual(exportWorld(startSandbox().world));
  });

  test('clears the request log and notifies each subscriber once', () => {
    const sandbox = startSandbox();
    let resets = 0;
    const leave = sandbox.onReset(() => (resets += 1));
    sandbox.calls.add(aCall);
    sandbox.reset();
    leave();
    sandbox.reset();
    expect([resets, sandbox.calls.count]).toEqual([1, 0]);
  });
});

describe('close', () => {
  test('notifies its subscribers', () => {
    const sandbox = startSandbox();
    let calls = 0;
    sandbox.onClose(() => (calls += 1));
    sandbox.onClose(() => (calls += 10))();
    sandbox.close();
    expect(calls).toBe(1);
  });
});

describe('a real receiver', () => {
  test('gets the signed body, and its response is stored next to the world', async () => {
    const requests: string[] = [];
    await using receiver = await startRawReceiver((socket, _ordinal, request) => {
      requests.push(request.toString());
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok');
    });
    const sandbox = startSandbox({ policy: { routes: new Map(), allowLocalEndpoints: true } });
    const appId = sandbox.world.apps.rows[0]?.id ?? '';
    const endpoint = endpointInput({ url: receiver.url });
    sandbox.dispatch({ type: 'endpoint.create', appId, endpoint });
    settle(sandbox);
    await sandbox.idle();
    const [delivery] = sandbox.world.deliveries.rows;
    if (delivery === undefined) throw new Error('Expected a delivery');
    expect(delivery).toMatchObject({ status: 'DELIVERED', lastStatus: 202 });
    expect(requests[0]?.split('\r\n\r\n')[1]).toBe(sandbox.epoch.bodyOf(delivery.event).toString());
    const record = sandbox.epoch.records.get(delivery.id, 1);
    expect(Buffer.from(record?.result.response?.body ?? []).toString()).toBe('ok');
    expect(record?.requestHeaders['webhook-id']).toBe(delivery.event.id);
  });

  test('an attempt at a hanging receiver is aborted by a reset', async () => {
    await using receiver = await startRawReceiver(() => {});
    const sandbox = startSandbox({ policy: { routes: new Map(), allowLocalEndpoints: true } });
    const appId = sandbox.world.apps.rows[0]?.id ?? '';
    sandbox.dispatch({ type: 'endpoint.create', appId, endpoint: endpointInput({ url: receiver.url }) });
    settle(sandbox);
    sandbox.reset();
    await receiver.idle();
    expect(exportWorld(sandbox.world)).toEqual(exportWorld(startSandbox().world));
  });
});
