import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/core/journal.js';
import { Replay } from '../../../src/core/journal.js';
import type { Entry } from '../../../src/sandbox/timeline/entry.js';
import { Retelling } from '../../../src/sandbox/timeline/replay.js';
import { Timeline } from '../../../src/sandbox/timeline/timeline.js';
import { newCharge, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

/** An entry without its number and its words: what led to it is named by kind and id. */
function essence(entries: readonly Entry[], of: Timeline) {
  return entries.map(({ kind, id, at, cause, facts: { from, to } }) => {
    const parent = cause === null ? undefined : of.ring.get(cause);
    return { kind, id, at, cause: parent && { kind: parent.kind, id: parent.id }, from, to };
  });
}

/** Who did what; a journal does not say who set the clock. */
function actors({ ring }: Timeline) {
  return [...ring.between()].filter(({ kind }) => kind !== 'clock' && kind !== 'state').map(({ by }) => by);
}

test('a journal rebuilds what it holds: the same entries, led to by the same ones', () => {
  const anyActions = fc.array(fc.tuple(fc.constantFrom('create', 'settle', 'rate', 'reset'), fc.nat(2)), {
    maxLength: 15,
  });
  fc.assert(
    fc.property(anyActions, (actions) => {
      const entries: JournalEntry[] = [];
      const journal = {
        append: (entry: JournalEntry) => {
          entries.push(JSON.parse(JSON.stringify(entry)) as JournalEntry);
        },
        flushed: () => Promise.resolve(),
      };
      const sandbox = startSandbox({ journal });
      const { timeline } = sandbox;
      for (const [index, [action, by]] of actions.entries()) {
        const act = () => {
          if (action === 'create') newCharge(sandbox);
          else if (action === 'rate') sandbox.setRate(index % 2);
          else if (action === 'reset') sandbox.reset();
          else if (sandbox.world.charges.rows.at(-1)?.status === 'PENDING') settle(sandbox);
        };
        const isChange = action === 'create' || action === 'settle';
        if (by === 0) act();
        else if (by === 1) timeline.because({ by: 'scenario', scenario: 'paid' }, act);
        else if (isChange) {
          const call = timeline.beginCall(`req_${index}`, 'POST /pix', sandbox.clock.now(), 0);
          timeline.because({ by: 'call', call }, act);
          const said = { kind: 'call', id: `req_${index}`, title: 'POST /pix 201', facts: {} } as const;
          if (call.held.length > 0) timeline.endCall(said, 0, call);
        }
      }
      const again = new Timeline();
      const retelling = new Retelling(again);
      const replay = new Replay();
      for (const entry of entries) retelling.tell(entry, replay.entry(entry), replay.world);
      expect(essence([...again.ring.between()], again)).toEqual(
        essence([...timeline.ring.between()], timeline),
      );
      expect(actors(again)).toEqual(actors(timeline));
      sandbox.close();
    }),
    { numRuns: 60 },
  );
});
