import * as service from '../../core/resources/resources.js';
import { componentsOf, type JsonSchema } from '../../schema/schema.js';
import * as apps from '../control/apps.js';
import * as calls from '../control/calls.js';
import * as clock from '../control/clock.js';
import * as deliveries from '../control/deliveries.js';
import * as events from '../control/events.js';
import * as faults from '../control/faults.js';
import * as sessions from '../control/identity.js';
import * as payments from '../control/payments.js';
import * as listeners from '../control/listeners.js';
import * as scenarios from '../control/scenarios.js';
import * as state from '../control/state.js';
import * as system from '../control/system.js';
import * as timeline from '../control/timeline.js';
import * as identity from '../service/schema.js';
import * as errors from '../operation/error-body.js';
import { DELIVERY_FAULTS } from '../../contract/fault-kinds.js';
import type { EndpointChange } from '../../core/effects.js';
import * as is from '../../core/resources/values.js';
import type { ListenerAttempt } from '../../delivery/listener-hub.js';
import { record } from '../../schema/compound.js';
import { type Fields, object, optional } from '../../schema/object.js';
import { always, described, keyOf, oneOf, text } from '../../schema/values.js';

const CHANGES = [
  'created',
  'rotated',
  'disabled',
  'enabled',
  'deleted',
  'connected',
  'away',
] as const satisfies readonly EndpointChange[];

/** A message of a type. */
function message(type: string, fields: Fields = {}): JsonSchema {
  return object('a message', { type: always(type), ...fields }).json;
}

/** An event of the sandbox at an instant of sandbox time. */
function happened(type: string, fields: Fields): JsonSchema {
  return message(type, { at: is.INSTANT, ...fields });
}

const READY = message('ready');
const RESET = message('reset');
/** A resumed stream cannot go on where it was cut. */
const BREAKS = [message('gap', { title: is.TEXT }), message('restarted', { title: is.TEXT })];
const CALL_MESSAGE = message('call', { call: calls.CALL });

const ATTEMPT_OF_LISTENER = {
  attempt_id: is.TEXT,
  delivery_id: is.UUID,
  attempt: is.COUNT,
  headers: record(is.TEXT),
  body: text('a body', undefined, { contentEncoding: 'base64' }),
  timeout_ms: is.COUNT,
  forged: optional(
    described('A copy with a wrong signature, which belongs to no delivery: refuse it.', is.BOOLEAN),
  ),
} satisfies Record<keyof ListenerAttempt, unknown>;

/** The schema of each stream message. */
const MESSAGE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  StreamMessage: {
    oneOf: [
      message('ready', { now: is.INSTANT }),
      happened('charge', { charge: payments.CHARGE_VIEW }),
      happened('withdrawal', { withdrawal: payments.WITHDRAWAL_VIEW }),
      happened('endpoint', { change: oneOf(CHANGES), endpoint: apps.ENDPOINT_VIEW }),
      happened('event', { event: events.EVENT }),
      happened('attempt', { delivery_id: is.UUID, attempt: is.COUNT }),
      happened('delivery', { delivery: events.DELIVERY_LINE }),
      happened('session', { session: sessions.SESSION_LINE }),
      CALL_MESSAGE,
      RESET,
    ],
  },
  ListenerMessage: {
    oneOf: [
      message('ready', {
        listener: apps.ENDPOINT_VIEW,
        secret: service.SECRET,
        released: is.COUNT,
        failed: is.COUNT,
      }),
      message('attempt', ATTEMPT_OF_LISTENER),
      message('simulated', {
        action: keyOf(DELIVERY_FAULTS),
        attempt: is.COUNT,
        delivery: events.DELIVERY_LINE,
      }),
    ],
  },
  CallMessage: { oneOf: [READY, CALL_MESSAGE, ...BREAKS] },
  TimelineMessage: { oneOf: [timeline.TIMELINE_READY.json, timeline.ENTRY.json, timeline.BREAK.json] },
  LogMessage: { oneOf: [READY, RESET, calls.LOG_ENTRY.json, ...BREAKS] },
  JourneyMessage: {
    oneOf: [
      message('step', clock.DUE.fields),
      message('done', clock.ADVANCED.fields),
      message('done', clock.NEXT.fields),
      message('error', { error: errors.ERROR_DETAIL }),
    ],
  },
};

const { pageOf } = is;
const { FEES, DESTINATION } = service;

export const SERVICE_SCHEMAS = componentsOf(errors, is, service, identity, [
  pageOf(service.WITHDRAWAL),
  pageOf(service.TRANSACTION),
  pageOf(service.ENDPOINT),
  pageOf(service.DELIVERY),
]);

export const CONTROL_SCHEMAS = {
  ...componentsOf(
    errors,
    is,
    { FEES, DESTINATION },
    apps,
    calls,
    clock,
    deliveries,
    events,
    faults,
    payments,
    listeners,
    scenarios,
    system,
    timeline,
    sessions,
    state,
    [
      pageOf(payments.CHARGE_VIEW),
      pageOf(payments.WITHDRAWAL_VIEW),
      pageOf(events.EVENT),
      pageOf(events.DELIVERY_LINE),
      pageOf(sessions.SESSION),
    ],
  ),
  ...MESSAGE_SCHEMAS,
};
