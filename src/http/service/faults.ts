import { type CallFaultAction, listFiredKinds, type FaultMechanic } from '../../contract/fault-kinds.js';
import { Refusal, type RefusalCode, REFUSAL_STATUSES } from '../../contract/refusals.js';
import { isPending } from '../../contract/transitions.js';
import { listRowsFrom } from '../../core/table.js';
import { type CallFaultTarget, findSubject } from '../../core/webhooks/faults.js';
import type { FiredFault } from '../../core/world.js';
import { sleep } from '../../delivery/abort.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import {
  createSentMarker,
  type ApiResponse,
  type SurfaceContext,
  createErrorBody,
  sendResponse,
  type SerializedResponse,
} from '../shared/response.js';
import { parseBearerToken, parseJsonRequest, getPath } from '../shared/read-request.js';
import { waitForMilestone } from '../shared/wait-for-milestone.js';
import type { ServiceRequest } from './checks.js';

export type FiredCallFaults = readonly FiredFault<CallFaultAction>[];

/** Maximum wait (real time) for an event's attempts before the response. */
const EVENT_FIRST_MS = 2_000;

/** Lists the fired faults that break the connection. */
function connectionFaults(fired: FiredCallFaults) {
  return listFiredKinds('call', fired, 'close', 'reset');
}

/** Resolves the request properties that faults match. Reads the body only if a fault targets a resource. */
export async function resolveCallTarget(request: ServiceRequest): Promise<CallFaultTarget> {
  const { sandbox, c, api, method, target, readBytes } = request;
  const site = { api, method, path: getPath(target) };
  const isAimed = Array.from(sandbox.world.faults.values()).some(
    ({ match }) => match.on === 'call' && (match.code !== undefined || match.resource !== undefined),
  );
  if (!isAimed) return site;
  const head = {
    ...site,
    token: parseBearerToken(c.req.header('authorization')),
    idempotencyKey: c.req.header('idempotency-key'),
    body: await readBytes()
      .then(parseJsonRequest)
      .catch(() => undefined),
  };
  return { ...site, ...findSubject(sandbox.world, head) };
}

/** Fires the faults that match a request and increments their counters. */
export function fireFaults(sandbox: Sandbox, call: CallFaultTarget): FiredCallFaults {
  return sandbox.world.faults.size === 0 ? [] : sandbox.dispatch({ type: 'fault.on-call', call });
}

/** Handles a request with its faults, which can delay or replace the response, or send the event first. */
export async function handleWithFaults(
  fired: FiredCallFaults,
  request: ServiceRequest,
  call: CallFaultTarget,
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  if (fired.length === 0) return work();
  const { sandbox } = request;
  const find = (mechanic: FaultMechanic) => listFiredKinds('call', fired, mechanic)[0];
  const delay = find('wait');
  if (delay !== undefined) await waitInRealTime(sandbox, delay.delayMs);
  const fault = find('respond');
  if (fault !== undefined) {
    const { status, delayMs, hasRetryAfter } = fault;
    const response = faultResponse(status, request);
    if (!hasRetryAfter) return response;
    return { ...response, headers: { 'retry-after': String(Math.ceil(delayMs / 1000)) } };
  }
  if (connectionFaults(fired).some(({ isUnhandled }) => isUnhandled)) return faultResponse(500, request);
  const response = await work();
  if (find('settle-first') !== undefined) await settleBeforeResponse(request, response);
  const { appId } = request;
  if (find('insert-row') !== undefined && appId !== null)
    request.withCause(() => sandbox.dispatch({ type: 'fault.insert', appId, call }));
  return response;
}

/** Waits in real time; rejects with SERVICE_UNAVAILABLE if the sandbox closes. */
async function waitInRealTime(sandbox: Sandbox, ms: number): Promise<void> {
  const closing = new AbortController();
  const reason = new Refusal('SERVICE_UNAVAILABLE', 'The sandbox is closing.');
  const release = sandbox.onClose(() => closing.abort(reason));
  await sleep(ms, closing.signal).finally(release);
}

function faultResponse(status: number, { requestId, sandbox }: ServiceRequest): ApiResponse {
  const codes = Object.keys(REFUSAL_STATUSES) as RefusalCode[];
  const code = codes.find((known) => REFUSAL_STATUSES[known] === status) ?? 'SERVICE_UNAVAILABLE';
  const refusal = new Refusal(code, 'This response was injected by a fault.', {
    hint: '`npx sandbox faults list` shows active faults.',
  });
  return {
    status: status as ApiResponse['status'],
    body: createErrorBody(refusal, requestId, sandbox.program),
  };
}

/** Settles the new charge and waits for the delivery of its event (§6 rule 2). */
async function settleBeforeResponse(
  { sandbox, withCause }: ServiceRequest,
  { status, body }: ApiResponse,
): Promise<void> {
  const { id } = body as { readonly id?: unknown };
  if (status !== 201 || typeof id !== 'string') return;
  if (!isPending(sandbox.world.charges.byId.get(id)?.status)) return;
  const firstNew = sandbox.world.deliveryCount;
  withCause(() => sandbox.dispatch({ type: 'charge.settle', chargeId: id, early: true }));
  await waitForMilestone(
    sandbox,
    listRowsFrom(sandbox.world.deliveries, firstNew),
    'attempted',
    EVENT_FIRST_MS,
  );
}

/**
 * Returns the portion of a response that faults let through. Returns `whole` if the connection cannot be
 * broken.
 */
export function getSentPortion(fired: FiredCallFaults, { env }: SurfaceContext): 'whole' | 'half' | 'none' {
  if (fired.length === 0 || !(env?.outgoing?.socket ?? env?.breakOff)) return 'whole';
  const breaks = connectionFaults(fired);
  if (breaks.length === 0) return 'whole';
  return breaks.every(({ sendsHalf }) => sendsHalf) ? 'half' : 'none';
}

/** Returns the first half of a truncated body. */
export function getFirstHalf({ text, bytes }: SerializedResponse): Buffer {
  return Buffer.from(text).subarray(0, Math.floor(bytes / 2));
}

/** Sends a response with connection faults applied. */
export function sendResponseWithFaults(
  fired: FiredCallFaults,
  c: SurfaceContext,
  sent: SerializedResponse,
): Response {
  const portion = getSentPortion(fired, c);
  if (portion === 'whole') return sendResponse(c, sent);
  const { outgoing, breakOff } = c.env;
  const socket = outgoing?.socket;
  const isReset = listFiredKinds('call', fired, 'reset').length > 0;
  if (outgoing === undefined || !socket) {
    if (portion === 'half') return createTruncatedResponse(sent);
    breakOff?.(isReset ? connectionReset() : otherSideClosed());
    return new Response(null);
  }
  if (portion === 'half') {
    outgoing.writeHead(sent.status, { ...sent.headers, 'content-length': sent.bytes });
    outgoing.write(getFirstHalf(sent), () => socket.destroySoon());
  } else if (isReset) {
    socket.resetAndDestroy();
  } else {
    socket.destroySoon();
  }
  return createSentMarker();
}

/** Imitates an error of Node's fetch, including its name and code. */
function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
}

function otherSideClosed(): Error {
  return Object.assign(new Error('other side closed'), { name: 'SocketError', code: 'UND_ERR_SOCKET' });
}

/** Creates a response whose body fails halfway. */
function createTruncatedResponse(sent: SerializedResponse): Response {
  const chunks = [getFirstHalf(sent)];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = chunks.pop();
      if (chunk !== undefined) controller.enqueue(chunk);
      else controller.error(new TypeError('terminated', { cause: otherSideClosed() }));
    },
  });
  const headers = { ...sent.headers, 'content-length': String(sent.bytes) };
  return new Response(body, { status: sent.status, headers });
}
