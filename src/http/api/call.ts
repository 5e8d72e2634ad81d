import { isNoCursor } from '../../core/page.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer, DoorContext } from '../operation/answer.js';
import type { Findings } from '../operation/calls.js';
import { answerCall } from '../operation/calls.js';
import { whenKnown } from '../operation/when-known.js';
import { queryOf } from '../operation/query.js';
import { readServiceBody } from '../operation/service-body.js';
import { authenticate, checkScope, checkSignature } from './checks.js';
import type { Explainer } from './explain.js';
import type { App } from '../../core/world.js';
import type { ApiRequest, Route } from './route.js';

/**
 * Runs one operation: size, token, scope, signature, nonce, then the operation's own rules, in this order (§5). The
 * result or error is answered in JSON and kept in the call log. `explainer` names mistakes in signatures.
 */
export function perform(
  sandbox: Sandbox,
  c: DoorContext,
  route: Route,
  explainer: Explainer,
): Response | Promise<Response> {
  return answerCall(sandbox, c, 'api', (findings) =>
    whenKnown(findings.readBody(), (body) => {
      const app = authenticate(sandbox, c.req.header('authorization'));
      findings.appId = app.id;
      findings.explain = (refusal) => explainer.explain(refusal, c, app, body);
      return handle(sandbox, c, route, { findings, app, body });
    }),
  );
}

/** Checks and handles a request of an application that is known. */
function handle(
  sandbox: Sandbox,
  c: DoorContext,
  route: Route,
  { findings, app, body }: { readonly findings: Findings; readonly app: App; readonly body: Buffer },
): Answer | Promise<Answer> {
  const { warnings } = findings;
  checkScope(app, route.scope);
  checkSignature(sandbox, c, app, route, { body, warnings });
  if (c.req.method === 'GET' && body.length > 0) warnings.push('GET takes no body; this one was ignored.');
  if (route.query !== undefined) warnOfNoCursor(warnings, c);
  const warn = (warning: string) => warnings.push(warning);
  const request: ApiRequest = {
    sandbox,
    app,
    bytes: body,
    warn,
    param: (name) => c.req.param(name) ?? '',
    query: route.query && queryOf(c, route.query),
    body: route.body && readServiceBody(sandbox, body, route.body, warn),
  };
  return findings.because(() => route.handle(request as ApiRequest<never, never>));
}

/** A client that sends the last page's null as a cursor would start over forever. */
function warnOfNoCursor(warnings: string[], c: DoorContext): void {
  for (const name of ['after', 'before']) {
    const text = c.req.query(name);
    if (text === undefined || !isNoCursor(text)) continue;
    const end = `The list ends where paging.${name} is null.`;
    warnings.push(`${name}=${text} asks for the first page: for that, leave ${name} out. ${end}`);
  }
}
