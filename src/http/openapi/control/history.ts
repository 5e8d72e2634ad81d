import type { RefusalCode } from '../../../contract/refusals.js';
import { LIMITS } from '../../../contract/limits.js';
import { nullable } from '../../../schema/fields.js';
import { CALL, LOG_ENTRY } from '../../control/calls.js';
import { DELIVERY_LINE, EVENT, PAUSING, PAYLOAD } from '../../control/events.js';
import { RETRIED } from '../../control/deliveries.js';
import type { OperationDocs } from '../operation.js';
import { streamOf } from '../operation.js';
import * as is from '../../../core/resources/values.js';
import type { Untagged } from './build.js';
import { dataOf, inline, operation, request, tagged } from './build.js';

const DELIVERIES = is.listOf(DELIVERY_LINE);

/** A stream of server-sent events, whose messages match a schema. */
function streaming(
  id: string,
  summary: string,
  schema: string,
  refusals: readonly RefusalCode[] = [],
): Untagged {
  return {
    id,
    summary,
    answers: {
      200: {
        says: 'Messages as they come, until one side hangs up.',
        schema: streamOf(schema, 'The data of each event'),
        mediaType: 'text/event-stream',
      },
    },
    refusals,
  };
}

/** The operations on events, deliveries and calls. */
export const HISTORY_OPERATIONS: OperationDocs = {
  ...tagged('events', {
    'POST trigger': operation(
      'trigger',
      'Make an event happen by the real transition of a charge or withdrawal.',
      inline({ reached: is.BOOLEAN, events: is.listOf(EVENT), deliveries: DELIVERIES }),
      ['NOT_FOUND', 'CODE_REUSED', 'INVALID_TRANSITION'],
    ),
    'GET events': operation('listEvents', 'List the events.', 'EventPage', ['NOT_FOUND']),
    'GET events/{id}': operation('getEvent', 'Get an event with its body.', 'EventDetail'),
    'GET events/{id}/body': {
      ...operation('getEventBody', 'Get the body of an event, byte for byte as it is signed.', PAYLOAD.json),
      description: 'Every attempt of the event carries these bytes; a signature holds for them alone.',
    },
    'POST events/{id}/resend': request(
      'resendEvent',
      'Send an event again.',
      inline({ deliveries: DELIVERIES }),
      ['INVALID_TRANSITION'],
    ),
  }),
  ...tagged('deliveries', {
    'GET deliveries': operation('listDeliveries', 'List the deliveries.', 'DeliveryPage', ['NOT_FOUND']),
    'GET deliveries/wait': operation(
      'waitForDeliveries',
      'Wait until enough deliveries match.',
      inline({ satisfied: is.BOOLEAN, deliveries: DELIVERIES }),
    ),
    'GET deliveries/{id}': operation('getDelivery', 'Get a delivery with its attempts.', 'DeliveryDetail'),
    'POST deliveries/{id}/retry': request(
      'retryDelivery',
      'Put a failed delivery back in the queue.',
      'Delivery',
      ['DELIVERY_NOT_FAILED', 'ENDPOINT_UNAVAILABLE'],
    ),
    'POST deliveries/retry': {
      ...request(
        'retryDeliveries',
        'Put every failed delivery back in the queue, or those of an event type or endpoint.',
        RETRIED.json,
        ['NOT_FOUND'],
      ),
      description:
        'An event type may be a pattern such as `pix.*`, and an endpoint the name of a listener. What cannot be retried is counted by the reason, and changes nothing.',
    },
    'POST deliveries/pause': {
      ...operation('pauseDeliveries', 'Hold every attempt back from now on.', PAUSING.json),
      description:
        'Attempts under way end. What falls due waits; meanwhile it is neither in flight nor due, so the clock passes it.',
    },
    'POST deliveries/resume': operation(
      'resumeDeliveries',
      'Start what was held back, in the order in which it fell due.',
      PAUSING.json,
    ),
    'POST deliveries/until': operation(
      'awaitDeliveries',
      'Wait until these deliveries were attempted or have ended.',
      inline({ reached: is.BOOLEAN, deliveries: DELIVERIES }),
      ['NOT_FOUND'],
    ),
  }),
  ...tagged('listeners', {
    'POST listeners': streaming(
      'connectListener',
      'Connect as a listener and get attempts; this is how `listen` works.',
      'ListenerMessage',
      ['NOT_FOUND', 'ENDPOINT_ALREADY_EXISTS'],
    ),
    'POST listeners/{id}/leave': {
      ...operation(
        'leaveListener',
        'Hold everything for a listener that leaves.',
        inline({ held: is.COUNT }),
      ),
      description:
        'It gets nothing new. What it has in flight may still be reported; the rest is held until it connects again under its name.',
    },
    'POST listeners/{id}/results': operation(
      'reportResult',
      'Report how an attempt ended.',
      inline({ delivery: nullable(DELIVERY_LINE) }),
      ['INVALID_TRANSITION'],
    ),
    'GET receiver': {
      ...operation('getReceiver', 'Get the test receiver and what came.', 'Receiver'),
      description: `It shows the newest ${LIMITS.receiverKept} attempts, also those from before it was turned off.`,
    },
    'POST receiver': {
      ...operation('turnOnReceiver', 'Turn on the test receiver, or change its answer.', 'Receiver', [
        'ENDPOINT_ALREADY_EXISTS',
      ]),
      description:
        'A listener in the sandbox itself, named `test-receiver`, for every event of the default application. It verifies each attempt and answers as it is told, 200 by default: with a status, with nothing (`timeout`, which ends at once), with 500 to the next `fail` attempts and 200 afterwards, or with 500 to every scheduled attempt of the next `refuse` deliveries, so that they become dead letters, and 200 to the others and to a retry by hand. A wrong signature changes only the verdict.',
    },
    'DELETE receiver': {
      ...operation('turnOffReceiver', 'Turn off the test receiver.', inline({ held: is.COUNT })),
      description: 'What is pending is held until it is turned on again.',
    },
  }),
  ...tagged('calls', {
    'GET calls': operation('listCalls', 'List what the integrator’s code sent, newest first.', dataOf(CALL), [
      'NOT_FOUND',
    ]),
    'GET calls/{id}': operation('getCall', 'Get a call with what came of it.', 'CallDetail'),
    'POST calls/{id}/replay': {
      ...operation('replayCall', 'Send a call again through its door.', 'ReplayedCall', [
        'NOT_FOUND',
        'INVALID_TRANSITION',
        'FORBIDDEN',
        'UNSUPPORTED_MEDIA_TYPE',
      ]),
      description:
        'It has a fresh timestamp, nonce and signature, and the credentials of its application or of `app`. `body` replaces its body; `new_code` its code or, at the identity API, its Idempotency-Key.',
    },
    'DELETE calls': operation('clearCalls', 'Empty the call log.', inline({ deleted: is.COUNT })),
    'GET logs': operation('listLogs', 'List calls and attempts together, oldest first.', dataOf(LOG_ENTRY), [
      'NOT_FOUND',
    ]),
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
    'GET trace/{id}': operation('getTrace', 'Tell a story: what led to it and what followed.', 'Trace', [
      'NOT_FOUND',
    ]),
    'GET stream': streaming('streamAll', 'Everything, as it happens.', 'StreamMessage'),
    'GET stream/calls': streaming(
      'streamCalls',
      'New calls; it goes on after Last-Event-ID.',
      'CallMessage',
      ['NOT_FOUND'],
    ),
    'GET stream/logs': streaming(
      'streamLogs',
      'New calls and attempts; it goes on after Last-Event-ID.',
      'LogMessage',
      ['NOT_FOUND'],
    ),
  }),
};
