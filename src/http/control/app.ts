import { Refusal } from '../../contract/refusals.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import {
  type Admit,
  answerFor,
  CONTROL_HEADERS,
  type DoorApp,
  type DoorContext,
  newRequestId,
} from '../operation/answer.js';
import { createDoorApp } from '../operation/send.js';
import { createFallback, sendUnrouted } from '../operation/fallbacks.js';
import { callRoutes } from './calls.js';
import { CLOCK_ROUTES } from './clock.js';
import { DELIVERY_ROUTES, EVENT_ROUTES } from './deliveries.js';
import { FAULT_ROUTES } from './faults.js';
import { FORMER_LISTENER_PATH, LISTENER_ROUTES, refuseFormerListener } from './listeners.js';
import {
  APP_ROUTES,
  ENDPOINT_ROUTES,
  identityRoutes,
  LEDGER_ROUTE,
  paymentRoutes,
  WITHDRAWAL_ROUTES,
} from './payments.js';
import { type ControlRoute, get, sendControl, serveControl } from './route.js';
import { CHECK_ROUTES, type ServerFacts, systemRoutes } from './system.js';
import { TIMELINE_ROUTES } from './timeline.js';
import { scenarioRoutes, STATE_ROUTES } from './world.js';
import type { Next } from 'hono';
import { record } from '../../schema/compound.js';
import { anything } from '../../schema/values.js';
import { equalBytes } from '../../signing/bytes.js';

/**
 * Off loopback, control requests need the control token. Without a token, only the health and readiness checks answer.
 */
function demandToken(token: string) {
  const expected = Buffer.from(`Bearer ${token}`);
  return async (c: DoorContext, next: Next) => {
    const header = c.req.header('authorization');
    const holds = equalBytes(Buffer.from(header ?? ''), expected);
    if (holds || c.req.path === `${CONTROL_PREFIX}livez`) return next();
    const requestId = newRequestId();
    if (header === undefined && asksWhetherReady(c))
      return sendControl(c, requestId, { status: 200, body: { ready: true } });
    const refusal = new Refusal('UNAUTHENTICATED', 'The control API needs its token here.', {
      hint: 'Send Authorization: Bearer <SANDBOX_CONTROL_TOKEN>; `start` printed it.',
    });
    return sendControl(c, requestId, answerFor(refusal, requestId));
  };
}

function asksWhetherReady({ req: { method, path } }: DoorContext): boolean {
  return path === `${CONTROL_PREFIX}readyz` && (method === 'GET' || method === 'HEAD');
}

/** `admit` sends requests of ours to the other doors. */
function describedRoutes(facts: ServerFacts, admit: Admit) {
  return [
    ...systemRoutes(facts),
    ...CHECK_ROUTES,
    ...APP_ROUTES,
    ...ENDPOINT_ROUTES,
    ...paymentRoutes(facts),
    ...WITHDRAWAL_ROUTES,
    LEDGER_ROUTE,
    ...identityRoutes(facts.url),
    ...EVENT_ROUTES,
    ...DELIVERY_ROUTES,
    ...CLOCK_ROUTES,
    ...STATE_ROUTES,
    ...LISTENER_ROUTES,
    ...FAULT_ROUTES,
    ...callRoutes(facts.url, admit),
    ...TIMELINE_ROUTES,
    ...scenarioRoutes(facts.scenarios),
  ];
}

/** A route with the types of its query, body and response. */
export type TypedRoute = ReturnType<typeof describedRoutes>[number];

/** Every operation of the control API: the whole surface at a glance. */
export function controlRoutes(facts: ServerFacts, admit: Admit): readonly ControlRoute[] {
  const routes: ControlRoute[] = [
    ...describedRoutes(facts, admit),
    get('openapi.json', 'This document.', record(anything), {}, async () => {
      const { controlDocument } = await import('../openapi/control.js');
      return controlDocument(CONTROL_PREFIX, routes, facts.url());
    }),
  ];
  return routes;
}

/** The control API as a Hono app: the side of the payer, the bank and the tester. With a token, requests need it. */
export function createControlApp(
  sandbox: Sandbox,
  facts: ServerFacts,
  admit: Admit,
  token: string | undefined,
): DoorApp {
  const app = createDoorApp();
  if (token !== undefined) app.use(demandToken(token));
  const routes = controlRoutes(facts, admit);
  for (const one of routes) {
    app.on(one.method, CONTROL_PREFIX + one.path, (c) => serveControl(sandbox, c, one));
  }
  const unrouted = createFallback(
    CONTROL_PREFIX,
    routes.map(({ method, path }) => ({ method, path: CONTROL_PREFIX + path })),
  );
  app.notFound((c) => {
    const isFormer = c.req.path === CONTROL_PREFIX + FORMER_LISTENER_PATH;
    const { refusal, headers } = isFormer ? refuseFormerListener(c) : unrouted(c);
    return sendUnrouted(c, { refusal, headers: { ...headers, ...CONTROL_HEADERS } });
  });
  return app;
}
