import { body as bodyOf } from '../../core/input/body.js';
import { LIMITS } from '../../contract/limits.js';
import type { Compared, Difference } from '../../core/state/compare.js';
import { differences } from '../../core/state/compare.js';
import { importing } from '../../core/state/import.js';
import { openView } from '../../core/state/view.js';
import { isoTime } from '../../contract/time.js';
import { text } from '../../core/input/text-kinds.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import { dropSnapshot, SNAPSHOT_NAME_FORM, takingSnapshot } from '../../sandbox/snapshots.js';
import { stateSaid } from '../../sandbox/timeline/said.js';
import { readingStateText, stateText } from '../../sandbox/state-file.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { nullish } from '../../schema/fields.js';
import type { Infer } from '../../schema/schema.js';
import { clockView } from './clock.js';
import { PRIVATE_HEADERS } from '../operation/answer.js';
import { checkJsonBytes } from '../operation/body.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { inSlices, slicedBody } from './in-slices.js';
import { ownTurn } from './own-turn.js';
import type { ComparedView, SnapshotView } from './state-schema.js';

const SNAPSHOT_NAME = text(LIMITS.nameLength, SNAPSHOT_NAME_FORM);
const SNAPSHOT = bodyOf({ name: SNAPSHOT_NAME });
/** The names of two saved states; without `to`, the present. */
const COMPARE = bodyOf({ from: SNAPSHOT_NAME, to: nullish(SNAPSHOT_NAME) });

export function snapshotView({ name, rate, world }: Snapshot): SnapshotView {
  return {
    name,
    now: isoTime(world.now),
    rate,
    charges: world.charges.length,
    withdrawals: world.withdrawals.length,
    events: world.events.length,
    deliveries: world.deliveries.length,
    sessions: world.sessions.length,
  };
}

function* savedState({ rate, world }: Snapshot): Generator<void, Compared> {
  return { rate, world: yield* importing(world) };
}

/** Compares in steps; the present is that of the first. */
function* comparing(
  { snapshots, world, clock }: Sandbox,
  { from, to }: Infer<typeof COMPARE>,
): Generator<unknown, ComparedView> {
  const before = snapshots.find(from);
  const saved = to === undefined ? undefined : snapshots.find(to);
  const view = openView(world);
  const { rate } = clock;
  const shown: Difference[] = [];
  let count = 0;
  try {
    const after = saved === undefined ? { ...view, rate } : yield* savedState(saved);
    for (const difference of differences(yield* savedState(before), after)) {
      if (difference !== undefined && count < LIMITS.stateDifferences) shown.push(difference);
      if (difference !== undefined) count += 1;
      yield;
    }
  } finally {
    view.close();
  }
  return { from, to: to ?? null, count, differences: shown };
}

/** Routes for the whole state: export, import, snapshots and reset. */
export const STATE_ROUTES: readonly ControlRoute[] = [
  route('GET', 'state', {}, async ({ sandbox, context }) => {
    const headers = { 'content-type': 'application/json', ...PRIVATE_HEADERS };
    if (context.req.method === 'HEAD') return new Response(null, { headers });
    await ownTurn();
    const { world, clock } = sandbox;
    return new Response(slicedBody(stateText({ world, rate: clock.rate })), { headers });
  }),
  route('PUT', 'state', { bodyBytes: LIMITS.stateBodyBytes }, async ({ sandbox, bytes, because }) => {
    // Not in the turn that has put the body together.
    await ownTurn();
    checkJsonBytes(bytes);
    const state = await inSlices(readingStateText(bytes));
    because(() => sandbox.place(state, stateSaid('imported')));
    sandbox.calls.clear();
    return ok({ imported: true, clock: clockView(sandbox) });
  }),
  route('GET', 'state/snapshots', {}, ({ sandbox }) =>
    ok({ data: sandbox.snapshots.list().map(snapshotView) }),
  ),
  route('POST', 'state/snapshots', { body: SNAPSHOT }, async ({ sandbox, body, because }) => {
    sandbox.dispatch({ type: 'clock.tick' });
    return { status: 201, body: snapshotView(await inSlices(takingSnapshot(sandbox, body.name), because)) };
  }),
  route('POST', 'state/compare', { body: COMPARE }, async ({ sandbox, body }) =>
    ok(await inSlices(comparing(sandbox, body))),
  ),
  route('POST', 'state/snapshots/:name/restore', {}, async ({ sandbox, param, because }) => {
    const snapshot = sandbox.snapshots.find(param('name'));
    const said = stateSaid('restored', snapshot.name);
    const restored = await inSlices(savedState(snapshot));
    because(() => sandbox.place(restored, said));
    sandbox.calls.clear();
    return ok({ restored: snapshot.name, clock: clockView(sandbox) });
  }),
  route('DELETE', 'state/snapshots/:name', {}, ({ sandbox, param }) => {
    const name = param('name');
    dropSnapshot(sandbox, name);
    return ok({ dropped: name });
  }),
  route('POST', 'reset', {}, ({ sandbox }) => {
    sandbox.reset();
    return ok({ reset: true, clock: clockView(sandbox) });
  }),
];
