import { LIMITS } from '../../contract/limits.js';
import type { Refusal } from '../../contract/refusals.js';
import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer, DoorContext } from '../operation/answer.js';
import { parseJson, readBody } from '../operation/body.js';
import { answerCall } from '../operation/calls.js';
import type { FailedBearers } from '../operation/failed-bearers.js';
import { slowedCheck } from '../operation/failed-bearers.js';
import type { Operation } from './checks.js';
import { authenticate, checkScope, checkSignature } from './checks.js';
import { Explainer } from './explain.js';

/** A request that has passed the checks. */
export interface Caller {
  readonly app: App;
  readonly body: Buffer;
  /** The JSON value of the body. */
  readonly json: () => unknown;
  /** Says what was accepted but is probably not meant: it goes into the call log. */
  readonly warn: (warning: string) => void;
}

/** What an operation asks of a request, and what slows wrong bearers down where others can reach the sandbox. */
interface GuardedOperation extends Operation {
  readonly bearers: FailedBearers | undefined;
}

/**
 * Runs one operation: size, token, scope, signature, nonce, then the operation's own rules, in this order (§5). Whatever
 * comes of it is answered in JSON and kept in the call log.
 */
export function perform(
  sandbox: Sandbox,
  c: DoorContext,
  operation: GuardedOperation,
  handle: (caller: Caller) => Answer | Promise<Answer>,
): Promise<Response> {
  return answerCall(sandbox, c, 'api', async (findings) => {
    const { warnings } = findings;
    const body = await readBody(c, LIMITS.bodyBytes);
    const app = await slowedCheck(operation.bearers, c, () =>
      authenticate(sandbox, c.req.header('authorization')),
    );
    findings.appId = app.id;
    findings.explain = explained(sandbox, c, app, body);
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

const explainers = new WeakMap<Sandbox, Explainer>();

function explained(
  sandbox: Sandbox,
  c: DoorContext,
  app: App,
  body: Buffer,
): (refusal: Refusal) => Promise<Refusal> {
  const explainer = explainers.get(sandbox) ?? new Explainer(sandbox);
  explainers.set(sandbox, explainer);
  return (refusal) => explainer.explain(refusal, c, app, body);
}
