import { findDelivery } from '../../core/deliveries.js';
import { findEndpoint } from '../../core/endpoints.js';
import { parseEndpointBody } from '../../core/inputs.js';
import { page } from '../../core/page.js';
import { presentDelivery, presentEndpoint } from '../../core/present.js';
import { Refusal } from '../../core/refusal.js';
import { DELIVERY_STATUSES } from '../../core/transitions.js';
import type { Delivery, Endpoint } from '../../core/world.js';
import { EVENT_TYPES } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import { allowedUrl } from '../destinations.js';
import { choice, pageQuery, presentPage } from '../pages.js';
import type { RouteRequest } from './app.js';
import type { Caller } from './call.js';

/** POST /webhook-endpoints (§4.4): the only answer, beside that of a rotation, that holds the secret. */
export async function createEndpoint(sandbox: Sandbox, { app, json, warn }: Caller): Promise<Answer> {
  const { input, unknownFields } = parseEndpointBody(json(), sandbox.world.assumed);
  for (const field of unknownFields) warn(`The field ${field} is not known and was ignored.`);
  const url = await allowedUrl(sandbox, input.url);
  const endpoint = sandbox.dispatch({
    type: 'endpoint.create',
    appId: app.id,
    endpoint: { ...input, url, secret: sandbox.newWebhookSecret() },
  });
  return { status: 201, body: withSecret(endpoint) };
}

function withSecret(endpoint: Endpoint) {
  return { ...presentEndpoint(endpoint), secret: endpoint.secret };
}

/** GET /webhook-endpoints (§4.5). */
export function listEndpoints({ world }: Sandbox, { app }: Caller, request: RouteRequest): Answer {
  const own = [...world.endpoints.values()].filter((endpoint) => endpoint.appId === app.id);
  return presentPage(
    page(world, own, { list: 'endpoints', owner: app.id }, pageQuery(request)),
    presentEndpoint,
  );
}

/** GET /webhook-endpoints/{id} (§4.6). */
export function getEndpoint(sandbox: Sandbox, caller: Caller, request: RouteRequest): Answer {
  return { status: 200, body: presentEndpoint(ownEndpoint(sandbox, caller, request)) };
}

/** POST /webhook-endpoints/{id}/rotate-secret (§4.7). */
export function rotateSecret(sandbox: Sandbox, caller: Caller, request: RouteRequest): Answer {
  const { id } = ownEndpoint(sandbox, caller, request);
  const secret = sandbox.newWebhookSecret();
  return {
    status: 200,
    body: withSecret(sandbox.dispatch({ type: 'endpoint.rotate', endpointId: id, secret })),
  };
}

/** GET /webhook-endpoints/{id}/deliveries (§4.8). */
export function listDeliveries(sandbox: Sandbox, caller: Caller, request: RouteRequest): Answer {
  const endpoint = ownEndpoint(sandbox, caller, request);
  const status = choice(request, 'status', DELIVERY_STATUSES);
  const eventType = choice(request, 'event_type', EVENT_TYPES);
  const key = { list: 'deliveries', owner: endpoint.id, filters: { status, eventType } };
  const matches = (delivery: Delivery) =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType);
  return presentPage(
    page(sandbox.world, endpoint.deliveries, key, pageQuery(request), matches),
    presentDelivery,
  );
}

/** POST /webhook-endpoints/{id}/deliveries/{id}/retry (§4.9): 202, PENDING again, and one attempt at once. */
export function retryDelivery(sandbox: Sandbox, caller: Caller, request: RouteRequest): Answer {
  const endpoint = ownEndpoint(sandbox, caller, request);
  const delivery = findDelivery(sandbox.world, request.param('deliveryId').toLowerCase());
  if (delivery.endpointId !== endpoint.id) {
    throw new Refusal('NOT_FOUND', `There is no delivery ${delivery.id} for this endpoint.`);
  }
  if (caller.body.length > 0) caller.warn('This operation takes no body; the one that came was ignored.');
  const retried = sandbox.dispatch({ type: 'delivery.retry', deliveryId: delivery.id });
  return { status: 202, body: presentDelivery(retried) };
}

function ownEndpoint({ world }: Sandbox, { app }: Caller, request: RouteRequest): Endpoint {
  return findEndpoint(world, request.param('id').toLowerCase(), app.id);
}
