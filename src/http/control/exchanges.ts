import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { EVENT_TYPES } from '../../contract/enums.js';
import { formatIsoTime } from '../../contract/time.js';
import {
  selectQrDrawer,
  presentDelivery,
  createPresenter,
  presentEvent,
  getResourceType,
} from '../../core/resources/serialize.js';
import {
  countEndedAttempts,
  limitAtAttempt,
  BLOCKERS,
  findBlocker,
  type ScheduledAttempt,
  listScheduledAttempts,
} from '../../core/webhooks/deliveries.js';
import type { AnnouncedEvent, Attempt, Delivery, Endpoint } from '../../core/world.js';
import { applyRoutes } from '../../delivery/destination.js';
import type { AttemptRecord } from '../../sandbox/attempt-records.js';
import type { Call, RedactedMessage } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { record, tuple, unionBy } from '../../schema/compound.js';
import { nullable, object, partial } from '../../schema/object.js';
import { nameSchema, type Infer, type Schema } from '../../schema/schema.js';
import { literal, anyValue, withDoc, enumOf, text, integer } from '../../schema/values.js';
import { presentBody } from '../../text/exchange/present-exchange.js';
import { formatEndpointLabel, parseListenerTarget } from '../../text/listener-name.js';
import { redactHeaders } from '../../text/redaction.js';
import { ERROR_DETAIL } from '../shared/response.js';
import { FIRED_FAULTS, MILLISECONDS, NULLABLE_TEXT } from './schema.js';

export const NAMED_RESOURCE = is.createResourceSchema(
  'NamedResource',
  'The resource that an event refers to.',
  {
    ...service.DELIVERED_RESOURCE.fields,
    code: is.TEXT,
  },
);

export const EVENT_LINE = is.createResourceSchema('Event', 'An event with a reference to its resource.', {
  id: is.EVENT_ID,
  type: enumOf(EVENT_TYPES),
  created_at: is.INSTANT,
  app_id: is.UUID,
  overridden: is.BOOLEAN,
  resource: NAMED_RESOURCE,
});
export type EventLine = Infer<typeof EVENT_LINE>;

export const DELIVERY_LINE = is.createResourceSchema('Delivery', 'The delivery of an event to an endpoint.', {
  ...service.DELIVERY.fields,
  resource: NAMED_RESOURCE,
  endpoint_id: is.UUID,
  endpoint_url: nullable(is.ADDRESS),
  endpoint_name: NULLABLE_TEXT,
  attempt_limit: is.COUNT,
  in_flight: is.BOOLEAN,
  blocked_by: nullable(enumOf([...BLOCKERS, 'frozen'])),
  last_latency_ms: nullable(MILLISECONDS),
});
export type DeliveryLine = Infer<typeof DELIVERY_LINE>;

export const EVENT_PAYLOAD: Schema<object> = {
  ...record(anyValue),
  json: { type: 'object', description: 'The webhook body, including overrides.' },
};

export const EVENT_DETAIL = is.createResourceSchema('EventDetail', 'An event with its body and deliveries.', {
  ...EVENT_LINE.fields,
  payload: EVENT_PAYLOAD,
  deliveries: is.arrayOf(DELIVERY_LINE),
});
export type EventView = Infer<typeof EVENT_DETAIL>;

export const HTTP_MESSAGE = {
  headers: is.arrayOf(tuple('a header', [is.TEXT, is.TEXT])),
  ...partial({
    body: is.TEXT,
    body_base64: text('a non-UTF-8 body', undefined, { contentEncoding: 'base64' }),
  }),
  truncated: is.BOOLEAN,
};
export const ATTEMPT_VIEW = is.createResourceSchema(
  'Attempt',
  'A delivery attempt. Its request and response are stored only for the newest deliveries.',
  {
    number: is.COUNT,
    started_at: is.INSTANT,
    response_status: nullable(service.STATUS_CODE),
    error: service.ATTEMPT_ERROR,
    faults: FIRED_FAULTS,
    ...partial({
      dispatched_at: is.INSTANT,
      latency_ms: MILLISECONDS,
      detail: NULLABLE_TEXT,
      body_error: NULLABLE_TEXT,
      request_headers: record(is.TEXT),
      response: nullable(is.createObjectSchema('The receiver’s response.', HTTP_MESSAGE)),
    }),
  },
);
export type AttemptView = Infer<typeof ATTEMPT_VIEW>;

export const SCHEDULED_ATTEMPT = is.createResourceSchema(
  'ScheduledAttempt',
  'A past, current or future attempt.',
  {
    attempt: is.COUNT,
    due_at: withDoc('Null if the attempt will not be made.', nullable(is.INSTANT)),
    ...partial({
      at: withDoc('The start time of the attempt.', is.INSTANT),
      outcome: withDoc('Absent while the attempt is in flight.', enumOf(['succeeded', 'failed'])),
    }),
  },
);
type ScheduledView = Infer<typeof SCHEDULED_ATTEMPT>;

function presentScheduled({ number, dueAt, startedAt, outcome }: ScheduledAttempt): ScheduledView {
  return {
    attempt: number,
    due_at: dueAt === null ? null : formatIsoTime(dueAt),
    ...(startedAt === undefined ? {} : { at: formatIsoTime(startedAt) }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

export const DELIVERY_DETAIL = is.createResourceSchema(
  'DeliveryDetail',
  'A delivery with its past and scheduled attempts.',
  {
    ...DELIVERY_LINE.fields,
    target_url: withDoc(
      'The delivery target: the endpoint’s route or the listener’s forward URL; null if unknown.',
      NULLABLE_TEXT,
    ),
    own_secret: withDoc(
      'True if the endpoint’s secret differs from SANDBOX_WEBHOOK_SECRET in the environment block.',
      is.BOOLEAN,
    ),
    attempt_log: is.arrayOf(ATTEMPT_VIEW),
    schedule: is.arrayOf(SCHEDULED_ATTEMPT),
  },
);
export type DeliveryView = Infer<typeof DELIVERY_DETAIL>;

/** Presents an event for lists, including a reference to its resource. */
export function presentEventLine(event: AnnouncedEvent): EventLine {
  return {
    id: event.id,
    type: event.type,
    created_at: formatIsoTime(event.at),
    app_id: event.resource.appId,
    overridden: event.overrides !== undefined,
    resource: namedResource(event),
  };
}

function namedResource(event: AnnouncedEvent): EventLine['resource'] {
  return { type: getResourceType(event), id: event.resource.id, code: event.resource.code };
}

export function presentEventDetail(sandbox: Sandbox, event: AnnouncedEvent): EventView {
  const deliveries = sandbox.world.deliveries.rows.filter((delivery) => delivery.event === event);
  return {
    ...presentEventLine(event),
    payload: presentEvent(event, selectQrDrawer(sandbox.world, sandbox.drawQr)),
    deliveries: presentDeliveryLines(sandbox, deliveries),
  };
}

/** Returns true if the next attempt cannot become due until the frozen clock is advanced manually. */
function awaitsClock({ clock, travel }: Sandbox, { inFlight, nextAttemptAt }: Delivery): boolean {
  const isFrozen = clock.rate === 0 && !travel.isInProgress;
  return isFrozen && !inFlight && nextAttemptAt !== null && nextAttemptAt > clock.now();
}

export function presentDeliveryLine(sandbox: Sandbox, delivery: Delivery): DeliveryLine {
  const { world, epoch } = sandbox;
  const endpoint = world.endpoints.get(delivery.endpointId);
  const last = epoch.records.get(delivery.id, countEndedAttempts(delivery));
  return {
    ...presentDelivery(delivery),
    resource: namedResource(delivery.event),
    endpoint_id: delivery.endpointId,
    endpoint_url: endpoint?.url ?? null,
    endpoint_name: endpoint === undefined ? null : formatEndpointLabel(endpoint),
    attempt_limit: delivery.attemptLimit,
    in_flight: delivery.inFlight,
    blocked_by: findBlocker(world, delivery) ?? (awaitsClock(sandbox, delivery) ? 'frozen' : null),
    last_latency_ms: last === undefined ? null : roundMs(last.result.latencyMs),
  };
}

export function presentDeliveryLines(sandbox: Sandbox, deliveries: readonly Delivery[]): DeliveryLine[] {
  return deliveries.map((delivery) => presentDeliveryLine(sandbox, delivery));
}

export function presentDeliveryDetail(sandbox: Sandbox, delivery: Delivery): DeliveryView {
  const attempts = delivery.log.map((attempt): AttemptView => {
    const record = sandbox.epoch.records.get(delivery.id, attempt.number);
    return {
      number: attempt.number,
      started_at: formatIsoTime(attempt.startedAt),
      response_status: attempt.status,
      error: attempt.error,
      faults: firedFaults(attempt),
      ...(record === undefined ? {} : recordView(record)),
    };
  });
  const schedule = listScheduledAttempts(sandbox.world, delivery, sandbox.clock.now()).map(presentScheduled);
  const endpoint = sandbox.world.endpoints.get(delivery.endpointId);
  return {
    ...presentDeliveryLine(sandbox, delivery),
    target_url: endpoint === undefined ? null : targetUrl(sandbox, endpoint),
    own_secret: endpoint !== undefined && endpoint.secret !== sandbox.credentials.webhookSecret,
    attempt_log: attempts,
    schedule,
  };
}

function firedFaults(attempt: Attempt | undefined) {
  return attempt?.faults?.map(({ id, action }) => ({ id, action })) ?? [];
}

function targetUrl({ policy }: Sandbox, { transport, description, url }: Endpoint): string | null {
  return transport === 'listener'
    ? (parseListenerTarget(description)?.target ?? null)
    : applyRoutes(url, policy);
}

function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function recordView({ realAt, requestHeaders, result }: AttemptRecord): Partial<AttemptView> {
  const { latencyMs, detail, bodyError, response } = result;
  return {
    dispatched_at: formatIsoTime(Math.floor(realAt)),
    latency_ms: roundMs(latencyMs),
    detail,
    body_error: bodyError,
    request_headers: requestHeaders,
    response: response && {
      headers: redactHeaders(response.headers),
      ...presentBody(response.body, response.truncated),
      truncated: response.truncated,
    },
  };
}

/** Redacts the payment code, because clients may have used a secret as a code. */
function redactLine<Line extends { readonly resource: EventLine['resource'] }>(
  { secrets }: Sandbox,
  line: Line,
): Line {
  const { resource } = line;
  return { ...line, resource: { ...resource, code: secrets.hide(resource.code) } };
}

/** A finished attempt with its stored record. */
export interface FinishedAttempt {
  readonly record: AttemptRecord;
  readonly delivery: Delivery;
}

/** Returns the real end time in milliseconds. */
export function getEndTime({ record }: FinishedAttempt): number {
  return Math.round(record.realAt + record.result.latencyMs);
}

/**
 * Presents an attempt as a log entry: `at` is its start time (sandbox time) and `real_at` its end time (real
 * time).
 */
export function presentAttemptEntry(sandbox: Sandbox, attempt: FinishedAttempt): AttemptEntry {
  const { record, delivery } = attempt;
  const { number, result } = record;
  const { event_id, event_type, resource, status, endpoint_id, endpoint_name } = redactLine(
    sandbox,
    presentDeliveryLine(sandbox, delivery),
  );
  const logged = delivery.log.findLast((one) => one.number === number);
  return {
    type: 'attempt',
    at: formatIsoTime(logged?.startedAt ?? delivery.lastAttemptAt ?? delivery.createdAt),
    real_at: formatIsoTime(getEndTime(attempt)),
    delivery_id: delivery.id,
    event_id,
    event_type,
    resource,
    app_id: delivery.event.resource.appId,
    endpoint_id,
    endpoint_name: endpoint_name === null ? null : sandbox.secrets.hide(endpoint_name),
    attempt: number,
    attempt_limit: limitAtAttempt(sandbox.world, delivery, number),
    response_status: result.status,
    error: result.error,
    detail: result.detail,
    latency_ms: roundMs(result.latencyMs),
    faults: firedFaults(logged),
    delivery_status: status,
  };
}

export const CALL_VIEW = is.createResourceSchema(
  'Call',
  'An API request from the integrator’s code and its response.',
  {
    id: is.TEXT,
    at: is.INSTANT,
    real_at: is.INSTANT,
    api: is.TEXT,
    method: is.TEXT,
    path: is.TEXT,
    status: integer('a status code', { min: 100, max: 599 }),
    matched: is.BOOLEAN,
    app_id: nullable(is.UUID),
    resource_id: NULLABLE_TEXT,
    resource_code: withDoc('The payment code in the response.', NULLABLE_TEXT),
    error: NULLABLE_TEXT,
    message: withDoc('The error message.', NULLABLE_TEXT),
    details: withDoc('The field-level errors.', ERROR_DETAIL.fields.details),
    hint: NULLABLE_TEXT,
    warnings: is.arrayOf(is.TEXT),
    faults: FIRED_FAULTS,
  },
);
export type CallView = Infer<typeof CALL_VIEW>;

const CALL_MESSAGE = nullable(
  is.createObjectSchema(
    'The message with secrets redacted; null if not stored, or if no response was sent. ' +
      '`body_bytes` is the length of the full body; `body` contains only its beginning if ' +
      '`truncated` is true.',
    {
      ...HTTP_MESSAGE,
      body_bytes: is.COUNT,
      redacted: withDoc('True if secrets in the body are redacted.', is.BOOLEAN),
    },
  ),
);
const { message: _message, details: _details, ...CALL_FIELDS } = CALL_VIEW.fields;
const { code, message, details } = ERROR_DETAIL.fields;

export const CALL_DETAIL = is.createResourceSchema(
  'CallDetail',
  'An API request with its messages, events and deliveries.',
  {
    ...CALL_FIELDS,
    error: nullable(is.createObjectSchema('The error, if the request failed.', { code, message, details })),
    duration_ms: nullable(MILLISECONDS),
    request: CALL_MESSAGE,
    response: CALL_MESSAGE,
    events: is.arrayOf(EVENT_LINE),
    deliveries: is.arrayOf(DELIVERY_LINE),
  },
);
export type CallDetail = Infer<typeof CALL_DETAIL>;

export const REPLAYED_CALL = is.createResourceSchema('ReplayedCall', 'A resent API request.', {
  ...CALL_DETAIL.fields,
  replay_of: withDoc('The id of the original request.', is.TEXT),
  changed: withDoc('The differences from the original request.', is.arrayOf(is.TEXT)),
});

export const LOG_ENTRY = nameSchema(
  'LogEntry',
  unionBy('a log entry', 'type', [
    object('an API request', { type: literal('call'), call: CALL_VIEW }),
    object('an attempt', {
      type: literal('attempt'),
      at: is.INSTANT,
      real_at: is.INSTANT,
      delivery_id: is.UUID,
      event_id: is.EVENT_ID,
      event_type: enumOf(EVENT_TYPES),
      resource: NAMED_RESOURCE,
      app_id: is.UUID,
      endpoint_id: is.UUID,
      endpoint_name: NULLABLE_TEXT,
      attempt: is.COUNT,
      attempt_limit: is.COUNT,
      response_status: nullable(service.STATUS_CODE),
      error: service.ATTEMPT_ERROR,
      detail: NULLABLE_TEXT,
      latency_ms: MILLISECONDS,
      faults: FIRED_FAULTS,
      delivery_status: service.DELIVERY.fields.status,
    }),
  ]),
);
export type LogEntry = Infer<typeof LOG_ENTRY>;
export type AttemptEntry = Extract<LogEntry, { readonly type: 'attempt' }>;

const writeCall = createPresenter(CALL_VIEW);

export function presentCall(call: Call): CallView {
  return writeCall(call, { id: call.requestId, details: call.details ?? [] });
}

function messageView(message: RedactedMessage | null | undefined): CallDetail['request'] {
  if (!message) return null;
  const { headers, body, bytes, truncated, redacted } = message;
  const shown = headers.map(([name, value]): [string, string] => [name, value]);
  return { headers: shown, ...body, body_bytes: bytes, truncated, redacted };
}

/**
 * Presents an API request with the events and deliveries of the resources that the request created or
 * changed.
 */
export function presentCallDetail(sandbox: Sandbox, call: Call): CallDetail {
  const { world } = sandbox;
  const events =
    call.resourceId === null
      ? []
      : world.events.rows.filter(({ resource }) => resource.id === call.resourceId);
  const own = new Set(events);
  const deliveries = world.deliveries.rows.filter(
    ({ id, event }) => own.has(event) || id === call.resourceId,
  );
  const { message, details, error, ...view } = presentCall(call);
  const exchange = sandbox.calls.shown(call);
  return {
    ...view,
    error: error === null ? null : { code: error, message: message ?? '', details },
    duration_ms: exchange === undefined ? null : roundMs(exchange.durationMs),
    request: messageView(exchange?.request),
    response: messageView(exchange?.response),
    events: events.map((event) => redactLine(sandbox, presentEventLine(event))),
    deliveries: deliveries.map((delivery) => redactLine(sandbox, presentDeliveryLine(sandbox, delivery))),
  };
}
