import { body as bodyOf } from '../../core/input/body.js';
import { choices } from '../../core/input/kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { RESET_SCOPES } from '../../contract/reset-scopes.js';
import type { Compared, Difference } from '../../core/state/compare.js';
import { differences } from '../../core/state/compare.js';
import { importWorld } from '../../core/state/import.js';
import { isoTime } from '../../contract/time.js';
import { text } from '../../core/input/text-kinds.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import {
  dropSnapshot,
  SNAPSHOT_NAME_PATTERN,
  SNAPSHOT_NAME_PROBLEM,
  takeSnapshot,
} from '../../sandbox/snapshots.js';
import { stateSaid } from '../../sandbox/timeline/said.js';
import { readStateFile, resetParts, stateText } from '../../sandbox/state-file.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { nullish } from '../../schema/fields.js';
import type { Infer } from '../../schema/schema.js';
import { clockView } from './clock/clock-view.js';
import { PRIVATE_HEADERS } from '../operation/answer.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { slicedBody } from './in-slices.js';
import { ownTurn } from './own-turn.js';
import type { ComparedView, SnapshotView } from './state-schema.js';

const SNAPSHOT_NAME = text(LIMITS.nameLength, {
  pattern: SNAPSHOT_NAME_PATTERN,
  problem: () => SNAPSHOT_NAME_PROBLEM,
});
const SNAPSHOT = bodyOf({ name: SNAPSHOT_NAME });
/** The names of two saved states; without `to`, the present. */
const COMPARE = bodyOf({ from: SNAPSHOT_NAME, to: nullish(SNAPSHOT_NAME) });
/** Resets everything, or the parts that `scope` names. */
const RESET = bodyOf({ scope: nullish(choices(RESET_SCOPES)) });

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

function savedState({ snapshots, world, clock }: Sandbox, name: string | undefined): Compared {
  if (name === undefined) return { world, rate: clock.rate };
  const saved = snapshots.find(name);
  return { rate: saved.rate, world: importWorld(saved.world) };
}

function comparedView({ from, to }: Infer<typeof COMPARE>, found: Iterable<Difference>): ComparedView {
  const shown: Difference[] = [];
  let count = 0;
  for (const difference of found) {
    if (count < LIMITS.stateDifferences) shown.push(difference);
    count += 1;
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
  route('PUT', 'state', { bodyBytes: LIMITS.stateBodyBytes }, ({ sandbox, json }) => {
    sandbox.place(readStateFile(json), stateSaid('imported'));
    sandbox.calls.clear();
    return ok({ imported: true, clock: clockView(sandbox) });
  }),
  route('GET', 'state/snapshots', {}, ({ sandbox }) =>
    ok({ data: sandbox.snapshots.list().map(snapshotView) }),
  ),
  route('POST', 'state/snapshots', { body: SNAPSHOT }, ({ sandbox, body }) => {
    sandbox.dispatch({ type: 'clock.tick' });
    return { status: 201, body: snapshotView(takeSnapshot(sandbox, body.name)) };
  }),
  route('POST', 'state/compare', { body: COMPARE }, ({ sandbox, body }) => {
    const [from, to] = [savedState(sandbox, body.from), savedState(sandbox, body.to)];
    return ok(comparedView(body, differences(from, to)));
  }),
  route('POST', 'state/snapshots/:name/restore', {}, ({ sandbox, param }) => {
    const snapshot = sandbox.snapshots.find(param('name'));
    const said = stateSaid('restored', snapshot.name);
    sandbox.place({ rate: snapshot.rate, world: importWorld(snapshot.world) }, said);
    sandbox.calls.clear();
    return ok({ restored: snapshot.name, clock: clockView(sandbox) });
  }),
  route('DELETE', 'state/snapshots/:name', {}, ({ sandbox, param }) => {
    const name = param('name');
    dropSnapshot(sandbox, name);
    return ok({ dropped: name });
  }),
  route('POST', 'reset', { body: RESET }, ({ sandbox, body: { scope } }) => {
    if (scope === undefined) sandbox.reset();
    else resetParts(sandbox, scope);
    return ok({ reset: true, ...(scope === undefined ? {} : { scope }), clock: clockView(sandbox) });
  }),
];
