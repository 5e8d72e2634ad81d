import { ATTEMPT_ERRORS } from '../../contract/attempt-errors.js';
import { FAILURE_REASON_CODES } from '../../contract/failure-reasons.js';
import type { JsonSchema } from '../../core/input/json-schema.js';
import { nullable } from '../../core/input/json-schema.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import { SESSION_DECISIONS, SESSION_STATUSES } from '../../contract/transitions.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { SCOPES } from '../../contract/scopes.js';
import type {
  AppView,
  AttemptEntry,
  CallDetail,
  CallView,
  ChargeView,
  DeliveryLine,
  DeliveryView,
  EndpointView,
  EventLine,
  EventView,
  SessionView,
  WithdrawalView,
} from '../control/schema.js';
import { FAULT_SCHEMA, FIRED_FAULT } from './fault-schemas.js';
import * as is from './schemas.js';
import {
  CHARGE_FIELDS,
  DELIVERY_FIELDS,
  ENDPOINT_FIELDS,
  SECRET,
  WITHDRAWAL_FIELDS,
} from './service-schemas.js';

const INSIDE = { app_id: is.UUID, reason: nullable(is.oneOf(FAILURE_REASON_CODES)) };
const LATENCY: JsonSchema = { type: 'number', minimum: 0 };
const STATUS: JsonSchema = { type: 'integer', minimum: 100, maximum: 999 };
const ATTEMPT_ERROR = nullable(is.oneOf(Object.keys(ATTEMPT_ERRORS)));
const OPTIONAL_TEXT = nullable(is.TEXT);

const APP_FIELDS = {
  id: is.UUID,
  organization_id: is.UUID,
  name: is.TEXT,
  scopes: is.listOf(is.oneOf(SCOPES)),
  account_id: is.UUID,
  token: is.TEXT,
} satisfies Record<keyof AppView, JsonSchema>;

const ENDPOINT_VIEW = {
  ...ENDPOINT_FIELDS,
  app_id: is.UUID,
  transport: is.oneOf(['http', 'listener']),
  connected: nullable(is.BOOLEAN),
  retries: is.oneOf(Object.keys(RETRY_SCHEDULES)),
  timeout_ms: is.COUNT,
  deliveries: is.COUNT,
} satisfies Record<keyof EndpointView, JsonSchema>;

const EVENT_LINE = {
  id: is.EVENT_ID,
  type: is.oneOf(EVENT_TYPES),
  created_at: is.INSTANT,
  app_id: is.UUID,
  overridden: is.BOOLEAN,
  resource: is.ref('NamedResource'),
} satisfies Record<keyof EventLine, JsonSchema>;

const DELIVERY_LINE = {
  ...DELIVERY_FIELDS,
  endpoint_id: is.UUID,
  endpoint_url: nullable(is.URL),
  endpoint_name: OPTIONAL_TEXT,
  attempt_limit: is.COUNT,
  in_flight: is.BOOLEAN,
  last_latency_ms: nullable(LATENCY),
} satisfies Record<keyof DeliveryLine, JsonSchema>;

const CALL_FIELDS = {
  request_id: is.TEXT,
  at: is.INSTANT,
  real_at: is.INSTANT,
  door: is.TEXT,
  method: is.TEXT,
  path: is.TEXT,
  status: { type: 'integer', minimum: 100, maximum: 599 },
  matched: is.BOOLEAN,
  app_id: nullable(is.UUID),
  resource_id: OPTIONAL_TEXT,
  error: OPTIONAL_TEXT,
  hint: OPTIONAL_TEXT,
  warnings: is.listOf(is.TEXT),
  faults: is.listOf(FIRED_FAULT),
} satisfies Record<keyof CallView, JsonSchema>;

/** The fields of an attempt in a log, beside its `type`. */
export const ATTEMPT_FIELDS = {
  at: is.INSTANT,
  real_at: is.INSTANT,
  delivery_id: is.UUID,
  event_id: is.EVENT_ID,
  event_type: is.oneOf(EVENT_TYPES),
  resource: is.ref('NamedResource'),
  app_id: is.UUID,
  endpoint_id: is.UUID,
  endpoint_name: OPTIONAL_TEXT,
  attempt: is.COUNT,
  attempt_limit: is.COUNT,
  response_status: nullable(STATUS),
  error: ATTEMPT_ERROR,
  detail: OPTIONAL_TEXT,
  latency_ms: LATENCY,
  faults: is.listOf(FIRED_FAULT),
  delivery_status: DELIVERY_FIELDS.status,
} satisfies Record<Exclude<keyof AttemptEntry, 'type'>, JsonSchema>;

/** The fields of a session wherever it is shown; its `id` is shortened in streams. */
export const SESSION_FIELDS = {
  id: is.TEXT,
  organization_id: is.UUID,
  customer_type: is.oneOf(CUSTOMER_TYPES),
  status: is.oneOf(SESSION_STATUSES),
  visible_status: is.oneOf(SESSION_STATUSES),
  created_at: is.INSTANT,
  expires_at: is.INSTANT,
  decided_at: nullable(is.INSTANT),
  readable_at: nullable(is.INSTANT),
  name: OPTIONAL_TEXT,
  document: OPTIONAL_TEXT,
  euid: nullable({ type: 'string', maxLength: 64 }),
  error: OPTIONAL_TEXT,
  embed_origin: OPTIONAL_TEXT,
} satisfies Record<Exclude<keyof SessionView, 'url'>, JsonSchema>;

type LoggedAttempt = DeliveryView['attempt_log'][number];
type Response = NonNullable<LoggedAttempt['response']>;

/** The schemas of the resources that the control API shows. */
export const CONTROL_RESOURCES: Readonly<Record<string, JsonSchema>> = {
  Charge: is.objectOf<ChargeView>('A charge, with whose it is and why it failed.', {
    ...CHARGE_FIELDS,
    ...INSIDE,
  }),
  Withdrawal: is.objectOf<WithdrawalView>('A withdrawal, with whose it is and why it failed.', {
    ...WITHDRAWAL_FIELDS,
    ...INSIDE,
  }),
  Endpoint: is.objectOf<EndpointView>('A webhook endpoint or a listener.', ENDPOINT_VIEW),
  EndpointWithSecret: is.objectOf<EndpointView & { secret: string }>('An endpoint with its signing secret.', {
    ...ENDPOINT_VIEW,
    secret: SECRET,
  }),
  App: is.objectOf<AppView>('An application of the public API.', APP_FIELDS),
  AppWithSecrets: is.objectOf<
    AppView & { signing_secret: string; kyc_token: string | null; kyc_publishable_key: string | null }
  >('An application with its secrets, which are shown only here.', {
    ...APP_FIELDS,
    signing_secret: is.TEXT,
    kyc_token: OPTIONAL_TEXT,
    kyc_publishable_key: OPTIONAL_TEXT,
  }),
  NamedResource: is.objectOf<EventLine['resource']>('What an event is about.', {
    type: is.oneOf(['pix', 'withdrawal']),
    id: is.UUID,
    code: is.TEXT,
  }),
  Event: is.objectOf<EventLine>('An event, without the resource that it is about.', EVENT_LINE),
  EventDetail: is.objectOf<EventView>('An event with its body and what became of it.', {
    ...EVENT_LINE,
    payload: { type: 'object', description: 'The body of the webhook, with what was overridden.' },
    deliveries: is.listOf(is.ref('Delivery')),
  }),
  Delivery: is.objectOf<DeliveryLine>('An event on its way to an endpoint.', DELIVERY_LINE),
  DeliveryDetail: is.objectOf<DeliveryView>('A delivery with its attempts.', {
    ...DELIVERY_LINE,
    attempt_log: is.listOf(is.ref('Attempt')),
  }),
  Attempt: is.objectOf<LoggedAttempt>(
    'One attempt; what it looked like is kept of the newest deliveries.',
    {
      number: is.COUNT,
      started_at: is.INSTANT,
      response_status: nullable(STATUS),
      error: ATTEMPT_ERROR,
      faults: is.listOf(FIRED_FAULT),
      dispatched_at: is.INSTANT,
      latency_ms: LATENCY,
      detail: OPTIONAL_TEXT,
      body_error: OPTIONAL_TEXT,
      request_headers: is.mapOf(is.TEXT),
      response: nullable(
        is.objectOf<Response>('What the receiver answered.', {
          headers: is.listOf({ type: 'array', items: is.TEXT, minItems: 2, maxItems: 2 }),
          body: is.TEXT,
          truncated: is.BOOLEAN,
        }),
      ),
    },
    'dispatched_at',
    'latency_ms',
    'detail',
    'body_error',
    'request_headers',
    'response',
  ),
  Session: is.objectOf<SessionView>('An identity-verification session, seen from inside.', {
    ...SESSION_FIELDS,
    url: is.URL,
  }),
  SessionResult: is.objectOf<{ sessionId: string; status: string; euid: string | null }>(
    'What the partner’s server would read now.',
    {
      sessionId: is.TEXT,
      status: is.oneOf(SESSION_DECISIONS),
      euid: nullable({ type: 'string', maxLength: 64 }),
    },
  ),
  Fault: FAULT_SCHEMA,
  Call: is.objectOf<CallView>('A request that the integrator’s code made, and its answer.', CALL_FIELDS),
  CallDetail: is.objectOf<CallDetail>('A call with what came of it.', {
    ...CALL_FIELDS,
    events: is.listOf(is.ref('Event')),
    deliveries: is.listOf(is.ref('Delivery')),
  }),
};
