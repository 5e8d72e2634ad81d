import { EVENT_TYPES } from '../../../contract/events.js';
import * as service from '../../../core/resources/resources.js';
import * as is from '../../../core/resources/values.js';
import { component } from '../../../schema/component.js';
import { variant } from '../../../schema/compound.js';
import { nullable } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import type { Infer } from '../../../schema/schema.js';
import { always, described, oneOf, whole } from '../../../schema/values.js';
import { ERROR_DETAIL } from '../../operation/error-body.js';
import { FIRED_FAULTS } from '../fault-schema.js';
import { DELIVERY_LINE, EVENT, LATENCY, MESSAGE, NAMED_RESOURCE, OPTIONAL_TEXT } from '../schema.js';

export const CALL = is.resource('Call', 'A request that the integrator’s code made, and its answer.', {
  id: is.TEXT,
  at: is.INSTANT,
  real_at: is.INSTANT,
  door: is.TEXT,
  method: is.TEXT,
  path: is.TEXT,
  status: whole('a status code', { least: 100, most: 599 }),
  matched: is.BOOLEAN,
  app_id: nullable(is.UUID),
  resource_id: OPTIONAL_TEXT,
  resource_code: described('The code of a payment in the response.', OPTIONAL_TEXT),
  error: OPTIONAL_TEXT,
  message: described('What the refusal said.', OPTIONAL_TEXT),
  details: described('The problems with single fields.', ERROR_DETAIL.fields.details),
  hint: OPTIONAL_TEXT,
  warnings: is.listOf(is.TEXT),
  faults: FIRED_FAULTS,
});
export type CallView = Infer<typeof CALL>;

const CALL_MESSAGE = nullable(
  is.shape(
    'What was sent, without secrets; null where it is not kept, or when no answer was sent. `body_bytes` is the length of the whole body, of which `body` has the beginning when it is `truncated`.',
    {
      ...MESSAGE,
      body_bytes: is.COUNT,
      redacted: described('Whether secrets in the body are hidden.', is.BOOLEAN),
    },
  ),
);
const { message: _message, details: _details, ...CALL_FIELDS } = CALL.fields;
const { code, message, details } = ERROR_DETAIL.fields;

export const CALL_DETAIL = is.resource('CallDetail', 'A call with what was sent and what came of it.', {
  ...CALL_FIELDS,
  error: nullable(is.shape('What was wrong.', { code, message, details })),
  duration_ms: nullable(LATENCY),
  request: CALL_MESSAGE,
  response: CALL_MESSAGE,
  events: is.listOf(EVENT),
  deliveries: is.listOf(DELIVERY_LINE),
});
export type CallDetail = Infer<typeof CALL_DETAIL>;

export const REPLAYED_CALL = is.resource('ReplayedCall', 'A call that was sent again.', {
  ...CALL_DETAIL.fields,
  replay_of: described('The call that it repeats.', is.TEXT),
  changed: described('What was sent otherwise than in the call that it repeats.', is.listOf(is.TEXT)),
});
export type ReplayedCall = Infer<typeof REPLAYED_CALL>;

export const LOG_ENTRY = component(
  'LogEntry',
  variant('an entry of the log', 'type', [
    object('a call', { type: always('call'), call: CALL }),
    object('an attempt', {
      type: always('attempt'),
      at: is.INSTANT,
      real_at: is.INSTANT,
      delivery_id: is.UUID,
      event_id: is.EVENT_ID,
      event_type: oneOf(EVENT_TYPES),
      resource: NAMED_RESOURCE,
      app_id: is.UUID,
      endpoint_id: is.UUID,
      endpoint_name: OPTIONAL_TEXT,
      attempt: is.COUNT,
      attempt_limit: is.COUNT,
      response_status: nullable(service.STATUS_CODE),
      error: service.ATTEMPT_ERROR,
      detail: OPTIONAL_TEXT,
      latency_ms: LATENCY,
      faults: FIRED_FAULTS,
      delivery_status: service.DELIVERY.fields.status,
    }),
  ]),
);
export type LogEntry = Infer<typeof LOG_ENTRY>;
export type AttemptEntry = Extract<LogEntry, { readonly type: 'attempt' }>;
