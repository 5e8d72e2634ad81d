import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { isoTime } from '../../contract/time.js';
import { organizationByToken } from '../../core/identity/applications.js';
import { visibleStatus } from '../../core/identity/session.js';
import { ownSession, sessionResult } from '../../core/identity/sessions.js';
import { SESSION } from '../../core/input/bodies.js';
import type { Organization } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Schema } from '../../schema/schema.js';
import type { Answer, DoorApp } from '../operation/answer.js';
import { bearerToken, readServiceBody } from '../operation/read-request.js';
import type { RequestContext } from '../operation/calls.js';
import { answerCall, refuseCall } from '../operation/calls.js';
import { createDoorApp } from '../operation/send.js';
import { createFallback } from '../operation/fallbacks.js';
import { hostedSessionUrl, IDENTITY_PREFIX } from '../operation/targets.js';
import type { RateLimit } from './rate-limit.js';
import { rateLimited, RateLimiter } from './rate-limit.js';
import type { CreatedSession, SessionResult } from './schema.js';

/** An authorized request of an organization. */
interface IdentityRequest {
  readonly request: RequestContext;
  readonly organization: Organization;
  readonly body: Buffer;
  /** The origin of the hosted pages. */
  readonly hostedUrl: string;
}

/** A route of the identity API with its full path. */
export interface IdentityRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Schema<unknown>;
  readonly handle: (identity: IdentityRequest) => Answer;
}

export const IDENTITY_ROUTES: readonly IdentityRoute[] = [
  { method: 'POST', path: `${IDENTITY_PREFIX}sessions`, body: SESSION, handle: createSession },
  { method: 'GET', path: `${IDENTITY_PREFIX}sessions/:sessionId/result`, handle: readResult },
];

interface IdentityOptions {
  /** The origin of the hosted pages. */
  readonly hostedUrl: () => string;
  /** The rate limit for each organization; none when absent. */
  readonly rateLimit?: RateLimit | undefined;
}

/** The identity-verification API as a Hono app (§4.10, §4.11). */
export function createIdentityApp(sandbox: Sandbox, { hostedUrl, rateLimit }: IdentityOptions): DoorApp {
  const app = createDoorApp();
  const limiter = rateLimit === undefined ? undefined : new RateLimiter(rateLimit);
  sandbox.onReset(() => limiter?.clear());
  for (const { method, path, handle } of IDENTITY_ROUTES) {
    app.on(method, path, (c) =>
      answerCall(sandbox, c, 'identity', async (request) => {
        const body = await request.readBody();
        const organization = authorize(request, limiter);
        return request.because(() => handle({ request, organization, body, hostedUrl: hostedUrl() }));
      }),
    );
  }
  const unrouted = createFallback(IDENTITY_PREFIX, IDENTITY_ROUTES);
  app.notFound((c) => refuseCall(sandbox, c, 'identity', unrouted(c)));
  return app;
}

/** Checks whether identity is on, the credential, and the rate limit, in this order (§5.4, §7). */
function authorize(request: RequestContext, limiter: RateLimiter | undefined): Organization {
  const { sandbox, c } = request;
  const { world } = sandbox;
  const organization = organizationByToken(world, bearerToken(c.req.header('authorization')));
  request.appId = world.apps.rows.find((app) => app.organizationId === organization.id)?.id ?? null;
  const afterS = limiter?.count(organization.id, sandbox.realNow());
  if (afterS === undefined) return organization;
  request.errorHeaders = { 'retry-after': String(afterS) };
  throw rateLimited(afterS);
}

const { idempotencyKeyLengthMin, idempotencyKeyLengthMax } = LIMITS;
const IDEMPOTENCY_KEY = new RegExp(`^[ -~]{${idempotencyKeyLengthMin},${idempotencyKeyLengthMax}}$`);

function checkedKey(key: string | undefined): string {
  if (key !== undefined && IDEMPOTENCY_KEY.test(key)) return key;
  const wanted = `${idempotencyKeyLengthMin} to ${idempotencyKeyLengthMax} printable ASCII characters`;
  const message =
    key === undefined
      ? `The header Idempotency-Key is required: ${wanted}.`
      : `Idempotency-Key must have ${wanted}; got ` +
        `${key.length}${/^[ -~]*$/.test(key) ? '' : ', not all of them such'}.`;
  throw new Refusal('INVALID_REQUEST', message, {
    hint: 'Draw a UUID for each attempt of a person, and send the same one when you repeat the request.',
  });
}

/** POST /sessions (§4.10): 201, or 200 with the current session for a key that already belongs to it. */
function createSession({ request, organization, body, hostedUrl }: IdentityRequest): Answer<CreatedSession> {
  const { sandbox, c, warnings } = request;
  const idempotencyKey = checkedKey(c.req.header('idempotency-key'));
  const { session, created } = sandbox.dispatch({
    type: 'session.create',
    organizationId: organization.id,
    idempotencyKey,
    ...readServiceBody(sandbox, body, SESSION, (warning) => warnings.push(warning)),
    ...sandbox.epoch.newSessionSecrets(),
  });
  return {
    status: created ? 201 : 200,
    body: {
      sessionId: session.id,
      customerType: session.customerType,
      status: visibleStatus(session, sandbox.clock.now()),
      url: hostedSessionUrl(hostedUrl, session),
      expiresAt: isoTime(session.expiresAt),
    },
  };
}

/** GET /sessions/{sessionId}/result (§4.11): `euid` is set when the status is approved. */
function readResult({ request: { sandbox, c }, organization }: IdentityRequest): Answer<SessionResult> {
  const { id } = ownSession(sandbox.world, organization.id, c.req.param('sessionId') ?? '');
  const { euid, ...result } = sessionResult(sandbox.world, id, sandbox.clock.now());
  return { status: 200, body: euid === null ? result : { ...result, euid } };
}
