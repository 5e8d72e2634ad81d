import type { Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusal.js';
import type { App, Scope } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { verifyRequest } from '../../signing/request.js';
import type { Answer } from '../answer.js';
import { answerFor, newRequestId, send } from '../answer.js';
import { parseJson, readBody } from '../body.js';

export type ApiContext = Context<{ Bindings: Partial<HttpBindings> }>;

/** What an operation of the public API asks of a request before its own rules (§4, §5). */
export interface Operation {
  readonly scope: Scope | 'none';
  /** `whenPresent` accepts an unsigned request with a warning. */
  readonly signature: 'required' | 'whenPresent' | 'none';
}

/** A request that has passed the checks. */
export interface Caller {
  readonly app: App;
  readonly body: Buffer;
  /** The JSON value of the body. */
  readonly json: () => unknown;
  /** Says what was accepted but is probably not meant: it goes into the call log. */
  readonly warn: (warning: string) => void;
}

/**
 * Runs one operation: size, token, scope, signature, nonce, then the operation's own rules, in this order. Whatever comes of
 * it is answered in JSON and kept in the call log.
 */
export async function perform(
  sandbox: Sandbox,
  c: ApiContext,
  operation: Operation,
  handle: (caller: Caller) => Answer | Promise<Answer>,
): Promise<Response> {
  const requestId = newRequestId();
  const target = requestTarget(c);
  const warnings: string[] = [];
  let app: App | undefined;
  let answer: Answer;
  let refusal: Refusal | undefined;
  try {
    const body = await readBody({ incoming: c.env?.incoming, request: () => c.req.raw }, LIMITS.bodyBytes);
    app = authenticate(sandbox, c.req.header('authorization'));
    checkScope(app, operation.scope);
    checkSignature(sandbox, c, app, operation, { target, body, warnings });
    answer = await handle({
      app,
      body,
      json: () => parseJson(body),
      warn: (warning) => warnings.push(warning),
    });
  } catch (error) {
    if (error instanceof Refusal) refusal = error;
    else reportBug(error);
    answer = answerFor(error, requestId);
  }
  sandbox.calls.add({
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    door: 'api',
    method: c.req.method,
    path: target,
    status: answer.status,
    appId: app?.id ?? null,
    error: refusal?.code ?? null,
    hint: refusal?.hint ?? null,
    warnings,
  });
  return send(c, requestId, answer);
}

/** The request target byte for byte as it came; a request without a socket has only its URL. */
export function requestTarget(c: ApiContext): string {
  const raw = c.env?.incoming?.url;
  if (raw !== undefined) return raw;
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
}

function reportBug(error: unknown): void {
  process.emitWarning(error instanceof Error ? (error.stack ?? error.message) : String(error), 'SandboxBug');
}

function authenticate(sandbox: Sandbox, header: string | undefined): App {
  const token = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  const app = token === undefined ? undefined : sandbox.world.appsByToken.get(token);
  if (app !== undefined) return app;
  const message =
    token === undefined
      ? 'The header Authorization: Bearer <token> is required.'
      : 'The bearer token is not known.';
  throw new Refusal('UNAUTHENTICATED', message, {
    hint: '`npx pix-sandbox env` prints the token as SANDBOX_TOKEN.',
  });
}

function checkScope(app: App, scope: Operation['scope']): void {
  if (scope === 'none' || app.scopes.includes(scope)) return;
  throw new Refusal('INSUFFICIENT_SCOPE', `This operation needs the scope ${scope}.`, {
    hint: `The token has ${app.scopes.join(', ') || 'no scopes'}.`,
  });
}

interface Signed {
  readonly target: string;
  readonly body: Buffer;
  readonly warnings: string[];
}

function checkSignature(
  sandbox: Sandbox,
  c: ApiContext,
  app: App,
  { signature }: Operation,
  { target, body, warnings }: Signed,
): void {
  if (signature === 'none') return;
  const headers = {
    timestamp: c.req.header('x-timestamp'),
    nonce: c.req.header('x-nonce'),
    signature: c.req.header('x-signature'),
  };
  const isSigned = Object.values(headers).some((header) => header !== undefined);
  if (!isSigned && signature === 'whenPresent') {
    warnings.push('This request is not signed; the service may ask for it (assumption endpoint.signature).');
    return;
  }
  const { assumed } = sandbox.world;
  const nowS = Math.floor(sandbox.realNow() / 1000);
  const toleranceS = Math.floor(assumed['signature.tolerance'] / 1000);
  const verdict = verifyRequest({
    method: c.req.method,
    target,
    body,
    headers,
    secret: app.signingSecret,
    nowS,
    toleranceS,
    scheme: {
      signatureEncoding: assumed['signature.encoding'],
      digestEncoding: assumed['signature.digest_encoding'],
      pathForm: assumed['signature.path'],
    },
  });
  if (!verdict.ok) throw signatureRefusal(verdict);
  const { nonce = '', timestamp } = headers;
  sandbox.dispatch({
    type: 'nonce.use',
    appId: app.id,
    nonce,
    nowS,
    untilS: Number(timestamp) + toleranceS,
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
        hint: 'X-Timestamp is the present in Unix seconds of real time, also when the sandbox clock is elsewhere.',
      });
    }
    default: {
      return new Refusal('SIGNATURE_INVALID', verdict.message, {
        hint: 'Sign timestamp.nonce.METHOD.path.sha256(body) with SANDBOX_SIGNING_SECRET, over the very bytes you send.',
      });
    }
  }
}
