import { CHARGE, ENDPOINT } from '../../core/input/bodies.js';
import { PAGE_QUERY } from '../../core/page.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { DoorApp } from '../operation/answer.js';
import { createDoorApp } from '../operation/door-app.js';
import { refuseCall } from '../operation/calls.js';
import { createFallback } from '../operation/fallbacks.js';
import type { RoutePath } from '../operation/nearest-route.js';
import { perform } from './call.js';
import { Explainer } from './explain.js';
import { createCharge, listTransactions, listWithdrawals } from './payments.js';
import {
  createEndpoint,
  DELIVERY_QUERY,
  getEndpoint,
  listDeliveries,
  listEndpoints,
  retryDelivery,
  rotateSecret,
} from './endpoints.js';
import type { Route } from './route.js';
import { route } from './route.js';

const PREFIX = '/api/public/v1';

/** Every operation of the public API: the whole surface at a glance (§4). */
function routes({ world: { assumed } }: Sandbox): readonly Route[] {
  const signature = assumed['endpoint.signature'] === 'required' ? 'required' : 'whenPresent';
  const read = { scope: 'webhooks:read' } as const;
  const write = { scope: 'webhooks:write', signature } as const;
  return [
    route('POST', '/pix', { scope: 'pix:write', signature: 'required', body: CHARGE }, createCharge),
    route('GET', '/withdrawals', { scope: 'withdrawals:read', query: PAGE_QUERY }, listWithdrawals),
    route(
      'GET',
      '/accounts/:id/transactions',
      { scope: assumed['transactions.scope'], query: PAGE_QUERY },
      listTransactions,
    ),
    route('POST', '/webhook-endpoints', { ...write, body: ENDPOINT }, createEndpoint),
    route('GET', '/webhook-endpoints', { ...read, query: PAGE_QUERY }, listEndpoints),
    route('GET', '/webhook-endpoints/:endpoint_id', read, getEndpoint),
    route('POST', '/webhook-endpoints/:id/rotate-secret', write, rotateSecret),
    route('GET', '/webhook-endpoints/:id/deliveries', { ...read, query: DELIVERY_QUERY }, listDeliveries),
    route(
      'POST',
      '/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry',
      { ...write, signature: 'required' },
      retryDelivery,
    ),
  ];
}

/** The operations of the public API with their full paths. */
export function apiRoutes(sandbox: Sandbox): readonly Route[] {
  return routes(sandbox).map((one) => Object.assign(one, { path: PREFIX + one.path }));
}

/**
 * The public payments API as a Hono app. Requests that match no door end here, so `elsewhere` lists the routes of other
 * doors.
 */
export function createApiApp(sandbox: Sandbox, elsewhere: readonly RoutePath[] = []): DoorApp {
  const app = createDoorApp();
  const all = routes(sandbox);
  const explainer = new Explainer(sandbox);
  for (const one of all) {
    app.on(one.method, PREFIX + one.path, (c) => perform(sandbox, c, one, explainer));
  }
  const unrouted = createFallback(PREFIX, all, elsewhere);
  app.notFound((c) => refuseCall(sandbox, c, 'api', unrouted(c)));
  return app;
}
