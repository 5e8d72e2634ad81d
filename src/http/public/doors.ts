import type { IncomingMessage } from 'node:http';
import { clearTimeout, setTimeout } from 'node:timers';
import type { HttpBindings } from '@hono/node-server';
import { Refusal } from '../../contract/refusals.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createApiApp } from '../api/app.js';
import { createHostedApp } from '../hosted/app.js';
import { createPayApp } from '../hosted/pay.js';
import { createIdentityApp } from '../identity/app.js';
import { type RateLimit, RateLimiter } from '../identity/rate-limit.js';
import { type DoorApp, newRequestId, responseTo } from '../operation/answer.js';
import type { ErrorBody } from '../operation/error-body.js';
import { bearerToken } from '../operation/read-request.js';
import type { Fetch } from '../server/serve.js';

/** The same answer for everything that does not exist; it reveals nothing about the request. */
function nothingHere(requestId: string): Response {
  return responseTo(new Refusal('NOT_FOUND', 'There is nothing here.'), requestId);
}

function tooManyCalls(afterS: number): Response {
  const refusal = new Refusal('RATE_LIMITED', 'Too many calls come through the tunnel.');
  return responseTo(refusal, undefined, { 'retry-after': String(afterS) });
}

/** The same answer without its hint, which would reveal this machine's sandbox. */
async function withoutHint(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status < 400 || headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  // The answer to a HEAD has no body.
  if (text === '') return new Response(null, { status, headers });
  const { error } = JSON.parse(text) as ErrorBody;
  const { code, message, request_id, details } = error;
  return new Response(JSON.stringify({ error: { code, message, request_id, details } }), { status, headers });
}

/** How often the doors may be called through a tunnel, in real time. */
export interface PublicLimits {
  /** One application or organization; all calls without a known credential count as one. */
  readonly each: RateLimit;
  readonly total: RateLimit;
  /** How long a request may take to arrive completely, in milliseconds. */
  readonly bodyMs: number;
}

const PUBLIC_LIMITS: PublicLimits = {
  each: { calls: 120, perMs: 10_000 },
  total: { calls: 300, perMs: 10_000 },
  bodyMs: 30_000,
};

export interface PublicDoorOptions {
  /** The public origin, used in the addresses of hosted pages. */
  readonly origin: () => string;
  /** A request for the path is answered with the token. */
  readonly probe: { readonly path: string; readonly token: string };
  readonly kycRateLimit?: RateLimit | undefined;
  readonly limits?: PublicLimits | undefined;
  /** The pay pages, and whether their buttons work; without it they do not exist here. */
  readonly pay?: { readonly buttons: boolean } | undefined;
}

/**
 * The doors that a tunnel may expose: the public API, the identity API, the hosted pages and the SDK of a
 * sandbox whose other doors are elsewhere, and the pay pages where they are asked for. They do not include
 * the control API, and every unknown path gets the same answer. Faults that break a connection do nothing
 * here, because the connection belongs to the relay.
 */
export function createPublicDoors(sandbox: Sandbox, options: PublicDoorOptions): Fetch {
  const { origin, probe, kycRateLimit, limits = PUBLIC_LIMITS, pay } = options;
  const identity = createIdentityApp(sandbox, { hostedUrl: origin, rateLimit: kycRateLimit });
  const apps = [createApiApp(sandbox), identity, createHostedApp(sandbox)];
  if (pay !== undefined) {
    const { buttons: hasButtons } = pay;
    apps.push(createPayApp(sandbox, { isExposed: true, hasButtons, hasConsole: false, elsewhere: origin }));
  }
  const doors = apps.map((door) => ({ door, has: placesOf(door) }));
  const each = new RateLimiter(limits.each);
  const total = new RateLimiter(limits.total);
  return async (request, { incoming }) => {
    const path = new URL(request.url).pathname;
    if (path === probe.path) return new Response(probe.token);
    const now = sandbox.realNow();
    const afterS =
      total.count('all', now) ?? each.count(callerOf(sandbox, request.headers.get('authorization')), now);
    if (afterS !== undefined) return tooManyCalls(afterS);
    const release = cutOff(incoming, limits.bodyMs);
    try {
      // Without the outgoing side the doors return responses, which can still be changed.
      const bindings: Partial<HttpBindings> = incoming === undefined ? {} : { incoming };
      const found = doors.find(({ has }) => has(path));
      if (found === undefined) return refuseUnknown(sandbox, request, incoming);
      return await withoutHint(await found.door.fetch(request, bindings));
    } finally {
      release();
    }
  };
}

/** Whether a path belongs to a door, whatever the method. */
function placesOf({ routes }: DoorApp): (path: string) => boolean {
  const patterns = routes.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** Answers unknown paths. The call log keeps such a call as one to the API, because user code may have sent it. */
function refuseUnknown(sandbox: Sandbox, { method, url }: Request, incoming?: IncomingMessage): Response {
  const requestId = newRequestId();
  sandbox.calls.add({
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    door: 'api',
    method,
    path: incoming?.url ?? new URL(url).pathname,
    status: 404,
    matched: false,
    appId: null,
    resourceId: null,
    error: 'NOT_FOUND',
    hint: null,
    warnings: [],
    faults: [],
  });
  return nothingHere(requestId);
}

/** The caller, by its credential. */
function callerOf({ world }: Sandbox, authorization: string | null): string {
  const token = bearerToken(authorization ?? undefined);
  if (token === undefined) return 'unknown';
  const organization = world.organizations.rows.find(({ kycToken }) => kycToken === token);
  return world.appsByToken.get(token)?.id ?? organization?.id ?? 'unknown';
}

/** Closes the connection of a request that has not arrived completely in time. */
function cutOff(incoming: IncomingMessage | undefined, bodyMs: number): () => void {
  if (incoming === undefined || incoming.complete) return () => undefined;
  const timer = setTimeout(() => {
    if (!incoming.complete) incoming.socket.destroy();
  }, bodyMs);
  return () => clearTimeout(timer);
}
