import type { App, Delivery, Endpoint } from '../../core/world.js';
import { type Answer, presentPage } from '../operation/answer.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Schema, Infer } from '../../schema/schema.js';
import type { QuerySchema } from '../operation/read-request.js';
import type { Operation } from './checks.js';
import type { ChargeInput } from '../../core/world.js';
import { ownAccount } from '../../core/payments/ledger.js';
import type { PageQuery } from '../../core/page.js';
import { page, PAGE_FIELDS, PAGE_QUERY } from '../../core/page.js';
import {
  presentCharge,
  presentTransaction,
  presentWithdrawal,
  presentDelivery,
  presentEndpoint,
} from '../../core/resources/serialize.js';
import { newWebhookSecret } from '../../sandbox/credentials.js';
import { findDelivery } from '../../core/webhooks/deliveries.js';
import { findEndpoint } from '../../core/webhooks/endpoints.js';
import type { EndpointBody } from '../../core/input/bodies.js';
import { Refusal } from '../../contract/refusals.js';
import { DELIVERY_STATUSES } from '../../contract/transitions.js';
import { EVENT_TYPES } from '../../contract/enums.js';
import { named, object, optional } from '../../schema/object.js';
import { oneOf } from '../../schema/values.js';
import { allowedUrl } from '../operation/allowed-url.js';
import { CHARGE, ENDPOINT } from '../../core/input/bodies.js';

/** The prefix of every path. */
export const API_PREFIX = '/api/public/v1';

/** A request that passed all checks, as read by its route. */
export interface ApiRequest<Body = unknown, Query = unknown> {
  readonly sandbox: Sandbox;
  readonly app: App;
  readonly bytes: Buffer;
  /** Adds a warning to the call log about something accepted but probably not meant. */
  readonly warn: (warning: string) => void;
  readonly param: (name: string) => string;
  readonly body: Body;
  readonly query: Query;
}

interface Rules<Body, Query> extends Operation {
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
}

/** An operation of the public API with its route. */
export interface Route extends Rules<unknown, unknown> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (request: ApiRequest<never, never>) => Answer | Promise<Answer>;
}

/** A route whose `handle` takes what its body and query are read as. */
export function route<Body = undefined, Query = undefined>(
  method: Route['method'],
  path: string,
  rules: Rules<Body, Query>,
  handle: (request: ApiRequest<Body, Query>) => Answer | Promise<Answer>,
): Route {
  return { method, path, ...rules, handle };
}

/** POST /pix (§4.1): 201 for a new charge, 200 with the current charge for a code that already belongs to it. */
function createCharge({ sandbox, app, body }: ApiRequest<ChargeInput>): Answer {
  const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: body });
  const drawQr = sandbox.world.assumed['charge.qr_image'] === 'full' ? sandbox.drawQr : null;
  return { status: created ? 201 : 200, body: presentCharge(charge, drawQr) };
}

type Listing = ApiRequest<undefined, PageQuery>;

/** GET /withdrawals (§4.2). */
function listWithdrawals({ sandbox: { world }, app, query }: Listing): Answer {
  const key = { list: 'withdrawals', owner: app.id };
  return presentPage(page(world, app.withdrawals, key, query), presentWithdrawal);
}

/** GET /accounts/{id}/transactions (§4.3). */
function listTransactions({ sandbox: { world }, app, param, query }: Listing): Answer {
  const account = ownAccount(world, app.id, param('id').toLowerCase());
  const key = { list: 'transactions', owner: account.id };
  const found = page(world, account.transactions, key, query);
  return presentPage(found, (transaction) => presentTransaction(world, transaction));
}

/** POST /webhook-endpoints (§4.4): only this answer and that of a rotation hold the secret. */
async function createEndpoint({ sandbox, app, body }: ApiRequest<EndpointBody>): Promise<Answer> {
  const url = await allowedUrl(sandbox, body.url);
  const endpoint = sandbox.dispatch({
    type: 'endpoint.create',
    appId: app.id,
    endpoint: { ...body, url, secret: newWebhookSecret(sandbox.epoch.drawBytes) },
  });
  return { status: 201, body: withSecret(endpoint) };
}

function withSecret(endpoint: Endpoint) {
  return { ...presentEndpoint(endpoint), secret: endpoint.secret };
}

/** GET /webhook-endpoints (§4.5). */
function listEndpoints({ sandbox: { world }, app, query }: ApiRequest<undefined, PageQuery>): Answer {
  const own = [...world.endpoints.values()].filter((endpoint) => endpoint.appId === app.id);
  return presentPage(page(world, own, { list: 'endpoints', owner: app.id }, query), presentEndpoint);
}

/** GET /webhook-endpoints/{endpoint_id} (§4.6). */
function getEndpoint(request: ApiRequest): Answer {
  return { status: 200, body: presentEndpoint(ownEndpoint(request, 'endpoint_id')) };
}

/** POST /webhook-endpoints/{id}/rotate-secret (§4.7). */
function rotateSecret(request: ApiRequest): Answer {
  const { sandbox } = request;
  const { id: endpointId } = ownEndpoint(request, 'id');
  const secret = newWebhookSecret(sandbox.epoch.drawBytes);
  const rotated = sandbox.dispatch({ type: 'endpoint.rotate', endpointId, secret });
  return { status: 200, body: withSecret(rotated) };
}

/** The query of a list of deliveries (§4.8). */
const DELIVERY_QUERY = object('a query', {
  status: optional(oneOf(DELIVERY_STATUSES)),
  eventType: named('event_type', optional(oneOf(EVENT_TYPES))),
  ...PAGE_FIELDS,
});

/** GET /webhook-endpoints/{id}/deliveries (§4.8). */
function listDeliveries(request: ApiRequest<undefined, Infer<typeof DELIVERY_QUERY>>): Answer {
  const endpoint = ownEndpoint(request, 'id');
  const { status, eventType, ...query } = request.query;
  const key = { list: 'deliveries', owner: endpoint.id, filters: { status, eventType } };
  const matches = (delivery: Delivery) =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType);
  return presentPage(page(request.sandbox.world, endpoint.deliveries, key, query, matches), presentDelivery);
}

/**
 * POST /webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/retry (§4.9): 202, PENDING again, and one
 * attempt at once.
 */
function retryDelivery(request: ApiRequest): Answer {
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

/** Every operation of the public API: the whole surface at a glance (§4). */
export function apiRoutes({ world: { assumed } }: Sandbox): readonly Route[] {
  const signature = assumed['endpoint.signature'] === 'required' ? 'required' : 'whenPresent';
  const read = { scope: 'webhooks:read' } as const;
  const write = { scope: 'webhooks:write', signature } as const;
  return [
    route(
      'POST',
      `${API_PREFIX}/pix`,
      { scope: 'pix:write', signature: 'required', body: CHARGE },
      createCharge,
    ),
    route(
      'GET',
      `${API_PREFIX}/withdrawals`,
      { scope: 'withdrawals:read', query: PAGE_QUERY },
      listWithdrawals,
    ),
    route(
      'GET',
      `${API_PREFIX}/accounts/:id/transactions`,
      { scope: assumed['transactions.scope'], query: PAGE_QUERY },
      listTransactions,
    ),
    route('POST', `${API_PREFIX}/webhook-endpoints`, { ...write, body: ENDPOINT }, createEndpoint),
    route('GET', `${API_PREFIX}/webhook-endpoints`, { ...read, query: PAGE_QUERY }, listEndpoints),
    route('GET', `${API_PREFIX}/webhook-endpoints/:endpoint_id`, read, getEndpoint),
    route('POST', `${API_PREFIX}/webhook-endpoints/:id/rotate-secret`, write, rotateSecret),
    route(
      'GET',
      `${API_PREFIX}/webhook-endpoints/:id/deliveries`,
      { ...read, query: DELIVERY_QUERY },
      listDeliveries,
    ),
    route(
      'POST',
      `${API_PREFIX}/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry`,
      { ...write, signature: 'required' },
      retryDelivery,
    ),
  ];
}
