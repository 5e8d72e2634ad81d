import { organizationOf } from '../../core/identity/applications.js';
import type { FieldReader } from '../../core/input/field-reader.js';
import { findSessionByPrefix, sessionResult } from '../../core/identity/sessions.js';
import type { DecisionInput } from '../../core/identity/sessions.js';
import { readDecision } from '../../core/input/bodies.js';
import { LIMITS } from '../../contract/limits.js';
import { registeredOrigins } from '../../core/identity/organizations.js';
import { page, readPageQuery } from '../../core/page.js';
import type { IdentitySession } from '../../core/identity/session.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import { SESSION_STATUSES } from '../../contract/transitions.js';
import type { Answer } from '../operation/answer.js';
import { presentPage } from '../operation/pages.js';
import type { ControlRequest, ControlRoute, Sent } from './control.js';
import { ok, route } from './control.js';
import type { OfApp } from './of-app.js';
import { readOfApp } from './of-app.js';
import { sessionView } from './session-view.js';

/** The session that a route names: by its id, or by the beginning of it. */
function named({ sandbox, param }: ControlRequest): IdentitySession {
  return findSessionByPrefix(sandbox.world, param('id'));
}

function readSessionList(fields: FieldReader) {
  return { status: fields.oneOf('status', SESSION_STATUSES), ...readPageQuery(fields) };
}

function readNewSession(fields: FieldReader) {
  return { customerType: fields.oneOf('customer_type', CUSTOMER_TYPES) ?? 'individual' };
}

function readOrigin(fields: FieldReader) {
  return { origin: fields.text('origin', LIMITS.urlLength) };
}

/** The tester's side of identity verification. `hostedUrl` is the origin of the hosted pages. */
export function identityRoutes(hostedUrl: () => string): readonly ControlRoute[] {
  const list = (
    { sandbox }: ControlRequest,
    { query: { status, ...query } }: Sent<undefined, ReturnType<typeof readSessionList>>,
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
    { body, query }: Sent<ReturnType<typeof readNewSession>, OfApp>,
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
    const { id } = named(request);
    const session = sandbox.dispatch({ type: 'session.decide', sessionId: id, ...body });
    return ok(sessionView(sandbox, session, hostedUrl()));
  };

  return [
    route({ method: 'GET', path: 'kyc/sessions', query: readSessionList, handle: list }),
    route({ method: 'POST', path: 'kyc/sessions', query: readOfApp, body: readNewSession, handle: create }),
    {
      method: 'GET',
      path: 'kyc/sessions/:id',
      handle: (request) => ok(sessionView(request.sandbox, named(request), hostedUrl())),
    },
    { method: 'GET', path: 'kyc/sessions/:id/result', handle: result },
    route({ method: 'POST', path: 'kyc/sessions/:id/decide', body: readDecision, handle: decide }),
    route({ method: 'POST', path: 'apps/:id/origins', body: readOrigin, handle: addOrigin }),
  ];
}

/** What the partner's server would read now (§4.11), without a call that the log shows. */
function result(request: ControlRequest): Answer {
  const { world, clock } = request.sandbox;
  return ok(sessionResult(world, named(request).id, clock.now()));
}

function addOrigin(
  { sandbox, param }: ControlRequest,
  { body }: Sent<ReturnType<typeof readOrigin>, undefined>,
): Answer {
  const { id } = sandbox.dispatch({ type: 'origin.add', appId: param('id'), ...body });
  return { status: 201, body: { organization_id: id, origins: registeredOrigins(sandbox.world, id) } };
}
