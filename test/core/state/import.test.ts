import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyCommand, type Command } from '../../../src/core/apply.js';
import { type JournalEntry, Replay } from '../../../src/core/journal.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld, restoreWorld } from '../../../src/core/state/import.js';
import { anyMove, commandOf, type Move } from '../../helpers/core/moves.js';
import { checkCounts } from '../../helpers/core/invariants.js';
import { thrownBy } from '../../helpers/thrown-by.js';
import { TestWorld } from '../../helpers/core/world.js';
import { tries } from '../../helpers/soak-scale.js';

const LIVES = tries({ part: 60, whole: 200 });
const CHANGES = tries({ part: 500, whole: 2_000 });

const anyLife = fc.array(anyMove, { minLength: 1, maxLength: 60, size: 'max' });

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Makes the moves; tells every command that was applied, with its instant. */
function live(
  test: TestWorld,
  moves: readonly Move[],
  heard: (entry: JournalEntry) => void = () => undefined,
): void {
  for (const move of moves) {
    if ('pass' in move) test.now += move.pass === 'to the next due' ? 60_000 : move.pass;
    const command: Command = ('pass' in move ? undefined : commandOf(test, move)) ?? { type: 'clock.tick' };
    const { effects, refusal } = applyCommand(test.world, command, test.now);
    test.remember(effects);
    const lasting = refusal === undefined ? command : ({ type: 'clock.tick' } as const);
    heard({ at: test.world.now, command: JSON.parse(JSON.stringify(lasting)) as Command });
  }
}

describe('an exported world', () => {
  test('an exported world is imported unchanged, and continues in the same way', () => {
    fc.assert(
      fc.property(anyLife, anyLife, (before, after) => {
        const testWorld = new TestWorld();
        live(testWorld, before);
        const exported = exportWorld(testWorld.world);
        const copies = [importWorld(throughJson(exported)), restoreWorld(exportWorld(testWorld.world))];
        for (const copy of copies) {
          expect(exportWorld(copy)).toEqual(exported);
          checkCounts(copy);
        }
        const commands: JournalEntry[] = [];
        live(testWorld, after, (entry) => commands.push(entry));
        for (const copy of copies) {
          const replay = new Replay(copy);
          for (const entry of commands) replay.entry(entry);
          expect(exportWorld(copy)).toEqual(exportWorld(testWorld.world));
        }
      }),
      { numRuns: LIVES },
    );
  });

  test('shares nothing with its export', () => {
    const testWorld = new TestWorld();
    live(testWorld, [{ type: 'charge.create', pick: 0, pick2: 0, variant: 0 }]);
    const exported = exportWorld(testWorld.world);
    const text = JSON.stringify(exported);
    for (const copy of [importWorld(exported), restoreWorld(exported)]) {
      applyCommand(copy, { type: 'clock.tick' }, copy.now + 172_800_000);
      applyCommand(copy, { type: 'trigger', event: 'withdrawal.failed' }, copy.now);
      applyCommand(copy, { type: 'origin.add', origin: 'https://more.example' }, copy.now);
      expect(JSON.stringify(exported)).toBe(text);
    }
  });

  test('a changed export is rejected with the location of the issue, or is a valid world', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    testWorld.announce();
    testWorld.withdrawal();
    const text = JSON.stringify(exportWorld(testWorld.world));
    const anyJunk = fc.oneof(fc.constantFrom(null, '', 'x', -1, 1.5, 1e300, [], {}, true), fc.string());
    let refused = 0;
    fc.assert(
      fc.property(fc.nat(), anyJunk, (pick, junk) => {
        const state: unknown = JSON.parse(text);
        const places = placesOf(state);
        const [owner, key] = places[pick % places.length] ?? [{}, ''];
        owner[key] = junk;
        if (!isWhole(state)) refused += 1;
      }),
      { numRuns: CHANGES },
    );
    expect(refused).toBeGreaterThan(CHANGES / 2);
  });

  test.each<[string, (state: ReturnType<typeof exportWorld>) => unknown, RegExp]>([
    ['no object', () => 7, /^world: expected an object/],
    ['an additional table', (state) => ({ ...state, more: [] }), /^head\.more: unknown field/],
    ['a missing table', ({ charges: _charges, ...state }) => state, /charges: expected a list; got nothing/],
    [
      'a wrong sum',
      (state) => ({ ...state, accounts: state.accounts.map((a) => ({ ...a, balanceCents: '1' })) }),
      /accounts\[0\]\.balanceCents: expected \d+, the sum of its transactions; got 1/,
    ],
    [
      'a misplaced row',
      (state) => ({ ...state, charges: state.charges.slice(1) }),
      /charges\[0\]\.ordinal: expected 0, its position; got 1/,
    ],
    [
      'a missing owner',
      (state) => ({ ...state, apps: [] }),
      /^accounts\[0\]: refers to application .*, which does not exist/,
    ],
    [
      'a misspelt status',
      (state) => ({ ...state, charges: [{ ...state.charges[0], status: 'PAID' }] }),
      /charges\[0\]\.status: expected one of PENDING/,
    ],
    [
      'an additional field',
      (state) => ({ ...state, charges: [{ ...state.charges[0], extra: 1 }] }),
      /charges\[0\]\.extra: unknown field/,
    ],
  ])('an exported world is rejected with %s', (_name, change, message) => {
    const testWorld = new TestWorld();
    testWorld.charge();
    testWorld.charge();
    expect(thrownBy(() => importWorld(change(exportWorld(testWorld.world))), Refusal)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    });
  });
});

/** Whether it can be imported; anything but a refusal fails the test. */
function isWhole(state: unknown): boolean {
  try {
    return exportWorld(importWorld(state)) !== undefined;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

type Owner = Record<string, unknown>;

function placesOf(value: unknown): [Owner, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const here: [Owner, string] = [value as Owner, key];
    return [here].concat(placesOf(child));
  });
}
