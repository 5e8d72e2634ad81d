import { RESET_SCOPES } from '../../../contract/reset-scopes.js';
import { record } from '../../../schema/compound.js';
import { optional } from '../../../schema/fields.js';
import { always, oneOf } from '../../../schema/values.js';
import { CLOCK } from '../../control/clock/schema.js';
import { FAULT } from '../../control/fault-schema.js';
import { APP, ENDPOINT_VIEW } from '../../control/schema.js';
import { ASSUMPTION, SNAPSHOT, STATE } from '../../control/state-schema.js';
import type { OperationDocs } from '../operation.js';
import * as is from '../../../core/resources/values.js';
import { dataOf, inline, operation, tagged } from './build.js';

const BUSY = { refusals: ['CLOCK_BUSY'] } as const;
const JOURNEY = { mediaType: 'application/x-ndjson', schema: 'JourneyMessage' } as const;

/** An advance of the clock, which streams its steps to clients that accept a stream. */
function journey(id: string, summary: string, schema: string) {
  return {
    id,
    summary,
    answers: { 200: { says: 'How far the clock went; a stream tells each step.', schema, stream: JOURNEY } },
    ...BUSY,
  };
}

/** The operations on status, setup and the clock. */
export const SYSTEM_OPERATIONS: OperationDocs = {
  ...tagged('sandbox', {
    'GET openapi.json': operation('getOpenapi', 'This document.', [200, { type: 'object' }]),
    'GET livez': operation('isLive', 'Check that the sandbox is alive.', [
      200,
      inline({ live: always(true) }),
    ]),
    'GET readyz': operation(
      'isReady',
      'Check that its doors are ready, and which instance it is.',
      [200, inline({ ready: always(true), version: optional(is.TEXT), instance_id: optional(is.UUID) })],
      {
        description:
          'Where a control token is required, a request without it learns only that they are ready.',
      },
    ),
    'GET status': operation('getStatus', 'Get the status of the sandbox.', [200, 'Status']),
    'GET env': operation('getEnv', 'Get the environment block, with its secrets.', [
      200,
      record(is.TEXT).json,
    ]),
    'GET assumptions': operation('listAssumptions', 'List what the contract leaves open.', [
      200,
      dataOf(ASSUMPTION),
    ]),
    'GET idle': operation('waitForIdle', 'Wait until nothing is in flight and nothing is due.', [
      200,
      inline({ idle: is.BOOLEAN }),
    ]),
    'POST reset': operation('reset', 'Reset everything, or parts of it.', [
      200,
      inline({
        reset: always(true),
        scope: optional(is.listOf(oneOf(RESET_SCOPES))),
        clock: CLOCK,
      }),
    ]),
  }),
  ...tagged('state', {
    'GET state': operation('exportState', 'Export everything, with its secrets.', [200, 'State']),
    'PUT state': operation(
      'importState',
      'Replace the state with an exported one.',
      [200, inline({ imported: always(true), clock: CLOCK })],
      { takes: STATE.json },
    ),
    'GET state/snapshots': operation('listSnapshots', 'List the snapshots, oldest first.', [
      200,
      dataOf(SNAPSHOT),
    ]),
    'POST state/snapshots': operation('takeSnapshot', 'Take a snapshot of the state.', [201, 'Snapshot']),
    'POST state/snapshots/{name}/restore': operation('restoreSnapshot', 'Go back to a snapshot.', [
      200,
      inline({ restored: is.TEXT, clock: CLOCK }),
    ]),
    'DELETE state/snapshots/{name}': operation('dropSnapshot', 'Delete a snapshot.', [
      200,
      inline({ dropped: is.TEXT }),
    ]),
  }),
  ...tagged('clock', {
    'GET agenda': operation('getAgenda', 'List what is due, in order.', [200, 'Agenda']),
    'GET clock': operation('getClock', 'Get the clock.', [200, 'Clock']),
    'POST clock/advance': journey(
      'advanceClock',
      'Advance the clock, doing everything that falls due.',
      'Advanced',
    ),
    'POST clock/next': journey('nextDue', 'Go to the next thing that falls due, and do it.', 'Next'),
    'POST clock/freeze': operation('freezeClock', 'Freeze the clock.', [200, 'Clock'], BUSY),
    'POST clock/speed': operation('setSpeed', 'Set the speed of the clock.', [200, 'Clock'], BUSY),
    'POST clock/reset': operation('resetClock', 'Return to real time.', [200, 'Clock'], BUSY),
  }),
  ...tagged('endpoints', {
    'GET endpoints': operation('listEndpoints', 'List endpoints and listeners.', [
      200,
      dataOf(ENDPOINT_VIEW),
    ]),
    'POST endpoints': operation('createEndpoint', 'Register an endpoint.', [201, 'EndpointWithSecret'], {
      refusals: [
        'INSUFFICIENT_SCOPE',
        'NOT_FOUND',
        'ENDPOINT_ALREADY_EXISTS',
        'ENDPOINT_LIMIT_REACHED',
        'ENDPOINT_URL_NOT_ALLOWED',
      ],
    }),
    'DELETE endpoints/{id}': operation('deleteEndpoint', 'Delete an endpoint.', [
      200,
      inline({ deleted: is.UUID }),
    ]),
    'POST endpoints/{id}/disable': operation('disableEndpoint', 'Disable an endpoint.', [200, 'Endpoint']),
    'POST endpoints/{id}/enable': operation('enableEndpoint', 'Enable an endpoint.', [200, 'Endpoint'], {
      refusals: ['ENDPOINT_ALREADY_EXISTS'],
    }),
  }),
  ...tagged('applications', {
    'GET apps': operation('listApps', 'List the applications.', [200, dataOf(APP)]),
    'POST apps': operation('createApp', 'Create an application.', [201, 'AppWithSecrets']),
    'POST apps/{id}/origins': operation('addOrigin', 'Register an origin for the identity pages.', [
      201,
      inline({ organization_id: is.UUID, origins: is.listOf(is.TEXT) }),
    ]),
  }),
  ...tagged('identity', {
    'GET kyc/sessions': operation('listSessions', 'List the sessions.', [200, 'SessionPage']),
    'POST kyc/sessions': operation('createSession', 'Create a session.', [201, 'Session'], {
      refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    }),
    'GET kyc/sessions/{id}': operation('getSession', 'Get a session by its id or the beginning of it.', [
      200,
      'Session',
    ]),
    'GET kyc/sessions/{id}/result': operation(
      'getSessionResult',
      'Get what the partner’s server would read now.',
      [200, 'SessionResult'],
      { refusals: ['NOT_TERMINAL', 'SESSION_EXPIRED'] },
    ),
    'POST kyc/sessions/{id}/decide': operation('decideSession', 'Decide a session.', [200, 'Session'], {
      refusals: ['INVALID_TRANSITION'],
    }),
  }),
  ...tagged('faults', {
    'GET faults': operation('listFaults', 'List the faults in force.', [200, dataOf(FAULT)]),
    'POST faults': operation('addFault', 'Add a fault.', [201, 'Fault'], {
      refusals: ['NOT_FOUND'],
    }),
    'DELETE faults': operation('removeFaults', 'Remove all faults.', [200, inline({ removed: is.COUNT })]),
    'DELETE faults/{id}': operation('removeFault', 'Remove a fault.', [200, inline({ removed: is.COUNT })]),
  }),
};
