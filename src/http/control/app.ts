import { Refusal } from '../../contract/refusals.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import {
  type RunInProcess,
  createErrorResponse,
  CONTROL_HEADERS,
  createSurfaceApp,
  type SurfaceApp,
  type SurfaceContext,
  createRequestId,
} from '../shared/response.js';
import { createFallback, sendUnmatched } from '../shared/unsupported-operations.js';
import { createCallRoutes } from './calls.js';

import { DELIVERY_ROUTES, EVENT_ROUTES } from './deliveries.js';
import { FAULT_ROUTES, INCIDENT_ROUTES } from './faults.js';
import { LISTENER_ROUTES } from './listeners.js';
import { createResourceRoutes } from './payments.js';
import { type ControlRoute, defineGet, sendControl, serveControl } from './route.js';
import { CHECK_ROUTES, type ServerFacts, createSystemRoutes } from './system.js';
import { TIMELINE_ROUTES } from './timeline.js';
import { CLOCK_ROUTES, createScenarioRoutes, STATE_ROUTES } from './world.js';
import type { Next } from 'hono';
import { record } from '../../schema/compound.js';
import { anyValue } from '../../schema/values.js';
import { areEqualBytes } from '../../signing/message.js';

/** Requires the control token, except for the liveness and readiness checks. */
function demandToken(token: string) {
  const expected = Buffer.from(`Bearer ${token}`);
  return async (c: SurfaceContext, next: Next) => {
    const { method, path } = c.req;
    const header = c.req.header('authorization');
    const holds = areEqualBytes(Buffer.from(header ?? ''), expected);
    if (holds || path === `${CONTROL_PREFIX}livez`) return next();
    const requestId = createRequestId();
    const isRead = method === 'GET' || method === 'HEAD';
    if (header === undefined && isRead && path === `${CONTROL_PREFIX}readyz`)
      return sendControl(c, requestId, { status: 200, body: { ready: true } });
    const refusal = new Refusal('UNAUTHENTICATED', 'The control API requires its token.', {
      hint: 'Send Authorization: Bearer <SANDBOX_CONTROL_TOKEN>. `start` printed the token.',
    });
    return sendControl(c, requestId, createErrorResponse(refusal, requestId));
  };
}

/** `admit` sends in-process requests to the other APIs. */
function describedRoutes(facts: ServerFacts, admit: RunInProcess) {
  return [
    ...createSystemRoutes(facts),
    ...CHECK_ROUTES,
    ...createResourceRoutes(facts),
    ...EVENT_ROUTES,
    ...DELIVERY_ROUTES,
    ...CLOCK_ROUTES,
    ...STATE_ROUTES,
    ...LISTENER_ROUTES,
    ...FAULT_ROUTES,
    ...INCIDENT_ROUTES,
    ...createCallRoutes(facts.url, admit),
    ...TIMELINE_ROUTES,
    ...createScenarioRoutes(facts.scenarios),
  ];
}

/** A route with typed query, body and response. */
export type TypedRoute = ReturnType<typeof describedRoutes>[number];

/** Lists every route of the control API. */
export function createControlRoutes(facts: ServerFacts, admit: RunInProcess): readonly ControlRoute[] {
  const routes: ControlRoute[] = [
    ...describedRoutes(facts, admit),
    defineGet(
      'openapi.json',
      'Get this OpenAPI document.',
      record(anyValue),
    )(async () => {
      const { createControlDocument } = await import('../openapi/control.js');
      return createControlDocument(routes, facts.url());
    }),
  ];
  return routes;
}

/**
 * Creates the control API, which acts as the payer, the bank and the tester. If `token` is set, requests must
 * include it.
 */
export function createControlApp(
  sandbox: Sandbox,
  facts: ServerFacts,
  admit: RunInProcess,
  token: string | undefined,
): SurfaceApp {
  const app = createSurfaceApp();
  if (token !== undefined) app.use(demandToken(token));
  const routes = createControlRoutes(facts, admit);
  for (const route of routes) app.on(route.method, route.path, (c) => serveControl(sandbox, c, route));
  const unrouted = createFallback(CONTROL_PREFIX, routes, { document: `${CONTROL_PREFIX}openapi.json` });
  app.notFound((c) => {
    const { refusal, headers } = unrouted(c);
    return sendUnmatched(c, { refusal, headers: { ...headers, ...CONTROL_HEADERS } });
  });
  return app;
}
