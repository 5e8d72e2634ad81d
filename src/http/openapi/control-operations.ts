import type { RefusalCode } from '../../contract/refusals.js';
import { LIMITS } from '../../contract/limits.js';
import * as is from '../../core/resources/values.js';
import { USING_COMMANDS } from '../../contract/enums.js';
import { list, record } from '../../schema/compound.js';
import { type Fields, nullable, object, optional, type ValuesOf } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { always, anything, oneOf } from '../../schema/values.js';
import { ACCOUNT, APP, APP_WITH_SECRETS, ENDPOINT_VIEW, ENDPOINT_WITH_SECRET } from '../control/apps.js';
import { CALL, CALL_DETAIL, LOG_ENTRY, REPLAYED_CALL } from '../control/calls.js';
import { ADVANCED, AGENDA, CLOCK, NEXT } from '../control/clock.js';
import { RETRIED } from '../control/deliveries.js';
import { DELIVERY_DETAIL, DELIVERY_LINE, EVENT, EVENT_DETAIL, PAUSING, PAYLOAD } from '../control/events.js';
import { FAULT } from '../control/faults.js';
import { SESSION, SESSION_RESULT } from '../control/identity.js';
import { RECEIVER } from '../control/listeners.js';
import { CHARGE_DETAIL, CHARGE_VIEW, LEDGER, WITHDRAWAL_VIEW } from '../control/payments.js';
import { SCENARIO_LINE, SCENARIO_RUN } from '../control/scenarios.js';
import { COMPARED, SNAPSHOT, STATE } from '../control/state.js';
import { ASSUMPTION, BOOTSTRAP, KEPT_CHECK, STATUS } from '../control/system.js';
import { TIMELINE, TRACE } from '../control/timeline.js';
import type { OperationDoc, Tag } from './document.js';
import { streamOf } from './document.js';

type Untagged = Omit<OperationDoc, 'tag'>;
type Further = Pick<OperationDoc, 'refusals' | 'description' | 'takes'>;

/** A described operation; only its type holds the type of its response. */
export interface Responding<Body> extends Untagged {
  readonly body?: () => Body;
}
type BodyOf<Shape> = Shape extends Schema<infer Body> ? Body : Shape extends Fields ? ValuesOf<Shape> : never;

/** Describes operations with one successful status: their id, summary, response, and what is particular to them. */
function succeeding(status: 200 | 201 | 202, says: string) {
  return <const Body>(
    id: string,
    summary: string,
    body: Body,
    further: Further = {},
  ): Responding<BodyOf<Body>> => {
    const { json } = isSchema(body) ? body : object('an object', body as Fields);
    return { id, summary, responses: { [status]: { says, schema: json } }, ...further };
  };
}

function isSchema(body: unknown): body is Schema<unknown> {
  return typeof (body as Schema<unknown>).read === 'function';
}

const ANY_OBJECT: Schema<unknown> = { ...anything, json: { type: 'object' } };
const operation = succeeding(200, 'Done.');
const creation = succeeding(201, 'What was made.');
const request = succeeding(202, 'It is on its way.');

/** A whole list, without pages. */
function dataOf<Row>(item: Schema<Row>) {
  return { data: list(item) };
}

/** Creates a payment; a code that exists gives its payment back. */
function repeatable<Body>(
  id: string,
  summary: string,
  what: string,
  { json: schema }: Schema<Body>,
  refusals: readonly RefusalCode[] = [],
): Responding<Body> {
  const responses = {
    200: { says: 'The existing one with this code, as it is now.', schema },
    201: { says: `The new ${what}.`, schema },
  };
  return { id, summary, responses, refusals: ['CODE_REUSED', ...refusals] };
}

/** The transitions of a payment: the last part of the path, and what it does. */
function moves<Name extends string, Body, Move extends string>(
  name: Name,
  body: Schema<Body>,
  summaries: Readonly<Record<Move, string>>,
) {
  type Path = `POST ${Lowercase<Name>}s/:id/${Move}`;
  return Object.fromEntries(
    Object.entries<string>(summaries).map(([move, summary]) => [
      `POST ${name.toLowerCase()}s/:id/${move}`,
      operation(`${move}${name}`, summary, body, { refusals: ['INVALID_TRANSITION'] }),
    ]),
  ) as Record<Path, Responding<Body>>;
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
function journey<Body>(id: string, summary: string, { json: schema }: Schema<Body>): Responding<Body> {
  const says = 'How far the clock went; a stream tells each step.';
  return {
    id,
    summary,
    responses: { 200: { says, schema, lines: 'JourneyMessage' } },
    refusals: ['CLOCK_BUSY'],
  };
}

const DELIVERIES = list(DELIVERY_LINE);

/** The operations of the control API by their tag, then by method and path below the prefix. */
export const CONTROL_OPERATIONS = {
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
    'GET status': operation('getStatus', 'Get the status of the sandbox.', STATUS),
    'GET bootstrap': operation(
      'getBootstrap',
      'Get what a page needs to start, without secrets.',
      BOOTSTRAP,
      {
        description:
          'One instant as a whole: `stream/timeline` with `after` at `seq` goes on without a gap. ' +
          'A `run` that differs means another process. Tokens are left out, ids of sessions are ' +
          'shortened, and secrets in texts are hidden.',
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
    'GET check': operation('getCheckReport', 'Get the newest report of `check`.', KEPT_CHECK),
    'PUT check': operation('keepCheckReport', 'Keep a report of `check` for the console.', KEPT_CHECK, {
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
    'GET state': operation('exportState', 'Export everything, with its secrets.', STATE),
    'PUT state': operation(
      'importState',
      'Replace the state with an exported one.',
      { imported: always(true), clock: CLOCK },
      { takes: STATE.json },
    ),
    'GET state/snapshots': operation('listSnapshots', 'List the snapshots, oldest first.', dataOf(SNAPSHOT)),
    'POST state/snapshots': creation('takeSnapshot', 'Take a snapshot of the state.', SNAPSHOT),
    'POST state/compare': operation(
      'compareStates',
      'Compare a snapshot with another, or with the present.',
      COMPARED,
      {
        refusals: ['NOT_FOUND'],
        description: 'Nothing changes. Fields have the names and forms in which the API shows them.',
      },
    ),
    'POST state/snapshots/:name/restore': operation('restoreSnapshot', 'Go back to a snapshot.', {
      restored: is.TEXT,
      clock: CLOCK,
    }),
    'DELETE state/snapshots/:name': operation('dropSnapshot', 'Delete a snapshot.', { dropped: is.TEXT }),
  },
  scenarios: {
    'GET scenarios': operation('listScenarios', 'List the built-in scenarios.', dataOf(SCENARIO_LINE), {
      refusals: ['NOT_FOUND'],
    }),
    'POST scenarios/run': operation('runScenario', 'Run a scenario, by its name or as JSON.', SCENARIO_RUN, {
      refusals: ['NOT_FOUND', 'SCENARIO_BUSY'],
      description:
        'It runs against this sandbox, or with `fresh` in one of its own. One runs at a time; a ' +
        'client that hangs up ends it.',
    }),
    'POST scenarios/record': operation('recordScenario', 'Get a scenario of what happened.', ANY_OBJECT, {
      refusals: ['NOT_FOUND', 'SCENARIO_BUSY'],
      description: 'What `run --record` writes: it repeats what happened, and expects the same.',
    }),
  },
  clock: {
    'GET agenda': operation('getAgenda', 'List what is due, in order.', AGENDA),
    'GET clock': operation('getClock', 'Get the clock.', CLOCK),
    'POST clock/advance': journey(
      'advanceClock',
      'Advance the clock, doing everything that falls due.',
      ADVANCED,
    ),
    'POST clock/next': journey('nextDue', 'Go to the next thing that falls due, and do it.', NEXT),
    'POST clock/freeze': operation('freezeClock', 'Freeze the clock.', CLOCK, { refusals: ['CLOCK_BUSY'] }),
    'POST clock/speed': operation('setSpeed', 'Set the speed of the clock.', CLOCK, {
      refusals: ['CLOCK_BUSY'],
    }),
    'POST clock/reset': operation('resetClock', 'Return to real time.', CLOCK, {
      refusals: ['CLOCK_BUSY'],
    }),
  },
  endpoints: {
    'GET endpoints': operation('listEndpoints', 'List endpoints and listeners.', dataOf(ENDPOINT_VIEW)),
    'POST endpoints': creation('createEndpoint', 'Register an endpoint.', ENDPOINT_WITH_SECRET, {
      refusals: [
        'INSUFFICIENT_SCOPE',
        'ENDPOINT_ALREADY_EXISTS',
        'ENDPOINT_LIMIT_REACHED',
        'ENDPOINT_URL_NOT_ALLOWED',
      ],
    }),
    'DELETE endpoints/:id': operation('deleteEndpoint', 'Delete an endpoint.', { deleted: is.UUID }),
    'POST endpoints/:id/rotate-secret': operation(
      'rotateEndpointSecret',
      'Give an endpoint a new secret.',
      ENDPOINT_WITH_SECRET,
      { description: 'For 24 hours the secret before it signs, too.' },
    ),
    'POST endpoints/:id/disable': operation('disableEndpoint', 'Disable an endpoint.', ENDPOINT_VIEW),
    'POST endpoints/:id/enable': operation('enableEndpoint', 'Enable an endpoint.', ENDPOINT_VIEW, {
      refusals: ['ENDPOINT_ALREADY_EXISTS'],
    }),
  },
  applications: {
    'GET apps': operation('listApps', 'List the applications.', dataOf(APP)),
    'POST apps': creation('createApp', 'Create an application.', APP_WITH_SECRETS),
    'POST apps/:id/accounts': creation('createAccount', 'Open a further account.', ACCOUNT),
    'POST apps/:id/origins': creation('addOrigin', 'Register an origin for the identity pages.', {
      organization_id: is.UUID,
      origins: is.listOf(is.TEXT),
    }),
  },
  identity: {
    'GET kyc/sessions': operation('listSessions', 'List the sessions.', is.pageOf(SESSION)),
    'POST kyc/sessions': creation('createSession', 'Create a session.', SESSION, {
      refusals: ['SERVICE_UNAVAILABLE'],
    }),
    'GET kyc/sessions/:id': operation(
      'getSession',
      'Get a session by its id or the beginning of it.',
      SESSION,
    ),
    'GET kyc/sessions/:id/result': operation(
      'getSessionResult',
      'Get what the partner’s server would read now.',
      SESSION_RESULT,
      { refusals: ['NOT_TERMINAL', 'SESSION_EXPIRED'] },
    ),
    'POST kyc/sessions/:id/decide': operation('decideSession', 'Decide a session.', SESSION, {
      refusals: ['INVALID_TRANSITION'],
    }),
  },
  faults: {
    'GET faults': operation('listFaults', 'List the faults in force.', dataOf(FAULT)),
    'POST faults': creation('addFault', 'Add a fault.', FAULT, { refusals: ['NOT_FOUND'] }),
    'DELETE faults': operation('removeFaults', 'Remove all faults.', { removed: is.COUNT }),
    'DELETE faults/:id': operation('removeFault', 'Remove a fault.', { removed: is.COUNT }),
  },
  charges: {
    'GET charges': operation(
      'listCharges',
      'List the charges of all applications, or of one.',
      is.pageOf(CHARGE_VIEW),
    ),
    'POST charges': repeatable(
      'createCharge',
      'Create a charge; what is left out is chosen.',
      'charge',
      CHARGE_DETAIL,
    ),
    'GET charges/:id': operation('getCharge', 'Get a charge by its id or code.', CHARGE_DETAIL),
    ...moves('Charge', CHARGE_VIEW, {
      settle: 'Pay a charge.',
      fail: 'Have a payment fail.',
      expire: 'Have a charge expire now.',
    }),
  },
  transactions: {
    'GET ledger': operation(
      'getLedger',
      'List the transactions of an account or of all, each with the balance after it.',
      LEDGER,
      {
        refusals: ['NOT_FOUND'],
        description:
          'Each transaction names the charge or withdrawal that it belongs to. `problems` is about ' +
          'the whole ledger, whatever the page: sums, missing or surplus transactions, and ' +
          'balances below zero.',
      },
    ),
  },
  withdrawals: {
    'GET withdrawals': operation(
      'listWithdrawals',
      'List the withdrawals of all applications, or of one.',
      is.pageOf(WITHDRAWAL_VIEW),
    ),
    'POST withdrawals': repeatable(
      'createWithdrawal',
      'Create a withdrawal; what is left out is chosen.',
      'withdrawal',
      WITHDRAWAL_VIEW,
      ['INSUFFICIENT_BALANCE'],
    ),
    'GET withdrawals/:id': operation('getWithdrawal', 'Get a withdrawal by its id or code.', WITHDRAWAL_VIEW),
    ...moves('Withdrawal', WITHDRAWAL_VIEW, {
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
    'GET events': operation('listEvents', 'List the events.', is.pageOf(EVENT)),
    'GET events/:id': operation('getEvent', 'Get an event with its body.', EVENT_DETAIL),
    'GET events/:id/body': operation(
      'getEventBody',
      'Get the body of an event, byte for byte as it is signed.',
      PAYLOAD,
      { description: 'Every attempt of the event carries these bytes; a signature holds for them alone.' },
    ),
    'POST events/:id/resend': request(
      'resendEvent',
      'Send an event again.',
      { deliveries: DELIVERIES },
      { refusals: ['INVALID_TRANSITION'] },
    ),
  },
  deliveries: {
    'GET deliveries': operation('listDeliveries', 'List the deliveries.', is.pageOf(DELIVERY_LINE)),
    'GET deliveries/wait': operation('waitForDeliveries', 'Wait until enough deliveries match.', {
      satisfied: is.BOOLEAN,
      deliveries: DELIVERIES,
    }),
    'GET deliveries/:id': operation('getDelivery', 'Get a delivery with its attempts.', DELIVERY_DETAIL),
    'POST deliveries/:id/retry': request(
      'retryDelivery',
      'Put a failed delivery back in the queue.',
      DELIVERY_LINE,
      { refusals: ['DELIVERY_NOT_FAILED', 'ENDPOINT_UNAVAILABLE'] },
    ),
    'POST deliveries/retry': request(
      'retryDeliveries',
      'Put every failed delivery back in the queue, or those of an event type or endpoint.',
      RETRIED,
      {
        refusals: ['NOT_FOUND'],
        description:
          'An event type may be a pattern such as `pix.*`, and an endpoint the name of a listener. ' +
          'What cannot be retried is counted by the reason, and changes nothing.',
      },
    ),
    'POST deliveries/pause': operation('pauseDeliveries', 'Hold every attempt back from now on.', PAUSING, {
      description:
        'Attempts under way end. What falls due waits; meanwhile it is neither in flight nor ' +
        'due, so the clock passes it.',
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
    'POST listeners/:id/leave': operation(
      'leaveListener',
      'Hold everything for a listener that leaves.',
      { held: is.COUNT },
      {
        description:
          'It gets nothing new. What it has in flight may still be reported; the rest is held ' +
          'until it connects again under its name.',
      },
    ),
    'POST listeners/:id/results': operation(
      'reportResult',
      'Report how an attempt ended.',
      { delivery: nullable(DELIVERY_LINE) },
      { refusals: ['INVALID_TRANSITION'] },
    ),
    'GET receiver': operation('getReceiver', 'Get the test receiver and what came.', RECEIVER, {
      description: `It shows the newest ${LIMITS.receiverKept} attempts, also those from before it was turned off.`,
    }),
    'POST receiver': operation(
      'turnOnReceiver',
      'Turn on the test receiver, or change its answer.',
      RECEIVER,
      {
        refusals: ['ENDPOINT_ALREADY_EXISTS'],
        description:
          'A listener in the sandbox itself, named `test-receiver`, for every event of the default ' +
          'application. It verifies each attempt and answers as it is told, 200 by default: with a ' +
          'status, with nothing (`timeout`, which ends at once), with 500 to the next `fail` ' +
          'attempts and 200 afterwards, or with 500 to every scheduled attempt of the next ' +
          '`refuse` deliveries, so that they become dead letters, and 200 to the others and to a ' +
          'retry by hand. A wrong signature changes only the verdict.',
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
    'GET calls/:id': operation('getCall', 'Get a call with what came of it.', CALL_DETAIL),
    'POST calls/:id/replay': operation('replayCall', 'Send a call again through its door.', REPLAYED_CALL, {
      refusals: ['INVALID_TRANSITION', 'FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE'],
      description:
        'It has a fresh timestamp, nonce and signature, and the credentials of its application ' +
        'or of `app`. `body` replaces its body; `new_code` its code or, at the identity API, its ' +
        'Idempotency-Key.',
    }),
    'DELETE calls': operation('clearCalls', 'Empty the call log.', { deleted: is.COUNT }),
    'GET logs': operation('listLogs', 'List calls and attempts together, oldest first.', dataOf(LOG_ENTRY)),
    'GET timeline': operation(
      'getTimeline',
      'List what happened, oldest first, and what led to it.',
      TIMELINE,
    ),
    'GET stream/timeline': streaming(
      'streamTimeline',
      'Entries of the timeline as they come; it goes on after the number in `after` or Last-Event-ID.',
      'TimelineMessage',
    ),
    'GET trace/:id': operation('getTrace', 'Tell a story: what led to it and what followed.', TRACE),
    'GET stream': streaming('streamAll', 'Everything, as it happens.', 'StreamMessage'),
    'GET stream/calls': streaming('streamCalls', 'New calls; it goes on after Last-Event-ID.', 'CallMessage'),
    'GET stream/logs': streaming(
      'streamLogs',
      'New calls and attempts; it goes on after Last-Event-ID.',
      'LogMessage',
    ),
  },
} satisfies Readonly<Partial<Record<Tag, Readonly<Record<string, Untagged>>>>>;
