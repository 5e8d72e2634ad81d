import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/core/journal.js';
import { Replay } from '../../../src/core/journal.js';
import { HOUR_MS } from '../../../src/contract/time.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { readStateFile, createStateFile } from '../../../src/sandbox/state-file.js';
import { TimelineReplay } from '../../../src/sandbox/timeline/cause.js';
import { describeStateChange } from '../../../src/sandbox/timeline/entry-content.js';
import { Timeline } from '../../../src/sandbox/timeline/timeline.js';
import { callFault, deliveryFault } from '../../helpers/core/fault-commands.js';
import { listenTo, newCharge, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

/** What is no part of the world is in no journal. */
const NOT_KEPT = new Set(['saved', 'dropped']);

/** What a journal holds of a timeline: without numbers and words, and what led to it is named by kind and id. */
function essence({ ring }: Timeline) {
  const entries = [...ring.between()].filter(
    ({ kind, facts: { to = '' } }) => kind !== 'state' || !NOT_KEPT.has(to),
  );
  return entries.map(({ kind, id, at, by, cause, facts: { from, to, scenario, moved_to } }) => {
    const parent = cause === null ? undefined : ring.get(cause);
    return {
      kind,
      id,
      at,
      by,
      from,
      to,
      scenario,
      moved_to,
      cause: parent && { kind: parent.kind, id: parent.id, at: parent.at },
    };
  });
}

/** What may be done; those that change nothing by themselves are not tried within a call. */
const ACTS = {
  create: (sandbox: Sandbox, index: number) => void newCharge(sandbox, `order-${index}`),
  trigger: settle,
  settle: (sandbox: Sandbox) => {
    const charge = sandbox.world.charges.rows.find(({ status }) => status === 'PENDING');
    if (charge !== undefined) sandbox.dispatch({ type: 'charge.settle', chargeId: charge.id });
  },
  pause: (sandbox: Sandbox) => sandbox.dispatch({ type: 'deliveries.pause' }),
  resume: (sandbox: Sandbox) => void sandbox.dispatch({ type: 'deliveries.resume' }),
  fault: (sandbox: Sandbox, index: number) => {
    const fault = index % 2 === 0 ? callFault('status') : deliveryFault('answer', { status: 500, count: 2 });
    sandbox.dispatch({ type: 'fault.add', fault });
  },
  fire: (sandbox: Sandbox) =>
    void sandbox.dispatch({ type: 'fault.on-call', call: { api: 'api', method: 'GET', path: '/' } }),
} as const;

const OUTSIDE = {
  advance: (sandbox: Sandbox) => sandbox.travel.advanceBy(HOUR_MS),
  'advance far': (sandbox: Sandbox) => sandbox.travel.advanceBy(25 * HOUR_MS),
  'advance by nothing': (sandbox: Sandbox) => sandbox.travel.advanceBy(0),
  next: (sandbox: Sandbox) => sandbox.travel.next(),
  'give up': (sandbox: Sandbox) => {
    const stopping = new AbortController();
    const onStep = () => stopping.abort();
    return sandbox.travel.advanceBy(45 * HOUR_MS, { signal: stopping.signal, onStep });
  },
  'run and freeze': (sandbox: Sandbox) => {
    sandbox.setRate(2);
    sandbox.setRate(0);
  },
  reset: (sandbox: Sandbox) => sandbox.reset(),
  import: (sandbox: Sandbox) => {
    const file = createStateFile({ world: sandbox.world, rate: sandbox.clock.rate });
    sandbox.replaceWorld(readStateFile(JSON.parse(JSON.stringify(file))), describeStateChange('imported'));
  },
  save: (sandbox: Sandbox) => {
    sandbox.saveSnapshot('one');
    sandbox.dropSnapshot('one');
  },
} as const;

type Act = keyof typeof ACTS;
const isAct = (name: string): name is Act => Object.hasOwn(ACTS, name);

/** Does something by nobody in particular, by a scenario, or within a call that is answered if it changed something. */
async function live(sandbox: Sandbox, name: string, by: number, index: number): Promise<void> {
  const { timeline } = sandbox;
  const act = () =>
    isAct(name) ? ACTS[name](sandbox, index) : OUTSIDE[name as keyof typeof OUTSIDE](sandbox);
  if (by === 0) await act();
  else if (by === 1 || !isAct(name)) await timeline.withCause({ by: 'scenario', scenario: 'paid' }, act);
  else {
    const call = timeline.beginCall(`req_${index}`, 'POST /pix', sandbox.clock.now(), 0);
    timeline.withCause({ by: 'call', call }, () => ACTS[name](sandbox, index));
    const said = { kind: 'call', id: `req_${index}`, title: 'POST /pix 201', facts: {} } as const;
    if (call.held.length > 0) timeline.endCall(said, 0, call);
  }
  await sandbox.attemptsEnded();
}

test('a journal rebuilds its entries with the same causes', async () => {
  const anyName = fc.constantFrom(...Object.keys(ACTS), ...Object.keys(OUTSIDE));
  const anyLife = fc.array(fc.tuple(anyName, fc.nat(2)), { maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(anyLife, async (acts) => {
      const again = new Timeline();
      const retelling = new TimelineReplay(again);
      const replay = new Replay();
      const journal = {
        append: (entry: JournalEntry) => {
          const line = JSON.parse(JSON.stringify(entry)) as JournalEntry;
          const replayed = replay.entry(line);
          retelling.recordEntry(line, replayed, replay.world);
        },
        flushed: () => Promise.resolve(),
      };
      const sandbox = startSandbox({ journal, realNow: () => 0 });
      listenTo(sandbox, { status: ({ attempt }) => (attempt < 3 ? 500 : 200) });
      for (const [index, [name, by]] of acts.entries()) await live(sandbox, name, by, index);
      expect(essence(again)).toEqual(essence(sandbox.timeline));
      sandbox.close();
    }),
    { numRuns: 60 },
  );
});
