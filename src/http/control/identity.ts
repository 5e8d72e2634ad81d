import { organizationOf } from '../../core/identity/applications.js';
import { sessionResult } from '../../core/identity/sessions.js';
import { lookUp } from '../../core/named-rows.js';
import { DECISION } from '../../core/input/bodies.js';
import { body as bodyOf } from '../../core/input/body.js';
import { text } from '../../core/input/text-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { registeredOrigins } from '../../core/identity/organizations.js';
import type { IdentitySession } from '../../core/identity/session.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import { SESSION_STATUSES } from '../../contract/transitions.js';
import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { named, nullish } from '../../schema/fields.js';
import { oneOf } from '../../schema/values.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { listRoute } from './lists.js';
import { OF_APP } from './of-app.js';
import { sessionView } from './session-view.js';

/** The session of a route, by its id or the beginning of it. */
function sessionOf({ sandbox, param }: ControlRequest): IdentitySession {
  return lookUp(sandbox.world, 'session', param('id'));
}

const NEW_SESSION = bodyOf({
  customerType: named('customer_type', nullish(oneOf(CUSTOMER_TYPES), 'individual' as const)),
});
const ORIGIN = bodyOf({ origin: text(LIMITS.urlLength) });

const isOfOrganization = (session: IdentitySession, app: App) =>
  session.organizationId === app.organizationId;

/** The tester's side of identity verification. `hostedUrl` is the origin of the hosted pages. */
export function identityRoutes(hostedUrl: () => string): readonly ControlRoute[] {
  const view = (session: IdentitySession, sandbox: Sandbox) => sessionView(sandbox, session, hostedUrl());
  return [
    listRoute('kyc/sessions', SESSION_STATUSES, ({ sessions }) => sessions.rows, view, isOfOrganization),
    route('POST', 'kyc/sessions', { query: OF_APP, body: NEW_SESSION }, ({ sandbox, body, query }) => {
      const { session } = sandbox.dispatch({
        type: 'session.create',
        organizationId: organizationOf(sandbox.world, query.app).id,
        ...body,
        idempotencyKey: null,
        ...sandbox.newSessionSecrets(),
      });
      return { status: 201, body: view(session, sandbox) };
    }),
    route('GET', 'kyc/sessions/:id', {}, (request) => ok(view(sessionOf(request), request.sandbox))),
    // What the partner's server would read now (§4.11), without an entry in the call log.
    route('GET', 'kyc/sessions/:id/result', {}, (request) => {
      const { world, clock } = request.sandbox;
      return ok(sessionResult(world, sessionOf(request).id, clock.now()));
    }),
    route('POST', 'kyc/sessions/:id/decide', { body: DECISION }, (request) => {
      const { sandbox, body } = request;
      const { id } = sessionOf(request);
      return ok(view(sandbox.dispatch({ type: 'session.decide', sessionId: id, ...body }), sandbox));
    }),
    route('POST', 'apps/:id/origins', { body: ORIGIN }, ({ sandbox, param, body }) => {
      const { id } = sandbox.dispatch({
        type: 'origin.add',
        appId: lookUp(sandbox.world, 'app', param('id')).id,
        ...body,
      });
      return { status: 201, body: { organization_id: id, origins: registeredOrigins(sandbox.world, id) } };
    }),
  ];
}
