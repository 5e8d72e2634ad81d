import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CORE_VERSION } from '../../src/contract/core-version.js';
import { Refusal } from '../../src/contract/refusals.js';
import { applyCommand, type Command } from '../../src/core/apply.js';
import { type JournalEntry, Replay } from '../../src/core/journal.js';
import { exportWorld } from '../../src/core/state/export.js';
import type { World } from '../../src/core/world.js';
import { anyMove, commandOf, type Move } from '../helpers/core/moves.js';
import { TestWorld } from '../helpers/core/world.js';
import { thrownBy } from '../helpers/thrown-by.js';

describe('a journal', () => {
  test('starts with a world', () => {
    const entry: JournalEntry = { at: 0, command: { type: 'clock.tick' } };
    expect(thrownBy(() => new Replay().entry(entry), Refusal)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test.each(['charge.explode', 'constructor', '__proto__'])('a journal has no command %s', (type) => {
    const entry = { at: 0, command: { type } } as unknown as JournalEntry;
    const error = thrownBy(() => new Replay(new TestWorld().world).entry(entry), Refusal);
    expect(error.message).toBe(`Unknown command "${type}".`);
  });

  test('reports which command cannot follow', () => {
    const { world } = new TestWorld();
    const entry: JournalEntry = { at: 0, command: { type: 'charge.settle', chargeId: 'none' } };
    expect(thrownBy(() => new Replay(world).entry(entry), Refusal)).toMatchObject({
      message: expect.stringMatching(/charge\.settle was rejected/),
    });
  });

  test('contains the last rate, and the world that replaced another', () => {
    const testWorld = new TestWorld();
    const replay = new Replay();
    replay.entry({ at: testWorld.now, rate: 1, world: exportWorld(testWorld.world) });
    replay.entry({ at: testWorld.now, rate: 60 });
    expect(replay.rate).toBe(60);
    testWorld.charge();
    replay.entry({ at: testWorld.now, rate: 0, world: exportWorld(testWorld.world) });
    expect(replay.rate).toBe(0);
    expect(exportWorld(replay.world)).toEqual(exportWorld(testWorld.world));
  });
});

const FILE = join(import.meta.dirname, 'golden', 'journals.ndjson');
const LIVES = 4;
const MOVES = 60;

/** The entries of one life, and what they lead to. */
interface Golden {
  readonly core: number;
  readonly entries: readonly JournalEntry[];
  readonly world: string;
}

/** The same for two worlds that are the same, in whatever order their fields were written. */
function digestOf(world: World): string {
  const text = JSON.stringify(exportWorld(world), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

function live(moves: readonly Move[]): Golden {
  const testWorld = new TestWorld({ keepDeliveries: 3 });
  const entries: JournalEntry[] = [{ at: testWorld.now, rate: 0, world: exportWorld(testWorld.world) }];
  for (const move of moves) {
    if ('pass' in move) testWorld.now += move.pass === 'to the next due' ? 60_000 : move.pass;
    const command: Command = ('pass' in move ? undefined : commandOf(testWorld, move)) ?? {
      type: 'clock.tick',
    };
    const { effects, refusal } = applyCommand(testWorld.world, command, testWorld.now);
    testWorld.remember(effects);
    entries.push({
      at: testWorld.world.now,
      command: refusal === undefined ? command : { type: 'clock.tick' },
    });
  }
  return { core: CORE_VERSION, entries, world: digestOf(testWorld.world) };
}

function update(): void {
  const anyLife = fc.array(anyMove, { minLength: MOVES, maxLength: MOVES });
  const lives = fc.sample(anyLife, { numRuns: LIVES, seed: CORE_VERSION }).map(live);
  writeFileSync(FILE, lives.map((life) => `${JSON.stringify(life)}\n`).join(''));
}

if (process.env.UPDATE_GOLDEN !== undefined) update();

const golden = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Golden);

test.each(golden.map((life, index) => [index + 1, life] as const))(
  'journal %i keeps its meaning; if it may change, raise RULES_VERSION and set UPDATE_GOLDEN=1',
  (_number, { core, entries, world }) => {
    const replay = new Replay();
    for (const entry of entries) replay.entry(entry);
    expect([core, digestOf(replay.world)]).toEqual([CORE_VERSION, world]);
  },
);

test('the journals contain most kinds of commands', () => {
  const kinds = new Set(
    golden.flatMap(({ entries }) =>
      entries.flatMap((entry) => ('command' in entry ? [entry.command.type] : [])),
    ),
  );
  expect(kinds.size).toBeGreaterThan(15);
});
