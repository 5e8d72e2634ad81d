import { RETRY_SCHEDULES } from '../../contract/limits.js';
import { FAILURE_REASON_CODES } from '../../contract/failure-reasons.js';
import { SESSION_DECISIONS, SESSION_STATUSES } from '../../contract/transitions.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { OBSTACLES } from '../../core/webhooks/obstacles.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { SCOPES } from '../../contract/scopes.js';
import { record, tuple } from '../../schema/compound.js';
import { nullable, partial } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { anything, described, keyOf, number, oneOf, text } from '../../schema/values.js';
import { FAULT, FIRED_FAULTS } from './fault-schema.js';
import { SCHEDULED } from './webhooks/schedule.js';

/** The shapes of the control API's answers: presenters and the client take the types, the document takes the schemas. */
export type { RegisterLine } from '../../contract/assumption-register.js';
export type { BootstrapView } from './bootstrap/schema.js';
export type { AttemptEntry, CallDetail, CallView, LogEntry, ReplayedCall } from './calls/schema.js';
export type { CheckReportView, KeptCheckView } from './check/schema.js';
export type { AdvancedView, AgendaView, ClockView, NextView } from './clock/schema.js';
export type { RetriedView } from './webhooks/retried.js';
export type { LedgerEntryView, LedgerView } from './ledger/schema.js';
export type { ScenarioLine, ScenarioRun } from './scenarios/schema.js';
export type { StatusView } from './state-schema.js';
export type { ReceiverView } from './webhooks/schema.js';
export type {
  EntryView,
  TimelineBreakView,
  TimelineView,
  TraceNodeView,
  TraceView,
} from './timeline/schema.js';

const INSIDE = { app_id: is.UUID, reason: nullable(oneOf(FAILURE_REASON_CODES)) };
export const LATENCY = number('milliseconds', { least: 0 });
export const OPTIONAL_TEXT = nullable(is.TEXT);

export const CHARGE_VIEW = is.resource('Charge', 'A charge, with its application and why it failed.', {
  ...service.CHARGE.fields,
  ...INSIDE,
});
export type ChargeView = Infer<typeof CHARGE_VIEW>;

export const WITHDRAWAL_VIEW = is.resource(
  'Withdrawal',
  'A withdrawal, with its application and why it failed.',
  { ...service.WITHDRAWAL.fields, ...INSIDE },
);
export type WithdrawalView = Infer<typeof WITHDRAWAL_VIEW>;

export const ENDPOINT_VIEW = is.resource('Endpoint', 'A webhook endpoint or a listener.', {
  ...service.ENDPOINT.fields,
  app_id: is.UUID,
  transport: oneOf(['http', 'listener']),
  connected: nullable(is.BOOLEAN),
  retries: keyOf(RETRY_SCHEDULES),
  timeout_ms: is.COUNT,
  deliveries: is.COUNT,
});
export type EndpointView = Infer<typeof ENDPOINT_VIEW>;

export const ENDPOINT_WITH_SECRET = is.resource(
  'EndpointWithSecret',
  'An endpoint with its signing secret.',
  { ...ENDPOINT_VIEW.fields, secret: service.SECRET },
);

export const BALANCE = text('a balance', /^-?(?:0|[1-9]\d*)\.\d{2}$/);

export const ACCOUNT = is.resource('Account', 'An account of an application, with its balance.', {
  id: is.UUID,
  app_id: is.UUID,
  balance: BALANCE,
});
export type AccountView = Infer<typeof ACCOUNT>;

export const APP = is.resource('App', 'An application of the public API.', {
  id: is.UUID,
  organization_id: is.UUID,
  name: is.TEXT,
  scopes: is.listOf(oneOf(SCOPES)),
  account_id: described('Its first account, which payments use that name none.', is.UUID),
  account_ids: is.listOf(is.UUID),
  token: is.TEXT,
});
export type AppView = Infer<typeof APP>;

export const APP_WITH_SECRETS = is.resource(
  'AppWithSecrets',
  'An application with its secrets, which are shown only here.',
  {
    ...APP.fields,
    signing_secret: is.TEXT,
    kyc_token: described('Only of a new organization.', OPTIONAL_TEXT),
    kyc_publishable_key: described('Only of a new organization.', OPTIONAL_TEXT),
  },
);

export type AppWithSecrets = Infer<typeof APP_WITH_SECRETS>;

export const NAMED_RESOURCE = is.resource('NamedResource', 'What an event is about.', {
  ...service.DELIVERED_RESOURCE.fields,
  code: is.TEXT,
});

export const EVENT = is.resource('Event', 'An event, without the resource that it is about.', {
  id: is.EVENT_ID,
  type: oneOf(EVENT_TYPES),
  created_at: is.INSTANT,
  app_id: is.UUID,
  overridden: is.BOOLEAN,
  resource: NAMED_RESOURCE,
});
export type EventLine = Infer<typeof EVENT>;

export const DELIVERY_LINE = is.resource('Delivery', 'An event on its way to an endpoint.', {
  ...service.DELIVERY.fields,
  resource: NAMED_RESOURCE,
  endpoint_id: is.UUID,
  endpoint_url: nullable(is.ADDRESS),
  endpoint_name: OPTIONAL_TEXT,
  attempt_limit: is.COUNT,
  in_flight: is.BOOLEAN,
  blocked_by: nullable(oneOf(OBSTACLES)),
  last_latency_ms: nullable(LATENCY),
});
export type DeliveryLine = Infer<typeof DELIVERY_LINE>;

export const PAYLOAD: Schema<object> = {
  ...record(anything),
  json: { type: 'object', description: 'The body of the webhook, with what was overridden.' },
};

export const EVENT_DETAIL = is.resource('EventDetail', 'An event with its body and what became of it.', {
  ...EVENT.fields,
  payload: PAYLOAD,
  deliveries: is.listOf(DELIVERY_LINE),
});
export type EventView = Infer<typeof EVENT_DETAIL>;

export const MESSAGE = {
  headers: is.listOf(tuple('a header', [is.TEXT, is.TEXT])),
  ...partial({
    body: is.TEXT,
    body_base64: text('a body that is not UTF-8', undefined, { contentEncoding: 'base64' }),
  }),
  truncated: is.BOOLEAN,
};
const RESPONSE = is.shape('What the receiver answered.', MESSAGE);

const RECORD = is.shape('What an attempt looked like.', {
  dispatched_at: is.INSTANT,
  latency_ms: LATENCY,
  detail: OPTIONAL_TEXT,
  body_error: OPTIONAL_TEXT,
  request_headers: record(is.TEXT),
  response: nullable(RESPONSE),
});
export type RecordView = Infer<typeof RECORD>;

export const ATTEMPT = is.resource(
  'Attempt',
  'One attempt; what it looked like is kept of the newest deliveries.',
  {
    number: is.COUNT,
    started_at: is.INSTANT,
    response_status: nullable(service.STATUS_CODE),
    error: service.ATTEMPT_ERROR,
    faults: FIRED_FAULTS,
    ...partial(RECORD.fields),
  },
);
export type AttemptView = Infer<typeof ATTEMPT>;

export const DELIVERY_DETAIL = is.resource(
  'DeliveryDetail',
  'A delivery with its attempts, and when those to come are due.',
  {
    ...DELIVERY_LINE.fields,
    target_url: described(
      'Where its attempts go: the route of its endpoint, or the URL that a listener forwards to; null where unknown.',
      OPTIONAL_TEXT,
    ),
    own_secret: described(
      'Whether its endpoint has a secret other than SANDBOX_WEBHOOK_SECRET of the environment block.',
      is.BOOLEAN,
    ),
    attempt_log: is.listOf(ATTEMPT),
    schedule: is.listOf(SCHEDULED),
  },
);
export type DeliveryView = Infer<typeof DELIVERY_DETAIL>;

/** A session in streams, where its `id` is shortened. */
export const SESSION_LINE = is.shape('An identity-verification session, seen from inside.', {
  id: is.TEXT,
  organization_id: is.UUID,
  customer_type: oneOf(CUSTOMER_TYPES),
  status: oneOf(SESSION_STATUSES),
  visible_status: oneOf(SESSION_STATUSES),
  created_at: is.INSTANT,
  expires_at: is.INSTANT,
  decided_at: nullable(is.INSTANT),
  readable_at: nullable(is.INSTANT),
  name: OPTIONAL_TEXT,
  document: OPTIONAL_TEXT,
  euid: nullable(is.EUID),
  error: OPTIONAL_TEXT,
  embed_origin: OPTIONAL_TEXT,
});
export type SessionLine = Infer<typeof SESSION_LINE>;

export const SESSION = is.resource('Session', 'An identity-verification session, seen from inside.', {
  ...SESSION_LINE.fields,
  url: is.ADDRESS,
});
export type SessionView = Infer<typeof SESSION>;

export const SESSION_RESULT = is.resource('SessionResult', 'What the partner’s server would read now.', {
  sessionId: is.TEXT,
  status: oneOf(SESSION_DECISIONS),
  euid: nullable(is.EUID),
});

export type FaultView = Infer<typeof FAULT>;

export const PAUSING = object('whether deliveries are paused', { paused: is.BOOLEAN, waiting: is.COUNT });
export type PausingView = Infer<typeof PAUSING>;

export interface PageView<Row> {
  readonly data: readonly Row[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
}

export type { ComparedView, SnapshotView } from './state-schema.js';
