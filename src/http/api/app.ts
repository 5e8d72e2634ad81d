import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import { refuseCall } from '../calls.js';
import { createFallback } from '../fallbacks.js';
import { queryOf } from '../query.js';
import type { Caller } from './call.js';
import { perform } from './call.js';
import { createCharge } from './charges.js';
import type { Operation } from './checks.js';
import {
  createEndpoint,
  getEndpoint,
  listDeliveries,
  listEndpoints,
  retryDelivery,
  rotateSecret,
} from './endpoints.js';
import { listTransactions, listWithdrawals } from './lists.js';

/** An operation of the public API with its route: the whole surface at a glance (§4). */
interface Route extends Operation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (sandbox: Sandbox, caller: Caller, request: RouteRequest) => Answer | Promise<Answer>;
}

/** Path parameters and query of a request. */
export interface RouteRequest {
  readonly param: (name: string) => string;
  readonly query: (name: string) => string | undefined;
}

const PREFIX = '/api/public/v1';

function routes(sandbox: Sandbox): readonly Route[] {
  const { assumed } = sandbox.world;
  const endpointSignature = assumed['endpoint.signature'] === 'required' ? 'required' : 'whenPresent';
  const read = { method: 'GET', signature: 'none' } as const;
  return [
    { method: 'POST', path: '/pix', scope: 'pix:write', signature: 'required', handle: createCharge },
    { ...read, path: '/withdrawals', scope: 'withdrawals:read', handle: listWithdrawals },
    {
      ...read,
      path: '/accounts/:id/transactions',
      scope: assumed['transactions.scope'],
      handle: listTransactions,
    },
    {
      method: 'POST',
      path: '/webhook-endpoints',
      scope: 'webhooks:write',
      signature: endpointSignature,
      handle: createEndpoint,
    },
    { ...read, path: '/webhook-endpoints', scope: 'webhooks:read', handle: listEndpoints },
    { ...read, path: '/webhook-endpoints/:id', scope: 'webhooks:read', handle: getEndpoint },
    {
      method: 'POST',
      path: '/webhook-endpoints/:id/rotate-secret',
      scope: 'webhooks:write',
      signature: endpointSignature,
      handle: rotateSecret,
    },
    { ...read, path: '/webhook-endpoints/:id/deliveries', scope: 'webhooks:read', handle: listDeliveries },
    {
      method: 'POST',
      path: '/webhook-endpoints/:id/deliveries/:deliveryId/retry',
      scope: 'webhooks:write',
      signature: 'required',
      handle: retryDelivery,
    },
  ];
}

/** The public payments API as a Hono app. */
export function createApiApp(sandbox: Sandbox): Hono<{ Bindings: Partial<HttpBindings> }> {
  const app = new Hono<{ Bindings: Partial<HttpBindings> }>();
  const all = routes(sandbox);
  for (const route of all) {
    app.on(route.method, PREFIX + route.path, (c) =>
      perform(sandbox, c, route, (caller) => route.handle(sandbox, caller, requestOf(c))),
    );
  }
  const unrouted = createFallback(PREFIX, all);
  app.notFound((c) => refuseCall(sandbox, c, 'api', unrouted(c)));
  return app;
}

function requestOf(c: Context): RouteRequest {
  return { param: (name) => c.req.param(name) ?? '', query: (name) => queryOf(c, name) };
}
