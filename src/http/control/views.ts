import {
  eventDrawQr,
  presentCharge,
  presentDelivery,
  presentEndpoint,
  presentEvent,
  presentWithdrawal,
  resourceType,
} from '../../core/resources/serialize.js';
import { attemptsEnded } from '../../core/webhooks/deliveries.js';
import { scheduleOf } from '../../core/webhooks/schedule.js';
import { obstacleTo } from '../../core/webhooks/obstacles.js';
import type { Fault } from '../../core/webhooks/faults.js';
import { accountsOf } from '../../core/identity/applications.js';
import { formatAmount } from '../../contract/money.js';
import { routedUrl } from '../../delivery/destination.js';
import { listenerTarget } from '../../text/listener-name.js';
import { withoutHeaderSecrets } from '../../text/redaction.js';
import { shownBody } from '../../text/shown-body.js';
import { formatDuration, isoTime } from '../../contract/time.js';
import type { DrawQr } from '../../core/resources/serialize.js';
import type {
  Account,
  AnnouncedEvent,
  App,
  Charge,
  Delivery,
  Endpoint,
  Withdrawal,
  World,
} from '../../core/world.js';
import type { AttemptRecord } from '../../sandbox/attempt-records.js';
import type { KeptMessage } from '../../sandbox/call-exchange.js';
import type { Call } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type * as shown from './schema.js';
import { scheduledView } from './webhooks/schedule.js';

/** The fields that the control API adds to the service's own resources, and the service hides. */

export function chargeView(charge: Readonly<Charge>, drawQr: DrawQr = null): shown.ChargeView {
  return withInside(presentCharge(charge, drawQr), charge);
}

export function withdrawalView(withdrawal: Readonly<Withdrawal>): shown.WithdrawalView {
  return withInside(presentWithdrawal(withdrawal), withdrawal);
}

/** Assigned instead of spread, because V8 is slow at a spread with further fields. */
function withInside<Resource extends object>(resource: Resource, { appId, reason }: Charge | Withdrawal) {
  return Object.assign(resource, { app_id: appId, reason });
}

export function endpointView(endpoint: Endpoint): shown.EndpointView {
  return {
    ...presentEndpoint(endpoint),
    app_id: endpoint.appId,
    transport: endpoint.transport,
    connected: endpoint.transport === 'listener' ? endpoint.connected : null,
    retries: endpoint.schedule,
    timeout_ms: endpoint.timeoutMs,
    deliveries: endpoint.deliveries.length,
  };
}

export function appView(world: World, app: App): shown.AppView {
  return {
    id: app.id,
    organization_id: app.organizationId,
    name: app.name,
    scopes: app.scopes,
    account_id: app.accountId,
    account_ids: accountsOf(world, app).map(({ id }) => id),
    token: app.token,
  };
}

export function accountView({ id, appId, balanceCents }: Account): shown.AccountView {
  return { id, app_id: appId, balance: formatAmount(balanceCents) };
}

/** The name of an endpoint for people: its URL, or the target of a listener. */
function endpointName({ transport, description, url }: Endpoint): string {
  return transport === 'listener' ? (description ?? url) : url;
}

/** An event in lists: with the id of its resource instead of the whole resource. */
export function eventLine(event: AnnouncedEvent): shown.EventLine {
  return {
    id: event.id,
    type: event.type,
    created_at: isoTime(event.at),
    app_id: event.resource.appId,
    overridden: event.overrides !== undefined,
    resource: namedResource(event),
  };
}

function namedResource(event: AnnouncedEvent): shown.EventLine['resource'] {
  return { type: resourceType(event), id: event.resource.id, code: event.resource.code };
}

export function eventView(sandbox: Sandbox, event: AnnouncedEvent): shown.EventView {
  const deliveries = sandbox.world.deliveries.rows.filter((delivery) => delivery.event === event);
  return {
    ...eventLine(event),
    payload: presentEvent(event, eventDrawQr(sandbox.world, sandbox.drawQr)),
    deliveries: deliveryLines(sandbox, deliveries),
  };
}

export function deliveryLine({ world, records }: Sandbox, delivery: Delivery): shown.DeliveryLine {
  const endpoint = world.endpoints.get(delivery.endpointId);
  const last = records.get(delivery.id, attemptsEnded(delivery));
  return {
    ...presentDelivery(delivery),
    resource: namedResource(delivery.event),
    endpoint_id: delivery.endpointId,
    endpoint_url: endpoint?.url ?? null,
    endpoint_name: endpoint === undefined ? null : endpointName(endpoint),
    attempt_limit: delivery.attemptLimit,
    in_flight: delivery.inFlight,
    blocked_by: obstacleTo(world, delivery),
    last_latency_ms: last === undefined ? null : roundedMs(last.result.latencyMs),
  };
}

export function deliveryLines(sandbox: Sandbox, deliveries: readonly Delivery[]): shown.DeliveryLine[] {
  return deliveries.map((delivery) => deliveryLine(sandbox, delivery));
}

export function deliveryView(sandbox: Sandbox, delivery: Delivery): shown.DeliveryView {
  const attempts = delivery.log.map((attempt): shown.AttemptView => {
    const record = sandbox.records.get(delivery.id, attempt.number);
    return {
      number: attempt.number,
      started_at: isoTime(attempt.startedAt),
      response_status: attempt.status,
      error: attempt.error,
      faults: attempt.faults?.map(({ id, action }) => ({ id, action })) ?? [],
      ...(record === undefined ? {} : recordView(record)),
    };
  });
  const schedule = scheduleOf(sandbox.world, delivery, sandbox.clock.now()).map(scheduledView);
  const endpoint = sandbox.world.endpoints.get(delivery.endpointId);
  return {
    ...deliveryLine(sandbox, delivery),
    target_url: endpoint === undefined ? null : targetUrl(sandbox, endpoint),
    own_secret: endpoint !== undefined && endpoint.secret !== sandbox.credentials.webhookSecret,
    attempt_log: attempts,
    schedule,
  };
}

function targetUrl({ policy }: Sandbox, { transport, description, url }: Endpoint): string | null {
  return transport === 'listener' ? (listenerTarget(description)?.target ?? null) : routedUrl(url, policy);
}

function roundedMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function recordView({ realAt, requestHeaders, result }: AttemptRecord): shown.RecordView {
  return {
    dispatched_at: isoTime(Math.floor(realAt)),
    latency_ms: roundedMs(result.latencyMs),
    detail: result.detail,
    body_error: result.bodyError,
    request_headers: requestHeaders,
    response:
      result.response === null
        ? null
        : {
            headers: withoutHeaderSecrets(result.response.headers),
            ...shownBody(result.response.body, result.response.truncated),
            truncated: result.response.truncated,
          },
  };
}

export function callView(call: Call): shown.CallView {
  return {
    id: call.requestId,
    at: isoTime(call.at),
    real_at: isoTime(call.realAt),
    door: call.door,
    method: call.method,
    path: call.path,
    status: call.status,
    matched: call.matched,
    app_id: call.appId,
    resource_id: call.resourceId,
    resource_code: call.resourceCode ?? null,
    error: call.error,
    message: call.message ?? null,
    details: call.details ?? [],
    hint: call.hint,
    warnings: call.warnings,
    faults: call.faults,
  };
}

function messageView(message: KeptMessage | null | undefined): shown.CallDetail['request'] {
  if (!message) return null;
  const { headers, body, bytes, truncated, redacted } = message;
  const shown = headers.map(([name, value]): [string, string] => [name, value]);
  return { headers: shown, ...body, body_bytes: bytes, truncated, redacted };
}

/** A call with the events of the resources it created or changed, and their deliveries. */
export function callDetail(sandbox: Sandbox, call: Call): shown.CallDetail {
  const { world } = sandbox;
  const events =
    call.resourceId === null
      ? []
      : world.events.rows.filter(({ resource }) => resource.id === call.resourceId);
  const own = new Set(events);
  const deliveries = world.deliveries.rows.filter(
    ({ id, event }) => own.has(event) || id === call.resourceId,
  );
  const { message, details, error, ...view } = callView(call);
  const { exchange } = call;
  return {
    ...view,
    error: error === null ? null : { code: error, message: message ?? '', details },
    duration_ms: exchange === undefined ? null : roundedMs(exchange.durationMs),
    request: messageView(exchange?.request),
    response: messageView(exchange?.response),
    events: events.map((event) => withoutSecrets(sandbox, eventLine(event))),
    deliveries: deliveries.map((delivery) => withoutSecrets(sandbox, deliveryLine(sandbox, delivery))),
  };
}

/** A line for a log: a secret may have been used as the code of a payment. */
export function withoutSecrets<Line extends { readonly resource: shown.EventLine['resource'] }>(
  { secrets }: Sandbox,
  line: Line,
): Line {
  const { resource } = line;
  return { ...line, resource: { ...resource, code: secrets.hide(resource.code) } };
}

/** A fault as the control API shows it: the fields it was created with, and how often it fired. */
export function faultView({ match, delayMs, ...fault }: Fault): shown.FaultView {
  const { id, action, status, copies, parallel = null, when = null, count, probability, seen, fired } = fault;
  const { code = null, resource = null, nth = null } = match;
  const matched =
    match.on === 'call'
      ? { on: match.on, door: match.door, method: match.method, path: match.path }
      : {
          on: match.on,
          event: match.eventType,
          endpoint: match.endpointId ?? match.endpointUrl ?? null,
          attempt: match.attempt,
        };
  const aim = { code, resource, nth };
  const delay = delayMs === null ? null : formatDuration(delayMs);
  const details = { status, delay, copies, parallel, when, count, probability };
  return { id, action, ...matched, ...aim, ...details, seen, fired };
}

/** Whether attempts are held back, and how many deliveries are waiting. */
export function pausingView(paused: boolean, waiting: readonly Delivery[]): shown.PausingView {
  return { paused, waiting: waiting.length };
}
