import { FAULT } from '../../core/webhooks/fault-input.js';
import type { FaultInput } from '../../core/webhooks/faults.js';
import type { Answer } from '../operation/answer.js';
import type { ControlRequest, ControlRoute, Sent } from './control.js';
import { ok, route } from './control.js';
import { faultView } from './views.js';

function listFaults({ sandbox }: ControlRequest): Answer {
  return ok({ data: Array.from(sandbox.world.faults.values(), faultView) });
}

function addFault({ sandbox }: ControlRequest, { body }: Sent<FaultInput, undefined>): Answer {
  return { status: 201, body: faultView(sandbox.dispatch({ type: 'fault.add', fault: body })) };
}

export const FAULT_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'faults', handle: listFaults },
  route({ method: 'POST', path: 'faults', body: FAULT, handle: addFault }),
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
