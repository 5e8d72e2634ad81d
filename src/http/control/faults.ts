import * as is from '../../core/resources/values.js';
import { isRestart } from '../../contract/fault-kinds.js';
import { INCIDENTS } from '../../contract/incidents.js';
import { Refusal } from '../../contract/refusals.js';
import { requireRow, requireRowByFullId } from '../../core/named-rows.js';
import { FAULT as FAULT_INPUT } from '../../core/webhooks/faults.js';
import { INCIDENT, listRunningIncidents } from '../../core/webhooks/incidents.js';
import type { FaultInput } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { array } from '../../schema/compound.js';
import { defineDelete, defineGet, definePost } from './route.js';
import { FAULT_VIEW, INCIDENT_VIEW, type IncidentView, presentFault, presentIncident } from './schema.js';

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

const STOPPED = { stopped: is.arrayOf(is.TEXT) };

function stop(sandbox: Sandbox, name: string | null) {
  return { stopped: sandbox.dispatch({ type: 'incident.stop', name }).map((incident) => incident.name) };
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

function findIncident({ world }: Sandbox, name: string): IncidentView {
  return presentIncident(
    name,
    listRunningIncidents(world).find((one) => one.name === name),
  );
}

export const INCIDENT_ROUTES = [
  defineGet('incidents', 'List the built-in and running incidents.', { data: array(INCIDENT_VIEW) })(
    ({ sandbox }) => {
      const running = listRunningIncidents(sandbox.world).map(({ name }) => name);
      const names = new Set([...Object.keys(INCIDENTS), ...running]);
      return { data: Array.from(names, (name) => findIncident(sandbox, name)) };
    },
  ),
  definePost('incidents', 'Start an incident: built in, or with its own faults.', INCIDENT_VIEW, {
    body: INCIDENT,
    status: 201,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
  })(({ sandbox, body }) => {
    checkCanRestart(sandbox, body.faults);
    const faults = body.faults.map((fault) => withEndpoint(sandbox, fault));
    sandbox.dispatch({ type: 'incident.start', ...body, faults });
    return findIncident(sandbox, body.name);
  }),
  defineDelete('incidents', 'Stop all incidents.', STOPPED)(({ sandbox }) => stop(sandbox, null)),
  defineDelete(
    'incidents/:name',
    'Stop an incident.',
    STOPPED,
  )(({ sandbox, param }) => stop(sandbox, param('name'))),
];
