import { LIMITS } from '../../contract/limits.js';
import { isEmptyCursor } from '../../core/page.js';
import type { App, Organization } from '../../core/world.js';
import { type RecordedMessage, redactPath } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { withProgramName } from '../../text/program-name.js';
import {
  type ApiResponse,
  createErrorResponse,
  createSurfaceApp,
  type SurfaceApp,
  type SurfaceContext,
  createRequestId,
  toRefusal,
  type SerializedResponse,
  serializeResponse,
} from '../shared/response.js';
import { addCall, toHeaderPairs } from '../shared/request-record.js';
import { createFallback, type UnmatchedRequest } from '../shared/unsupported-operations.js';
import {
  authenticateApp,
  authenticateOrganization,
  checkIdempotencyKey,
  checkSignature,
  type ServiceRequest,
} from './checks.js';
import {
  parseQuery,
  readRequestBody,
  readServiceBody,
  readRemainingBody,
  getRequestTarget,
} from '../shared/read-request.js';
import { API_PREFIX, IDENTITY_PREFIX } from '../shared/surface.js';
import { explainSignature } from './explain.js';
import {
  resolveCallTarget,
  type FiredCallFaults,
  fireFaults,
  getFirstHalf,
  handleWithFaults,
  getSentPortion,
  sendResponseWithFaults,
} from './faults.js';
import { type ServiceRoute, createServiceRoutes } from './routes.js';

interface ServiceOptions {
  /** The origin of the hosted pages. */
  readonly hostedUrl: () => string;
}

/** Creates the payments API and the identity API (§4). Also handles requests that match no other app. */
export function createServiceApp(sandbox: Sandbox, { hostedUrl }: ServiceOptions): SurfaceApp {
  const app = createSurfaceApp();
  const routes = createServiceRoutes(sandbox.world.assumed);
  for (const route of routes) {
    app.on(route.method, route.path, (c) => handle(c, route.api, route));
  }
  const unrouted = createFallback(API_PREFIX, routes, { otherPrefix: IDENTITY_PREFIX });
  app.notFound((c) => handle(c, c.req.path.startsWith(IDENTITY_PREFIX) ? 'identity' : 'api', unrouted(c)));
  return app;

  /** Handles and logs a request, even if it matches no route, because the integrator's code sent it. */
  async function handle(
    c: SurfaceContext,
    api: ServiceRoute['api'],
    route: ServiceRoute | UnmatchedRequest,
  ): Promise<Response> {
    const { request, record } = beginCall(sandbox, c, api, hostedUrl());
    const site = await resolveCallTarget(request);
    const faults = request.withCause(() => fireFaults(sandbox, site));
    const outcome = await outcomeOf(request, () =>
      handleWithFaults(faults, request, site, async () => {
        if ('refusal' in route) return refuse(request, route);
        request.bytes = await request.readBytes();
        request.withCause(() => authenticate(request, route));
        parse(request, route);
        return request.withCause(() => route.handle(request as ServiceRequest<never, never, never>));
      }),
    );
    const sent = serializeResponse(request.requestId, outcome.response);
    await record(outcome, sent, faults, !('refusal' in route));
    await sandbox.flushed();
    return sendResponseWithFaults(faults, c, sent);
  }
}

interface Outcome {
  readonly response: ApiResponse;
  readonly refusal?: ReturnType<typeof toRefusal>;
}

/** Adds a request to the timeline. `record` adds the request and its response to the request log. */
function beginCall(sandbox: Sandbox, c: SurfaceContext, api: ServiceRoute['api'], hostedUrl: string) {
  const startedMs = performance.now();
  const requestId = createRequestId();
  const { method } = c.req;
  const target = getRequestTarget(c);
  const path = redactPath(sandbox.secrets.hide(target));
  const { timeline } = sandbox;
  const open = timeline.beginCall(requestId, `${method} ${path}`, sandbox.clock.now(), sandbox.realNow());
  const received = { chunks: [] as Buffer[], bytes: 0, isRead: false };
  let reading: Promise<Buffer> | undefined;
  const request: ServiceRequest = {
    sandbox,
    c,
    api,
    requestId,
    method,
    target,
    hostedUrl,
    warnings: [],
    readBytes: () => (reading ??= readRequestBody(c, LIMITS.bodyBytes, received)),
    withCause: (change) => timeline.withCause({ by: 'call', call: open }, change),
    param: (name) => c.req.param(name) ?? '',
    appId: null,
    errorHeaders: {},
    bytes: Buffer.alloc(0),
    caller: undefined,
    body: undefined,
    query: undefined,
  };
  const record = async (
    { response, refusal }: Outcome,
    sent: SerializedResponse,
    faults: FiredCallFaults,
    matched: boolean,
  ) => {
    await readRemainingBody(c, received);
    const found = (response.body ?? {}) as { readonly id?: unknown; readonly code?: unknown };
    const call = {
      requestId,
      api,
      method,
      path,
      status: response.status,
      matched,
      appId: request.appId,
      resourceId: typeof found.id === 'string' ? found.id : null,
      resourceCode: typeof found.code === 'string' ? found.code : undefined,
      error: refusal?.code ?? null,
      hint: refusal?.hint === undefined ? null : withProgramName(refusal.hint, sandbox.program),
      message: refusal?.message,
      details: refusal?.details,
      warnings: request.warnings,
      faults: faults.map(({ id, action }) => ({ id, action })),
      exchange: {
        request: {
          headers: toHeaderPairs(c.env.incoming?.rawHeaders ?? Object.entries(c.req.header()).flat()),
          body: Buffer.concat(received.chunks),
          bytes: received.bytes,
        },
        response: sentMessage(request, sent, getSentPortion(faults, c)),
        durationMs: performance.now() - startedMs,
      },
    };
    addCall(sandbox, call, open);
  };
  return { request, record };
}

/** Returns the portion of the response that faults let through; HEAD responses have no body. */
function sentMessage(
  { method, c }: ServiceRequest,
  sent: SerializedResponse,
  portion: ReturnType<typeof getSentPortion>,
): RecordedMessage | null {
  if (portion === 'none') return null;
  const own = c.env.outgoing === undefined ? [] : [['content-length', String(sent.bytes)] as const];
  const body = portion === 'half' ? getFirstHalf(sent) : method === 'HEAD' ? '' : sent.text;
  return { headers: [...own, ...Object.entries(sent.headers)], body, bytes: Buffer.byteLength(body) };
}

/** Runs `work` and returns its response or an error response. */
async function outcomeOf(request: ServiceRequest, work: () => Promise<ApiResponse>): Promise<Outcome> {
  try {
    return { response: await work() };
  } catch (error) {
    const known = toRefusal(error);
    const refusal = known && (await explainSignature(request as ServiceRequest<App>, known));
    const response = createErrorResponse(refusal ?? error, request.requestId, request.sandbox.program);
    return { response: { ...response, headers: request.errorHeaders }, refusal };
  }
}

function refuse(request: ServiceRequest, { refusal, headers }: UnmatchedRequest): never {
  request.errorHeaders = headers;
  throw refusal;
}

/**
 * Authenticates the caller and checks its rate limit, then the scope and signature, or the idempotency key (§5).
 */
function authenticate(request: ServiceRequest, route: ServiceRoute): void {
  if (route.api === 'identity') {
    authenticateOrganization(request as ServiceRequest<Organization>);
    if (route.method === 'POST') checkIdempotencyKey(request);
  } else {
    authenticateApp(request as ServiceRequest<App>, route);
    checkSignature(request as ServiceRequest<App>, route);
  }
}

/** Parses the query and the body with the route's schemas. */
function parse(request: ServiceRequest, { query, body }: ServiceRoute): void {
  const { sandbox, c, bytes, warnings, method } = request;
  if (method === 'GET' && bytes.length > 0) warnings.push('GET accepts no body; the body was ignored.');
  if (query !== undefined) {
    warnOfNoCursor(request);
    request.query = parseQuery(c, query);
  }
  if (body !== undefined) {
    request.body = readServiceBody(sandbox, bytes, body, (warning) => warnings.push(warning));
  }
}

/** Warns about an empty cursor: a client that sends the last page's null would restart the list forever. */
function warnOfNoCursor({ c, warnings }: ServiceRequest): void {
  for (const name of ['after', 'before']) {
    const text = c.req.query(name);
    if (text === undefined || !isEmptyCursor(text)) continue;
    const end = `The list ends when paging.${name} is null.`;
    warnings.push(`${name}=${text} returns the first page; omit ${name} instead. ${end}`);
  }
}
