import type { Context } from 'hono';
import { Refusal } from '../../contract/refusals.js';
import { hintForAbsent } from './absent-operations.js';
import type { DoorContext } from './answer.js';
import { answerFor, newRequestId, written } from './answer.js';
import type { RoutePath } from './nearest-route.js';
import { nearestRoute, shownRoute } from './nearest-route.js';
import { send } from './send.js';

/** Why no route matched, and the methods of the path. */
export interface Unrouted {
  readonly refusal: Refusal;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Refuses a request that matches no route: METHOD_NOT_ALLOWED where the path has other methods, else NOT_FOUND. The hint
 * gives the alternative to an operation that the contract lacks, or the nearest route. `elsewhere` are the routes
 * of other doors, with their full paths, that may have been meant.
 */
export function createFallback(
  prefix: string,
  routes: readonly RoutePath[],
  elsewhere: readonly RoutePath[] = [],
) {
  const known = routes.map(({ method, path }) => ({
    shown: shownRoute({ method, path }),
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  const meant = [...routes, ...elsewhere];
  return ({ req }: Context): Unrouted => {
    const absent = hintForAbsent(req);
    const here = known.filter(({ pattern }) => pattern.test(req.path));
    if (here.length === 0) {
      const hint = absent ?? hintFor({ method: req.method, path: req.path }, prefix, meant);
      const refusal = new Refusal('NOT_FOUND', `There is no ${req.method} ${req.path}.`, { hint });
      return { refusal, headers: {} };
    }
    const allow = [...new Set(here.flatMap(({ methods }) => methods))].join(', ');
    const hint = absent ?? `Did you mean ${here.map(({ shown }) => shown).join(' or ')}?`;
    const message = `${req.method} is not possible here; ${allow} is.`;
    const refusal = new Refusal('METHOD_NOT_ALLOWED', message, { hint });
    return { refusal, headers: { allow } };
  };
}

/** Answers a request without a route, at a door whose calls are not logged. */
export function sendUnrouted(c: DoorContext, { refusal, headers }: Unrouted): Response {
  const requestId = newRequestId();
  return send(c, written(requestId, { ...answerFor(refusal, requestId), headers }));
}

function hintFor(asked: RoutePath, prefix: string, routes: readonly RoutePath[]): string | undefined {
  const nearest = nearestRoute(asked, routes);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  return asked.path.startsWith(prefix) ? undefined : `The paths of this API begin with ${prefix}.`;
}
