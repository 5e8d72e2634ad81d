import type { EndpointChange } from '../../core/effects.js';
import { DELIVERY_FAULTS } from '../../contract/fault-kinds.js';
import type { JsonSchema } from '../../core/input/json-schema.js';
import type { ListenerAttempt } from '../../delivery/listener-hub.js';
import { AGENDA_KINDS } from '../../core/agenda.js';
import { inline } from './control/build.js';
import { ATTEMPT_FIELDS, SESSION_FIELDS } from './control-schemas.js';
import * as is from './schemas.js';
import { SECRET } from './service-schemas.js';
import { ADVANCED_FIELDS, NEXT_FIELDS } from './state-schemas.js';

const CHANGES = [
  'created',
  'rotated',
  'disabled',
  'enabled',
  'deleted',
  'connected',
  'away',
] as const satisfies readonly EndpointChange[];

const READY = inline({ type: is.always('ready') });
const RESET = inline({ type: is.always('reset') });
const CALL = inline({ type: is.always('call'), call: is.ref('Call') });

/** Something that happened at an instant of sandbox time. */
function happened(type: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return inline({ at: is.INSTANT, type: is.always(type), ...properties });
}

const ATTEMPT_OF_LISTENER = {
  attempt_id: is.TEXT,
  delivery_id: is.UUID,
  attempt: is.COUNT,
  headers: is.mapOf(is.TEXT),
  body: { type: 'string', contentEncoding: 'base64' },
  timeout_ms: is.COUNT,
} satisfies Record<keyof ListenerAttempt, JsonSchema>;

/** What streams send: the shape of each message. */
export const MESSAGE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  StreamMessage: {
    oneOf: [
      inline({ type: is.always('ready'), now: is.INSTANT }),
      happened('charge', { charge: is.ref('Charge') }),
      happened('withdrawal', { withdrawal: is.ref('Withdrawal') }),
      happened('endpoint', { change: is.oneOf(CHANGES), endpoint: is.ref('Endpoint') }),
      happened('event', { event: is.ref('Event') }),
      happened('attempt', { delivery_id: is.UUID, attempt: is.COUNT }),
      happened('delivery', { delivery: is.ref('Delivery') }),
      happened('session', { session: inline(SESSION_FIELDS) }),
      CALL,
      RESET,
    ],
  },
  ListenerMessage: {
    oneOf: [
      inline({ type: is.always('ready'), listener: is.ref('Endpoint'), secret: SECRET }),
      inline({ type: is.always('attempt'), ...ATTEMPT_OF_LISTENER }),
      inline({
        type: is.always('simulated'),
        action: is.oneOf(Object.keys(DELIVERY_FAULTS)),
        attempt: is.COUNT,
        delivery: is.ref('Delivery'),
      }),
    ],
  },
  LogEntry: { oneOf: [CALL, inline({ type: is.always('attempt'), ...ATTEMPT_FIELDS })] },
  CallMessage: { oneOf: [READY, CALL] },
  LogMessage: { oneOf: [READY, RESET, is.ref('LogEntry')] },
  JourneyMessage: {
    oneOf: [
      inline({
        type: is.always('step'),
        at: is.INSTANT,
        kind: is.oneOf(AGENDA_KINDS),
        id: is.TEXT,
      }),
      inline({ type: is.always('done'), ...ADVANCED_FIELDS }),
      inline({ type: is.always('done'), ...NEXT_FIELDS }),
      inline({ type: is.always('error'), error: is.ref('ErrorDetail') }),
    ],
  },
};
