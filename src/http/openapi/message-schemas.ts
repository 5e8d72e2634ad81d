import { DELIVERY_FAULTS } from '../../contract/fault-kinds.js';
import type { EndpointChange } from '../../core/effects.js';
import { SECRET } from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import type { ListenerAttempt } from '../../delivery/listener-hub.js';
import { record } from '../../schema/compound.js';
import type { JsonSchema } from '../../schema/json-schema.js';
import type { Fields } from '../../schema/object.js';
import { optional } from '../../schema/fields.js';
import { always, described, keyOf, oneOf, text } from '../../schema/values.js';
import { ADVANCED, DUE, NEXT } from '../control/clock.js';
import * as calls from '../control/calls.js';
import { ENDPOINT_VIEW } from '../control/apps.js';
import * as events from '../control/events.js';
import { SESSION_LINE } from '../control/identity.js';
import { CHARGE_VIEW, WITHDRAWAL_VIEW } from '../control/payments.js';
import * as timeline from '../control/timeline.js';
import { ERROR_DETAIL } from '../operation/error-body.js';
import { inline } from './control/build.js';

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
  return inline({ type: always(type), ...fields });
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
export const MESSAGE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  StreamMessage: {
    oneOf: [
      message('ready', { now: is.INSTANT }),
      happened('charge', { charge: CHARGE_VIEW }),
      happened('withdrawal', { withdrawal: WITHDRAWAL_VIEW }),
      happened('endpoint', { change: oneOf(CHANGES), endpoint: ENDPOINT_VIEW }),
      happened('event', { event: events.EVENT }),
      happened('attempt', { delivery_id: is.UUID, attempt: is.COUNT }),
      happened('delivery', { delivery: events.DELIVERY_LINE }),
      happened('session', { session: SESSION_LINE }),
      CALL_MESSAGE,
      RESET,
    ],
  },
  ListenerMessage: {
    oneOf: [
      message('ready', {
        listener: ENDPOINT_VIEW,
        secret: SECRET,
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
      message('step', DUE.fields),
      message('done', ADVANCED.fields),
      message('done', NEXT.fields),
      message('error', { error: ERROR_DETAIL }),
    ],
  },
};
