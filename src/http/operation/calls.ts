import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import type { Exchange } from '../../sandbox/call-exchange.js';
import type { MadeCall } from '../../sandbox/call-log.js';
import { shownPath } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { asCalled } from '../../text/program-name.js';
import type { Answer, DoorContext } from './answer.js';
import { answerFor, newRequestId } from './answer.js';
import type { Received } from './body.js';
import { nothingReceived, readBody, readUnread } from './body.js';
import { faultsOn, halfOf, portionSent, sendUnder, siteOf, workUnder } from './call-faults.js';
import type { Unrouted } from './fallbacks.js';
import type { Written } from './send.js';
import { written } from './send.js';
import { requestTarget } from './target.js';

/** The doors whose calls are logged. */
export type LoggedDoor = 'api' | 'identity';

/** What is learned about a call while it is handled. */
export interface Findings {
  readonly warnings: string[];
  appId: string | null;
  /** The bytes of the body, which the call log keeps. */
  readonly readBody: () => Promise<Buffer> | Buffer;
  /** The headers of an error answer. */
  errorHeaders: Readonly<Record<string, string>>;
  /** Adds detail to a refusal, where a door can. */
  explain: (refusal: Refusal) => Refusal | Promise<Refusal>;
  /** Runs what the call changes, so that the timeline knows what led to it. */
  readonly because: <Result>(change: () => Result) => Result;
}

/**
 * Handles a call to a door. The result or error is answered in JSON and kept in the call log, with whether a
 * route matched.
 */
export async function answerCall(
  sandbox: Sandbox,
  c: DoorContext,
  door: LoggedDoor,
  work: (findings: Findings) => Promise<Answer>,
  matched = true,
): Promise<Response> {
  const startedMs = performance.now();
  const requestId = newRequestId();
  const received = nothingReceived();
  const target = requestTarget(c);
  const { method } = c.req;
  const path = shownPath(sandbox.secrets.hide(target));
  const call = sandbox.timeline.beginCall(
    requestId,
    `${method} ${path}`,
    sandbox.clock.now(),
    sandbox.realNow(),
  );
  let body: Promise<Buffer> | Buffer | undefined;
  const findings: Findings = {
    warnings: [],
    appId: null,
    readBody: () => (body ??= readBody(c, LIMITS.bodyBytes, received)),
    errorHeaders: {},
    explain: (refusal) => refusal,
    because: (change) => sandbox.timeline.because({ by: 'call', call }, change),
  };
  const sited = siteOf(sandbox, c, { door, method, target }, findings.readBody);
  const site = sited instanceof Promise ? await sited : sited;
  const faults = findings.because(() => faultsOn(sandbox, site));
  const { answer, refusal } = await outcome(requestId, findings, sandbox.program, () =>
    workUnder(faults, sandbox, { requestId, findings, call: site }, () => work(findings)),
  );
  if (!received.isRead) await readUnread(c, received);
  const sent = written(requestId, answer);
  const made: MadeCall = {
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    door,
    method,
    path,
    status: answer.status,
    matched,
    appId: findings.appId,
    resourceId: refusal === undefined ? idOf(answer.body) : null,
    error: refusal?.code ?? null,
    hint: refusal?.hint === undefined ? null : asCalled(refusal.hint, sandbox.program),
    message: refusal?.message,
    details: refusal?.details,
    warnings: findings.warnings,
    faults: faults.map(({ id, action }) => ({ id, action })),
    exchange: exchangeOf(c, received, sent, portionSent(faults, c), startedMs),
  };
  sandbox.calls.add(made, call);
  const keeping = sandbox.kept();
  if (keeping !== undefined) await keeping;
  return sendUnder(faults, c, { requestId, answer, sent });
}

/** The answer, and the refusal that it tells of. */
async function outcome(
  requestId: string,
  findings: Findings,
  program: string | undefined,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; refusal?: Refusal | undefined }> {
  try {
    return { answer: await work() };
  } catch (error) {
    const refusal = error instanceof Refusal ? await findings.explain(error) : undefined;
    const answer = { ...answerFor(refusal ?? error, requestId, program), headers: findings.errorHeaders };
    return { answer, refusal };
  }
}

/** What came and what goes. The answer to HEAD has no body. */
function exchangeOf(
  c: DoorContext,
  { chunks, bytes }: Received,
  sent: Written,
  portion: ReturnType<typeof portionSent>,
  startedMs: number,
): Exchange {
  const [only] = chunks;
  const whole = c.req.method === 'HEAD' ? '' : sent.text;
  const body = portion === 'half' ? halfOf(sent) : whole;
  const headers = Object.entries(sent.headers);
  if (c.env.outgoing !== undefined) headers.unshift(['content-length', String(sent.bytes)]);
  return {
    request: {
      headers: requestHeaders(c),
      body: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks),
      bytes,
    },
    response: portion === 'none' ? null : { headers, body, bytes: lengthOf(body, sent) },
    durationMs: performance.now() - startedMs,
  };
}

function lengthOf(body: Buffer | string, { text, bytes }: Written): number {
  return body === text ? bytes : body.length;
}

/** The headers in the order and spelling in which they came. */
function requestHeaders({ env, req }: DoorContext): [name: string, value: string][] {
  const raw = env.incoming?.rawHeaders;
  if (raw === undefined) return Object.entries(req.header());
  const headers: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}

function idOf(body: unknown): string | null {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : null;
}

/** Answers a request without an operation; it is logged too, because the integrator's code sent it. */
export function refuseCall(
  sandbox: Sandbox,
  c: DoorContext,
  door: LoggedDoor,
  { refusal, headers }: Unrouted,
): Promise<Response> {
  const refuse = (findings: Findings) => {
    findings.errorHeaders = headers;
    throw refusal;
  };
  return answerCall(sandbox, c, door, refuse, false);
}
