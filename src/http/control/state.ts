import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { isoTime } from '../../contract/time.js';
import { body as bodyOf } from '../../core/input/bodies.js';
import { text } from '../../core/input/kinds.js';
import type { Compared } from '../../core/state/compare.js';
import { differences, DIFFERENT_KINDS } from '../../core/state/compare.js';
import { buildWorld } from '../../core/state/import.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import { dropSnapshot, SNAPSHOT_NAME_FORM, takeSnapshot } from '../../sandbox/snapshots.js';
import { readStateFile, stateFile } from '../../sandbox/state-file.js';
import { stateSaid } from '../../sandbox/timeline/said.js';
import { component, type Infer } from '../../schema/schema.js';
import { record } from '../../schema/compound.js';
import { nullish, nullable, partial } from '../../schema/object.js';
import { anything, described, oneOf } from '../../schema/values.js';
import { parseJson } from '../operation/read-request.js';
import { clockView, RATE } from './clock.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';

/** An import ignores further fields, so the schema leaves them open. */
export const STATE = component('State', {
  ...anything,
  json: {
    type: 'object',
    description: 'The whole state, as a file; it holds tokens and secrets.',
    properties: {
      format: { const: 'pix-sandbox-state' },
      core: is.COUNT.json,
      version: is.TEXT.json,
      notice: is.TEXT.json,
      rate: RATE.json,
      world: { type: 'object' },
    },
    required: ['format', 'core', 'version', 'notice', 'rate', 'world'],
  },
});

export const SNAPSHOT = is.resource('Snapshot', 'A snapshot.', {
  name: is.TEXT,
  now: is.INSTANT,
  rate: RATE,
  charges: is.COUNT,
  withdrawals: is.COUNT,
  events: is.COUNT,
  deliveries: is.COUNT,
  sessions: is.COUNT,
});
export type SnapshotView = Infer<typeof SNAPSHOT>;

export const DIFFERENCE = is.resource('StateDifference', 'What was added, removed or changed.', {
  kind: oneOf(DIFFERENT_KINDS),
  id: is.TEXT,
  ...partial({ code: is.TEXT }),
  change: oneOf(['added', 'removed', 'changed']),
  ...partial({ fields: record(is.shape('The value before and after.', { from: anything, to: anything })) }),
});

export const COMPARED = is.resource(
  'ComparedStates',
  'How one state differs from another, without secrets.',
  {
    from: is.TEXT,
    to: described('Null for the present.', nullable(is.TEXT)),
    count: described('All differences; an answer holds only the first of very many.', is.COUNT),
    differences: is.listOf(DIFFERENCE),
  },
);
export type ComparedView = Infer<typeof COMPARED>;

const SNAPSHOT_NAME = text(LIMITS.nameLength, SNAPSHOT_NAME_FORM);
const NEW_SNAPSHOT = bodyOf({ name: SNAPSHOT_NAME });
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
  route('POST', 'state/snapshots', { body: NEW_SNAPSHOT }, ({ sandbox, body }) => {
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
