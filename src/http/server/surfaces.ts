import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import type { RateLimit } from '../../contract/rate-limit.js';
import { Refusal } from '../../contract/refusals.js';
import { RateLimiter } from '../../sandbox/rate-limiter.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createConsoleApp } from '../console/app.js';
import { createControlApp } from '../control/app.js';
import type { ServerFacts } from '../control/system.js';
import { createHostedApp } from '../hosted/app.js';
import { createPayApp } from '../hosted/pay.js';
import {
  type RunInProcess,
  type SurfaceApp,
  type SurfaceBindings,
  type ErrorBody,
  createRequestId,
  createResponse,
} from '../shared/response.js';
import { addCall, UNKNOWN_CALL } from '../shared/request-record.js';
import { parseBearerToken } from '../shared/read-request.js';
import { type Surface, selectSurface } from '../shared/surface.js';
import { createServiceApp } from '../service/app.js';
import { createServiceRoutes } from '../service/routes.js';
import { guardRequest, type GuardPolicy } from './guards.js';
import type { FetchHandler } from './serve.js';

export interface SurfaceOptions {
  /** Token required by the control API, if set. */
  readonly controlToken?: string | undefined;
  /** Enables the payment page's buttons for clients on other machines. */
  readonly payButtons?: boolean | undefined;
  /** Public origin of the payment pages, if exposed by a tunnel. */
  readonly payOrigin?: (() => string | undefined) | undefined;
}

/** Creates one app per surface under the same origin; the path selects the app. */
export function createSurfaces(
  sandbox: Sandbox,
  facts: ServerFacts,
  guards: GuardPolicy,
  { controlToken, payButtons = false, payOrigin }: SurfaceOptions,
): FetchHandler {
  if (controlToken !== undefined) sandbox.secrets.add([controlToken]);
  const { isExposed = false } = facts;
  const service = createServiceApp(sandbox, { hostedUrl: facts.url });
  const surfaces: Readonly<Record<Surface, SurfaceApp>> = {
    api: service,
    identity: service,
    hosted: createHostedApp(sandbox),
    control: createControlApp(sandbox, facts, admitTo(fetchFrom, guards), controlToken),
    pay: createPayApp(sandbox, {
      isExposed,
      hasButtons: !isExposed || payButtons,
      hasConsole: true,
      elsewhere: payOrigin,
    }),
    console: createConsoleApp(async () => {
      const { createServiceDocument } = await import('../openapi/service.js');
      const { assumed } = sandbox.world;
      return createServiceDocument(createServiceRoutes(assumed), assumed, facts.url());
    }),
  };
  return fetchFrom;

  function fetchFrom(request: Request, bindings: SurfaceBindings) {
    const { method, headers } = request;
    const target = bindings.incoming?.url ?? new URL(request.url).pathname;
    const accept = headers.get('accept') ?? undefined;
    const mode = headers.get('sec-fetch-mode') ?? undefined;
    return surfaces[selectSurface({ method, target, accept, mode }, sandbox.strict)].fetch(request, bindings);
  }
}

/**
 * Checks an in-process request with the guards and returns a function that sends the request to its surface.
 * Guards and surfaces get the same data as from a socket and can break the connection.
 */
function admitTo(fetch: FetchHandler, guards: GuardPolicy): RunInProcess {
  return ({ method, target, headers: pairs, body }) => {
    const headers = new Headers(pairs.map(([name, value]): [string, string] => [name, value]));
    const incoming = new IncomingMessage(new Socket());
    Object.assign(incoming, { method, url: target, rawHeaders: pairs.flat(), complete: true });
    incoming.headers = Object.fromEntries(headers);
    if (body.length > 0) incoming.push(body);
    incoming.push(null);
    const refusal = guardRequest(incoming, guards);
    if (refusal !== undefined) throw refusal;
    const request = new Request(`http://sandbox.localhost${target}`, { headers });
    // The constructor rejects methods such as TRACE and normalizes others.
    Object.defineProperty(request, 'method', { value: method });
    return async () => fetch(request, { incoming, breakOff: () => undefined });
  };
}

/** Rate limits for tunnel requests, in real time. */
export interface PublicLimits {
  /** Limit per application or organization; requests without a known credential share one limit. */
  readonly each: RateLimit;
  readonly total: RateLimit;
  /** Maximum milliseconds for receiving a full request. */
  readonly bodyMs: number;
}

const PUBLIC_LIMITS: PublicLimits = {
  each: { calls: 120, perMs: 10_000 },
  total: { calls: 300, perMs: 10_000 },
  bodyMs: 30_000,
};

export interface PublicSurfaceOptions {
  /** Public origin for hosted page URLs. */
  readonly origin: () => string;
  /** Requests to `path` return `token`. */
  readonly probe: { readonly path: string; readonly token: string };
  readonly limits?: PublicLimits | undefined;
  /** Serves payment pages, with or without buttons; by default, no payment pages are served. */
  readonly pay?: { readonly buttons: boolean } | undefined;
}

/**
 * Creates the APIs exposed by a tunnel: the service's APIs, the hosted pages and the SDK, and optionally
 * payment pages. The control API is not exposed, and every unknown path gets the same response. Connection
 * faults have no effect, because the connection belongs to the relay.
 */
export function createPublicSurfaces(sandbox: Sandbox, options: PublicSurfaceOptions): FetchHandler {
  const { origin, probe, limits = PUBLIC_LIMITS, pay } = options;
  const apps = [createServiceApp(sandbox, { hostedUrl: origin }), createHostedApp(sandbox)];
  if (pay !== undefined) {
    const { buttons: hasButtons } = pay;
    apps.push(createPayApp(sandbox, { isExposed: true, hasButtons, hasConsole: false, elsewhere: origin }));
  }
  const routes = apps.flatMap((app) =>
    app.routes.map(({ path }) => ({ app, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) })),
  );
  const each = new RateLimiter(limits.each);
  const total = new RateLimiter(limits.total);
  return async (request, { incoming }) => {
    const path = new URL(request.url).pathname;
    if (path === probe.path) return new Response(probe.token);
    const now = sandbox.realNow();
    const caller = callerOf(sandbox, request.headers.get('authorization'));
    const afterS = total.take('all', now) ?? each.take(caller, now);
    if (afterS !== undefined) {
      const refusal = new Refusal('RATE_LIMITED', 'Too many requests through the tunnel.');
      return createResponse(refusal, undefined, { 'retry-after': String(afterS) });
    }
    const place = routes.find(({ pattern }) => pattern.test(path));
    if (place === undefined) return refuseUnknown(sandbox, request, incoming?.url ?? path);
    const release = closeAfterTimeout(incoming, limits.bodyMs);
    try {
      // Without `outgoing`, the surfaces return responses, which can still be modified.
      return await withoutHint(await place.app.fetch(request, incoming && { incoming }));
    } finally {
      release();
    }
  };
}

/** Removes the hint, which would reveal a sandbox on this machine. */
async function withoutHint(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status < 400 || headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  // Responses to HEAD have no body.
  if (text === '') return new Response(null, { status, headers });
  const { hint: _hint, ...error } = (JSON.parse(text) as ErrorBody).error;
  return new Response(JSON.stringify({ error }), { status, headers });
}

/** Rejects requests to unknown paths and logs them as API requests, because user code may have sent them. */
function refuseUnknown(sandbox: Sandbox, { method }: Request, path: string): Response {
  const requestId = createRequestId();
  const refused = { method, path, status: 404, matched: false, error: 'NOT_FOUND' } as const;
  addCall(sandbox, { ...UNKNOWN_CALL, ...refused, requestId, api: 'api' });
  return createResponse(new Refusal('NOT_FOUND', 'This path does not exist.'), requestId);
}

/** Identifies the caller by its credential. */
function callerOf({ world }: Sandbox, authorization: string | null): string {
  const token = parseBearerToken(authorization ?? undefined);
  if (token === undefined) return 'unknown';
  const organization = world.organizations.rows.find(({ kycToken }) => kycToken === token);
  return world.appsByToken.get(token)?.id ?? organization?.id ?? 'unknown';
}

/** Closes the connection if the request is incomplete after the time limit. */
function closeAfterTimeout(incoming: IncomingMessage | undefined, bodyMs: number): () => void {
  if (incoming === undefined || incoming.complete) return () => undefined;
  const timer = setTimeout(() => {
    if (!incoming.complete) incoming.socket.destroy();
  }, bodyMs);
  return () => clearTimeout(timer);
}
