import { parseFault } from '../../core/fault-input.js';
import type { Fault } from '../../core/faults.js';
import { formatDuration } from '../../core/time.js';
import type { Answer } from '../answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok } from './control.js';

/** A fault as the control API shows it: the words that make one, and how often it fired. */
export function faultView({
  id,
  match,
  action,
  status,
  delayMs,
  copies,
  count,
  probability,
  seen,
  fired,
}: Fault) {
  const matched =
    match.on === 'call'
      ? { on: match.on, door: match.door, method: match.method, path: match.path }
      : { on: match.on, event: match.eventType, endpoint: match.endpointId, attempt: match.attempt };
  return {
    id,
    action,
    ...matched,
    status,
    delay: delayMs === null ? null : formatDuration(delayMs),
    copies,
    count,
    probability,
    seen,
    fired,
  };
}

function listFaults({ sandbox }: ControlRequest): Answer {
  return ok({ data: Array.from(sandbox.world.faults.values(), faultView) });
}

function addFault({ sandbox, fields }: ControlRequest): Answer {
  const fault = sandbox.dispatch({ type: 'fault.add', fault: parseFault(fields) });
  return { status: 201, body: faultView(fault) };
}

export const FAULT_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'faults', handle: listFaults },
  { method: 'POST', path: 'faults', handle: addFault },
  {
    method: 'DELETE',
    path: 'faults',
    handle: ({ sandbox }) => ok({ removed: sandbox.dispatch({ type: 'fault.remove', id: null }) }),
  },
  {
    method: 'DELETE',
    path: 'faults/:id',
    handle: ({ sandbox, param }) =>
      ok({ removed: sandbox.dispatch({ type: 'fault.remove', id: param('id') }) }),
  },
];
