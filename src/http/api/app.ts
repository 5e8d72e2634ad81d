import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { CHARGE, ENDPOINT } from '../../core/input/bodies.js';
import { PAGE_QUERY } from '../../core/page.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { refuseCall } from '../operation/calls.js';
import type { FailedBearers } from '../operation/failed-bearers.js';
import { createFallback } from '../operation/fallbacks.js';
import type { RoutePath } from '../operation/nearest-route.js';
import { perform } from './call.js';
import { createCharge } from './charges.js';
import {
  createEndpoint,
  DELIVERY_QUERY,
  getEndpoint,
  listDeliveries,
  listEndpoints,
  retryDelivery,
  rotateSecret,
} from './endpoints.js';
import { listTransactions, listWithdrawals } from './lists.js';
import type { Route } from './route.js';
import { route } from './route.js';

const PREFIX = '/api/public/v1';

/** Every operation of the public API: the whole surface at a glance (§4). */
function routes({ world: { assumed } }: Sandbox): readonly Route[] {
  const endpointSignature = assumed['endpoint.signature'] === 'required' ? 'required' : 'whenPresent';
  const read = { method: 'GET', signature: 'none' } as const;
  const readWebhooks = { ...read, scope: 'webhooks:read' } as const;
  const write = { method: 'POST', scope: 'webhooks:write' } as const;
  return [
    route({
      method: 'POST',
      path: '/pix',
      scope: 'pix:write',
      signature: 'required',
      body: CHARGE,
      handle: createCharge,
    }),
    route({
      ...read,
      path: '/withdrawals',
      scope: 'withdrawals:read',
      query: PAGE_QUERY,
      handle: listWithdrawals,
    }),
    route({
      ...read,
      path: '/accounts/:id/transactions',
      scope: assumed['transactions.scope'],
      query: PAGE_QUERY,
      handle: listTransactions,
    }),
    route({
      ...write,
      path: '/webhook-endpoints',
      signature: endpointSignature,
      body: ENDPOINT,
      handle: createEndpoint,
    }),
    route({ ...readWebhooks, path: '/webhook-endpoints', query: PAGE_QUERY, handle: listEndpoints }),
    route({ ...readWebhooks, path: '/webhook-endpoints/:endpoint_id', handle: getEndpoint }),
    route({
      ...write,
      path: '/webhook-endpoints/:id/rotate-secret',
      signature: endpointSignature,
      handle: rotateSecret,
    }),
    route({
      ...readWebhooks,
      path: '/webhook-endpoints/:id/deliveries',
      query: DELIVERY_QUERY,
      handle: listDeliveries,
    }),
    route({
      ...write,
      path: '/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry',
      signature: 'required',
      handle: retryDelivery,
    }),
  ];
}

/** The operations of the public API with their full paths. */
export function apiRoutes(sandbox: Sandbox): readonly Route[] {
  return routes(sandbox).map(withPrefix);
}

function withPrefix(route: Route): Route {
  return { ...route, path: PREFIX + route.path };
}

/**
 * The public payments API as a Hono app. Requests that match no door end here, so `elsewhere` lists the routes of other
 * doors; `bearers` delays answers to wrong tokens.
 */
export function createApiApp(
  sandbox: Sandbox,
  elsewhere: readonly RoutePath[] = [],
  bearers?: FailedBearers,
): Hono<{ Bindings: Partial<HttpBindings> }> {
  const app = new Hono<{ Bindings: Partial<HttpBindings> }>();
  const all = routes(sandbox);
  for (const route of all) {
    app.on(route.method, PREFIX + route.path, (c) => perform(sandbox, c, route, bearers));
  }
  const unrouted = createFallback(PREFIX, all, elsewhere);
  app.notFound((c) => refuseCall(sandbox, c, 'api', unrouted(c)));
  return app;
}
