import { organizationOf } from '../../core/identity/applications.js';
import { findSessionByPrefix, sessionResult } from '../../core/identity/sessions.js';
import type { DecisionInput } from '../../core/identity/sessions.js';
import { DECISION } from '../../core/input/bodies.js';
import { body as bodyOf } from '../../core/input/body.js';
import { text } from '../../core/input/text-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { registeredOrigins } from '../../core/identity/organizations.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import type { IdentitySession } from '../../core/identity/session.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import { SESSION_STATUSES } from '../../contract/transitions.js';
import { named, nullish, optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { presentPage } from '../operation/pages.js';
import type { ControlRequest, ControlRoute, Sent } from './control.js';
import { ok, route } from './control.js';
import type { OfApp } from './of-app.js';
import { OF_APP } from './of-app.js';
import { sessionView } from './session-view.js';

/** The session of a route, by its id or a prefix of it. */
function sessionOf({ sandbox, param }: ControlRequest): IdentitySession {
  return findSessionByPrefix(sandbox.world, param('id'));
}

const SESSION_QUERY = object('a query', { status: optional(oneOf(SESSION_STATUSES)), ...PAGE_FIELDS });
const NEW_SESSION = bodyOf({
  customerType: named('customer_type', nullish(oneOf(CUSTOMER_TYPES), 'individual' as const)),
});
const ORIGIN = bodyOf({ origin: text(LIMITS.urlLength) });

/** The tester's side of identity verification. `hostedUrl` is the origin of the hosted pages. */
export function identityRoutes(hostedUrl: () => string): readonly ControlRoute[] {
  const list = (
    { sandbox }: ControlRequest,
    { query: { status, ...query } }: Sent<undefined, Infer<typeof SESSION_QUERY>>,
  ): Answer => {
    const { world } = sandbox;
    const key = { list: 'control/kyc', filters: { status } };
    const rows = page(world, world.sessions.rows, key, query, (session) =>
      status === undefined ? true : session.status === status,
    );
    return presentPage(rows, (session) => sessionView(sandbox, session, hostedUrl()));
  };

  const create = (
    { sandbox }: ControlRequest,
    { body, query }: Sent<Infer<typeof NEW_SESSION>, OfApp>,
  ): Answer => {
    const { session } = sandbox.dispatch({
      type: 'session.create',
      organizationId: organizationOf(sandbox.world, query.app).id,
      ...body,
      idempotencyKey: null,
      ...sandbox.newSessionSecrets(),
    });
    return { status: 201, body: sessionView(sandbox, session, hostedUrl()) };
  };

  const decide = (request: ControlRequest, { body }: Sent<DecisionInput, undefined>): Answer => {
    const { sandbox } = request;
    const { id } = sessionOf(request);
    const session = sandbox.dispatch({ type: 'session.decide', sessionId: id, ...body });
    return ok(sessionView(sandbox, session, hostedUrl()));
  };

  return [
    route({ method: 'GET', path: 'kyc/sessions', query: SESSION_QUERY, handle: list }),
    route({ method: 'POST', path: 'kyc/sessions', query: OF_APP, body: NEW_SESSION, handle: create }),
    {
      method: 'GET',
      path: 'kyc/sessions/:id',
      handle: (request) => ok(sessionView(request.sandbox, sessionOf(request), hostedUrl())),
    },
    { method: 'GET', path: 'kyc/sessions/:id/result', handle: result },
    route({ method: 'POST', path: 'kyc/sessions/:id/decide', body: DECISION, handle: decide }),
    route({ method: 'POST', path: 'apps/:id/origins', body: ORIGIN, handle: addOrigin }),
  ];
}

/** What the partner's server would read now (§4.11), without an entry in the call log. */
function result(request: ControlRequest): Answer {
  const { world, clock } = request.sandbox;
  return ok(sessionResult(world, sessionOf(request).id, clock.now()));
}

function addOrigin(
  { sandbox, param }: ControlRequest,
  { body }: Sent<Infer<typeof ORIGIN>, undefined>,
): Answer {
  const { id } = sandbox.dispatch({ type: 'origin.add', appId: param('id'), ...body });
  return { status: 201, body: { organization_id: id, origins: registeredOrigins(sandbox.world, id) } };
}
