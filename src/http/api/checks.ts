import type { Assumed } from '../../contract/assumptions.js';
import { Refusal } from '../../contract/refusals.js';
import type { Scope } from '../../contract/enums.js';
import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { RequestScheme } from '../../signing/request.js';
import { verifyRequest } from '../../signing/request.js';
import { bearerToken } from '../operation/read-request.js';
import type { RequestContext } from '../operation/calls.js';

/** The checks of an operation of the public API before its own rules (§4, §5). */
export interface Operation {
  readonly scope: Scope | 'none';
  /** `whenPresent` accepts an unsigned request with a warning; without it, requests are not signed. */
  readonly signature?: 'required' | 'whenPresent';
}

/** The application of the bearer token (§5.1). */
export function authenticate(sandbox: Sandbox, header: string | undefined): App {
  const token = bearerToken(header);
  const app = token === undefined ? undefined : sandbox.world.appsByToken.get(token);
  if (app !== undefined) return app;
  const message =
    token === undefined
      ? 'The header Authorization: Bearer <token> is required.'
      : 'The bearer token is not known.';
  throw new Refusal('UNAUTHENTICATED', message, {
    hint: '`npx sandbox env` prints the token as SANDBOX_TOKEN.',
  });
}

/** Refuses an application that lacks the operation's scope (§5.3). */
export function checkScope(app: App, scope: Operation['scope']): void {
  if (scope === 'none' || app.scopes.includes(scope)) return;
  throw new Refusal('INSUFFICIENT_SCOPE', `This operation needs the scope ${scope}.`, {
    hint: `The token has ${app.scopes.join(', ') || 'no scopes'}.`,
  });
}

/** How requests are signed here, by assumption. */
export function requestScheme(assumed: Assumed): RequestScheme {
  return {
    signatureEncoding: assumed['signature.encoding'],
    digestEncoding: assumed['signature.digest_encoding'],
    pathForm: assumed['signature.path'],
  };
}

/** How far X-Timestamp may be from the current time, in seconds. */
export function toleranceS(assumed: Assumed): number {
  return Math.floor(assumed['signature.tolerance'] / 1000);
}

/** Checks the request signature and uses up its nonce (§5.2). */
export function checkSignature(
  { sandbox, c: { req }, method, target, warnings }: RequestContext,
  app: App,
  { signature }: Operation,
  body: Buffer,
): void {
  if (signature === undefined) return;
  const timestamp = req.header('x-timestamp');
  const nonce = req.header('x-nonce');
  const given = req.header('x-signature');
  const isSigned = timestamp !== undefined || nonce !== undefined || given !== undefined;
  if (!isSigned && signature === 'whenPresent') {
    warnings.push('This request is not signed; the service may ask for it (assumption endpoint.signature).');
    return;
  }
  const { assumed } = sandbox.world;
  const nowS = Math.floor(sandbox.realNow() / 1000);
  const tolerance = toleranceS(assumed);
  const verdict = verifyRequest({
    method,
    target,
    body,
    headers: { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': given },
    secret: app.signingSecret,
    nowS,
    toleranceS: tolerance,
    scheme: requestScheme(assumed),
  });
  if (!verdict.ok) throw signatureRefusal(verdict);
  sandbox.dispatch({
    type: 'nonce.use',
    appId: app.id,
    nonce: nonce ?? '',
    nowS,
    untilS: Number(timestamp) + tolerance,
  });
}

type FailedVerdict = Extract<ReturnType<typeof verifyRequest>, { ok: false }>;

function signatureRefusal(verdict: FailedVerdict): Refusal {
  switch (verdict.cause) {
    case 'missing_header': {
      return new Refusal('SIGNATURE_MISSING', verdict.message, {
        hint: 'This operation is signed: send X-Timestamp, X-Nonce and X-Signature.',
      });
    }
    case 'timestamp_out_of_range': {
      return new Refusal('TIMESTAMP_OUT_OF_RANGE', verdict.message, {
        hint: 'X-Timestamp is the current time in Unix seconds of real time, even when the sandbox clock differs.',
      });
    }
    default: {
      return new Refusal('SIGNATURE_INVALID', verdict.message, {
        hint:
          'Sign timestamp.nonce.METHOD.path.sha256(body) with SANDBOX_SIGNING_SECRET, over the ' +
          'very bytes you send.',
      });
    }
  }
}
