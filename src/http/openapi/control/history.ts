import { nullable } from '../../../schema/fields.js';
import { reference } from '../../../schema/json-schema.js';
import { CALL, DELIVERY_LINE, EVENT, LOG_ENTRY, PAUSING } from '../../control/schema.js';
import type { OperationDocs } from '../operation.js';
import * as is from '../../../core/resources/values.js';
import { dataOf, inline, operation, tagged } from './build.js';

const DELIVERIES = is.listOf(DELIVERY_LINE);
const STREAM = 'text/event-stream';

/** A stream of server-sent events, whose messages match a schema. */
function streaming(id: string, summary: string, schema: string, more: object = {}) {
  return {
    id,
    summary,
    answers: {
      200: {
        says: 'Messages as they come, until one side hangs up.',
        schema: {
          type: 'string',
          description: `The data of each event is JSON that fits ${schema}.`,
          'x-item-schema': reference(schema),
        },
        mediaType: STREAM,
      },
    },
    ...more,
  };
}

/** The operations on events, deliveries and calls. */
export const HISTORY_OPERATIONS: OperationDocs = {
  ...tagged('events', {
    'POST trigger': operation(
      'trigger',
      'Make an event happen by the real transition of a charge or withdrawal.',
      [200, inline({ reached: is.BOOLEAN, events: is.listOf(EVENT), deliveries: DELIVERIES })],
      { refusals: ['NOT_FOUND', 'CODE_REUSED', 'INVALID_TRANSITION'] },
    ),
    'GET events': operation('listEvents', 'List the events.', [200, 'EventPage']),
    'GET events/{id}': operation('getEvent', 'Get an event with its body.', [200, 'EventDetail']),
    'POST events/{id}/resend': operation(
      'resendEvent',
      'Send an event again.',
      [202, inline({ deliveries: DELIVERIES })],
      { refusals: ['INVALID_TRANSITION'] },
    ),
  }),
  ...tagged('deliveries', {
    'GET deliveries': operation('listDeliveries', 'List the deliveries.', [200, 'DeliveryPage']),
    'GET deliveries/wait': operation('waitForDeliveries', 'Wait until enough deliveries match.', [
      200,
      inline({ satisfied: is.BOOLEAN, deliveries: DELIVERIES }),
    ]),
    'GET deliveries/{id}': operation('getDelivery', 'Get a delivery with its attempts.', [
      200,
      'DeliveryDetail',
    ]),
    'POST deliveries/{id}/retry': operation(
      'retryDelivery',
      'Put a failed delivery back in the queue.',
      [202, 'Delivery'],
      { refusals: ['DELIVERY_NOT_FAILED', 'INVALID_TRANSITION'] },
    ),
    'POST deliveries/pause': operation(
      'pauseDeliveries',
      'Hold every attempt back from now on.',
      [200, PAUSING.json],
      {
        description:
          'Attempts under way end. What falls due waits; meanwhile it is neither in flight nor due, so the clock passes it.',
      },
    ),
    'POST deliveries/resume': operation(
      'resumeDeliveries',
      'Start what was held back, in the order in which it fell due.',
      [200, PAUSING.json],
    ),
    'POST deliveries/until': operation(
      'awaitDeliveries',
      'Wait until these deliveries were attempted or have ended.',
      [200, inline({ reached: is.BOOLEAN, deliveries: DELIVERIES })],
      { refusals: ['NOT_FOUND'] },
    ),
  }),
  ...tagged('listeners', {
    'POST listeners': streaming(
      'connectListener',
      'Connect as a listener and get attempts; this is how `listen` works.',
      'ListenerMessage',
      { refusals: ['NOT_FOUND', 'ENDPOINT_ALREADY_EXISTS'] },
    ),
    'POST listeners/{id}/results': operation(
      'reportResult',
      'Report how an attempt ended.',
      [200, inline({ delivery: nullable(DELIVERY_LINE) })],
      { refusals: ['INVALID_TRANSITION'] },
    ),
  }),
  ...tagged('calls', {
    'GET calls': operation(
      'listCalls',
      'List what the integrator’s code sent, newest first.',
      [200, dataOf(CALL)],
      { refusals: ['NOT_FOUND'] },
    ),
    'GET calls/{id}': operation('getCall', 'Get a call with what came of it.', [200, 'CallDetail']),
    'DELETE calls': operation('clearCalls', 'Empty the call log.', [200, inline({ deleted: is.COUNT })]),
    'GET logs': operation(
      'listLogs',
      'List calls and attempts together, oldest first.',
      [200, dataOf(LOG_ENTRY)],
      { refusals: ['NOT_FOUND'] },
    ),
    'GET stream': streaming('streamAll', 'Everything, as it happens.', 'StreamMessage'),
    'GET stream/calls': streaming('streamCalls', 'New calls.', 'CallMessage', {
      refusals: ['NOT_FOUND'],
    }),
    'GET stream/logs': streaming('streamLogs', 'New calls and attempts.', 'LogMessage', {
      refusals: ['NOT_FOUND'],
    }),
  }),
};
