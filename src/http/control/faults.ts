import * as is from '../../core/resources/values.js';
import { isRestart } from '../../contract/fault-kinds.js';
import { Refusal } from '../../contract/refusals.js';
import { requireRow, requireRowByFullId } from '../../core/named-rows.js';
import { FAULT as FAULT_INPUT } from '../../core/webhooks/faults.js';
import type { FaultInput } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { array } from '../../schema/compound.js';
import { defineDelete, defineGet, definePost } from './route.js';
import { FAULT_VIEW, presentFault } from './schema.js';

/** Throws INVALID_REQUEST for a restart fault if no restart command is configured. */
export function checkCanRestart({ restart }: Sandbox, faults: readonly FaultInput[]): void {
  if (restart !== undefined || !faults.some(isRestart)) return;
  throw new Refusal('INVALID_REQUEST', 'This sandbox has no command to restart the application.', {
    details: [
      { field: 'action', message: 'restart requires a command or a function that restarts the application.' },
    ],
    hint: "Start the sandbox with --restart 'COMMAND', or pass a function or a command to createSandbox({ restart }).",
  });
}

function withEndpoint({ world }: Sandbox, fault: FaultInput): FaultInput {
  if (fault.match.on === 'call' || fault.match.endpointId === null) return fault;
  const { id: endpointId } = requireRow(world, 'endpoint', fault.match.endpointId);
  return { ...fault, match: { ...fault.match, endpointId } } as FaultInput;
}

export const FAULT_ROUTES = [
  defineGet('faults', 'List the active faults.', { data: array(FAULT_VIEW) })(({ sandbox }) => ({
    data: Array.from(sandbox.world.faults.values(), presentFault),
  })),
  definePost('faults', 'Add a fault.', FAULT_VIEW, {
    body: FAULT_INPUT,
    status: 201,
    errors: ['NOT_FOUND'],
  })(({ sandbox, body }) => {
    checkCanRestart(sandbox, [body]);
    return presentFault(sandbox.dispatch({ type: 'fault.add', fault: withEndpoint(sandbox, body) }));
  }),
  defineDelete('faults', 'Remove all faults.', { removed: is.COUNT })(({ sandbox }) => ({
    removed: sandbox.dispatch({ type: 'fault.remove', id: null }),
  })),
  defineDelete('faults/:id', 'Remove a fault.', { removed: is.COUNT })(({ sandbox, param }) => {
    const { id } = requireRowByFullId(sandbox.world, 'fault', param('id'));
    return { removed: sandbox.dispatch({ type: 'fault.remove', id }) };
  }),
];
