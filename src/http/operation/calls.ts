import { LIMITS } from '../../contract/limits.js';
import type { Refusal } from '../../contract/refusals.js';
import type { Call, Exchange, Message } from '../../sandbox/call-log.js';
import { shownPath } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { OpenCall } from '../../sandbox/timeline/cause.js';
import { asCalled } from '../../text/program-name.js';
import type { Answer, DoorContext } from './answer.js';
import { answerFor, newRequestId, refusalOf } from './answer.js';
import type { Received } from './body.js';
import { nothingReceived, readBody, readUnread } from './body.js';
import type { Fired } from './call-faults.js';
import { faultsOn, halfOf, portionSent, sendUnder, siteOf, workUnder } from './call-faults.js';
import type { Unrouted } from './fallbacks.js';
import type { Written } from './send.js';
import { written } from './send.js';
import { requestTarget } from './target.js';
import { whenKnown } from './when-known.js';

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

/** A call that is being handled. */
interface Begun {
  readonly requestId: string;
  readonly startedMs: number;
  readonly door: LoggedDoor;
  readonly method: string;
  /** The request target without secrets. */
  readonly path: string;
  readonly matched: boolean;
  readonly received: Received;
  readonly open: OpenCall;
  readonly findings: Findings;
}

/** What an operation answers, and the refusal that this tells of. */
interface Outcome {
  readonly answer: Answer;
  readonly refusal?: Refusal | undefined;
}

/**
 * Handles a call to a door. The result or error is answered in JSON and kept in the call log, with whether a
 * route matched.
 */
export function answerCall(
  sandbox: Sandbox,
  c: DoorContext,
  door: LoggedDoor,
  work: (findings: Findings) => Answer | Promise<Answer>,
  matched = true,
): Response | Promise<Response> {
  const target = requestTarget(c);
  const begun = begin(sandbox, c, { door, target, matched });
  const { requestId, method, received, findings } = begun;
  const sited = siteOf(sandbox, c, { door, method, target }, findings.readBody);
  return whenKnown(sited, (site) => {
    const faults = findings.because(() => faultsOn(sandbox, site));
    const ended = outcome(requestId, findings, sandbox.program, () =>
      workUnder(faults, sandbox, { requestId, findings, call: site }, () => work(findings)),
    );
    return whenKnown(ended, (found) =>
      whenKnown(received.isRead ? undefined : readUnread(c, received), () =>
        finish(sandbox, c, begun, faults, found),
      ),
    );
  });
}

function begin(
  sandbox: Sandbox,
  c: DoorContext,
  { door, target, matched }: Pick<Begun, 'door' | 'matched'> & { readonly target: string },
): Begun {
  const startedMs = performance.now();
  const requestId = newRequestId();
  const received = nothingReceived();
  const { method } = c.req;
  const path = shownPath(sandbox.secrets.hide(target));
  const { timeline } = sandbox;
  const open = timeline.beginCall(requestId, `${method} ${path}`, sandbox.clock.now(), sandbox.realNow());
  let body: Promise<Buffer> | Buffer | undefined;
  const findings: Findings = {
    warnings: [],
    appId: null,
    readBody: () => (body ??= readBody(c, LIMITS.bodyBytes, received)),
    errorHeaders: {},
    explain: (refusal) => refusal,
    because: (change) => timeline.because({ by: 'call', call: open }, change),
  };
  return { requestId, startedMs, door, method, path, matched, received, open, findings };
}

/** What an operation answers, or the answer to its error. */
function outcome(
  requestId: string,
  findings: Findings,
  program: string | undefined,
  work: () => Answer | Promise<Answer>,
): Outcome | Promise<Outcome> {
  const failed = async (error: unknown): Promise<Outcome> => {
    const known = refusalOf(error);
    const refusal = known && (await findings.explain(known));
    const answer = { ...answerFor(refusal ?? error, requestId, program), headers: findings.errorHeaders };
    return { answer, refusal };
  };
  try {
    const answer = work();
    return answer instanceof Promise ? answer.then((known) => ({ answer: known }), failed) : { answer };
  } catch (error) {
    return failed(error);
  }
}

/** Keeps the call, and answers it once what it changed is stored. */
function finish(
  sandbox: Sandbox,
  c: DoorContext,
  begun: Begun,
  faults: Fired,
  { answer, refusal }: Outcome,
): Response | Promise<Response> {
  const { requestId, startedMs, door, method, path, matched, received, open, findings } = begun;
  const sent = written(requestId, answer);
  const made: Call = {
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
    resourceCode: refusal === undefined ? codeOf(answer.body) : undefined,
    error: refusal?.code ?? null,
    hint: refusal?.hint === undefined ? null : asCalled(refusal.hint, sandbox.program),
    message: refusal?.message,
    details: refusal?.details,
    warnings: findings.warnings,
    faults: faults.map(({ id, action }) => ({ id, action })),
    exchange: exchangeOf(c, received, sent, portionSent(faults, c), startedMs),
  };
  sandbox.calls.add(made, open);
  return whenKnown(sandbox.kept(), () => sendUnder(faults, c, { requestId, answer, sent }));
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
  const came = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
  return {
    request: new Came(c, came, bytes),
    response:
      portion === 'none' ? null : new Went(sent, c.env.outgoing !== undefined, body, lengthOf(body, sent)),
    durationMs: performance.now() - startedMs,
  };
}

/** A request whose headers are read only where someone asks for them, in the order and spelling in which they came. */
class Came implements Message {
  readonly #raw: readonly string[];
  readonly body: Buffer;
  readonly bytes: number;

  constructor({ env, req }: DoorContext, body: Buffer, bytes: number) {
    this.#raw = env.incoming?.rawHeaders ?? Object.entries(req.header()).flat();
    this.body = body;
    this.bytes = bytes;
  }

  get headers(): Message['headers'] {
    const raw = this.#raw;
    const headers: [string, string][] = [];
    for (let at = 0; at < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
    return headers;
  }
}

/** An answer, likewise. */
class Went implements Message {
  readonly #sent: Written;
  readonly #isOnSocket: boolean;
  readonly body: Buffer | string;
  readonly bytes: number;

  constructor(sent: Written, isOnSocket: boolean, body: Buffer | string, bytes: number) {
    this.#sent = sent;
    this.#isOnSocket = isOnSocket;
    this.body = body;
    this.bytes = bytes;
  }

  get headers(): Message['headers'] {
    const headers = Object.entries(this.#sent.headers);
    return this.#isOnSocket ? [['content-length', String(this.#sent.bytes)], ...headers] : headers;
  }
}

function lengthOf(body: Buffer | string, { text, bytes }: Written): number {
  return body === text ? bytes : body.length;
}

function idOf(body: unknown): string | null {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : null;
}

function codeOf(body: unknown): string | undefined {
  const { code } = (body ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Answers a request without an operation; it is logged too, because the integrator's code sent it. */
export function refuseCall(
  sandbox: Sandbox,
  c: DoorContext,
  door: LoggedDoor,
  { refusal, headers }: Unrouted,
): Response | Promise<Response> {
  const refuse = (findings: Findings) => {
    findings.errorHeaders = headers;
    throw refusal;
  };
  return answerCall(sandbox, c, door, refuse, false);
}
