import { body as bodyOf } from '../../core/input/body.js';
import { choices } from '../../core/input/kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { RESET_SCOPES } from '../../contract/reset-scopes.js';
import { importWorld } from '../../core/state/import.js';
import { isoTime } from '../../contract/time.js';
import { text } from '../../core/input/text-kinds.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import { SNAPSHOT_NAME_PATTERN, SNAPSHOT_NAME_PROBLEM } from '../../sandbox/snapshots.js';
import { readStateFile, resetParts, stateFile } from '../../sandbox/state-file.js';
import { nullish } from '../../schema/fields.js';
import type { Infer } from '../../schema/schema.js';
import type { Answer } from '../operation/answer.js';
import { clockView } from './clock/clock-view.js';
import type { ControlRequest, ControlRoute, Sent } from './control.js';
import { ok, route } from './control.js';
import type { SnapshotView } from './state-schema.js';

const SNAPSHOT = bodyOf({
  name: text(LIMITS.nameLength, { pattern: SNAPSHOT_NAME_PATTERN, problem: () => SNAPSHOT_NAME_PROBLEM }),
});
/** Resets everything, or the parts that `scope` names. */
const RESET = bodyOf({ scope: nullish(choices(RESET_SCOPES)) });

function snapshotView({ name, rate, world }: Snapshot): SnapshotView {
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

function exportState({ sandbox }: ControlRequest): Answer {
  return ok(stateFile({ world: sandbox.world, rate: sandbox.clock.rate }));
}

function importState({ sandbox, json }: ControlRequest): Answer {
  sandbox.place(readStateFile(json));
  sandbox.calls.clear();
  return ok({ imported: true, clock: clockView(sandbox) });
}

function save(
  { sandbox }: ControlRequest,
  { body: { name } }: Sent<Infer<typeof SNAPSHOT>, undefined>,
): Answer {
  sandbox.dispatch({ type: 'clock.tick' });
  return { status: 201, body: snapshotView(sandbox.takeSnapshot(name)) };
}

function restore({ sandbox, param }: ControlRequest): Answer {
  const snapshot = sandbox.snapshots.find(param('name'));
  sandbox.place({ rate: snapshot.rate, world: importWorld(snapshot.world) });
  sandbox.calls.clear();
  return ok({ restored: snapshot.name, clock: clockView(sandbox) });
}

function drop({ sandbox, param }: ControlRequest): Answer {
  const name = param('name');
  sandbox.snapshots.drop(name);
  return ok({ dropped: name });
}

function reset(
  { sandbox }: ControlRequest,
  { body: { scope } }: Sent<Infer<typeof RESET>, undefined>,
): Answer {
  if (scope === undefined) sandbox.reset();
  else resetParts(sandbox, scope);
  return ok({ reset: true, ...(scope === undefined ? {} : { scope }), clock: clockView(sandbox) });
}

/** Routes for the whole state: export, import, snapshots and reset. */
export const STATE_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'state', handle: exportState },
  { method: 'PUT', path: 'state', handle: importState, bodyBytes: LIMITS.stateBodyBytes },
  {
    method: 'GET',
    path: 'state/snapshots',
    handle: ({ sandbox }) => ok({ data: sandbox.snapshots.list().map(snapshotView) }),
  },
  route({ method: 'POST', path: 'state/snapshots', body: SNAPSHOT, handle: save }),
  route({ method: 'POST', path: 'state/snapshots/:name/restore', handle: restore }),
  { method: 'DELETE', path: 'state/snapshots/:name', handle: drop },
  route({ method: 'POST', path: 'reset', body: RESET, handle: reset }),
];
