import { CALL_ROUTES } from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import type { Refusal } from '../../contract/refusals.js';
import type { Message } from '../../sandbox/call-log.js';
import { shownPath } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { asCalled } from '../../text/program-name.js';
import type { Answer, DoorContext, Written } from './answer.js';
import { answerFor, newRequestId, refusalOf, written } from './answer.js';
import { pathOf, readBody, readUnread, Received, requestTarget } from './read-request.js';
import { faultsOn, handleWithFaults, halfOf, portionSent, sendWithFaults, siteOf } from './call-faults.js';
import type { ErrorBody } from './error-body.js';
import type { Unrouted } from './fallbacks.js';
import { doorOf } from './targets.js';

/** The APIs whose requests are logged. */
type LoggedDoor = 'api' | 'identity';

/** An API request while it is handled, and what is learned about it. */
export interface RequestContext {
  readonly sandbox: Sandbox;
  readonly c: DoorContext;
  readonly door: LoggedDoor;
  readonly requestId: string;
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  readonly warnings: string[];
  appId: string | null;
  /** The headers of an error response. */
  errorHeaders: Readonly<Record<string, string>>;
  /** Reads the body, which the call log also shows. */
  readonly readBody: () => Promise<Buffer>;
  /** Adds detail to a refusal, where an API can. */
  explain: (refusal: Refusal) => Refusal | Promise<Refusal>;
  /** Runs what the request changes, so that the timeline knows what caused it. */
  readonly because: <Result>(change: () => Result) => Result;
}

/**
 * Handles a request to an API: records it, injects faults, does the work, adds it to the call log with
 * whether a route matched, and responds in JSON once what it changed is stored.
 */
export async function answerCall(
  sandbox: Sandbox,
  c: DoorContext,
  door: LoggedDoor,
  work: (request: RequestContext) => Answer | Promise<Answer>,
  matched = true,
): Promise<Response> {
  const startedMs = performance.now();
  const requestId = newRequestId();
  const { method } = c.req;
  const target = requestTarget(c);
  const path = shownPath(sandbox.secrets.hide(target));
  const { timeline } = sandbox;
  const open = timeline.beginCall(requestId, `${method} ${path}`, sandbox.clock.now(), sandbox.realNow());
  const received = new Received();
  let body: Promise<Buffer> | undefined;
  const request: RequestContext = {
    sandbox,
    c,
    door,
    requestId,
    method,
    target,
    warnings: [],
    appId: null,
    errorHeaders: {},
    readBody: () => (body ??= readBody(c, LIMITS.bodyBytes, received)),
    explain: (refusal) => refusal,
    because: (change) => timeline.because({ by: 'call', call: open }, change),
  };
  const site = await siteOf(request);
  const faults = request.because(() => faultsOn(sandbox, site));
  const { answer, refusal } = await respond(request, () =>
    handleWithFaults(faults, request, site, () => work(request)),
  );
  await readUnread(c, received);
  const sent = written(requestId, answer);
  const found = (answer.body ?? {}) as { readonly id?: unknown; readonly code?: unknown };
  sandbox.calls.add(
    {
      requestId,
      at: sandbox.clock.now(),
      realAt: sandbox.realNow(),
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
    },
    open,
  );
  await sandbox.kept();
  return sendWithFaults(faults, c, sent);
}

/** The result of the work, or the response to its error. */
async function respond(
  request: RequestContext,
  work: () => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly refusal?: Refusal | undefined }> {
  try {
    return { answer: await work() };
  } catch (error) {
    const known = refusalOf(error);
    const refusal = known && (await request.explain(known));
    const answer = answerFor(refusal ?? error, request.requestId, request.sandbox.program);
    return { answer: { ...answer, headers: request.errorHeaders }, refusal };
  }
}

/** The response as far as faults let it through; HEAD has no body. */
function sentMessage(
  { method, c }: RequestContext,
  sent: Written,
  portion: ReturnType<typeof portionSent>,
): Message | null {
  if (portion === 'none') return null;
  const own = c.env.outgoing === undefined ? [] : [['content-length', String(sent.bytes)] as const];
  const body = portion === 'half' ? halfOf(sent) : method === 'HEAD' ? '' : sent.text;
  return { headers: [...own, ...Object.entries(sent.headers)], body, bytes: Buffer.byteLength(body) };
}

/** Responds to a request without an operation; it is logged too, because the integrator's code sent it. */
export function refuseCall(
  sandbox: Sandbox,
  c: DoorContext,
  door: LoggedDoor,
  { refusal, headers }: Unrouted,
): Promise<Response> {
  const refuse = (request: RequestContext) => {
    request.errorHeaders = headers;
    throw refusal;
  };
  return answerCall(sandbox, c, door, refuse, false);
}

/** A request that was refused before it reached an API, and the response. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly rawHeaders: readonly string[];
  readonly error: ErrorBody['error'];
  readonly sent: Written;
}

const ROUTES = [...CALL_ROUTES.api, ...CALL_ROUTES.identity].map((route) => {
  const [method, path = ''] = route.split(' ');
  return { method, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) };
});

/** Adds a refused request to the call log where its API would have: user code sent it, and has to see why it failed. */
export function logRefused(sandbox: Sandbox, refused: RefusedRequest): void {
  const { requestId, method, target, headers, rawHeaders, error, sent } = refused;
  const { accept, 'sec-fetch-mode': mode } = headers as NodeJS.Dict<string>;
  const door = doorOf({ method, target, accept, mode }, sandbox.strict);
  if (door !== 'api' && door !== 'identity' && door !== 'hosted') return;
  const wanted = method === 'HEAD' ? 'GET' : method;
  const body = method === 'HEAD' ? '' : sent.text;
  sandbox.calls.add({
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    door,
    method,
    path: target.length > LIMITS.urlLength ? `${target.slice(0, LIMITS.urlLength)}…` : target,
    status: sent.status,
    matched:
      door === 'hosted' ||
      ROUTES.some((route) => route.method === wanted && route.pattern.test(pathOf(target))),
    appId: null,
    resourceId: null,
    error: error.code,
    hint: error.hint ?? null,
    message: error.message,
    details: error.details,
    warnings: [],
    faults: [],
    exchange: {
      request: {
        headers: pairsOf(rawHeaders).slice(0, LIMITS.requestHeaders),
        // Never read, so only its length is known.
        body: '',
        bytes: Number(headers['content-length'] ?? 0) || 0,
      },
      response: {
        headers: [['content-length', String(sent.bytes)], ...Object.entries(sent.headers)],
        body,
        bytes: Buffer.byteLength(body),
      },
      durationMs: 0,
    },
  });
}

function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}
