import { isNoCursor } from '../../core/page.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer, DoorApp } from '../operation/answer.js';
import type { RequestContext } from '../operation/calls.js';
import { answerCall, refuseCall } from '../operation/calls.js';
import { createDoorApp } from '../operation/send.js';
import { createFallback, type RoutePath } from '../operation/fallbacks.js';
import { queryOf, readServiceBody } from '../operation/read-request.js';
import { authenticate, checkScope, checkSignature } from './checks.js';
import { Explainer } from './explain.js';
import type { ApiRequest, Route } from './operations.js';
import { API_PREFIX, apiRoutes } from './operations.js';

/**
 * The public payments API as a Hono app. Requests that match no door end here, so `elsewhere` lists the routes of other
 * doors.
 */
export function createApiApp(sandbox: Sandbox, elsewhere: readonly RoutePath[] = []): DoorApp {
  const app = createDoorApp();
  const routes = apiRoutes(sandbox);
  const explainer = new Explainer(sandbox);
  for (const route of routes) {
    app.on(route.method, route.path, (c) =>
      answerCall(sandbox, c, 'api', (request) => perform(request, route, explainer)),
    );
  }
  const unrouted = createFallback(API_PREFIX, routes, elsewhere);
  app.notFound((c) => refuseCall(sandbox, c, 'api', unrouted(c)));
  return app;
}

/**
 * Runs one operation: size, token, scope, signature, nonce, then the operation's own rules, in this order
 * (§5). `explainer` names mistakes in signatures.
 */
async function perform(request: RequestContext, route: Route, explainer: Explainer): Promise<Answer> {
  const { sandbox, c, warnings } = request;
  const body = await request.readBody();
  const app = authenticate(sandbox, c.req.header('authorization'));
  request.appId = app.id;
  request.explain = (refusal) => explainer.explain(refusal, request, app, body);
  checkScope(app, route.scope);
  checkSignature(request, app, route, body);
  if (request.method === 'GET' && body.length > 0) warnings.push('GET takes no body; this one was ignored.');
  if (route.query !== undefined) warnOfNoCursor(request);
  const warn = (warning: string) => warnings.push(warning);
  const read: ApiRequest = {
    sandbox,
    app,
    bytes: body,
    warn,
    param: (name) => c.req.param(name) ?? '',
    query: route.query && queryOf(c, route.query),
    body: route.body && readServiceBody(sandbox, body, route.body, warn),
  };
  return request.because(() => route.handle(read as ApiRequest<never, never>));
}

/** A client that sends the last page's null as a cursor would start over forever. */
function warnOfNoCursor({ c, warnings }: RequestContext): void {
  for (const name of ['after', 'before']) {
    const text = c.req.query(name);
    if (text === undefined || !isNoCursor(text)) continue;
    const end = `The list ends where paging.${name} is null.`;
    warnings.push(`${name}=${text} asks for the first page: for that, leave ${name} out. ${end}`);
  }
}
