import { describe, expect, test } from 'vitest';
import { Snapshots } from '../../src/sandbox/snapshots.js';
import { newCharge, startSandbox } from '../helpers/sandbox/sandbox.js';

function snapshot(name: string) {
  return { ...startSandbox().saveSnapshot('taken'), name };
}

describe('saved worlds', () => {
  test.each(['a', 'before_pay.1-x', 'a'.repeat(64)])('%s is a valid name', (name) => {
    const saved = new Snapshots();
    saved.save(snapshot(name));
    expect(saved.find(name).name).toBe(name);
  });

  test('saved worlds are listed oldest first; saving one again makes it the newest', () => {
    const saved = new Snapshots();
    const { world, rate } = snapshot('x');
    for (const name of ['a', 'b', 'a']) saved.save({ name, world, rate });
    expect(saved.list().map(({ name }) => name)).toEqual(['b', 'a']);
  });

  test('saved worlds preserve the world, and the timeline shows when', () => {
    const sandbox = startSandbox();
    newCharge(sandbox, 'before');
    const { world, rate } = sandbox.saveSnapshot('one');
    newCharge(sandbox, 'after');
    expect(world.charges.map(({ code }) => code)).toEqual(['before']);
    expect(rate).toBe(sandbox.clock.rate);
    sandbox.dropSnapshot('one');
    expect(sandbox.snapshots.list()).toEqual([]);
    const states = [...sandbox.timeline.ring.between()].filter(({ kind }) => kind === 'state');
    expect(states.slice(-2).map(({ id, title }) => [id, title])).toEqual([
      ['one', 'saved one'],
      ['one', 'dropped one'],
    ]);
  });
});
