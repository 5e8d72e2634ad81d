import { findDelivery } from '../../../core/webhooks/deliveries.js';
import { findEvent } from '../../../core/webhooks/events.js';
import type { FieldReader } from '../../../core/input/field-reader.js';
import { LIMITS } from '../../../contract/limits.js';
import { page, readPageQuery } from '../../../core/page.js';
import { heldBack } from '../../../core/webhooks/pausing.js';
import { DAY_MS, SECOND_MS } from '../../../contract/time.js';
import { DELIVERY_STATUSES } from '../../../contract/transitions.js';
import type { AnnouncedEvent, Delivery } from '../../../core/world.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import type { Answer } from '../../operation/answer.js';
import { presentPage } from '../../operation/pages.js';
import type { ControlRequest, ControlRoute, Sent } from '../control.js';
import { ok, route } from '../control.js';
import { deliveryLine, deliveryView, eventLine, eventView, pausingView } from '../views.js';
import { waitForDeliveries } from './wait.js';

const DEFAULT_TIMEOUT_MS = 30 * SECOND_MS;
/** What waits longer has lost its client. */
const LONGEST_TIMEOUT_MS = DAY_MS;
const MOST_AWAITED = 1_000_000_000;

function readEventList(fields: FieldReader) {
  return { type: fields.oneOf('type', EVENT_TYPES), ...readPageQuery(fields) };
}

function listEvents(
  { sandbox: { world } }: ControlRequest,
  { query: { type, ...query } }: Sent<undefined, ReturnType<typeof readEventList>>,
): Answer {
  const matches = (event: AnnouncedEvent) => type === undefined || event.type === type;
  const key = { list: 'control/events', filters: { type } };
  return presentPage(page(world, world.events.rows, key, query, matches), eventLine);
}

/** To which endpoint; to all that take it when there is none. */
function readResend(fields: FieldReader) {
  return { endpointId: fields.optionalUuid('endpoint') };
}

function resendEvent(
  { sandbox, param }: ControlRequest,
  { body }: Sent<ReturnType<typeof readResend>, undefined>,
): Answer {
  const deliveries = sandbox.dispatch({ type: 'event.resend', eventId: param('id'), ...body });
  return { status: 202, body: { deliveries: deliveries.map((delivery) => deliveryLine(sandbox, delivery)) } };
}

/** Which deliveries a query is about. */
export function readDeliveryFilters(fields: FieldReader) {
  return {
    status: fields.oneOf('status', DELIVERY_STATUSES),
    eventType: fields.oneOf('event_type', EVENT_TYPES),
    endpoint: fields.optionalText('endpoint', LIMITS.nameLength),
    event: fields.optionalText('event', LIMITS.nameLength),
  };
}

type DeliveryFilters = ReturnType<typeof readDeliveryFilters>;

function deliveryFilter({ status, eventType, endpoint, event }: DeliveryFilters) {
  return (delivery: Delivery) =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType) &&
    (endpoint === undefined || delivery.endpointId === endpoint) &&
    (event === undefined || delivery.event.id === event);
}

function readDeliveryList(fields: FieldReader) {
  return { filters: readDeliveryFilters(fields), page: readPageQuery(fields) };
}

function listDeliveries(
  { sandbox }: ControlRequest,
  { query }: Sent<undefined, ReturnType<typeof readDeliveryList>>,
): Answer {
  const { filters } = query;
  const key = { list: 'control/deliveries', filters };
  const { rows } = sandbox.world.deliveries;
  const found = page(sandbox.world, rows, key, query.page, deliveryFilter(filters));
  return presentPage(found, (delivery) => deliveryLine(sandbox, delivery));
}

function getDelivery({ sandbox, param }: ControlRequest): Answer {
  return ok(deliveryView(sandbox, findDelivery(sandbox.world, param('id'))));
}

function retryDelivery({ sandbox, param }: ControlRequest): Answer {
  const delivery = sandbox.dispatch({ type: 'delivery.retry', deliveryId: param('id') });
  return { status: 202, body: deliveryLine(sandbox, delivery) };
}

function pauseDeliveries({ sandbox }: ControlRequest): Answer {
  sandbox.dispatch({ type: 'deliveries.pause' });
  return ok(pausingView(true, heldBack(sandbox.world)));
}

function resumeDeliveries({ sandbox }: ControlRequest): Answer {
  return ok(pausingView(false, sandbox.dispatch({ type: 'deliveries.resume' })));
}

/** For how many deliveries to wait, and how much real time at most. */
function readWait(fields: FieldReader) {
  const timeout = { mostMs: LONGEST_TIMEOUT_MS, example: '30s' };
  return {
    timeoutMs: fields.duration('timeout', timeout) ?? DEFAULT_TIMEOUT_MS,
    filters: readDeliveryFilters(fields),
    count: fields.wholeNumber('count', 1, MOST_AWAITED) ?? 1,
  };
}

async function waitDeliveries(
  { sandbox, context }: ControlRequest,
  { query: { timeoutMs, filters, count } }: Sent<undefined, ReturnType<typeof readWait>>,
): Promise<Answer> {
  const { signal } = context.req.raw;
  const awaited = { matches: deliveryFilter(filters), count, timeoutMs, signal };
  const { satisfied, deliveries } = await waitForDeliveries(sandbox, awaited);
  return ok({ satisfied, deliveries: deliveries.map((delivery) => deliveryLine(sandbox, delivery)) });
}

/** What happened and what became of it. */
export const HISTORY_ROUTES: readonly ControlRoute[] = [
  route({ method: 'GET', path: 'events', query: readEventList, handle: listEvents }),
  {
    method: 'GET',
    path: 'events/:id',
    handle: ({ sandbox, param }) => ok(eventView(sandbox, findEvent(sandbox.world, param('id')))),
  },
  route({ method: 'POST', path: 'events/:id/resend', body: readResend, handle: resendEvent }),
  route({ method: 'GET', path: 'deliveries', query: readDeliveryList, handle: listDeliveries }),
  route({ method: 'GET', path: 'deliveries/wait', query: readWait, handle: waitDeliveries }),
  { method: 'GET', path: 'deliveries/:id', handle: getDelivery },
  route({ method: 'POST', path: 'deliveries/pause', handle: pauseDeliveries }),
  route({ method: 'POST', path: 'deliveries/resume', handle: resumeDeliveries }),
  route({ method: 'POST', path: 'deliveries/:id/retry', handle: retryDelivery }),
];
