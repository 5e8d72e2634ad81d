import type { CallFaultAction } from '../../contract/fault-kinds.js';
import type { FiredFault } from '../../core/world.js';
import { type CallSite, subjectOf } from '../../core/webhooks/faults.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { Refusal, REFUSAL_STATUSES } from '../../contract/refusals.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { pause } from '../../delivery/abort.js';
import { rowsFrom } from '../../core/table.js';
import type { Answer, DoorContext, Written } from './answer.js';
import { errorBody } from './answer.js';
import { bearerToken, parseJson, pathOf } from './read-request.js';
import type { RequestContext } from './calls.js';
import { alreadySent, send } from './send.js';
import { untilReached } from './until.js';

export type Fired = readonly FiredFault<CallFaultAction>[];

const DEFAULT_STATUS = 500;
const DEFAULT_DELAY_MS = 1_000;
/** Real time that an answer waits for the attempts of the event sent before it. */
const EVENT_FIRST_MS = 2_000;

function find(fired: Fired, action: CallFaultAction) {
  return fired.find((fault) => fault.action === action);
}

/** The request as faults see it: its body is read only if one of them is aimed at what it is about. */
export async function siteOf({
  sandbox,
  c: { req },
  door,
  method,
  target,
  readBody,
}: RequestContext): Promise<CallSite> {
  const path = pathOf(target);
  const site = { door, method, path };
  if (!isAimed(sandbox)) return site;
  const token = bearerToken(req.header('authorization'));
  const body = await readBody()
    .then(parseJson)
    .catch(() => undefined);
  const head = { ...site, token, idempotencyKey: req.header('idempotency-key') };
  return { ...site, ...subjectOf(sandbox.world, { ...head, body }) };
}

function isAimed({ world }: Sandbox): boolean {
  for (const { match } of world.faults.values()) {
    if (match.on === 'call' && (match.code !== undefined || match.resource !== undefined)) return true;
  }
  return false;
}

/** The faults that fire on a call; each look-up counts as a call. */
export function faultsOn(sandbox: Sandbox, call: CallSite): Fired {
  if (sandbox.world.faults.size === 0) return [];
  return sandbox.dispatch({ type: 'fault.on-call', call });
}

/** Handles a request under its faults: late, not at all, or with its event before its response. */
export async function handleWithFaults(
  fired: Fired,
  request: RequestContext,
  call: CallSite,
  work: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { sandbox, requestId, because } = request;
  const delay = find(fired, 'delay');
  if (delay !== undefined) await hold(sandbox, delay.delayMs ?? DEFAULT_DELAY_MS);
  const status = find(fired, 'status');
  if (status !== undefined) return faultAnswer(status.status ?? DEFAULT_STATUS, requestId, sandbox);
  const limited = find(fired, 'rate-limit');
  if (limited !== undefined) {
    const seconds = Math.ceil((limited.delayMs ?? DEFAULT_DELAY_MS) / 1000);
    return { ...faultAnswer(429, requestId, sandbox), headers: { 'retry-after': String(seconds) } };
  }
  if (find(fired, 'reset') !== undefined || find(fired, 'empty') !== undefined)
    return faultAnswer(500, requestId, sandbox);
  const answer = await work();
  if (find(fired, 'event-first') !== undefined) await announceFirst(request, answer);
  const { appId } = request;
  if (find(fired, 'insert-between-pages') !== undefined && appId !== null)
    because(() => sandbox.dispatch({ type: 'fault.insert', appId, call }));
  return answer;
}

/** Waits in real time; rejects with SERVICE_UNAVAILABLE when the sandbox closes meanwhile. */
async function hold(sandbox: Sandbox, ms: number): Promise<void> {
  const closing = new AbortController();
  const release = sandbox.onClose(() =>
    closing.abort(new Refusal('SERVICE_UNAVAILABLE', 'The sandbox is closing.')),
  );
  await pause(ms, closing.signal).finally(release);
}

function faultAnswer(status: number, requestId: string, { program }: Sandbox): Answer {
  const code = (Object.keys(REFUSAL_STATUSES) as RefusalCode[]).find(
    (known) => REFUSAL_STATUSES[known] === status,
  );
  const message = 'A requested fault answered this call.';
  const refusal = new Refusal(code ?? 'SERVICE_UNAVAILABLE', message, {
    hint: '`npx sandbox faults list` shows it.',
  });
  return { status: status as Answer['status'], body: errorBody(refusal, requestId, program) };
}

/** Settles the charge that was just created, and waits until its event was delivered (§6 rule 2). */
async function announceFirst({ sandbox, because }: RequestContext, { status, body }: Answer): Promise<void> {
  const { id } = body as { readonly id?: unknown };
  if (status !== 201 || typeof id !== 'string') return;
  if (sandbox.world.charges.byId.get(id)?.status !== 'PENDING') return;
  const firstNew = sandbox.world.deliveryCount;
  because(() => sandbox.dispatch({ type: 'charge.settle', chargeId: id, early: true }));
  await untilReached(sandbox, rowsFrom(sandbox.world.deliveries, firstNew), 'attempted', EVENT_FIRST_MS);
}

/**
 * How much of an answer the faults let through: whole, cut in half, or none of it. Where nothing can be
 * broken it stays whole.
 */
export function portionSent(fired: Fired, { env }: DoorContext): 'whole' | 'half' | 'none' {
  if (fired.length === 0 || !(env?.outgoing?.socket ?? env?.breakOff)) return 'whole';
  const breaks = ['reset', 'lose-response', 'empty'] as const;
  if (breaks.some((action) => find(fired, action) !== undefined)) return 'none';
  return find(fired, 'cut') === undefined ? 'whole' : 'half';
}

/** The first half of a body that is cut. */
export function halfOf({ text, bytes }: Written): Buffer {
  return Buffer.from(text).subarray(0, Math.floor(bytes / 2));
}

/** Sends a response as the faults require. */
export function sendWithFaults(fired: Fired, c: DoorContext, sent: Written): Response {
  const { outgoing, breakOff } = c.env ?? {};
  const socket = outgoing?.socket;
  const portion = portionSent(fired, c);
  if (portion === 'whole') return send(c, sent);
  const isReset = find(fired, 'reset') !== undefined || find(fired, 'lose-response') !== undefined;
  if (outgoing === undefined || !socket) {
    if (portion === 'half') return cutOff(sent);
    breakOff?.(isReset ? connectionReset() : otherSideClosed());
    return new Response(null);
  }
  if (portion === 'half') {
    outgoing.writeHead(sent.status, { ...sent.headers, 'content-length': sent.bytes });
    outgoing.write(halfOf(sent), () => socket.destroySoon());
  } else if (isReset) {
    socket.resetAndDestroy();
  } else {
    socket.destroySoon();
  }
  return alreadySent();
}

/** The errors of Node's fetch, under its names and codes, for those who tell them apart. */
function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
}

function otherSideClosed(): Error {
  return Object.assign(new Error('other side closed'), { name: 'SocketError', code: 'UND_ERR_SOCKET' });
}

/** An answer whose body breaks off in the middle. */
function cutOff(sent: Written): Response {
  let isBegun = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isBegun) controller.error(new TypeError('terminated', { cause: otherSideClosed() }));
      else controller.enqueue(halfOf(sent));
      isBegun = true;
    },
  });
  const headers = { ...sent.headers, 'content-length': String(sent.bytes) };
  return new Response(body, { status: sent.status, headers });
}
