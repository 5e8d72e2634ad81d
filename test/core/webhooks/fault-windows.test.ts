import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, LAST_INSTANT_MS, MINUTE_MS } from '../../../src/contract/time.js';
import { listScheduledItems } from '../../../src/core/due.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld } from '../../../src/core/state/import.js';
import { findBlocker } from '../../../src/core/webhooks/deliveries.js';
import { callFault, deliveryFault } from '../../helpers/core/fault-commands.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

const CALL = { api: 'api', method: 'POST', path: '/api/public/v1/pix' } as const;

function fires(testWorld: TestWorld): boolean {
  return testWorld.do({ type: 'fault.on-call', call: CALL }).length > 0;
}

/** Adds a fault and returns a function that reports whether it fires after this many ms from the start. */
function withFault(window: Parameters<typeof callFault>[1]) {
  const testWorld = new TestWorld();
  const fault = testWorld.do({ type: 'fault.add', fault: callFault('reset', window) });
  const firesAt = (ms: number) => {
    testWorld.now = START_MS + ms;
    return fires(testWorld);
  };
  return { testWorld, fault, firesAt };
}

test('a fault fires from its start until just before its end, and is then removed', () => {
  const { testWorld, fault, firesAt } = withFault({ from: START_MS + 100, forMs: 50 });
  expect(fault).toMatchObject({ from: START_MS + 100, until: START_MS + 150 });
  expect(fault).not.toHaveProperty('forMs');
  expect([0, 99, 100, 149].map(firesAt)).toEqual([false, false, true, true]);
  expect(testWorld.world.faults.size).toBe(1);
  expect(firesAt(150)).toBe(false);
  expect(testWorld.world.faults.size).toBe(0);
  const changes = testWorld.effects.flatMap((effect) =>
    effect.type === 'fault' ? [[effect.change, effect.fault.seen, effect.fault.fired]] : [],
  );
  expect(changes).toEqual([
    ['started', 2, 2],
    ['ended', 2, 2],
  ]);
});

test('a fault without a start fires immediately, and one without an end until it is removed', () => {
  const { firesAt } = withFault({ forMs: 10 });
  expect([0, 9, 10].map(firesAt)).toEqual([true, true, false]);
  const open = withFault({ from: START_MS + 5 });
  expect([4, 5, DAY_MS].map(open.firesAt)).toEqual([false, true, true]);
});

test.each([
  [
    { until: START_MS },
    'until',
    'after the current sandbox time, 2026-01-01T12:00:00.000Z; got 2026-01-01T12',
  ],
  [{ from: START_MS + 9, until: START_MS + 9 }, 'until', 'after from, 2026-01-01T12:00:00.009Z'],
  [{ from: START_MS - 9, forMs: 5 }, 'for', 'after the current sandbox time'],
  [{ until: START_MS + 1, forMs: 1 }, 'for', 'not be combined with until'],
  [{ forMs: LAST_INSTANT_MS }, 'for', 'before the year 10000'],
])('rejects the window %j', (window, field, words) => {
  const { details } = new TestWorld().refuse({ type: 'fault.add', fault: callFault('reset', window) });
  expect(details).toEqual([{ field, message: expect.stringContaining(words) }]);
});

test('a listener with an invalid window is refused before it connects', () => {
  const faults = [deliveryFault('drop', { until: START_MS })] as never;
  const listener = { name: 'one', description: null, events: [], secret: 'whsec_AAAA', faults };
  const testWorld = new TestWorld();
  const refusal = testWorld.refuse({ type: 'listener.connect', appId: testWorld.app.id, listener });
  expect(refusal.details[0]?.field).toBe('until');
});

test('fires on every second match', () => {
  const { firesAt, fault } = withFault({ match: { every: 2 } });
  expect([0, 1, 2, 3, 4].map(firesAt)).toEqual([false, true, false, true, false]);
  expect([fault.seen, fault.fired]).toEqual([5, 2]);
});

test('overlapping windows fire independently', () => {
  const { testWorld, firesAt } = withFault({ forMs: 20 });
  testWorld.do({ type: 'fault.add', fault: callFault('delay', { from: START_MS + 10, forMs: 20 }) });
  const firedAt = (ms: number) => {
    testWorld.now = START_MS + ms;
    return testWorld.do({ type: 'fault.on-call', call: CALL }).map(({ action }) => action);
  };
  expect([9, 10, 20].map(firedAt)).toEqual([['reset'], ['reset', 'delay'], ['delay']]);
  expect(firesAt(30)).toBe(false);
});

test('an attempt meets the fault at its start, and not at its end', () => {
  const testWorld = new TestWorld();
  testWorld.endpoint();
  const [delivery] = testWorld.announce();
  if (delivery === undefined) throw new Error('Expected a delivery.');
  const window = { from: START_MS + MINUTE_MS, until: START_MS + 6 * MINUTE_MS };
  testWorld.do({ type: 'fault.add', fault: deliveryFault('drop', window) });
  testWorld.answer(delivery, 500);
  for (const wait of [1, 5]) {
    testWorld.pass(wait * MINUTE_MS);
    testWorld.answer(delivery, 500);
  }
  expect(delivery.log.map(({ startedAt, faults }) => [startedAt - START_MS, faults?.length])).toEqual([
    [0, undefined],
    [MINUTE_MS, 1],
    [6 * MINUTE_MS, undefined],
  ]);
});

/** A world in which `hold` has held the first attempt for a minute. */
function held() {
  const testWorld = new TestWorld();
  testWorld.endpoint();
  const fault = testWorld.do({ type: 'fault.add', fault: deliveryFault('hold', { forMs: HOUR_MS }) });
  const [delivery] = testWorld.announce();
  if (delivery === undefined) throw new Error('Expected a delivery.');
  testWorld.pass(MINUTE_MS);
  return { testWorld, fault, delivery };
}

test('holds due attempts without using one, and sends them together at its end', () => {
  const { testWorld, fault, delivery } = held();
  const [second] = testWorld.announce();
  expect([delivery, second]).toMatchObject(
    [delivery, second].map(() => ({ attempts: 0, heldBy: fault.id, nextAttemptAt: START_MS + HOUR_MS })),
  );
  expect(findBlocker(testWorld.world, delivery)).toBe('fault');
  expect([fault.seen, fault.fired]).toEqual([2, 2]);
  testWorld.pass(DAY_MS);
  expect(testWorld.attempts).toEqual(
    [delivery, second].map((one) => ({ deliveryId: one?.id, number: 1, at: START_MS + HOUR_MS })),
  );
  expect(delivery).not.toHaveProperty('heldBy');
  expect(delivery.faults).toEqual([]);
});

test.each<[string, (life: ReturnType<typeof held>) => void]>([
  ['its removal', ({ testWorld, fault }) => testWorld.do({ type: 'fault.remove', id: fault.id })],
  ['the removal of all faults', ({ testWorld }) => testWorld.do({ type: 'fault.remove', id: null })],
])('releases held attempts after %s', (_, release) => {
  const life = held();
  release(life);
  expect(life.testWorld.attempts).toEqual([
    { deliveryId: life.delivery.id, number: 1, at: START_MS + MINUTE_MS },
  ]);
  life.testWorld.answer(life.delivery, 200);
  life.testWorld.pass(DAY_MS);
  expect(life.delivery).toMatchObject({ status: 'DELIVERED', attempts: 1 });
});

test('a second fault continues to hold attempts released by the first', () => {
  const { testWorld, fault, delivery } = held();
  const other = testWorld.do({ type: 'fault.add', fault: deliveryFault('hold', { forMs: 2 * HOUR_MS }) });
  testWorld.do({ type: 'fault.remove', id: fault.id });
  expect(delivery).toMatchObject({ heldBy: other.id, nextAttemptAt: other.until });
  testWorld.pass(3 * HOUR_MS);
  expect(testWorld.attempts.map(({ at }) => at)).toEqual([other.until]);
});

test('resuming paused deliveries and reconnecting a listener keep attempts held', () => {
  const testWorld = new TestWorld();
  const listener = testWorld.listener('mine');
  testWorld.do({ type: 'deliveries.pause' });
  const [delivery] = testWorld.announce();
  const { until } = testWorld.do({ type: 'fault.add', fault: deliveryFault('hold', { forMs: HOUR_MS }) });
  expect(testWorld.do({ type: 'deliveries.resume' })).toEqual([]);
  testWorld.do({ type: 'listener.lose', endpointId: listener.id });
  testWorld.pass(MINUTE_MS);
  testWorld.listener('mine', { schedule: 'fast' });
  expect(testWorld.attempts).toEqual([]);
  testWorld.pass(HOUR_MS);
  expect(testWorld.attempts).toEqual([{ deliveryId: delivery?.id, number: 1, at: until }]);
});

test('an imported world has the same agenda and the same end of its faults', () => {
  const { testWorld, delivery } = held();
  const from = testWorld.now + MINUTE_MS;
  testWorld.do({ type: 'fault.add', fault: callFault('reset', { from, forMs: 5 }) });
  const exported = exportWorld(testWorld.world);
  expect(exported.agenda.map(({ kind }) => kind).slice(0, 3)).toEqual([
    'fault.start',
    'fault.end',
    'fault.end',
  ]);
  const imported = importWorld(JSON.parse(JSON.stringify(exported)));
  expect(listScheduledItems(imported)).toEqual(exported.agenda);
  const other = Object.assign(new TestWorld(), { world: imported, now: testWorld.now });
  for (const life of [testWorld, other]) {
    life.pass(HOUR_MS);
    expect(life.attempts.map(({ deliveryId }) => deliveryId)).toEqual([delivery.id]);
  }
  expect(exportWorld(imported)).toEqual(exportWorld(testWorld.world));
});
