import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { DeliveryFaultAction } from '../../src/contract/fault-kinds.js';
import { exportWorld } from '../../src/core/state/export.js';
import { HOUR_MS } from '../../src/contract/time.js';
import { EVENT_TYPES } from '../../src/contract/enums.js';
import type { ListenerAttempt } from '../../src/delivery/listener-hub.js';
import { skipWaits } from '../../src/sandbox/time/auto-advance.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { deliveryFault } from '../helpers/core/fault-commands.js';
import { newCharge, SECRET, settle, startSandbox, TestListener } from '../helpers/sandbox/sandbox.js';
import { START_MS } from '../helpers/core/world.js';
import { fakeTimers } from '../helpers/fake-timers.js';

const SCHEDULE_H = 45;

interface Payload {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly object: { readonly id: string; readonly status: string } };
}

function payloads(listener: TestListener): Payload[] {
  return listener.bodies().map((body) => JSON.parse(body) as Payload);
}

function decoded(body: string): string {
  return Buffer.from(body, 'base64').toString();
}

function addFault(
  sandbox: Sandbox,
  action: DeliveryFaultAction,
  more: Parameters<typeof deliveryFault>[1] = {},
) {
  return sandbox.dispatch({ type: 'fault.add', fault: deliveryFault(action, more) });
}

/** What the library of the standard says of a message. */
function verdictOf(listener: TestListener, attempt: ListenerAttempt | undefined): string {
  const index = listener.received.indexOf(attempt as ListenerAttempt);
  try {
    new Webhook(SECRET).verify(listener.bodies()[index] ?? '', { ...attempt?.headers });
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('an advance passes through held deliveries, and sends them together in order', async () => {
  const sandbox = startSandbox();
  const listener = new TestListener(sandbox);
  const { id, until } = addFault(sandbox, 'hold', { forMs: 2 * HOUR_MS });
  for (const _ of [1, 2, 3]) {
    settle(sandbox);
    await sandbox.travel.advanceBy(HOUR_MS / 2);
  }
  expect(listener.received).toEqual([]);
  await sandbox.travel.advanceBy(HOUR_MS);
  const { rows } = sandbox.world.deliveries;
  expect(payloads(listener).map(({ id: event }) => event)).toEqual(rows.map(({ event }) => event.id));
  expect(rows.map(({ attempts, deliveredAt }) => [attempts, deliveredAt])).toEqual(
    rows.map(() => [1, until]),
  );
  const titles = Array.from(sandbox.timeline.ring.between(), (entry) => (entry.id === id ? entry.title : []));
  expect(titles.flat()).toEqual([
    'fault.add',
    ...rows.map(() => 'fault hold fired on attempt 1'),
    'fault hold ended; it fired on 3 of 3 matches',
  ]);
});

test('skips waits past the start and end of a fault', async () => {
  const sandbox = startSandbox();
  const listener = new TestListener(sandbox, { status: ({ attempt }) => (attempt < 4 ? 500 : 200) });
  const now = sandbox.clock.now();
  addFault(sandbox, 'drop', { from: now + 1_000, until: now + 120_000 });
  settle(sandbox);
  using _skipping = skipWaits(sandbox);
  await sandbox.idle();
  expect(listener.received.map(({ attempt }) => attempt)).toEqual([1, 3, 4]);
  addFault(sandbox, 'drop', { forMs: 1_000 });
  const before = sandbox.clock.now();
  await sandbox.idle();
  expect(sandbox.clock.now()).toBe(before);
});

describe('a delivery fault', () => {
  test('sends duplicates with the same bytes and headers, and counts one attempt', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox);
    addFault(sandbox, 'duplicate', { copies: 2 });
    settle(sandbox);
    await sandbox.idle();
    expect(listener.received).toHaveLength(3);
    expect(new Set(listener.bodies()).size).toBe(1);
    expect(new Set(listener.received.map(({ headers }) => JSON.stringify(headers))).size).toBe(1);
    expect(sandbox.world.deliveries.rows).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
  });

  test('times out without real time: its whole schedule is over immediately', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox);
    addFault(sandbox, 'timeout');
    settle(sandbox);
    // A timer would never fire.
    fakeTimers();
    await sandbox.travel.advanceTo(START_MS + SCHEDULE_H * HOUR_MS);
    expect(listener.received).toEqual([]);
    expect(sandbox.world.deliveries.rows).toMatchObject([
      { status: 'FAILED', attempts: 8, lastError: 'TIMEOUT', lastStatus: null },
    ]);
  });

  test.each([
    ['stale-expired', ['pix.settled', 'pix.expired']],
    ['late-payment', ['pix.expired', 'pix.settled']],
  ] as const)(
    '%s sends a pix.expired of the settled charge, which no list contains: %j',
    async (action, types) => {
      const sandbox = startSandbox();
      const listener = new TestListener(sandbox);
      addFault(sandbox, action);
      settle(sandbox);
      sandbox.dispatch({ type: 'trigger', event: 'withdrawal.settled' });
      await sandbox.idle();
      const ofCharge = payloads(listener).filter(({ type }) => type.startsWith('pix.'));
      expect(payloads(listener)).toHaveLength(3);
      expect(ofCharge.map(({ type }) => type)).toEqual(types);
      const [expired, settled] = ofCharge.toSorted((a, b) => a.type.localeCompare(b.type));
      expect(expired?.data.object).toMatchObject({ id: settled?.data.object.id, status: 'EXPIRED' });
      expect(expired?.id).toMatch(/^evt_[0-9a-f]{32}$/);
      expect(expired?.id).not.toBe(settled?.id);
      expect(Date.parse(expired?.timestamp ?? '')).toBeLessThan(Date.parse(settled?.timestamp ?? ''));
      expect(sandbox.world.events.rows.map(({ type }) => type)).toEqual([
        'pix.settled',
        'withdrawal.settled',
      ]);
      expect(sandbox.world.charges.rows).toMatchObject([{ status: 'SETTLED' }]);
    },
  );

  test('sends a re-serialized body with a valid signature, which no serializer restores', async () => {
    const sandbox = startSandbox({ realNow: () => Date.now() });
    const listener = new TestListener(sandbox);
    addFault(sandbox, 'reserialized-body', { match: { attempt: 1, nth: 1 } });
    for (const code of ['one', 'two'])
      sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code } });
    await sandbox.idle();
    const verdicts = listener.received.map((attempt) => verdictOf(listener, attempt));
    expect(verdicts).toEqual(['accepted', 'accepted']);
    const [changed = '', usual] = listener.bodies();
    const value: unknown = JSON.parse(changed);
    for (const spaces of [undefined, 1, 2, 4, '\t'])
      expect(JSON.stringify(value, null, spaces)).not.toBe(changed);
    expect(usual).toBe(JSON.stringify(JSON.parse(usual ?? '')));
    expect(Object.keys(value as object)).toEqual(Object.keys(JSON.parse(usual ?? '') as object));
  });

  test('sends an event of a future type, correctly signed, and reports the response', async () => {
    const sandbox = startSandbox({ realNow: () => Date.now() });
    const isUnknown = ({ body }: ListenerAttempt) =>
      !EVENT_TYPES.some((type) => decoded(body).includes(`"${type}"`));
    const listener = new TestListener(sandbox, { status: (attempt) => (isUnknown(attempt) ? 500 : 200) });
    addFault(sandbox, 'unknown-type');
    for (const event of ['pix.settled', 'withdrawal.settled'] as const)
      sandbox.dispatch({ type: 'trigger', event });
    await sandbox.idle();
    const extra = listener.received.filter(isUnknown);
    expect(extra.map(({ body }) => (JSON.parse(decoded(body)) as Payload).type)).toEqual([
      'pix.reviewed',
      'withdrawal.reviewed',
    ]);
    expect(extra.map((attempt) => verdictOf(listener, attempt))).toEqual(['accepted', 'accepted']);
    expect(new Set(listener.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
    expect(sandbox.world.deliveries.rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['DELIVERED', 1],
      ['DELIVERED', 1],
    ]);
    const told = [...sandbox.timeline.ring.between()].filter(
      ({ facts }) => facts.event_type === 'pix.reviewed',
    );
    expect(told).toMatchObject([
      {
        kind: 'fault',
        title: expect.stringMatching(/^a fault sent pix\.reviewed to .*: 500$/),
        facts: {
          status: 500,
          error: 'HTTP_STATUS',
          delivery_id: sandbox.world.deliveries.rows[0]?.id,
          attempt: 1,
        },
      },
    ]);
  });

  test('restarts the application between its response and what follows', async () => {
    const told: string[] = [];
    const sandbox = startSandbox({
      restart: async () => void told.push(`restarted after ${listener.received.length}`),
    });
    const listener = new TestListener(sandbox);
    addFault(sandbox, 'restart', { match: { resource: 2 } });
    for (const code of ['first', 'second', 'third']) {
      sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code } });
      await sandbox.idle();
    }
    expect(told).toEqual(['restarted after 2']);
  });

  test('holds the clock while the application restarts, so that nothing expires meanwhile', async () => {
    let realNow = START_MS;
    const targets: (string | undefined)[] = [];
    const sandbox = startSandbox({
      freezeAt: undefined,
      realNow: () => realNow,
      restart: (_signal, target) => {
        targets.push(target?.href);
        realNow += 40 * HOUR_MS;
        return Promise.resolve();
      },
    });
    const listener = new TestListener(sandbox);
    addFault(sandbox, 'restart');
    settle(sandbox);
    const charge = newCharge(sandbox);
    await sandbox.idle();
    expect(listener.received).toHaveLength(1);
    expect(sandbox.clock.now()).toBe(START_MS);
    realNow += 5;
    expect(sandbox.clock.now()).toBe(START_MS + 5);
    expect(charge.status).toBe('PENDING');
    expect(targets).toEqual([undefined]);
  });

  test.each<[DeliveryFaultAction, string | RegExp]>([
    ['wrong-signature', 'No matching signature found'],
    ['stale-timestamp', 'Message timestamp too old'],
    ['two-signatures', 'accepted'],
  ])('the standard library rejects %s with: %s', async (action, verdict) => {
    const sandbox = startSandbox({ realNow: () => Date.now() });
    const listener = new TestListener(sandbox);
    addFault(sandbox, action, { count: 1 });
    settle(sandbox);
    await sandbox.idle();
    settle(sandbox);
    await sandbox.idle();
    expect(listener.received.map((attempt) => verdictOf(listener, attempt))).toEqual([verdict, 'accepted']);
    const [forged, plain] = listener.received.map(({ headers }) => headers['webhook-signature']?.split(' '));
    expect([forged?.length, plain?.length]).toEqual([action === 'two-signatures' ? 2 : 1, 1]);
  });

  test.each(['wrong-signature', 'stale-timestamp', 'two-signatures'] as const)(
    '%s is recorded with the sent headers',
    async (action) => {
      const sandbox = startSandbox();
      const listener = new TestListener(sandbox);
      const { id } = addFault(sandbox, action);
      settle(sandbox);
      await sandbox.idle();
      const [delivery] = sandbox.world.deliveries.rows;
      expect(delivery?.log[0]?.faults).toMatchObject([{ id, action }]);
      expect(sandbox.epoch.records.get(delivery?.id ?? '', 1)?.requestHeaders).toEqual(
        listener.received[0]?.headers,
      );
    },
  );

  test('lets a later attempt arrive first', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox);
    addFault(sandbox, 'reorder', { count: 1 });
    settle(sandbox);
    settle(sandbox);
    await sandbox.idle();
    const ids = sandbox.world.events.rows.map(({ id }) => id);
    expect(payloads(listener).map(({ id }) => id)).toEqual([...ids].reverse());
  });
});

describe('the same seed', () => {
  /** A bad week: what each delivery's receiver saw, in order, and the world at the end. */
  async function badWeek(seed: string) {
    const sandbox = startSandbox({ seed, realNow: () => START_MS });
    const listeners = ['a', 'b'].map(
      (name) => new TestListener(sandbox, { name, status: ({ attempt }) => (attempt % 3 === 0 ? 200 : 500) }),
    );
    addFault(sandbox, 'duplicate', { probability: 0.4, copies: 2 });
    addFault(sandbox, 'reorder', { probability: 0.2, match: { attempt: 1 } });
    addFault(sandbox, 'delay', { probability: 0.1, delayMs: 5 });
    addFault(sandbox, 'drop', { probability: 0.3 });
    addFault(sandbox, 'lose-answer', { probability: 0.3, match: { eventType: 'withdrawal.*' } });
    addFault(sandbox, 'wrong-signature', { probability: 0.2 });
    addFault(sandbox, 'stale-timestamp', { probability: 0.2 });
    addFault(sandbox, 'stale-expired', { probability: 0.5 });
    addFault(sandbox, 'answer', { probability: 0.2, count: 5, status: 503 });
    for (let round = 0; round < 4; round += 1) {
      for (const event of EVENT_TYPES) sandbox.dispatch({ type: 'trigger', event });
      await sandbox.travel.advanceTo(sandbox.clock.now() + HOUR_MS);
    }
    await sandbox.travel.advanceTo(sandbox.clock.now() + SCHEDULE_H * HOUR_MS);
    const seen = sandbox.world.deliveries.rows.map(({ id }) =>
      listeners.flatMap(({ received }) =>
        received
          .filter((attempt) => attempt.delivery_id === id)
          .map(({ attempt, headers, body }) => ({ attempt, headers, body })),
      ),
    );
    return { world: exportWorld(sandbox.world), seen };
  }

  test('produces the same faults, order and bytes twice; another seed produces others', async () => {
    const [first, second, other] = await Promise.all(['7', '7', '8'].map(badWeek));
    expect(second).toEqual(first);
    expect(other?.seen.map(({ length }) => length)).not.toEqual(first?.seen.map(({ length }) => length));
    const fired = first?.world.faults.map((fault) => fault.fired) ?? [];
    expect(Math.min(...fired), 'every fault fired').toBeGreaterThan(0);
    expect(first?.world.deliveries.every(({ status }) => status !== 'PENDING')).toBe(true);
  });
});
