import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyCommand } from '../../../src/core/apply.js';
import { type JournalEntry, Replay } from '../../../src/core/journal.js';
import { requireRow } from '../../../src/core/named-rows.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld } from '../../../src/core/state/import.js';
import { findDelivery, countFinished } from '../../../src/core/webhooks/deliveries.js';
import type { Delivery } from '../../../src/core/world.js';
import { Watch } from '../../helpers/core/invariants.js';
import { anyMove, commandOf, type Move } from '../../helpers/core/moves.js';
import { TestWorld } from '../../helpers/core/world.js';
import { tries } from '../../helpers/soak-scale.js';

const ordinals = (rows: readonly { readonly ordinal: number }[]) => rows.map(({ ordinal }) => ordinal);
const dropsOf = (testWorld: TestWorld) => testWorld.effects.filter((effect) => effect.type === 'dropped');

/** A world with one endpoint that keeps this many finished deliveries. */
function keeping(keepDeliveries: number): TestWorld {
  const testWorld = new TestWorld({ keepDeliveries });
  testWorld.endpoint({ schedule: 'off' });
  return testWorld;
}

function deliver(testWorld: TestWorld, count: number, status = 200): Delivery[] {
  return Array.from({ length: count }, () => {
    const [delivery] = testWorld.announce();
    if (delivery === undefined) throw new Error('Expected a delivery.');
    testWorld.answer(delivery, status);
    return delivery;
  });
}

describe('retention', () => {
  test('stores finished deliveries and their events up to the limit, and then drops the oldest', () => {
    const testWorld = keeping(3);
    const deliveries = [...deliver(testWorld, 2), ...deliver(testWorld, 1, 500)];
    expect(dropsOf(testWorld)).toEqual([]);
    deliveries.push(...deliver(testWorld, 2));
    const { world } = testWorld;
    expect(world.deliveries.rows).toEqual(deliveries.slice(2));
    expect(world.events.rows).toEqual(deliveries.slice(2).map(({ event }) => event));
    expect(countFinished(world)).toBe(3);
    expect([world.deliveryCount, world.eventCount]).toEqual([5, 5]);
    const dropped = dropsOf(testWorld);
    expect(dropped.flatMap((effect) => effect.deliveries)).toEqual(deliveries.slice(0, 2));
    expect(dropped.flatMap((effect) => ordinals(effect.events))).toEqual([0, 1]);
  });

  test('frees a tenth per sweep, so that few sweeps are needed', () => {
    const testWorld = keeping(20);
    deliver(testWorld, 21);
    expect(ordinals(testWorld.world.deliveries.rows)).toEqual(
      Array.from({ length: 18 }, (_, index) => index + 3),
    );
    deliver(testWorld, 2);
    expect(dropsOf(testWorld)).toHaveLength(1);
  });

  test('never removes what is pending, held or in flight, or payments and their ledger', () => {
    const testWorld = new TestWorld({ keepDeliveries: 1 });
    const listener = testWorld.listener('mine');
    const [held] = testWorld.announce();
    testWorld.do({ type: 'listener.lose', endpointId: listener.id });
    testWorld.endpoint({ schedule: 'off' });
    const [flying] = testWorld.announce();
    deliver(testWorld, 3);
    const { world } = testWorld;
    expect(world.deliveries.rows.slice(0, 2)).toEqual([held, flying]);
    expect(world.events.rows).toContain(flying?.event);
    expect(world.charges.rows).toHaveLength(5);
    expect(world.transactionCount).toBe(11);
  });

  test('counts a retried dead letter as pending', () => {
    const testWorld = keeping(2);
    const [first] = deliver(testWorld, 2, 500);
    if (first === undefined) throw new Error('Expected a delivery.');
    testWorld.do({ type: 'delivery.retry', deliveryId: first.id });
    expect(countFinished(testWorld.world)).toBe(1);
    deliver(testWorld, 1);
    expect(testWorld.world.deliveries.rows).toContain(first);
    testWorld.answer(first, 200);
    expect(testWorld.world.deliveries.rows).not.toContain(first);
  });

  test('stores an event until its last delivery is removed', () => {
    const testWorld = new TestWorld({ keepDeliveries: 2 });
    for (const name of ['a', 'b']) testWorld.endpoint({ url: `https://${name}.example/`, schedule: 'off' });
    const [one, other] = testWorld.announce();
    if (one === undefined || other === undefined) throw new Error('Expected two deliveries.');
    testWorld.answer(one, 200);
    for (const next of testWorld.announce()) testWorld.answer(next, 200);
    expect(testWorld.world.deliveries.rows).not.toContain(one);
    expect(testWorld.world.events.rows).toContain(one.event);
    testWorld.answer(other, 200);
    expect(testWorld.world.events.rows).not.toContain(one.event);
  });

  test('drops the oldest events without subscribers, except resent ones', () => {
    const testWorld = new TestWorld({ keepDeliveries: 2 });
    const first = () => testWorld.do({ type: 'trigger', event: 'pix.expired' }).events;
    const [sent] = [first(), first()].flat();
    testWorld.endpoint();
    const [again] = testWorld.do({ type: 'event.resend', eventId: sent?.id ?? '' });
    for (const endpointId of testWorld.world.endpoints.keys())
      testWorld.do({ type: 'endpoint.delete', endpointId });
    expect(again?.status).toBe('FAILED');
    first();
    expect(ordinals(testWorld.world.events.rows)).toEqual([0, 1, 2]);
    first();
    expect(ordinals(testWorld.world.events.rows)).toEqual([0, 2, 3]);
  });
});

describe('a dropped row', () => {
  const dropped = () => {
    const testWorld = keeping(2);
    const [first] = deliver(testWorld, 4);
    if (first === undefined) throw new Error('Expected a delivery.');
    return { test: testWorld, first };
  };
  test('a dropped row is named as a possible reason if an event or delivery is not found', () => {
    const { test, first } = dropped();
    const saying = expect.objectContaining({
      code: 'NOT_FOUND',
      message: expect.stringContaining('There is no '),
      hint: expect.stringContaining(
        'Old events and deliveries may have been dropped: the sandbox keeps 2 finished deliveries',
      ),
    });
    expect(() => requireRow(test.world, 'delivery', first.id)).toThrow(saying);
    expect(() => requireRow(test.world, 'event', first.event.id)).toThrow(saying);
    expect(() => findDelivery(test.world, first.id)).toThrow(saying);
    expect(test.refuse({ type: 'delivery.retry', deliveryId: first.id })).toEqual(saying);
    expect(test.refuse({ type: 'event.resend', eventId: first.event.id })).toEqual(saying);
  });
});

const anyDelivering: fc.Arbitrary<Move> = fc.oneof(
  { weight: 2, arbitrary: anyMove },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('trigger' as const),
      pick: fc.nat(4),
      pick2: fc.nat(15),
      variant: fc.nat(15),
    }),
  },
  { weight: 3, arbitrary: fc.record({ outcome: fc.nat(11), status: fc.constantFrom(200, 500) }) },
);
const anyLife = fc.array(anyDelivering, { minLength: 20, maxLength: 80, size: 'max' });
const RUNS = tries({ part: 40, whole: 2_000 });
/** Each event of it is delivered at once, so that most are dropped, whatever else is drawn. */
const BUSY: readonly Move[] = Array.from({ length: 60 }, () => [
  { type: 'trigger' as const, pick: 0, pick2: 0, variant: 0 },
  { outcome: 0, status: 200 },
]).flat();
const anyCap = fc.constantFrom(1, 2, 3, 7, 15);

/** Lives through moves under the eyes of a watch; returns the journal of it. */
function live(testWorld: TestWorld, moves: readonly Move[]): JournalEntry[] {
  testWorld.endpoint({ schedule: 'off' });
  const watch = new Watch(testWorld.world);
  const entries: JournalEntry[] = [{ at: testWorld.now, rate: 0, world: exportWorld(testWorld.world) }];
  for (const move of moves) {
    if ('pass' in move) testWorld.now += move.pass === 'to the next due' ? 60_000 : move.pass;
    const tick = { type: 'clock.tick' } as const;
    const command = commandOf(testWorld, move) ?? tick;
    const { effects, refusal, ...applied } = applyCommand(testWorld.world, command, testWorld.now);
    testWorld.remember(effects);
    const kept = refusal === undefined ? command : tick;
    watch.applied(kept, 'result' in applied ? applied.result : undefined, effects);
    entries.push({ at: testWorld.world.now, command: kept });
  }
  return entries;
}

describe('a world with low retention', () => {
  test('a world with low retention is reproduced by a journal replay and an import', () => {
    let drops = 0;
    fc.assert(
      fc.property(anyLife, anyCap, (moves, keepDeliveries) => {
        const testWorld = new TestWorld({ keepDeliveries });
        const replay = new Replay();
        for (const entry of live(testWorld, moves)) replay.entry(structuredClone(entry));
        const state = exportWorld(testWorld.world);
        expect(exportWorld(replay.world)).toEqual(state);
        const copies = [replay.world, importWorld(structuredClone(state))];
        const later = testWorld.now + 86_400_000;
        for (const world of [testWorld.world, ...copies])
          applyCommand(world, { type: 'trigger', event: 'pix.failed' }, later);
        for (const world of copies) expect(exportWorld(world)).toEqual(exportWorld(testWorld.world));
        drops += dropsOf(testWorld).length;
      }),
      { numRuns: RUNS, examples: [1, 2, 3].map((cap): [Move[], number] => [[...BUSY], cap]) },
    );
    expect(drops, 'much is dropped').toBeGreaterThan(RUNS / 2);
  });
});

describe('a state', () => {
  test('a state with rows beyond their count is rejected', () => {
    const testWorld = keeping(5);
    deliver(testWorld, 5);
    const state = exportWorld(testWorld.world);
    expect(() => importWorld(structuredClone({ ...state, eventCount: 4 }))).toThrow('events[4].ordinal');
    const swapped = [...state.deliveries].reverse();
    expect(() => importWorld(structuredClone({ ...state, deliveries: swapped }))).toThrow(
      'deliveries[1].ordinal',
    );
  });
});
