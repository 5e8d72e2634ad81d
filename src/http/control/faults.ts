import { FAULT } from '../../core/webhooks/fault-input.js';
import { lookUp, lookUpWhole } from '../../core/named-rows.js';
import { Refusal } from '../../contract/refusals.js';
import type { FaultInput } from '../../core/webhooks/faults.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { faultView } from './views.js';

/** Refuses (INVALID_REQUEST) a restart where there is nothing that restarts the application. */
export function checkCanRestart({ restart }: Sandbox, faults: readonly FaultInput[]): void {
  if (restart !== undefined || !faults.some(({ action }) => action === 'restart')) return;
  throw new Refusal('INVALID_REQUEST', 'This sandbox does not know how to restart the application.', {
    details: [{ field: 'action', message: 'restart needs a command or a function that restarts it.' }],
    hint: "Start the sandbox with --restart 'COMMAND', or give createSandbox({ restart }) a function or a command.",
  });
}

/** The fault with the endpoint that it names. */
function withEndpoint({ world }: Sandbox, fault: FaultInput): FaultInput {
  if (fault.match.on === 'call' || fault.match.endpointId === null) return fault;
  const { id: endpointId } = lookUp(world, 'endpoint', fault.match.endpointId);
  return { ...fault, match: { ...fault.match, endpointId } } as FaultInput;
}

export const FAULT_ROUTES: readonly ControlRoute[] = [
  route('GET', 'faults', {}, ({ sandbox }) =>
    ok({ data: Array.from(sandbox.world.faults.values(), faultView) }),
  ),
  route('POST', 'faults', { body: FAULT }, ({ sandbox, body }) => {
    checkCanRestart(sandbox, [body]);
    const fault = sandbox.dispatch({ type: 'fault.add', fault: withEndpoint(sandbox, body) });
    return { status: 201, body: faultView(fault) };
  }),
  route('DELETE', 'faults', {}, ({ sandbox }) =>
    ok({ removed: sandbox.dispatch({ type: 'fault.remove', id: null }) }),
  ),
  route('DELETE', 'faults/:id', {}, ({ sandbox, param }) => {
    const { id } = lookUpWhole(sandbox.world, 'fault', param('id'));
    return ok({ removed: sandbox.dispatch({ type: 'fault.remove', id }) });
  }),
];
