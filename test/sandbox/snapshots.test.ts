import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import { Refusal } from '../../src/contract/refusals.js';
import { dropSnapshot, Snapshots, takeSnapshot } from '../../src/sandbox/snapshots.js';
import { newCharge, startSandbox } from '../helpers/sandbox/sandbox.js';
import { thrownBy } from '../helpers/thrown-by.js';

function snapshot(name: string) {
  return { ...takeSnapshot(startSandbox(), 'taken'), name };
}

function refusalOf(act: () => unknown) {
  const { code, message, hint, details } = thrownBy(act, Refusal);
  return { code, message, hint, details };
}

describe('saved worlds', () => {
  test.each(['a', 'before_pay.1-x', 'a'.repeat(64)])('%s is a name', (name) => {
    const saved = new Snapshots();
    saved.save(snapshot(name));
    expect(saved.find(name).name).toBe(name);
  });

  test.each(['', 'a b', 'a/b', 'é', 'a'.repeat(65)])('%j is no name', (name) => {
    expect(refusalOf(() => new Snapshots().save(snapshot(name)))).toEqual({
      code: 'INVALID_REQUEST',
      message: 'The name of a snapshot must be 1 to 64 of A-Z a-z 0-9 _ . -',
      hint: undefined,
      details: [{ field: 'name', message: 'Must be 1 to 64 of A-Z a-z 0-9 _ . -' }],
    });
  });

  test('are listed oldest first; saving one again makes it the newest', () => {
    const saved = new Snapshots();
    const { world, rate } = snapshot('x');
    for (const name of ['a', 'b', 'a']) saved.save({ name, world, rate });
    expect(saved.list().map(({ name }) => name)).toEqual(['b', 'a']);
  });

  test('have a maximum, at which one can still be replaced', () => {
    const saved = new Snapshots();
    const { world, rate } = snapshot('x');
    const names = Array.from({ length: LIMITS.snapshots }, (_, index) => `s${index}`);
    for (const name of names) saved.save({ name, world, rate });
    expect(refusalOf(() => saved.save({ name: 'more', world, rate }))).toEqual({
      code: 'INVALID_REQUEST',
      message: `There are already ${LIMITS.snapshots} snapshots, the maximum.`,
      hint: 'Drop one: `npx sandbox state drop NAME`.',
      details: [],
    });
    saved.save({ name: 's0', world, rate: 60 });
    expect(saved.find('s0').rate).toBe(60);
    saved.drop('s1');
    saved.save({ name: 'more', world, rate });
    expect(saved.list()).toHaveLength(LIMITS.snapshots);
  });

  test('an unknown one is told which there are', () => {
    const sandbox = startSandbox();
    const unknown = { code: 'NOT_FOUND', message: 'There is no snapshot later.', details: [] };
    expect(refusalOf(() => sandbox.snapshots.find('later'))).toEqual({
      ...unknown,
      hint: 'Take one: `npx sandbox state save NAME`.',
    });
    takeSnapshot(sandbox, 'a');
    takeSnapshot(sandbox, 'b');
    expect(refusalOf(() => dropSnapshot(sandbox, 'later'))).toEqual({ ...unknown, hint: 'There are: a, b.' });
    expect(refusalOf(() => sandbox.snapshots.find('x'.repeat(80))).message).toBe(
      `There is no snapshot ${'x'.repeat(64)}.`,
    );
  });

  test('hold the world as it was, and the timeline says when', () => {
    const sandbox = startSandbox();
    newCharge(sandbox, 'before');
    const { world, rate } = takeSnapshot(sandbox, 'one');
    newCharge(sandbox, 'after');
    expect(world.charges.map(({ code }) => code)).toEqual(['before']);
    expect(rate).toBe(sandbox.clock.rate);
    dropSnapshot(sandbox, 'one');
    expect(sandbox.snapshots.list()).toEqual([]);
    const states = [...sandbox.timeline.ring.between()].filter(({ kind }) => kind === 'state');
    expect(states.slice(-2).map(({ id, title }) => [id, title])).toEqual([
      ['one', 'saved one'],
      ['one', 'dropped one'],
    ]);
  });
});
