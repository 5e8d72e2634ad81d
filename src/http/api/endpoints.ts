import { newWebhookSecret } from '../../sandbox/credentials.js';
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
import { named, optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { allowedUrl } from '../operation/allowed-url.js';
import { presentPage } from '../operation/pages.js';
import type { ApiRequest } from './route.js';

/** POST /webhook-endpoints (§4.4): only this answer and that of a rotation hold the secret. */
export async function createEndpoint({ sandbox, app, body }: ApiRequest<EndpointBody>): Promise<Answer> {
  const url = await allowedUrl(sandbox, body.url);
  const endpoint = sandbox.dispatch({
    type: 'endpoint.create',
    appId: app.id,
    endpoint: { ...body, url, secret: newWebhookSecret(sandbox.drawBytes) },
  });
  return { status: 201, body: withSecret(endpoint) };
}

function withSecret(endpoint: Endpoint) {
  return { ...presentEndpoint(endpoint), secret: endpoint.secret };
}

/** GET /webhook-endpoints (§4.5). */
export function listEndpoints({ sandbox: { world }, app, query }: ApiRequest<undefined, PageQuery>): Answer {
  const own = [...world.endpoints.values()].filter((endpoint) => endpoint.appId === app.id);
  return presentPage(page(world, own, { list: 'endpoints', owner: app.id }, query), presentEndpoint);
}

/** GET /webhook-endpoints/{endpoint_id} (§4.6). */
export function getEndpoint(request: ApiRequest): Answer {
  return { status: 200, body: presentEndpoint(ownEndpoint(request, 'endpoint_id')) };
}

/** POST /webhook-endpoints/{id}/rotate-secret (§4.7). */
export function rotateSecret(request: ApiRequest): Answer {
  const { sandbox } = request;
  const { id: endpointId } = ownEndpoint(request, 'id');
  const secret = newWebhookSecret(sandbox.drawBytes);
  const rotated = sandbox.dispatch({ type: 'endpoint.rotate', endpointId, secret });
  return { status: 200, body: withSecret(rotated) };
}

/** The query of a list of deliveries (§4.8). */
export const DELIVERY_QUERY = object('a query', {
  status: optional(oneOf(DELIVERY_STATUSES)),
  eventType: named('event_type', optional(oneOf(EVENT_TYPES))),
  ...PAGE_FIELDS,
});

/** GET /webhook-endpoints/{id}/deliveries (§4.8). */
export function listDeliveries(request: ApiRequest<undefined, Infer<typeof DELIVERY_QUERY>>): Answer {
  const endpoint = ownEndpoint(request, 'id');
  const { status, eventType, ...query } = request.query;
  const key = { list: 'deliveries', owner: endpoint.id, filters: { status, eventType } };
  const matches = (delivery: Delivery) =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType);
  return presentPage(page(request.sandbox.world, endpoint.deliveries, key, query, matches), presentDelivery);
}

/** POST /webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/retry (§4.9): 202, PENDING again, and one attempt at once. */
export function retryDelivery(request: ApiRequest): Answer {
  const { sandbox, param, bytes, warn } = request;
  const endpoint = ownEndpoint(request, 'endpoint_id');
  const delivery = findDelivery(sandbox.world, param('delivery_id').toLowerCase());
  if (delivery.endpointId !== endpoint.id) {
    throw new Refusal('NOT_FOUND', `There is no delivery ${delivery.id} for this endpoint.`);
  }
  if (bytes.length > 0) warn('This operation takes no body; this one was ignored.');
  const retried = sandbox.dispatch({ type: 'delivery.retry', deliveryId: delivery.id });
  return { status: 202, body: presentDelivery(retried) };
}

function ownEndpoint({ sandbox, app, param }: ApiRequest, name: string): Endpoint {
  return findEndpoint(sandbox.world, param(name).toLowerCase(), app.id);
}
