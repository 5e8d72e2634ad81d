import { Refusal } from '../../contract/refusals.js';
import type { Call } from '../../sandbox/call-log.js';
import { shownPath } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer, DoorContext } from './answer.js';
import { answerFor, newRequestId } from './answer.js';
import { faultsOn, sendUnder, workUnder } from './call-faults.js';
import type { Unrouted } from './fallbacks.js';
import { requestTarget } from './target.js';

/** The doors whose calls are logged. */
export type LoggedDoor = 'api' | 'identity';

/** What is learned about a call while it is handled. */
export interface Findings {
  readonly warnings: string[];
  appId: string | null;
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
  const requestId = newRequestId();
  const target = requestTarget(c);
  const faults = faultsOn(sandbox, door, c.req.method, target);
  const { method } = c.req;
  const path = shownPath(sandbox.secrets.hide(target));
  const call = sandbox.timeline.beginCall(
    requestId,
    `${method} ${path}`,
    sandbox.clock.now(),
    sandbox.realNow(),
  );
  const findings: Findings = {
    warnings: [],
    appId: null,
    errorHeaders: {},
    explain: (refusal) => refusal,
    because: (change) => sandbox.timeline.because({ by: 'call', call }, change),
  };
  let answer: Answer;
  let refusal: Refusal | undefined;
  try {
    answer = await workUnder(faults, sandbox, { requestId, because: findings.because }, () => work(findings));
  } catch (error) {
    refusal = error instanceof Refusal ? await findings.explain(error) : undefined;
    answer = { ...answerFor(refusal ?? error, requestId), headers: findings.errorHeaders };
  }
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
    error: refusal?.code ?? null,
    hint: refusal?.hint ?? null,
    warnings: findings.warnings,
    faults: faults.map(({ id, action }) => ({ id, action })),
  };
  sandbox.calls.add(made, call);
  const keeping = sandbox.kept();
  if (keeping !== undefined) await keeping;
  return sendUnder(faults, c, requestId, answer);
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
