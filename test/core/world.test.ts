import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyCommand, type Command } from '../../src/core/apply.js';
import { nextAgendaItem } from '../../src/core/due.js';
import { exportWorld, type WorldExport } from '../../src/core/state/export.js';
import { deliveryFault } from '../helpers/core/fault-commands.js';
import { must, Watch } from '../helpers/core/invariants.js';
import { anyMove, anyPaymentMove, commandOf, type Move } from '../helpers/core/moves.js';
import { TestWorld } from '../helpers/core/world.js';
import { tries } from '../helpers/soak-scale.js';

/** Random lives. */
const RUNS = tries({ part: 60, whole: 10_000 });
const anyMoves = fc.array(anyMove, { minLength: 1, maxLength: 80, size: 'max' });

/** Makes one move under the eyes of a watch; says whether it was refused. */
function make(testWorld: TestWorld, watch: Watch, move: Move): boolean {
  const tick = { type: 'clock.tick' } as const;
  const isPass = 'pass' in move;
  if (isPass) {
    const dueMs = nextAgendaItem(testWorld.world)?.at ?? testWorld.now;
    testWorld.now =
      move.pass === 'to the next due' ? Math.max(testWorld.now, dueMs) : testWorld.now + move.pass;
  }
  watched(testWorld, watch, tick);
  const command = commandOf(testWorld, move);
  return command !== undefined && watched(testWorld, watch, command);
}

function watched(testWorld: TestWorld, watch: Watch, command: Command): boolean {
  const before = command.type === 'clock.tick' ? '' : JSON.stringify(exportWorld(testWorld.world));
  const applied = applyCommand(testWorld.world, command, testWorld.now);
  testWorld.remember(applied.effects);
  if (applied.refusal === undefined) {
    watch.applied(command, applied.result, applied.effects);
    return false;
  }
  must(applied.effects.length === 0, `refused ${command.type} has effects`);
  const after = JSON.stringify(exportWorld(testWorld.world));
  must(after === before, `refused ${command.type} changed the world from ${before} to ${after}`);
  return true;
}

const ANY_SETTINGS = fc.record({
  autoSettleMs: fc.constantFrom(null, null, 500, 172_800_000, { medianMs: 500, p99Ms: 172_800_000 }),
  keepDeliveries: fc.constantFrom(100_000, 1, 2, 5, 12),
});

/** A run takes some ten milliseconds, and several times as many on a loaded machine. */
const MODEL_TIMEOUT_MS = 30_000 + 120 * RUNS;

describe('the world under any operations', () => {
  test(
    'keeps its invariants after every step, and rejections change nothing',
    () => {
      const refused = { yes: 0, no: 0 };
      fc.assert(
        fc.property(anyMoves, ANY_SETTINGS, (moves, settings) => {
          const testWorld = new TestWorld(settings);
          const watch = new Watch(testWorld.world);
          for (const move of moves) refused[make(testWorld, watch, move) ? 'yes' : 'no'] += 1;
        }),
        { numRuns: RUNS },
      );
      expect(Math.min(refused.yes, refused.no), 'both kinds are met often').toBeGreaterThan(3 * RUNS);
    },
    MODEL_TIMEOUT_MS,
  );
});

/** Whether they fire depends on the delivery and the attempt alone. */
const FAULTS = [
  deliveryFault('drop', { probability: 0.3 }),
  deliveryFault('duplicate', { probability: 0.5, match: { eventType: 'pix.*' } }),
  deliveryFault('hold', { probability: 0.5, forMs: 1_200 }),
];

interface Round {
  readonly moves: readonly Move[];
  readonly passMs: number;
}

/** Lives through the rounds; in each, receivers answer in the order that `shuffle` gives, some before the moves are done. */
function live(rounds: readonly Round[], shuffle: (count: number) => number): WorldExport {
  const testWorld = new TestWorld({ seed: 'fate' });
  for (const name of ['a', 'b', 'c'])
    testWorld.endpoint({ url: `https://${name}.example/`, schedule: 'fast' });
  for (const fault of FAULTS) testWorld.do({ type: 'fault.add', fault });
  const answered = new Set<string>();
  const answerOne = () => {
    const open = testWorld.attempts.filter(
      ({ deliveryId, number }) => !answered.has(`${deliveryId}.${number}`),
    );
    const attempt = open[shuffle(open.length)];
    if (attempt === undefined) return false;
    const { deliveryId, number } = attempt;
    answered.add(`${deliveryId}.${number}`);
    const status = (deliveryId.charCodeAt(0) + number) % 3 === 0 ? 200 : 500;
    const error = status === 200 ? null : 'HTTP_STATUS';
    return testWorld.do({ type: 'delivery.attempted', deliveryId, number, status, error });
  };
  for (const { moves, passMs } of rounds) {
    for (const move of moves) {
      const command = commandOf(testWorld, move);
      if (command !== undefined)
        testWorld.remember(applyCommand(testWorld.world, command, testWorld.now).effects);
      if (shuffle(2) === 1) answerOne();
    }
    while (answerOne());
    testWorld.pass(passMs);
  }
  return exportWorld(testWorld.world);
}

describe('a seed', () => {
  const anyRounds = fc.array(
    fc.record({
      moves: fc.array(anyPaymentMove, { maxLength: 8 }),
      passMs: fc.constantFrom(0, 500, 1_000, 60_000, 86_400_000),
    }),
    { minLength: 1, maxLength: 6 },
  );

  test(
    'a seed and the same commands produce the same world, whatever the order of responses',
    () => {
      fc.assert(
        fc.property(anyRounds, fc.infiniteStream(fc.nat()), (rounds, chance) => {
          const inOrder = live(rounds, () => 0);
          const shuffled = live(rounds, (count) => (chance.next().value ?? 0) % Math.max(count, 1));
          expect(shuffled).toEqual(inOrder);
        }),
        { numRuns: RUNS },
      );
    },
    MODEL_TIMEOUT_MS,
  );
});
