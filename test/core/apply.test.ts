import { describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/contract/time.js';
import { scheduleItem } from '../../src/core/agenda.js';
import { applyCommand, type Command } from '../../src/core/apply.js';
import { listDueItems, nextAgendaItem } from '../../src/core/due.js';
import { START_MS, TestWorld } from '../helpers/core/world.js';

test('lists due items in order, each with its effect', () => {
  const life = new TestWorld();
  life.charge({ code: 'first' });
  life.pass(MINUTE_MS);
  const second = life.charge({ code: 'second' });
  expect(listDueItems(life.world, 10).map(({ at, title }) => [at - START_MS, title])).toEqual([
    [DAY_MS, 'charge first expires'],
    [DAY_MS + MINUTE_MS, 'charge second expires'],
  ]);
  expect(listDueItems(life.world, 1)).toHaveLength(1);
  expect(listDueItems(life.world, 10)[1]).toMatchObject({ kind: 'charge.expire', id: second.id });
});

test('does not list outdated items', () => {
  const life = new TestWorld();
  const paid = life.charge({ code: 'paid' });
  life.do({ type: 'charge.settle', chargeId: paid.id });
  scheduleItem(life.world.agenda, paid.expiresAt, 'charge.expire', paid.ordinal);
  expect(listDueItems(life.world, 10)).toEqual([]);
});

describe('apply', () => {
  test('runs due items first: the command sees a charge that has just expired', () => {
    const testWorld = new TestWorld();
    const charge = testWorld.charge();
    testWorld.now += DAY_MS;
    const refusal = applyCommand(
      testWorld.world,
      { type: 'charge.fail', chargeId: charge.id, reason: null },
      testWorld.now,
    ).refusal;
    expect(refusal?.code).toBe('INVALID_TRANSITION');
    expect(charge.status).toBe('EXPIRED');
  });

  test('returns due changes even if the command is rejected', () => {
    const testWorld = new TestWorld();
    testWorld.charge();
    const { effects, refusal } = applyCommand(
      testWorld.world,
      { type: 'charge.settle', chargeId: 'none' },
      START_MS + DAY_MS,
    );
    expect(refusal?.code).toBe('NOT_FOUND');
    expect(effects.map(({ type }) => type)).toEqual(['due', 'charge', 'event']);
  });

  test('runs items made due by the command before it returns', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    const { effects } = applyCommand(testWorld.world, { type: 'trigger', event: 'pix.settled' }, START_MS);
    expect(effects.map(({ type }) => type)).toContain('attempt');
    expect(nextAgendaItem(testWorld.world)?.at).not.toBe(START_MS);
  });

  test('replaces a time before its own by its own', () => {
    const testWorld = new TestWorld();
    testWorld.pass(MINUTE_MS);
    testWorld.now = START_MS;
    expect(testWorld.charge().createdAt).toBe(START_MS + MINUTE_MS);
    expect(testWorld.world.now).toBe(START_MS + MINUTE_MS);
  });

  test('runs items sequentially in the order of their times, each at its own', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    const early = testWorld.charge();
    testWorld.pass(MINUTE_MS);
    const second = testWorld.charge();
    testWorld.pass(3 * DAY_MS);
    expect(testWorld.world.events.rows.map(({ resource, at }) => [resource.id, at])).toEqual([
      [early.id, START_MS + DAY_MS],
      [second.id, START_MS + DAY_MS + MINUTE_MS],
    ]);
    expect(testWorld.attempts.map(({ at }) => at)).toEqual([
      START_MS + DAY_MS,
      START_MS + DAY_MS + MINUTE_MS,
    ]);
  });

  test('rethrows a bug unchanged, never as a rejection', () => {
    const testWorld = new TestWorld();
    const broken: Command<'charge.create'> = JSON.parse('{"type":"charge.create"}');
    expect(() => applyCommand(testWorld.world, { ...broken, appId: testWorld.app.id }, START_MS)).toThrow(
      TypeError,
    );
  });
});
