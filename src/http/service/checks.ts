import type { AssumptionChoices } from '../../contract/assumptions.js';
import type { Scope } from '../../contract/enums.js';
import type { CALL_ROUTES } from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal, type RefusalCode } from '../../contract/refusals.js';
import { findOrganizationByToken } from '../../core/identity/applications.js';
import type { App, Organization } from '../../core/world.js';
import { verifyRequest } from '../../signing/request.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { SurfaceContext } from '../shared/response.js';
import { parseBearerToken } from '../shared/read-request.js';

/** A service request and its handling state. */
export interface ServiceRequest<Caller = unknown, Body = unknown, Query = unknown> {
  readonly sandbox: Sandbox;
  readonly c: SurfaceContext;
  readonly api: keyof typeof CALL_ROUTES;
  readonly requestId: string;
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  /** The origin of the hosted pages. */
  readonly hostedUrl: string;
  /** Probable bugs in accepted requests, for the request log. */
  readonly warnings: string[];
  /** Reads the body once and caches it. */
  readonly readBytes: () => Promise<Buffer>;
  /** Attributes a change to this request on the timeline. */
  readonly withCause: <Result>(change: () => Result) => Result;
  readonly param: (name: string) => string;
  appId: string | null;
  /** Headers of an error response. */
  errorHeaders: Readonly<Record<string, string>>;
  bytes: Buffer;
  /** The application or, on the identity API, the organization. */
  caller: Caller;
  body: Body;
  query: Query;
}

/** Common requirements of a payments API operation (§4, §5). */
export interface RouteRequirements {
  readonly scope?: Scope | 'none' | undefined;
  /** `whenPresent` accepts an unsigned request with a warning. By default, signatures are not checked. */
  readonly signature?: 'required' | 'whenPresent' | undefined;
}

/** Authenticates the application by its bearer token (§5.1), then checks its rate limit and scope (§5.3, §7). */
export function authenticateApp(request: ServiceRequest<App>, { scope = 'none' }: RouteRequirements): void {
  const { sandbox, c } = request;
  const token = parseBearerToken(c.req.header('authorization'));
  const app = token === undefined ? undefined : sandbox.world.appsByToken.get(token);
  if (app === undefined) {
    const message =
      token === undefined
        ? 'The header Authorization: Bearer <token> is required.'
        : 'The bearer token is unknown.';
    const hint = '`npx sandbox env` prints the token as SANDBOX_TOKEN.';
    throw new Refusal('UNAUTHENTICATED', message, { hint });
  }
  request.caller = app;
  request.appId = app.id;
  limitRate(request, app.id);
  if (scope === 'none' || app.scopes.includes(scope)) return;
  throw new Refusal('INSUFFICIENT_SCOPE', `This operation requires the scope ${scope}.`, {
    hint: `The token has ${app.scopes.join(', ') || 'no scopes'}.`,
  });
}

/** Checks that identity is enabled, then the credential, then the rate limit (§5.4, §7). */
export function authenticateOrganization(request: ServiceRequest<Organization>): void {
  const { sandbox, c } = request;
  const { world } = sandbox;
  const organization = findOrganizationByToken(world, parseBearerToken(c.req.header('authorization')));
  request.caller = organization;
  request.appId = world.apps.rows.find((app) => app.organizationId === organization.id)?.id ?? null;
  limitRate(request, organization.id);
}

/** Counts an authenticated request, even if it is refused later for another reason (§7). */
function limitRate(request: ServiceRequest, callerId: string): void {
  const { api } = request;
  const { clock, limiters } = request.sandbox.epoch;
  const afterS = limiters[api].take(callerId, clock.now());
  if (afterS === undefined) return;
  request.errorHeaders = { 'retry-after': String(afterS) };
  const hint =
    clock.rate === 0
      ? `The clock is frozen: \`npx sandbox clock advance ${afterS}s\` lets the next request pass.`
      : `Retry after ${afterS} s (see the Retry-After header).`;
  const name = api === 'identity' ? 'identity' : 'payments';
  throw new Refusal('RATE_LIMITED', `The ${name} API rate limit was exceeded.`, { hint });
}

const { idempotencyKeyLengthMin: KEY_MIN, idempotencyKeyLengthMax: KEY_MAX } = LIMITS;
const IDEMPOTENCY_KEY = new RegExp(`^[ -~]{${KEY_MIN},${KEY_MAX}}$`);

/** Rejects a request without a valid Idempotency-Key (§4.10, §8). */
export function checkIdempotencyKey({ c }: ServiceRequest): void {
  const key = c.req.header('idempotency-key');
  if (key !== undefined && IDEMPOTENCY_KEY.test(key)) return;
  const wanted = `${KEY_MIN} to ${KEY_MAX} printable ASCII characters`;
  const message =
    key === undefined
      ? `The header Idempotency-Key is required: ${wanted}.`
      : `Idempotency-Key must have ${wanted}; got ` +
        `${key.length}${/^[ -~]*$/.test(key) ? '' : ', not all of them printable ASCII'}.`;
  throw new Refusal('INVALID_REQUEST', message, {
    hint: 'Generate a UUID for each verification attempt, and reuse it when you retry the request.',
  });
}

/** Returns the assumed signing scheme and the X-Timestamp tolerance in seconds. */
export function listSigningRules(assumed: AssumptionChoices) {
  const scheme = {
    signatureEncoding: assumed['signature.encoding'],
    digestEncoding: assumed['signature.digest_encoding'],
    pathForm: assumed['signature.path'],
  };
  return { scheme, toleranceS: Math.floor(assumed['signature.tolerance'] / 1000) };
}

const CODES: Readonly<Record<string, RefusalCode>> = {
  missing_header: 'SIGNATURE_MISSING',
  timestamp_out_of_range: 'TIMESTAMP_OUT_OF_RANGE',
};
const HINTS: Readonly<Record<string, string>> = {
  SIGNATURE_MISSING: 'This operation requires a signature: send X-Timestamp, X-Nonce and X-Signature.',
  TIMESTAMP_OUT_OF_RANGE:
    'Set X-Timestamp to the current real time in Unix seconds, even if the sandbox clock differs.',
  SIGNATURE_INVALID:
    'Sign timestamp.nonce.METHOD.path.sha256(body) with SANDBOX_SIGNING_SECRET, using the ' +
    'exact bytes you send.',
};

/** Checks the request signature and consumes its nonce, even if the body is rejected later (§5.2). */
export function checkSignature(request: ServiceRequest<App>, { signature }: RouteRequirements): void {
  if (signature === undefined) return;
  const { sandbox, c, method, target, bytes: body, caller: app, warnings } = request;
  const headers = {
    'x-timestamp': c.req.header('x-timestamp'),
    'x-nonce': c.req.header('x-nonce'),
    'x-signature': c.req.header('x-signature'),
  };
  const isSigned = Object.values(headers).some((value) => value !== undefined);
  if (!isSigned && signature === 'whenPresent') {
    warnings.push(
      'This request is not signed; the service may require a signature (assumption endpoint.signature).',
    );
    return;
  }
  const rules = { nowS: Math.floor(sandbox.realNow() / 1000), ...listSigningRules(sandbox.world.assumed) };
  const verdict = verifyRequest({ method, target, body, headers, secret: app.signingSecret, ...rules });
  if (!verdict.ok) {
    const code = CODES[verdict.cause] ?? 'SIGNATURE_INVALID';
    throw new Refusal(code, verdict.message, { hint: HINTS[code] });
  }
  sandbox.dispatch({
    type: 'nonce.use',
    appId: app.id,
    nonce: headers['x-nonce'] ?? '',
    nowS: rules.nowS,
    untilS: Number(headers['x-timestamp']) + rules.toleranceS,
  });
}
