import { record } from '../../../schema/compound.js';
import { optional } from '../../../schema/fields.js';
import { always, oneOf } from '../../../schema/values.js';
import { CLOCK } from '../../control/clock.js';
import { FAULT } from '../../control/faults.js';
import { APP, ENDPOINT_VIEW } from '../../control/apps.js';
import { ASSUMPTION, SNAPSHOT, STATE } from '../../control/state-schema.js';
import { USING_COMMANDS } from '../../../sandbox/using-commands.js';
import { SCENARIO_LINE } from '../../control/scenarios.js';
import type { OperationDocs } from '../operation.js';
import * as is from '../../../core/resources/values.js';
import type { Untagged } from './build.js';
import { creation, dataOf, inline, operation, tagged } from './build.js';

const JOURNEY = { mediaType: 'application/x-ndjson', schema: 'JourneyMessage' } as const;

/** An advance of the clock, which streams its steps to clients that accept a stream. */
function journey(id: string, summary: string, schema: string): Untagged {
  return {
    id,
    summary,
    answers: { 200: { says: 'How far the clock went; a stream tells each step.', schema, stream: JOURNEY } },
    refusals: ['CLOCK_BUSY'],
  };
}

/** The operations on status, setup and the clock. */
export const SYSTEM_OPERATIONS: OperationDocs = {
  ...tagged('sandbox', {
    'GET openapi.json': operation('getOpenapi', 'This document.', { type: 'object' }),
    'GET livez': operation('isLive', 'Check that the sandbox is alive.', inline({ live: always(true) })),
    'GET readyz': {
      ...operation(
        'isReady',
        'Check that its doors are ready, and which instance it is.',
        inline({ ready: always(true), version: optional(is.TEXT), instance_id: optional(is.UUID) }),
      ),
      description: 'Where a control token is required, a request without it learns only that they are ready.',
    },
    'GET status': operation('getStatus', 'Get the status of the sandbox.', 'Status'),
    'GET bootstrap': {
      ...operation('getBootstrap', 'Get what a page needs to start, without secrets.', 'Bootstrap'),
      description:
        'One instant as a whole: `stream/timeline` with `after` at `seq` goes on without a gap. A `run` that differs means another process. Tokens are left out, ids of sessions are shortened, and secrets in texts are hidden.',
    },
    'POST stop': {
      id: 'stop',
      summary: 'Stop the sandbox, as SIGTERM does.',
      description:
        'For a sandbox of `start`. The process ends after the response: open attempts finish and the state is saved.',
      answers: {
        202: {
          says: 'It is stopping.',
          schema: inline({ stopping: always(true), instance_id: is.UUID, pid: is.COUNT }),
        },
      },
      refusals: ['NOT_STOPPABLE'],
    },
    'GET env': operation('getEnv', 'Get the environment block, with its secrets.', record(is.TEXT).json),
    'GET assumptions': operation(
      'listAssumptions',
      'List what the contract leaves open.',
      dataOf(ASSUMPTION),
    ),
    'GET check': operation('getCheckReport', 'Get the newest report of `check`.', 'KeptCheck'),
    'PUT check': {
      ...operation('keepCheckReport', 'Keep a report of `check` for the console.', 'KeptCheck'),
      description: 'It is no part of the state: nothing but the newest is kept, until the sandbox stops.',
    },
    'POST uses': {
      ...operation(
        'registerUse',
        'Register a command that uses the sandbox without an API request or a delivery.',
        inline({ used_by: oneOf(USING_COMMANDS) }),
      ),
      description: '`exec` warns of a sandbox that nothing used.',
    },
    'GET idle': operation(
      'waitForIdle',
      'Wait until nothing is in flight and nothing is due.',
      inline({ idle: is.BOOLEAN }),
    ),
    'POST reset': operation(
      'reset',
      'Reset everything.',
      inline({
        reset: always(true),
        clock: CLOCK,
      }),
    ),
  }),
  ...tagged('state', {
    'GET state': operation('exportState', 'Export everything, with its secrets.', 'State'),
    'PUT state': {
      ...operation(
        'importState',
        'Replace the state with an exported one.',
        inline({ imported: always(true), clock: CLOCK }),
      ),
      takes: STATE.json,
    },
    'GET state/snapshots': operation('listSnapshots', 'List the snapshots, oldest first.', dataOf(SNAPSHOT)),
    'POST state/snapshots': creation('takeSnapshot', 'Take a snapshot of the state.', 'Snapshot'),
    'POST state/compare': {
      ...operation(
        'compareStates',
        'Compare a snapshot with another, or with the present.',
        'ComparedStates',
        ['NOT_FOUND'],
      ),
      description: 'Nothing changes. Fields have the names and forms in which the API shows them.',
    },
    'POST state/snapshots/{name}/restore': operation(
      'restoreSnapshot',
      'Go back to a snapshot.',
      inline({ restored: is.TEXT, clock: CLOCK }),
    ),
    'DELETE state/snapshots/{name}': operation(
      'dropSnapshot',
      'Delete a snapshot.',
      inline({ dropped: is.TEXT }),
    ),
  }),
  ...tagged('scenarios', {
    'GET scenarios': operation('listScenarios', 'List the built-in scenarios.', dataOf(SCENARIO_LINE), [
      'NOT_FOUND',
    ]),
    'POST scenarios/run': {
      ...operation('runScenario', 'Run a scenario, by its name or as JSON.', 'ScenarioRun', [
        'NOT_FOUND',
        'SCENARIO_BUSY',
      ]),
      description:
        'It runs against this sandbox, or with `fresh` in one of its own. One runs at a time; a client that hangs up ends it.',
    },
    'POST scenarios/record': {
      ...operation('recordScenario', 'Get a scenario of what happened.', { type: 'object' }, [
        'NOT_FOUND',
        'SCENARIO_BUSY',
      ]),
      description: 'What `run --record` writes: it repeats what happened, and expects the same.',
    },
  }),
  ...tagged('clock', {
    'GET agenda': operation('getAgenda', 'List what is due, in order.', 'Agenda'),
    'GET clock': operation('getClock', 'Get the clock.', 'Clock'),
    'POST clock/advance': journey(
      'advanceClock',
      'Advance the clock, doing everything that falls due.',
      'Advanced',
    ),
    'POST clock/next': journey('nextDue', 'Go to the next thing that falls due, and do it.', 'Next'),
    'POST clock/freeze': operation('freezeClock', 'Freeze the clock.', 'Clock', ['CLOCK_BUSY']),
    'POST clock/speed': operation('setSpeed', 'Set the speed of the clock.', 'Clock', ['CLOCK_BUSY']),
    'POST clock/reset': operation('resetClock', 'Return to real time.', 'Clock', ['CLOCK_BUSY']),
  }),
  ...tagged('endpoints', {
    'GET endpoints': operation('listEndpoints', 'List endpoints and listeners.', dataOf(ENDPOINT_VIEW), [
      'NOT_FOUND',
    ]),
    'POST endpoints': creation('createEndpoint', 'Register an endpoint.', 'EndpointWithSecret', [
      'INSUFFICIENT_SCOPE',
      'NOT_FOUND',
      'ENDPOINT_ALREADY_EXISTS',
      'ENDPOINT_LIMIT_REACHED',
      'ENDPOINT_URL_NOT_ALLOWED',
    ]),
    'DELETE endpoints/{id}': operation('deleteEndpoint', 'Delete an endpoint.', inline({ deleted: is.UUID })),
    'POST endpoints/{id}/rotate-secret': {
      ...operation('rotateEndpointSecret', 'Give an endpoint a new secret.', 'EndpointWithSecret'),
      description: 'For 24 hours the secret before it signs, too.',
    },
    'POST endpoints/{id}/disable': operation('disableEndpoint', 'Disable an endpoint.', 'Endpoint'),
    'POST endpoints/{id}/enable': operation('enableEndpoint', 'Enable an endpoint.', 'Endpoint', [
      'ENDPOINT_ALREADY_EXISTS',
    ]),
  }),
  ...tagged('applications', {
    'GET apps': operation('listApps', 'List the applications.', dataOf(APP)),
    'POST apps': creation('createApp', 'Create an application.', 'AppWithSecrets'),
    'POST apps/{id}/accounts': creation('createAccount', 'Open a further account.', 'Account'),
    'POST apps/{id}/origins': creation(
      'addOrigin',
      'Register an origin for the identity pages.',
      inline({ organization_id: is.UUID, origins: is.listOf(is.TEXT) }),
    ),
  }),
  ...tagged('identity', {
    'GET kyc/sessions': operation('listSessions', 'List the sessions.', 'SessionPage', ['NOT_FOUND']),
    'POST kyc/sessions': creation('createSession', 'Create a session.', 'Session', [
      'NOT_FOUND',
      'SERVICE_UNAVAILABLE',
    ]),
    'GET kyc/sessions/{id}': operation(
      'getSession',
      'Get a session by its id or the beginning of it.',
      'Session',
    ),
    'GET kyc/sessions/{id}/result': operation(
      'getSessionResult',
      'Get what the partner’s server would read now.',
      'SessionResult',
      ['NOT_TERMINAL', 'SESSION_EXPIRED'],
    ),
    'POST kyc/sessions/{id}/decide': operation('decideSession', 'Decide a session.', 'Session', [
      'INVALID_TRANSITION',
    ]),
  }),
  ...tagged('faults', {
    'GET faults': operation('listFaults', 'List the faults in force.', dataOf(FAULT)),
    'POST faults': creation('addFault', 'Add a fault.', 'Fault', ['NOT_FOUND']),
    'DELETE faults': operation('removeFaults', 'Remove all faults.', inline({ removed: is.COUNT })),
    'DELETE faults/{id}': operation('removeFault', 'Remove a fault.', inline({ removed: is.COUNT })),
  }),
};
