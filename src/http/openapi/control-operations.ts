import type { RefusalCode } from '../../contract/refusals.js';
import { LIMITS } from '../../contract/limits.js';
import * as is from '../../core/resources/values.js';
import { USING_COMMANDS } from '../../contract/enums.js';
import { record } from '../../schema/compound.js';
import { type Fields, nullable, object, optional } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { always, anything, oneOf } from '../../schema/values.js';
import { APP, ENDPOINT_VIEW } from '../control/apps.js';
import { CALL, LOG_ENTRY } from '../control/calls.js';
import { CLOCK } from '../control/clock.js';
import { RETRIED } from '../control/deliveries.js';
import { DELIVERY_LINE, EVENT, PAUSING, PAYLOAD } from '../control/events.js';
import { FAULT } from '../control/faults.js';
import { SCENARIO_LINE } from '../control/scenarios.js';
import { SNAPSHOT, STATE } from '../control/state.js';
import { ASSUMPTION } from '../control/system.js';
import type { OperationDoc, Tag } from './document.js';
import { streamOf } from './document.js';

type Untagged = Omit<OperationDoc, 'tag'>;
type Further = Pick<OperationDoc, 'refusals' | 'description' | 'takes'>;

/** Describes operations with one successful status: their id, summary, response, and what is particular to them. */
function succeeding(status: 200 | 201 | 202, says: string) {
  return (
    id: string,
    summary: string,
    body: string | Schema<unknown> | Fields,
    further: Further = {},
  ): Untagged => {
    const schema =
      typeof body === 'string' ? body : isSchema(body) ? body.json : object('an object', body).json;
    return { id, summary, responses: { [status]: { says, schema } }, ...further };
  };
}

function isSchema(body: Schema<unknown> | Fields): body is Schema<unknown> {
  return typeof body['read'] === 'function';
}

const ANY_OBJECT: Schema<unknown> = { ...anything, json: { type: 'object' } };
const operation = succeeding(200, 'Done.');
const creation = succeeding(201, 'What was made.');
const request = succeeding(202, 'It is on its way.');

/** A whole list, without pages. */
function dataOf(item: Schema<unknown>): Fields {
  return { data: is.listOf(item) };
}

/** Creates a payment; a code that exists gives its payment back. */
function repeatable(
  id: string,
  summary: string,
  what: string,
  schema: string,
  refusals: readonly RefusalCode[] = [],
): Untagged {
  const responses = {
    200: { says: 'The existing one with this code, as it is now.', schema },
    201: { says: `The new ${what}.`, schema },
  };
  return { id, summary, responses, refusals: ['CODE_REUSED', ...refusals] };
}

/** The transitions of a payment: the last part of the path, and what it does. */
function moves(schema: string, summaries: Readonly<Record<string, string>>): Record<string, Untagged> {
  return Object.fromEntries(
    Object.entries(summaries).map(([move, summary]) => [
      `POST ${schema.toLowerCase()}s/{id}/${move}`,
      operation(`${move}${schema}`, summary, schema, { refusals: ['INVALID_TRANSITION'] }),
    ]),
  );
}

/** A stream of server-sent events, whose messages match a schema. */
function streaming(id: string, summary: string, schema: string, further: Further = {}): Untagged {
  const says = 'Messages as they come, until one side hangs up.';
  const messages = streamOf(schema, 'The data of each event');
  return {
    id,
    summary,
    responses: { 200: { says, schema: messages, mediaType: 'text/event-stream' } },
    ...further,
  };
}

/** An advance of the clock, which streams its steps to clients that accept a stream. */
function journey(id: string, summary: string, schema: string): Untagged {
  const says = 'How far the clock went; a stream tells each step.';
  return {
    id,
    summary,
    responses: { 200: { says, schema, lines: 'JourneyMessage' } },
    refusals: ['CLOCK_BUSY'],
  };
}

const DELIVERIES = is.listOf(DELIVERY_LINE);

/** The operations of the control API by their tag, then by method and path below the prefix. */
export const CONTROL_OPERATIONS: Readonly<Partial<Record<Tag, Readonly<Record<string, Untagged>>>>> = {
  sandbox: {
    'GET openapi.json': operation('getOpenapi', 'This document.', ANY_OBJECT),
    'GET livez': operation('isLive', 'Check that the sandbox is alive.', { live: always(true) }),
    'GET readyz': operation(
      'isReady',
      'Check that its doors are ready, and which instance it is.',
      { ready: always(true), version: optional(is.TEXT), instance_id: optional(is.UUID) },
      {
        description:
          'Where a control token is required, a request without it learns only that they are ready.',
      },
    ),
    'GET status': operation('getStatus', 'Get the status of the sandbox.', 'Status'),
    'GET bootstrap': operation(
      'getBootstrap',
      'Get what a page needs to start, without secrets.',
      'Bootstrap',
      {
        description:
          'One instant as a whole: `stream/timeline` with `after` at `seq` goes on without a gap. A `run` that differs means another process. Tokens are left out, ids of sessions are shortened, and secrets in texts are hidden.',
      },
    ),
    'POST stop': succeeding(202, 'It is stopping.')(
      'stop',
      'Stop the sandbox, as SIGTERM does.',
      { stopping: always(true), instance_id: is.UUID, pid: is.COUNT },
      {
        refusals: ['NOT_STOPPABLE'],
        description:
          'For a sandbox of `start`. The process ends after the response: open attempts finish and the state is saved.',
      },
    ),
    'GET env': operation('getEnv', 'Get the environment block, with its secrets.', record(is.TEXT)),
    'GET assumptions': operation(
      'listAssumptions',
      'List what the contract leaves open.',
      dataOf(ASSUMPTION),
    ),
    'GET check': operation('getCheckReport', 'Get the newest report of `check`.', 'KeptCheck'),
    'PUT check': operation('keepCheckReport', 'Keep a report of `check` for the console.', 'KeptCheck', {
      description: 'It is no part of the state: nothing but the newest is kept, until the sandbox stops.',
    }),
    'POST uses': operation(
      'registerUse',
      'Register a command that uses the sandbox without an API request or a delivery.',
      { used_by: oneOf(USING_COMMANDS) },
      { description: '`exec` warns of a sandbox that nothing used.' },
    ),
    'GET idle': operation('waitForIdle', 'Wait until nothing is in flight and nothing is due.', {
      idle: is.BOOLEAN,
    }),
    'POST reset': operation('reset', 'Reset everything.', { reset: always(true), clock: CLOCK }),
  },
  state: {
    'GET state': operation('exportState', 'Export everything, with its secrets.', 'State'),
    'PUT state': operation(
      'importState',
      'Replace the state with an exported one.',
      { imported: always(true), clock: CLOCK },
      { takes: STATE.json },
    ),
    'GET state/snapshots': operation('listSnapshots', 'List the snapshots, oldest first.', dataOf(SNAPSHOT)),
    'POST state/snapshots': creation('takeSnapshot', 'Take a snapshot of the state.', 'Snapshot'),
    'POST state/compare': operation(
      'compareStates',
      'Compare a snapshot with another, or with the present.',
      'ComparedStates',
      {
        refusals: ['NOT_FOUND'],
        description: 'Nothing changes. Fields have the names and forms in which the API shows them.',
      },
    ),
    'POST state/snapshots/{name}/restore': operation('restoreSnapshot', 'Go back to a snapshot.', {
      restored: is.TEXT,
      clock: CLOCK,
    }),
    'DELETE state/snapshots/{name}': operation('dropSnapshot', 'Delete a snapshot.', { dropped: is.TEXT }),
  },
  scenarios: {
    'GET scenarios': operation('listScenarios', 'List the built-in scenarios.', dataOf(SCENARIO_LINE), {
      refusals: ['NOT_FOUND'],
    }),
    'POST scenarios/run': operation('runScenario', 'Run a scenario, by its name or as JSON.', 'ScenarioRun', {
      refusals: ['NOT_FOUND', 'SCENARIO_BUSY'],
      description:
        'It runs against this sandbox, or with `fresh` in one of its own. One runs at a time; a client that hangs up ends it.',
    }),
    'POST scenarios/record': operation('recordScenario', 'Get a scenario of what happened.', ANY_OBJECT, {
      refusals: ['NOT_FOUND', 'SCENARIO_BUSY'],
      description: 'What `run --record` writes: it repeats what happened, and expects the same.',
    }),
  },
  clock: {
    'GET agenda': operation('getAgenda', 'List what is due, in order.', 'Agenda'),
    'GET clock': operation('getClock', 'Get the clock.', 'Clock'),
    'POST clock/advance': journey(
      'advanceClock',
      'Advance the clock, doing everything that falls due.',
      'Advanced',
    ),
    'POST clock/next': journey('nextDue', 'Go to the next thing that falls due, and do it.', 'Next'),
    'POST clock/freeze': operation('freezeClock', 'Freeze the clock.', 'Clock', { refusals: ['CLOCK_BUSY'] }),
    'POST clock/speed': operation('setSpeed', 'Set the speed of the clock.', 'Clock', {
      refusals: ['CLOCK_BUSY'],
    }),
    'POST clock/reset': operation('resetClock', 'Return to real time.', 'Clock', {
      refusals: ['CLOCK_BUSY'],
    }),
  },
  endpoints: {
    'GET endpoints': operation('listEndpoints', 'List endpoints and listeners.', dataOf(ENDPOINT_VIEW)),
    'POST endpoints': creation('createEndpoint', 'Register an endpoint.', 'EndpointWithSecret', {
      refusals: [
        'INSUFFICIENT_SCOPE',
        'ENDPOINT_ALREADY_EXISTS',
        'ENDPOINT_LIMIT_REACHED',
        'ENDPOINT_URL_NOT_ALLOWED',
      ],
    }),
    'DELETE endpoints/{id}': operation('deleteEndpoint', 'Delete an endpoint.', { deleted: is.UUID }),
    'POST endpoints/{id}/rotate-secret': operation(
      'rotateEndpointSecret',
      'Give an endpoint a new secret.',
      'EndpointWithSecret',
      { description: 'For 24 hours the secret before it signs, too.' },
    ),
    'POST endpoints/{id}/disable': operation('disableEndpoint', 'Disable an endpoint.', 'Endpoint'),
    'POST endpoints/{id}/enable': operation('enableEndpoint', 'Enable an endpoint.', 'Endpoint', {
      refusals: ['ENDPOINT_ALREADY_EXISTS'],
    }),
  },
  applications: {
    'GET apps': operation('listApps', 'List the applications.', dataOf(APP)),
    'POST apps': creation('createApp', 'Create an application.', 'AppWithSecrets'),
    'POST apps/{id}/accounts': creation('createAccount', 'Open a further account.', 'Account'),
    'POST apps/{id}/origins': creation('addOrigin', 'Register an origin for the identity pages.', {
      organization_id: is.UUID,
      origins: is.listOf(is.TEXT),
    }),
  },
  identity: {
    'GET kyc/sessions': operation('listSessions', 'List the sessions.', 'SessionPage'),
    'POST kyc/sessions': creation('createSession', 'Create a session.', 'Session', {
      refusals: ['SERVICE_UNAVAILABLE'],
    }),
    'GET kyc/sessions/{id}': operation(
      'getSession',
      'Get a session by its id or the beginning of it.',
      'Session',
    ),
    'GET kyc/sessions/{id}/result': operation(
      'getSessionResult',
      'Get what the partner’s server would read now.',
      'SessionResult',
      { refusals: ['NOT_TERMINAL', 'SESSION_EXPIRED'] },
    ),
    'POST kyc/sessions/{id}/decide': operation('decideSession', 'Decide a session.', 'Session', {
      refusals: ['INVALID_TRANSITION'],
    }),
  },
  faults: {
    'GET faults': operation('listFaults', 'List the faults in force.', dataOf(FAULT)),
    'POST faults': creation('addFault', 'Add a fault.', 'Fault', { refusals: ['NOT_FOUND'] }),
    'DELETE faults': operation('removeFaults', 'Remove all faults.', { removed: is.COUNT }),
    'DELETE faults/{id}': operation('removeFault', 'Remove a fault.', { removed: is.COUNT }),
  },
  charges: {
    'GET charges': operation('listCharges', 'List the charges of all applications, or of one.', 'ChargePage'),
    'POST charges': repeatable(
      'createCharge',
      'Create a charge; what is left out is chosen.',
      'charge',
      'ChargeDetail',
    ),
    'GET charges/{id}': operation('getCharge', 'Get a charge by its id or code.', 'ChargeDetail'),
    ...moves('Charge', {
      settle: 'Pay a charge.',
      fail: 'Have a payment fail.',
      expire: 'Have a charge expire now.',
    }),
  },
  transactions: {
    'GET ledger': operation(
      'getLedger',
      'List the transactions of an account or of all, each with the balance after it.',
      'Ledger',
      {
        refusals: ['NOT_FOUND'],
        description:
          'Each transaction names the charge or withdrawal that it belongs to. `problems` is about the whole ledger, whatever the page: sums, missing or surplus transactions, and balances below zero.',
      },
    ),
  },
  withdrawals: {
    'GET withdrawals': operation(
      'listWithdrawals',
      'List the withdrawals of all applications, or of one.',
      'WithdrawalPage',
    ),
    'POST withdrawals': repeatable(
      'createWithdrawal',
      'Create a withdrawal; what is left out is chosen.',
      'withdrawal',
      'Withdrawal',
      ['INSUFFICIENT_BALANCE'],
    ),
    'GET withdrawals/{id}': operation('getWithdrawal', 'Get a withdrawal by its id or code.', 'Withdrawal'),
    ...moves('Withdrawal', {
      process: 'Have the bank start processing a withdrawal.',
      settle: 'Have the banking network settle a withdrawal.',
      fail: 'Have a withdrawal rejected before it settles.',
      return: 'Have the destination bank return a settled withdrawal.',
    }),
  },
  events: {
    'POST trigger': operation(
      'trigger',
      'Make an event happen by the real transition of a charge or withdrawal.',
      { reached: is.BOOLEAN, events: is.listOf(EVENT), deliveries: DELIVERIES },
      { refusals: ['CODE_REUSED', 'INVALID_TRANSITION'] },
    ),
    'GET events': operation('listEvents', 'List the events.', 'EventPage'),
    'GET events/{id}': operation('getEvent', 'Get an event with its body.', 'EventDetail'),
    'GET events/{id}/body': operation(
      'getEventBody',
      'Get the body of an event, byte for byte as it is signed.',
      PAYLOAD,
      { description: 'Every attempt of the event carries these bytes; a signature holds for them alone.' },
    ),
    'POST events/{id}/resend': request(
      'resendEvent',
      'Send an event again.',
      { deliveries: DELIVERIES },
      { refusals: ['INVALID_TRANSITION'] },
    ),
  },
  deliveries: {
    'GET deliveries': operation('listDeliveries', 'List the deliveries.', 'DeliveryPage'),
    'GET deliveries/wait': operation('waitForDeliveries', 'Wait until enough deliveries match.', {
      satisfied: is.BOOLEAN,
      deliveries: DELIVERIES,
    }),
    'GET deliveries/{id}': operation('getDelivery', 'Get a delivery with its attempts.', 'DeliveryDetail'),
    'POST deliveries/{id}/retry': request(
      'retryDelivery',
      'Put a failed delivery back in the queue.',
      'Delivery',
      { refusals: ['DELIVERY_NOT_FAILED', 'ENDPOINT_UNAVAILABLE'] },
    ),
    'POST deliveries/retry': request(
      'retryDeliveries',
      'Put every failed delivery back in the queue, or those of an event type or endpoint.',
      RETRIED,
      {
        refusals: ['NOT_FOUND'],
        description:
          'An event type may be a pattern such as `pix.*`, and an endpoint the name of a listener. What cannot be retried is counted by the reason, and changes nothing.',
      },
    ),
    'POST deliveries/pause': operation('pauseDeliveries', 'Hold every attempt back from now on.', PAUSING, {
      description:
        'Attempts under way end. What falls due waits; meanwhile it is neither in flight nor due, so the clock passes it.',
    }),
    'POST deliveries/resume': operation(
      'resumeDeliveries',
      'Start what was held back, in the order in which it fell due.',
      PAUSING,
    ),
    'POST deliveries/until': operation(
      'awaitDeliveries',
      'Wait until these deliveries were attempted or have ended.',
      { reached: is.BOOLEAN, deliveries: DELIVERIES },
      { refusals: ['NOT_FOUND'] },
    ),
  },
  listeners: {
    'POST listeners': streaming(
      'connectListener',
      'Connect as a listener and get attempts; this is how `listen` works.',
      'ListenerMessage',
      { refusals: ['ENDPOINT_ALREADY_EXISTS'] },
    ),
    'POST listeners/{id}/leave': operation(
      'leaveListener',
      'Hold everything for a listener that leaves.',
      { held: is.COUNT },
      {
        description:
          'It gets nothing new. What it has in flight may still be reported; the rest is held until it connects again under its name.',
      },
    ),
    'POST listeners/{id}/results': operation(
      'reportResult',
      'Report how an attempt ended.',
      { delivery: nullable(DELIVERY_LINE) },
      { refusals: ['INVALID_TRANSITION'] },
    ),
    'GET receiver': operation('getReceiver', 'Get the test receiver and what came.', 'Receiver', {
      description: `It shows the newest ${LIMITS.receiverKept} attempts, also those from before it was turned off.`,
    }),
    'POST receiver': operation(
      'turnOnReceiver',
      'Turn on the test receiver, or change its answer.',
      'Receiver',
      {
        refusals: ['ENDPOINT_ALREADY_EXISTS'],
        description:
          'A listener in the sandbox itself, named `test-receiver`, for every event of the default application. It verifies each attempt and answers as it is told, 200 by default: with a status, with nothing (`timeout`, which ends at once), with 500 to the next `fail` attempts and 200 afterwards, or with 500 to every scheduled attempt of the next `refuse` deliveries, so that they become dead letters, and 200 to the others and to a retry by hand. A wrong signature changes only the verdict.',
      },
    ),
    'DELETE receiver': operation(
      'turnOffReceiver',
      'Turn off the test receiver.',
      { held: is.COUNT },
      { description: 'What is pending is held until it is turned on again.' },
    ),
  },
  calls: {
    'GET calls': operation('listCalls', 'List what the integrator’s code sent, newest first.', dataOf(CALL)),
    'GET calls/{id}': operation('getCall', 'Get a call with what came of it.', 'CallDetail'),
    'POST calls/{id}/replay': operation('replayCall', 'Send a call again through its door.', 'ReplayedCall', {
      refusals: ['INVALID_TRANSITION', 'FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE'],
      description:
        'It has a fresh timestamp, nonce and signature, and the credentials of its application or of `app`. `body` replaces its body; `new_code` its code or, at the identity API, its Idempotency-Key.',
    }),
    'DELETE calls': operation('clearCalls', 'Empty the call log.', { deleted: is.COUNT }),
    'GET logs': operation('listLogs', 'List calls and attempts together, oldest first.', dataOf(LOG_ENTRY)),
    'GET timeline': operation(
      'getTimeline',
      'List what happened, oldest first, and what led to it.',
      'Timeline',
    ),
    'GET stream/timeline': streaming(
      'streamTimeline',
      'Entries of the timeline as they come; it goes on after the number in `after` or Last-Event-ID.',
      'TimelineMessage',
    ),
    'GET trace/{id}': operation('getTrace', 'Tell a story: what led to it and what followed.', 'Trace'),
    'GET stream': streaming('streamAll', 'Everything, as it happens.', 'StreamMessage'),
    'GET stream/calls': streaming('streamCalls', 'New calls; it goes on after Last-Event-ID.', 'CallMessage'),
    'GET stream/logs': streaming(
      'streamLogs',
      'New calls and attempts; it goes on after Last-Event-ID.',
      'LogMessage',
    ),
  },
};
