import type { Fields } from '../../core/fields.js';
import { LIMITS } from '../../core/limits.js';
import { RESET_SCOPES } from '../../core/reset-scopes.js';
import { importWorld } from '../../core/state-import.js';
import { isoTime } from '../../core/time.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import { readStateFile, resetParts, stateFile } from '../../sandbox/state-file.js';
import type { Answer } from '../answer.js';
import { clockView } from './clock-view.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { noMoreFields, ok } from './control.js';

function snapshotView({ name, rate, world }: Snapshot) {
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

function save({ sandbox, fields }: ControlRequest): Answer {
  const name = snapshotName(fields);
  noMoreFields(fields);
  sandbox.dispatch({ type: 'clock.tick' });
  return { status: 201, body: snapshotView(sandbox.takeSnapshot(name)) };
}

function snapshotName(fields: Fields): string {
  return fields.text('name', LIMITS.nameLength);
}

function restore({ sandbox, param, fields }: ControlRequest): Answer {
  noMoreFields(fields);
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

/** All of it, or the parts that `scope` names. */
function reset({ sandbox, fields }: ControlRequest): Answer {
  const scope = fields.has('scope') ? fields.listOf('scope', RESET_SCOPES) : undefined;
  noMoreFields(fields);
  if (scope === undefined) sandbox.reset();
  else resetParts(sandbox, scope);
  return ok({ reset: true, ...(scope === undefined ? {} : { scope }), clock: clockView(sandbox) });
}

/** The world as a whole: out, in, back to a snapshot, and from the beginning. */
export const STATE_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'state', handle: exportState },
  { method: 'PUT', path: 'state', handle: importState, bodyBytes: LIMITS.stateBodyBytes },
  {
    method: 'GET',
    path: 'state/snapshots',
    handle: ({ sandbox }) => ok({ data: sandbox.snapshots.list().map(snapshotView) }),
  },
  { method: 'POST', path: 'state/snapshots', handle: save },
  { method: 'POST', path: 'state/snapshots/:name/restore', handle: restore },
  { method: 'DELETE', path: 'state/snapshots/:name', handle: drop },
  { method: 'POST', path: 'reset', handle: reset },
];
