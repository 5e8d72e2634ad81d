import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/core/journal.js';
import { Replay } from '../../src/core/journal.js';
import { Refusal } from '../../src/contract/refusals.js';
import { exportWorld } from '../../src/core/state/export.js';
import { thrownBy } from '../helpers/thrown-by.js';
import { TestWorld } from '../helpers/core/world.js';

describe('a journal', () => {
  test('begins with a world', () => {
    const entry: JournalEntry = { at: 0, command: { type: 'clock.tick' } };
    expect(thrownBy(() => new Replay().entry(entry), Refusal)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test.each(['charge.explode', 'constructor', '__proto__'])('has no command %s', (type) => {
    const entry = { at: 0, command: { type } } as unknown as JournalEntry;
    const error = thrownBy(() => new Replay(new TestWorld().world).entry(entry), Refusal);
    expect(error.message).toBe(`There is no command "${type}".`);
  });

  test('says which command cannot follow', () => {
    const { world } = new TestWorld();
    const entry: JournalEntry = { at: 0, command: { type: 'charge.settle', chargeId: 'none' } };
    expect(thrownBy(() => new Replay(world).entry(entry), Refusal)).toMatchObject({
      message: expect.stringMatching(/charge\.settle is refused/),
    });
  });

  test('knows the last rate, and the world that took the place of another', () => {
    const test = new TestWorld();
    const replay = new Replay();
    replay.entry({ at: test.now, rate: 1, world: exportWorld(test.world) });
    replay.entry({ at: test.now, rate: 60 });
    expect(replay.rate).toBe(60);
    test.charge();
    replay.entry({ at: test.now, rate: 0, world: exportWorld(test.world) });
    expect(replay.rate).toBe(0);
    expect(exportWorld(replay.world)).toEqual(exportWorld(test.world));
  });
});
