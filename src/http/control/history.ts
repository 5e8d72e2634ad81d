import { findDelivery } from '../../core/deliveries.js';
import { findEvent } from '../../core/events.js';
import { page } from '../../core/page.js';
import { Refusal } from '../../core/refusal.js';
import { parseDuration } from '../../core/time.js';
import { DELIVERY_STATUSES } from '../../core/transitions.js';
import type { AnnouncedEvent, Delivery } from '../../core/world.js';
import { EVENT_TYPES } from '../../core/world.js';
import type { Answer } from '../answer.js';
import { choice, pageQuery, presentPage } from '../pages.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { noMoreFields, ok } from './control.js';
import { deliveryLine, deliveryView, eventLine, eventView } from './present.js';
import { waitForDeliveries } from './wait.js';

/** A day: what waits longer has lost its client. */
const LONGEST_TIMEOUT_MS = 86_400_000;

function listEvents(request: ControlRequest): Answer {
  const { world } = request.sandbox;
  const type = choice(request, 'type', EVENT_TYPES);
  const matches = (event: AnnouncedEvent) => type === undefined || event.type === type;
  const key = { list: 'control/events', filters: { type } };
  return presentPage(page(world, world.events.rows, key, pageQuery(request), matches), eventLine);
}

function resendEvent({ sandbox, param, fields }: ControlRequest): Answer {
  const endpointId = fields.optionalUuid('endpoint');
  noMoreFields(fields);
  const deliveries = sandbox.dispatch({ type: 'event.resend', eventId: param('id'), endpointId });
  return { status: 202, body: { deliveries: deliveries.map((delivery) => deliveryLine(sandbox, delivery)) } };
}

/** Which deliveries a query is about. */
export function deliveryFilter(request: ControlRequest) {
  const status = choice(request, 'status', DELIVERY_STATUSES);
  const eventType = choice(request, 'event_type', EVENT_TYPES);
  const filters = { status, eventType, endpoint: request.query('endpoint'), event: request.query('event') };
  const matches = (delivery: Delivery) =>
    (filters.status === undefined || delivery.status === filters.status) &&
    (filters.eventType === undefined || delivery.event.type === filters.eventType) &&
    (filters.endpoint === undefined || delivery.endpointId === filters.endpoint) &&
    (filters.event === undefined || delivery.event.id === filters.event);
  return { filters, matches };
}

function listDeliveries(request: ControlRequest): Answer {
  const { sandbox } = request;
  const { filters, matches } = deliveryFilter(request);
  const key = { list: 'control/deliveries', filters };
  const found = page(sandbox.world, sandbox.world.deliveries.rows, key, pageQuery(request), matches);
  return presentPage(found, (delivery) => deliveryLine(sandbox, delivery));
}

function getDelivery({ sandbox, param }: ControlRequest): Answer {
  return ok(deliveryView(sandbox, findDelivery(sandbox.world, param('id'))));
}

function retryDelivery({ sandbox, param, fields }: ControlRequest): Answer {
  noMoreFields(fields);
  const delivery = sandbox.dispatch({ type: 'delivery.retry', deliveryId: param('id') });
  return { status: 202, body: deliveryLine(sandbox, delivery) };
}

function countOf({ query }: ControlRequest): number {
  const text = query('count') ?? '1';
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new Refusal('INVALID_REQUEST', `count must be a whole number from 1; got ${text}.`);
}

async function waitDeliveries(request: ControlRequest): Promise<Answer> {
  const { sandbox, query } = request;
  const timeout = query('timeout') ?? '30s';
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined || timeoutMs > LONGEST_TIMEOUT_MS) {
    throw new Refusal('INVALID_REQUEST', `timeout must be a duration up to 1d, such as 30s; got ${timeout}.`);
  }
  const { matches } = deliveryFilter(request);
  const awaited = { matches, count: countOf(request), timeoutMs, signal: request.context.req.raw.signal };
  const { satisfied, deliveries } = await waitForDeliveries(sandbox, awaited);
  return ok({ satisfied, deliveries: deliveries.map((delivery) => deliveryLine(sandbox, delivery)) });
}

/** What happened and what became of it. */
export const HISTORY_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'events', handle: listEvents },
  {
    method: 'GET',
    path: 'events/:id',
    handle: ({ sandbox, param }) => ok(eventView(sandbox, findEvent(sandbox.world, param('id')))),
  },
  { method: 'POST', path: 'events/:id/resend', handle: resendEvent },
  { method: 'GET', path: 'deliveries', handle: listDeliveries },
  { method: 'GET', path: 'deliveries/wait', handle: waitDeliveries },
  { method: 'GET', path: 'deliveries/:id', handle: getDelivery },
  { method: 'POST', path: 'deliveries/:id/retry', handle: retryDelivery },
];
