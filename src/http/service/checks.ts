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

/** A request to the service while it is handled, and what is learned about it. */
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
  /** Reads the bytes of the body, once. */
  readonly readBytes: () => Promise<Buffer>;
  /** Runs what the request changes, so that the timeline knows what caused it. */
  readonly withCause: <Result>(change: () => Result) => Result;
  readonly param: (name: string) => string;
  appId: string | null;
  /** The headers of an error response. */
  errorHeaders: Readonly<Record<string, string>>;
  bytes: Buffer;
  /** The application or, at the identity API, the organization. */
  caller: Caller;
  body: Body;
  query: Query;
}

/** Requirements of a payments API operation before its own rules (§4, §5). */
export interface RouteRequirements {
  readonly scope?: Scope | 'none' | undefined;
  /** `whenPresent` accepts an unsigned request with a warning; without it, requests are not signed. */
  readonly signature?: 'required' | 'whenPresent' | undefined;
}

/** Finds the application of the bearer token (§5.1), and refuses one without the operation's scope (§5.3). */
export function authenticateApp(request: ServiceRequest<App>, { scope = 'none' }: RouteRequirements): void {
  const { sandbox, c } = request;
  const token = parseBearerToken(c.req.header('authorization'));
  const app = token === undefined ? undefined : sandbox.world.appsByToken.get(token);
  if (app === undefined) {
    const message =
      token === undefined
        ? 'The header Authorization: Bearer <token> is required.'
        : 'The bearer token is not known.';
    const hint = '`npx sandbox env` prints the token as SANDBOX_TOKEN.';
    throw new Refusal('UNAUTHENTICATED', message, { hint });
  }
  request.caller = app;
  request.appId = app.id;
  if (scope === 'none' || app.scopes.includes(scope)) return;
  throw new Refusal('INSUFFICIENT_SCOPE', `This operation needs the scope ${scope}.`, {
    hint: `The token has ${app.scopes.join(', ') || 'no scopes'}.`,
  });
}

/** Checks whether identity is on, the credential, and the rate limit, in this order (§5.4, §7). */
export function authenticateOrganization(
  request: ServiceRequest<Organization>,
  limiter: RateLimiter | undefined,
): void {
  const { sandbox, c } = request;
  const { world } = sandbox;
  const organization = findOrganizationByToken(world, parseBearerToken(c.req.header('authorization')));
  request.caller = organization;
  request.appId = world.apps.rows.find((app) => app.organizationId === organization.id)?.id ?? null;
  const afterS = limiter?.count(organization.id, sandbox.realNow());
  if (afterS === undefined) return;
  request.errorHeaders = { 'retry-after': String(afterS) };
  throw rateLimited(afterS);
}

const { idempotencyKeyLengthMin: KEY_MIN, idempotencyKeyLengthMax: KEY_MAX } = LIMITS;
const IDEMPOTENCY_KEY = new RegExp(`^[ -~]{${KEY_MIN},${KEY_MAX}}$`);

/** Refuses a request without a valid Idempotency-Key (§4.10, §8). */
export function checkIdempotencyKey({ c }: ServiceRequest): void {
  const key = c.req.header('idempotency-key');
  if (key !== undefined && IDEMPOTENCY_KEY.test(key)) return;
  const wanted = `${KEY_MIN} to ${KEY_MAX} printable ASCII characters`;
  const message =
    key === undefined
      ? `The header Idempotency-Key is required: ${wanted}.`
      : `Idempotency-Key must have ${wanted}; got ` +
        `${key.length}${/^[ -~]*$/.test(key) ? '' : ', not all of them such'}.`;
  throw new Refusal('INVALID_REQUEST', message, {
    hint: 'Draw a UUID for each attempt of a person, and send the same one when you repeat the request.',
  });
}

/** Signing scheme by assumption, and the tolerance of X-Timestamp in seconds. */
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
  SIGNATURE_MISSING: 'This operation is signed: send X-Timestamp, X-Nonce and X-Signature.',
  TIMESTAMP_OUT_OF_RANGE:
    'X-Timestamp is the current time in Unix seconds of real time, even when the sandbox clock differs.',
  SIGNATURE_INVALID:
    'Sign timestamp.nonce.METHOD.path.sha256(body) with SANDBOX_SIGNING_SECRET, over the ' +
    'very bytes you send.',
};

/** Checks the request signature and uses up its nonce, also if the body is refused later (§5.2). */
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
    warnings.push('This request is not signed; the service may ask for it (assumption endpoint.signature).');
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

/** The most calls in a window of real time. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

/** Counts calls in windows that begin with a caller's first call. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #windows = new Map<string, { readonly endsAt: number; calls: number }>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Counts a call at `now` (real ms). Returns the seconds to wait when it is over the limit, else undefined. */
  count(caller: string, now: number): number | undefined {
    const { calls, perMs } = this.#limit;
    let window = this.#windows.get(caller);
    if (window === undefined || now >= window.endsAt) {
      window = { endsAt: now + perMs, calls: 0 };
      this.#windows.set(caller, window);
    }
    window.calls += 1;
    return window.calls <= calls ? undefined : Math.ceil((window.endsAt - now) / 1000);
  }

  clear(): void {
    this.#windows.clear();
  }
}

function rateLimited(afterS: number): Refusal {
  return new Refusal('RATE_LIMITED', 'The rate limit of the identity API is exceeded.', {
    hint: `Retry after ${afterS} s, as in Retry-After.`,
  });
}
