import * as is from '../../core/resources/values.js';
import { CUSTOMER_TYPES } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { isoTime } from '../../contract/time.js';
import { SESSION_STATUSES, SESSION_DECISIONS } from '../../contract/transitions.js';
import { organizationOf, registeredOrigins } from '../../core/identity/applications.js';
import type { IdentitySession } from '../../core/world.js';
import { shortSessionId, visibleStatus } from '../../core/identity/session.js';
import { sessionResult } from '../../core/identity/sessions.js';
import { body as bodyOf, DECISION } from '../../core/input/bodies.js';
import { text } from '../../core/input/kinds.js';
import { lookUp } from '../../core/named-rows.js';
import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { named, nullish, nullable } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import { hostedSessionUrl } from '../operation/targets.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route, listRoute, OF_APP } from './control.js';
import { OPTIONAL_TEXT } from './schema.js';

/** A session in streams, where its `id` is shortened. */
export const SESSION_LINE = is.shape('An identity-verification session, seen from inside.', {
  id: is.TEXT,
  organization_id: is.UUID,
  customer_type: oneOf(CUSTOMER_TYPES),
  status: oneOf(SESSION_STATUSES),
  visible_status: oneOf(SESSION_STATUSES),
  created_at: is.INSTANT,
  expires_at: is.INSTANT,
  decided_at: nullable(is.INSTANT),
  readable_at: nullable(is.INSTANT),
  name: OPTIONAL_TEXT,
  document: OPTIONAL_TEXT,
  euid: nullable(is.EUID),
  error: OPTIONAL_TEXT,
  embed_origin: OPTIONAL_TEXT,
});
export type SessionLine = Infer<typeof SESSION_LINE>;

export const SESSION = is.resource('Session', 'An identity-verification session, seen from inside.', {
  ...SESSION_LINE.fields,
  url: is.ADDRESS,
});
export type SessionView = Infer<typeof SESSION>;

export const SESSION_RESULT = is.resource('SessionResult', 'What the partner’s server would read now.', {
  sessionId: is.TEXT,
  status: oneOf(SESSION_DECISIONS),
  euid: nullable(is.EUID),
});

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
        ...sandbox.epoch.newSessionSecrets(),
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

/** A session as streams and logs may show it: its id, which is a credential, is shortened. */
export function sessionLine(sandbox: Sandbox, session: IdentitySession): SessionLine {
  return { ...viewOf(sandbox, session), id: shortSessionId(session.id) };
}

/** A session as the control API shows it, with the address of its page. */
export function sessionView(sandbox: Sandbox, session: IdentitySession, hostedUrl: string): SessionView {
  return { ...viewOf(sandbox, session), url: hostedSessionUrl(hostedUrl, session) };
}

/** `status` shows a decision as soon as it is made, `visible_status` only once a partner's server can read it. */
function viewOf(sandbox: Sandbox, session: IdentitySession): SessionLine {
  return {
    id: session.id,
    organization_id: session.organizationId,
    customer_type: session.customerType,
    status: session.status,
    visible_status: visibleStatus(session, sandbox.clock.now()),
    created_at: isoTime(session.createdAt),
    expires_at: isoTime(session.expiresAt),
    decided_at: session.decidedAt === null ? null : isoTime(session.decidedAt),
    readable_at: session.readableAt === null ? null : isoTime(session.readableAt),
    name: session.name,
    document: session.document,
    euid: session.euid,
    error: session.error,
    embed_origin: session.embedOrigin,
  };
}
