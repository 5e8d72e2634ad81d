import { organizationOf } from '../../core/apps.js';
import { findSessionByPrefix, sessionResult } from '../../core/identity.js';
import { parseDecision } from '../../core/inputs.js';
import { LIMITS } from '../../core/limits.js';
import { registeredOrigins } from '../../core/organizations.js';
import { page } from '../../core/page.js';
import type { IdentitySession } from '../../core/session.js';
import { CUSTOMER_TYPES } from '../../core/session.js';
import { SESSION_STATUSES } from '../../core/transitions.js';
import type { Answer } from '../answer.js';
import { choice, pageQuery, presentPage } from '../pages.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { noMoreFields, ok } from './control.js';
import { sessionView } from './session-view.js';

/** The session that a route names: by its id, or by the beginning of it. */
function named({ sandbox, param }: ControlRequest): IdentitySession {
  return findSessionByPrefix(sandbox.world, param('id'));
}

/** The tester's side of identity verification. `hostedUrl` is the origin of the hosted pages. */
export function identityRoutes(hostedUrl: () => string): readonly ControlRoute[] {
  const list = (request: ControlRequest): Answer => {
    const { sandbox } = request;
    const { world } = sandbox;
    const status = choice(request, 'status', SESSION_STATUSES);
    const key = { list: 'control/kyc', filters: { status } };
    const rows = page(world, world.sessions.rows, key, pageQuery(request), (session) =>
      status === undefined ? true : session.status === status,
    );
    return presentPage(rows, (session) => sessionView(sandbox, session, hostedUrl()));
  };

  const create = ({ sandbox, fields, query }: ControlRequest): Answer => {
    const customerType = fields.oneOf('customer_type', CUSTOMER_TYPES) ?? 'individual';
    noMoreFields(fields);
    const { session } = sandbox.dispatch({
      type: 'session.create',
      organizationId: organizationOf(sandbox.world, query('app')).id,
      customerType,
      idempotencyKey: null,
      ...sandbox.newSessionSecrets(),
    });
    return { status: 201, body: sessionView(sandbox, session, hostedUrl()) };
  };

  const decide = (request: ControlRequest): Answer => {
    const { sandbox, fields } = request;
    const decision = parseDecision(fields);
    noMoreFields(fields);
    const { id } = named(request);
    const session = sandbox.dispatch({ type: 'session.decide', sessionId: id, ...decision });
    return ok(sessionView(sandbox, session, hostedUrl()));
  };

  return [
    { method: 'GET', path: 'kyc/sessions', handle: list },
    { method: 'POST', path: 'kyc/sessions', handle: create },
    {
      method: 'GET',
      path: 'kyc/sessions/:id',
      handle: (request) => ok(sessionView(request.sandbox, named(request), hostedUrl())),
    },
    { method: 'GET', path: 'kyc/sessions/:id/result', handle: result },
    { method: 'POST', path: 'kyc/sessions/:id/decide', handle: decide },
    { method: 'POST', path: 'apps/:id/origins', handle: addOrigin },
  ];
}

/** What the partner's server would read now (§4.11), without a call that the log shows. */
function result(request: ControlRequest): Answer {
  const { world, clock } = request.sandbox;
  return ok(sessionResult(world, named(request).id, clock.now()));
}

function addOrigin({ sandbox, fields, param }: ControlRequest): Answer {
  const origin = fields.text('origin', LIMITS.urlLength);
  noMoreFields(fields);
  const { id } = sandbox.dispatch({ type: 'origin.add', appId: param('id'), origin });
  return { status: 201, body: { organization_id: id, origins: registeredOrigins(sandbox.world, id) } };
}
