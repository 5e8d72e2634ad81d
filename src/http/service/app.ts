import { LIMITS } from '../../contract/limits.js';
import { isNoCursor } from '../../core/page.js';
import type { App, Organization } from '../../core/world.js';
import { type Message, shownPath } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { asCalled } from '../../text/program-name.js';
import {
  type Answer,
  answerFor,
  createDoorApp,
  type DoorApp,
  type DoorContext,
  newRequestId,
  refusalOf,
  type Written,
  written,
} from '../operation/answer.js';
import { addCall, pairsOf } from '../operation/call-record.js';
import { createFallback, type Unrouted } from '../operation/fallbacks.js';
import {
  authenticateApp,
  authenticateOrganization,
  checkIdempotencyKey,
  checkSignature,
  type RateLimit,
  RateLimiter,
  type ServiceRequest,
} from './checks.js';
import { queryOf, readBody, readServiceBody, readUnread, requestTarget } from '../operation/read-request.js';
import { API_PREFIX, IDENTITY_PREFIX } from '../operation/targets.js';
import { explainSignature } from './explain.js';
import {
  callSite,
  type Fired,
  firedOn,
  halfOf,
  handleWithFaults,
  portionSent,
  sendWithFaults,
} from './faults.js';
import { type ServiceRoute, serviceRoutes } from './routes.js';

interface ServiceOptions {
  /** The origin of the hosted pages. */
  readonly hostedUrl: () => string;
  /** Rate limit of one organization on the identity API; unlimited without it. */
  readonly kycRateLimit?: RateLimit | undefined;
}

/** The payments API and the identity API as a Hono app (§4). Requests that match no other app end here, too. */
export function createServiceApp(sandbox: Sandbox, { hostedUrl, kycRateLimit }: ServiceOptions): DoorApp {
  const app = createDoorApp();
  const limiter = kycRateLimit && new RateLimiter(kycRateLimit);
  sandbox.onReset(() => limiter?.clear());
  const routes = serviceRoutes(sandbox.world.assumed);
  for (const route of routes) {
    app.on(route.method, route.path, (c) => handle(c, route.door, route));
  }
  const unrouted = createFallback(API_PREFIX, routes, { otherPrefix: IDENTITY_PREFIX });
  app.notFound((c) => handle(c, c.req.path.startsWith(IDENTITY_PREFIX) ? 'identity' : 'api', unrouted(c)));
  return app;

  /** The whole path of a request: it is recorded even if it has no route, because the integrator's code sent it. */
  async function handle(
    c: DoorContext,
    door: ServiceRoute['door'],
    route: ServiceRoute | Unrouted,
  ): Promise<Response> {
    const { request, record } = beginCall(sandbox, c, door, hostedUrl());
    const site = await callSite(request);
    const faults = request.because(() => firedOn(sandbox, site));
    const outcome = await outcomeOf(request, () =>
      handleWithFaults(faults, request, site, async () => {
        if ('refusal' in route) return refuse(request, route);
        request.bytes = await request.readBytes();
        request.because(() => authenticate(request, route, limiter));
        parse(request, route);
        return request.because(() => route.handle(request as ServiceRequest<never, never, never>));
      }),
    );
    const sent = written(request.requestId, outcome.answer);
    await record(outcome, sent, faults, !('refusal' in route));
    await sandbox.kept();
    return sendWithFaults(faults, c, sent);
  }
}

interface Outcome {
  readonly answer: Answer;
  readonly refusal?: ReturnType<typeof refusalOf>;
}

/** Opens a request on the timeline; `record` adds it to the call log with its response. */
function beginCall(sandbox: Sandbox, c: DoorContext, door: ServiceRoute['door'], hostedUrl: string) {
  const startedMs = performance.now();
  const requestId = newRequestId();
  const { method } = c.req;
  const target = requestTarget(c);
  const path = shownPath(sandbox.secrets.hide(target));
  const { timeline } = sandbox;
  const open = timeline.beginCall(requestId, `${method} ${path}`, sandbox.clock.now(), sandbox.realNow());
  const received = { chunks: [] as Buffer[], bytes: 0, isRead: false };
  let reading: Promise<Buffer> | undefined;
  const request: ServiceRequest = {
    sandbox,
    c,
    door,
    requestId,
    method,
    target,
    hostedUrl,
    warnings: [],
    readBytes: () => (reading ??= readBody(c, LIMITS.bodyBytes, received)),
    because: (change) => timeline.because({ by: 'call', call: open }, change),
    param: (name) => c.req.param(name) ?? '',
    appId: null,
    errorHeaders: {},
    bytes: Buffer.alloc(0),
    caller: undefined,
    body: undefined,
    query: undefined,
  };
  const record = async ({ answer, refusal }: Outcome, sent: Written, faults: Fired, matched: boolean) => {
    await readUnread(c, received);
    const found = (answer.body ?? {}) as { readonly id?: unknown; readonly code?: unknown };
    const call = {
      requestId,
      door,
      method,
      path,
      status: answer.status,
      matched,
      appId: request.appId,
      resourceId: typeof found.id === 'string' ? found.id : null,
      resourceCode: typeof found.code === 'string' ? found.code : undefined,
      error: refusal?.code ?? null,
      hint: refusal?.hint === undefined ? null : asCalled(refusal.hint, sandbox.program),
      message: refusal?.message,
      details: refusal?.details,
      warnings: request.warnings,
      faults: faults.map(({ id, action }) => ({ id, action })),
      exchange: {
        request: {
          headers: pairsOf(c.env.incoming?.rawHeaders ?? Object.entries(c.req.header()).flat()),
          body: Buffer.concat(received.chunks),
          bytes: received.bytes,
        },
        response: sentMessage(request, sent, portionSent(faults, c)),
        durationMs: performance.now() - startedMs,
      },
    };
    addCall(sandbox, call, open);
  };
  return { request, record };
}

/** The response as far as faults let it through; HEAD has no body. */
function sentMessage(
  { method, c }: ServiceRequest,
  sent: Written,
  portion: ReturnType<typeof portionSent>,
): Message | null {
  if (portion === 'none') return null;
  const own = c.env.outgoing === undefined ? [] : [['content-length', String(sent.bytes)] as const];
  const body = portion === 'half' ? halfOf(sent) : method === 'HEAD' ? '' : sent.text;
  return { headers: [...own, ...Object.entries(sent.headers)], body, bytes: Buffer.byteLength(body) };
}

/** The result of the work, or the response to its error. */
async function outcomeOf(request: ServiceRequest, work: () => Promise<Answer>): Promise<Outcome> {
  try {
    return { answer: await work() };
  } catch (error) {
    const known = refusalOf(error);
    const refusal = known && (await explainSignature(request as ServiceRequest<App>, known));
    const answer = answerFor(refusal ?? error, request.requestId, request.sandbox.program);
    return { answer: { ...answer, headers: request.errorHeaders }, refusal };
  }
}

function refuse(request: ServiceRequest, { refusal, headers }: Unrouted): never {
  request.errorHeaders = headers;
  throw refusal;
}

/** Checks who calls: the token, then the scope and the signature, or the rate limit and the idempotency key (§5). */
function authenticate(request: ServiceRequest, route: ServiceRoute, limiter: RateLimiter | undefined): void {
  if (route.door === 'identity') {
    authenticateOrganization(request as ServiceRequest<Organization>, limiter);
    if (route.method === 'POST') checkIdempotencyKey(request);
  } else {
    authenticateApp(request as ServiceRequest<App>, route);
    checkSignature(request as ServiceRequest<App>, route);
  }
}

/** Reads the query and the body of a request by the schemas of its route. */
function parse(request: ServiceRequest, { query, body }: ServiceRoute): void {
  const { sandbox, c, bytes, warnings, method } = request;
  if (method === 'GET' && bytes.length > 0) warnings.push('GET takes no body; this one was ignored.');
  if (query !== undefined) {
    warnOfNoCursor(request);
    request.query = queryOf(c, query);
  }
  if (body !== undefined) {
    request.body = readServiceBody(sandbox, bytes, body, (warning) => warnings.push(warning));
  }
}

/** A client that sends the last page's null as a cursor would start over forever. */
function warnOfNoCursor({ c, warnings }: ServiceRequest): void {
  for (const name of ['after', 'before']) {
    const text = c.req.query(name);
    if (text === undefined || !isNoCursor(text)) continue;
    const end = `The list ends where paging.${name} is null.`;
    warnings.push(`${name}=${text} asks for the first page: for that, leave ${name} out. ${end}`);
  }
}
