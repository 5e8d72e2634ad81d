import { FAULT } from '../../core/webhooks/fault-input.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { faultView } from './views.js';

export const FAULT_ROUTES: readonly ControlRoute[] = [
  route('GET', 'faults', {}, ({ sandbox }) =>
    ok({ data: Array.from(sandbox.world.faults.values(), faultView) }),
  ),
  route('POST', 'faults', { body: FAULT }, ({ sandbox, body }) => ({
    status: 201,
    body: faultView(sandbox.dispatch({ type: 'fault.add', fault: body })),
  })),
  route('DELETE', 'faults', {}, ({ sandbox }) =>
    ok({ removed: sandbox.dispatch({ type: 'fault.remove', id: null }) }),
  ),
  route('DELETE', 'faults/:id', {}, ({ sandbox, param }) =>
    ok({ removed: sandbox.dispatch({ type: 'fault.remove', id: param('id') }) }),
  ),
];
