import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusal.js';
import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer, DoorContext } from '../answer.js';
import { answerFor, newRequestId } from '../answer.js';
import { parseJson, readBody } from '../body.js';
import type { Unrouted } from '../fallbacks.js';
import type { Operation } from './checks.js';
import { authenticate, checkScope, checkSignature } from './checks.js';
import { faultsOn, sendUnder, workUnder } from './call-faults.js';
import { requestTarget } from './target.js';

/** A request that has passed the checks. */
export interface Caller {
  readonly app: App;
  readonly body: Buffer;
  /** The JSON value of the body. */
  readonly json: () => unknown;
  /** Says what was accepted but is probably not meant: it goes into the call log. */
  readonly warn: (warning: string) => void;
}

/** What becomes known of a call while it is handled. */
interface Findings {
  readonly warnings: string[];
  app: App | undefined;
  /** What an error is answered with beside its body. */
  errorHeaders: Readonly<Record<string, string>>;
}

/**
 * Runs one operation: size, token, scope, signature, nonce, then the operation's own rules, in this order (§5). Whatever
 * comes of it is answered in JSON and kept in the call log.
 */
export function perform(
  sandbox: Sandbox,
  c: DoorContext,
  operation: Operation,
  handle: (caller: Caller) => Answer | Promise<Answer>,
): Promise<Response> {
  return answerCall(sandbox, c, async (findings) => {
    const { warnings } = findings;
    const body = await readBody(c, LIMITS.bodyBytes);
    const app = authenticate(sandbox, c.req.header('authorization'));
    findings.app = app;
    checkScope(app, operation.scope);
    checkSignature(sandbox, c, app, operation, { body, warnings });
    if (c.req.method === 'GET' && body.length > 0) warnings.push('GET takes no body; this one was ignored.');
    return handle({
      app,
      body,
      json: () => parseJson(body),
      warn: (warning) => warnings.push(warning),
    });
  });
}

/** Answers a request that no operation takes: it stands in the call log, too, because it is what somebody's code sent. */
export function refuseCall(
  sandbox: Sandbox,
  c: DoorContext,
  { refusal, headers }: Unrouted,
): Promise<Response> {
  return answerCall(sandbox, c, (findings) => {
    findings.errorHeaders = headers;
    throw refusal;
  });
}

async function answerCall(
  sandbox: Sandbox,
  c: DoorContext,
  work: (findings: Findings) => Promise<Answer>,
): Promise<Response> {
  const requestId = newRequestId();
  const findings: Findings = { warnings: [], app: undefined, errorHeaders: {} };
  const faults = faultsOn(sandbox, c.req.method, requestTarget(c));
  let answer: Answer;
  let refusal: Refusal | undefined;
  try {
    answer = await workUnder(faults, sandbox, requestId, () => work(findings));
  } catch (error) {
    if (error instanceof Refusal) refusal = error;
    answer = { ...answerFor(error, requestId), headers: findings.errorHeaders };
  }
  sandbox.calls.add({
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    door: 'api',
    method: c.req.method,
    path: requestTarget(c),
    status: answer.status,
    appId: findings.app?.id ?? null,
    error: refusal?.code ?? null,
    hint: refusal?.hint ?? null,
    warnings: findings.warnings,
    faults: faults.map(({ id, action }) => ({ id, action })),
  });
  return sendUnder(faults, c, requestId, answer);
}
