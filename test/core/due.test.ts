import { expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/contract/time.js';
import { schedule } from '../../src/core/agenda.js';
import { dueInOrder } from '../../src/core/due.js';
import { START_MS, TestWorld } from '../helpers/core/world.js';

test('what is due is listed in order, each with what happens then', () => {
  const life = new TestWorld();
  life.charge({ code: 'first' });
  life.pass(MINUTE_MS);
  const second = life.charge({ code: 'second' });
  expect(dueInOrder(life.world, 10).map(({ at, title }) => [at - START_MS, title])).toEqual([
    [DAY_MS, 'charge first expires'],
    [DAY_MS + MINUTE_MS, 'charge second expires'],
  ]);
  expect(dueInOrder(life.world, 1)).toHaveLength(1);
  expect(dueInOrder(life.world, 10)[1]).toMatchObject({ kind: 'charge.expire', id: second.id });
});

test('what was overtaken is not listed', () => {
  const life = new TestWorld();
  const paid = life.charge({ code: 'paid' });
  life.do({ type: 'charge.settle', chargeId: paid.id });
  schedule(life.world.agenda, paid.expiresAt, 'charge.expire', paid.ordinal);
  expect(dueInOrder(life.world, 10)).toEqual([]);
});
