import { parseFault } from '../../core/fault-input.js';
import type { Answer } from '../answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok } from './control.js';
import { faultView } from './present.js';

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
