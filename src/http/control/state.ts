import { body as bodyOf } from '../../core/input/body.js';
import { LIMITS } from '../../contract/limits.js';
import type { Compared } from '../../core/state/compare.js';
import { differences } from '../../core/state/compare.js';
import { buildWorld } from '../../core/state/import.js';
import { isoTime } from '../../contract/time.js';
import { text } from '../../core/input/text-kinds.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import { dropSnapshot, SNAPSHOT_NAME_FORM, takeSnapshot } from '../../sandbox/snapshots.js';
import { stateSaid } from '../../sandbox/timeline/said.js';
import { readStateFile, stateFile } from '../../sandbox/state-file.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { nullish } from '../../schema/fields.js';
import type { Infer } from '../../schema/schema.js';
import { clockView } from './clock.js';
import { parseJson } from '../operation/read-request.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';
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

const savedState = ({ rate, world }: Snapshot): Compared => ({ rate, world: buildWorld(world) });

function compare({ snapshots, world, clock }: Sandbox, { from, to }: Infer<typeof COMPARE>): ComparedView {
  const after = to === undefined ? { world, rate: clock.rate } : savedState(snapshots.find(to));
  const found = differences(savedState(snapshots.find(from)), after);
  const shown = found.slice(0, LIMITS.stateDifferences);
  return { from, to: to ?? null, count: found.length, differences: shown };
}

/** Routes for the whole state: export, import, snapshots and reset. */
export const STATE_ROUTES: readonly ControlRoute[] = [
  route('GET', 'state', {}, ({ sandbox: { world, clock } }) => ok(stateFile({ world, rate: clock.rate }))),
  route('PUT', 'state', { bodyBytes: LIMITS.stateBodyBytes }, ({ sandbox, bytes }) => {
    sandbox.place(readStateFile(parseJson(bytes)), stateSaid('imported'));
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
  route('POST', 'state/compare', { body: COMPARE }, ({ sandbox, body }) => ok(compare(sandbox, body))),
  route('POST', 'state/snapshots/:name/restore', {}, ({ sandbox, param }) => {
    const snapshot = sandbox.snapshots.find(param('name'));
    sandbox.place(savedState(snapshot), stateSaid('restored', snapshot.name));
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
