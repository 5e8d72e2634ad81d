import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apply } from '../../../src/core/apply.js';
import { nextDue } from '../../../src/core/due.js';
import type { Compared } from '../../../src/core/state/compare.js';
import { differences } from '../../../src/core/state/compare.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld } from '../../../src/core/state/import.js';
import { textOfWorld } from '../../../src/core/state/text.js';
import { openView } from '../../../src/core/state/view.js';
import type { Move } from '../../helpers/core/moves.js';
import { anyMove, commandOf } from '../../helpers/core/moves.js';
import { addSession } from '../../helpers/core/sessions.js';
import { TestWorld } from '../../helpers/core/world.js';
import { tries } from '../../helpers/whole.js';

const RUNS = tries({ part: 25, whole: 3_000 });
/** More rows than one piece takes. */
const ROWS = 70;

const anyMoves = fc.array(anyMove, { minLength: 1, maxLength: 80, size: 'max' });

function lived(autoSettleMs: number | null): TestWorld {
  const test = new TestWorld({ autoSettleMs });
  test.endpoint();
  test.listener('one');
  for (let count = 0; count < ROWS; count += 1) {
    test.charge();
    test.withdrawal({ amountCents: 1_000 });
    test.announce();
    addSession(test);
  }
  return test;
}

function make(test: TestWorld, move: Move): void {
  if ('pass' in move) {
    const dueMs = nextDue(test.world)?.at ?? test.now;
    test.pass(move.pass === 'to the next due' ? Math.max(0, dueMs - test.now) : move.pass);
    return;
  }
  const command = commandOf(test, move);
  if (command !== undefined) test.remember(apply(test.world, command, test.now).effects);
}

/** The text of a view, with a move made before each of its pieces. */
function textWhile(test: TestWorld, moves: readonly Move[]): string {
  const view = openView(test.world);
  const left = [...moves];
  let text = '';
  for (const piece of textOfWorld(view)) {
    text += piece;
    const move = left.shift();
    if (move !== undefined) make(test, move);
  }
  view.close();
  return text;
}

describe('a view of a world', () => {
  test(
    'gives the bytes of an export made when it was opened, whatever is done while they are written',
    () => {
      let changed = 0;
      fc.assert(
        fc.property(anyMoves, anyMoves, fc.constantFrom(null, 500), (before, during, autoSettleMs) => {
          const test = lived(autoSettleMs);
          for (const move of before) make(test, move);
          const expected = JSON.stringify(exportWorld(test.world));
          const text = textWhile(test, during);
          if (JSON.stringify(exportWorld(test.world)) !== expected) changed += 1;
          return text === expected;
        }),
        { numRuns: RUNS },
      );
      expect(changed).toBeGreaterThan(RUNS / 2);
    },
    RUNS * 2_000,
  );

  test('shows a charge as it was that the fault event-first settled and someone then asked for', () => {
    const test = new TestWorld();
    const { id: chargeId } = test.charge();
    test.do({ type: 'charge.settle', chargeId, early: true });
    const expected = JSON.stringify(exportWorld(test.world));
    const view = openView(test.world);
    test.do({ type: 'charge.settle', chargeId });
    expect([...textOfWorld(view)].join('')).toBe(expected);
    expect(JSON.stringify(exportWorld(test.world))).not.toBe(expected);
  });

  test('shows the credentials of the default application as they were', () => {
    const test = new TestWorld();
    const expected = JSON.stringify(exportWorld(test.world));
    const view = openView(test.world);
    const credentials = { token: 'a', signingSecret: 'b', kycToken: 'c', publishableKey: 'd' };
    test.do({ type: 'app.rekey', ...credentials });
    expect([...textOfWorld(view)].join('')).toBe(expected);
  });

  test('differs in nothing from an export made when it was opened', () => {
    const test = lived(null);
    const { world } = test;
    const from = { rate: 1, world: importWorld(exportWorld(world)) };
    const view = openView(world);
    const different = (to: Compared) => [...differences(from, to)].filter((one) => one !== undefined);
    const idOf = ({ rows }: { readonly rows: readonly { readonly id: string }[] }) => rows[0]?.id ?? 'none';
    test.do({ type: 'charge.expire', chargeId: idOf(world.charges) });
    test.do({ type: 'withdrawal.settle', withdrawalId: idOf(world.withdrawals) });
    test.do({ type: 'session.decide', sessionId: idOf(world.sessions), status: 'approved' });
    for (const delivery of world.deliveries.rows.slice(0, 1)) test.answer(delivery, 500);
    expect(different({ ...view, rate: 1 })).toEqual([]);
    const changed = different({ world, rate: 1 }).filter(({ change }) => change === 'changed');
    expect(new Set(changed.map(({ kind }) => kind))).toEqual(
      new Set(['charge', 'withdrawal', 'session', 'delivery']),
    );
  });

  test('is told of nothing once it was closed', () => {
    const { world } = new TestWorld();
    const [one, other] = [openView(world), openView(world)];
    expect(world.readers.size).toBe(2);
    one.close();
    other.close();
    expect(world.readers.size).toBe(0);
  });
});
