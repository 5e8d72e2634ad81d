import { findDelivery } from '../../core/webhooks/deliveries.js';
import { findEndpoint } from '../../core/webhooks/endpoints.js';
import type { EndpointBody } from '../../core/input/bodies.js';
import type { PageQuery } from '../../core/page.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import { presentDelivery, presentEndpoint } from '../../core/resources/serialize.js';
import { Refusal } from '../../contract/refusals.js';
import { DELIVERY_STATUSES } from '../../contract/transitions.js';
import type { Delivery, Endpoint } from '../../core/world.js';
import { EVENT_TYPES } from '../../contract/events.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { named, optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { allowedUrl } from '../operation/allowed-url.js';
import { presentPage } from '../operation/pages.js';
import type { Caller, RouteRequest } from './route.js';

/** POST /webhook-endpoints (§4.4): only this answer and that of a rotation hold the secret. */
export async function createEndpoint(
  sandbox: Sandbox,
  { app }: Caller,
  { body }: RouteRequest<EndpointBody>,
): Promise<Answer> {
  const url = await allowedUrl(sandbox, body.url);
  const endpoint = sandbox.dispatch({
    type: 'endpoint.create',
    appId: app.id,
    endpoint: { ...body, url, secret: sandbox.newWebhookSecret() },
  });
  return { status: 201, body: withSecret(endpoint) };
}

function withSecret(endpoint: Endpoint) {
  return { ...presentEndpoint(endpoint), secret: endpoint.secret };
}

/** GET /webhook-endpoints (§4.5). */
export function listEndpoints(
  { world }: Sandbox,
  { app }: Caller,
  { query }: RouteRequest<undefined, PageQuery>,
): Answer {
  const own = [...world.endpoints.values()].filter((endpoint) => endpoint.appId === app.id);
  return presentPage(page(world, own, { list: 'endpoints', owner: app.id }, query), presentEndpoint);
}

/** GET /webhook-endpoints/{endpoint_id} (§4.6). */
export function getEndpoint(sandbox: Sandbox, caller: Caller, { param }: RouteRequest): Answer {
  return { status: 200, body: presentEndpoint(ownEndpoint(sandbox, caller, param('endpoint_id'))) };
}

/** POST /webhook-endpoints/{id}/rotate-secret (§4.7). */
export function rotateSecret(sandbox: Sandbox, caller: Caller, { param }: RouteRequest): Answer {
  const { id } = ownEndpoint(sandbox, caller, param('id'));
  const secret = sandbox.newWebhookSecret();
  return {
    status: 200,
    body: withSecret(sandbox.dispatch({ type: 'endpoint.rotate', endpointId: id, secret })),
  };
}

/** The query of a list of deliveries (§4.8). */
export const DELIVERY_QUERY = object('a query', {
  status: optional(oneOf(DELIVERY_STATUSES)),
  eventType: named('event_type', optional(oneOf(EVENT_TYPES))),
  ...PAGE_FIELDS,
});

/** GET /webhook-endpoints/{id}/deliveries (§4.8). */
export function listDeliveries(
  sandbox: Sandbox,
  caller: Caller,
  request: RouteRequest<undefined, Infer<typeof DELIVERY_QUERY>>,
): Answer {
  const endpoint = ownEndpoint(sandbox, caller, request.param('id'));
  const { status, eventType, ...query } = request.query;
  const key = { list: 'deliveries', owner: endpoint.id, filters: { status, eventType } };
  const matches = (delivery: Delivery) =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType);
  return presentPage(page(sandbox.world, endpoint.deliveries, key, query, matches), presentDelivery);
}

/** POST /webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/retry (§4.9): 202, PENDING again, and one attempt at once. */
export function retryDelivery(sandbox: Sandbox, caller: Caller, { param }: RouteRequest): Answer {
  const endpoint = ownEndpoint(sandbox, caller, param('endpoint_id'));
  const delivery = findDelivery(sandbox.world, param('delivery_id').toLowerCase());
  if (delivery.endpointId !== endpoint.id) {
    throw new Refusal('NOT_FOUND', `There is no delivery ${delivery.id} for this endpoint.`);
  }
  if (caller.body.length > 0) caller.warn('This operation takes no body; this one was ignored.');
  const retried = sandbox.dispatch({ type: 'delivery.retry', deliveryId: delivery.id });
  return { status: 202, body: presentDelivery(retried) };
}

function ownEndpoint({ world }: Sandbox, { app }: Caller, id: string): Endpoint {
  return findEndpoint(world, id.toLowerCase(), app.id);
}
