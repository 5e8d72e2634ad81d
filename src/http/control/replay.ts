import { Refusal } from '../../contract/refusals.js';
import { assumedScheme } from '../../contract/request-scheme.js';
import { appOrDefault, organizationOf } from '../../core/identity/applications.js';
import { shortenSessionIdsOf } from '../../core/identity/session.js';
import { body as bodyOf } from '../../core/input/body.js';
import { NAME, RAW_TEXT } from '../../core/input/text-kinds.js';
import { lookUpIn } from '../../core/lookup.js';
import type { App } from '../../core/world.js';
import type { Call, ShownMessage } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { named, nullish } from '../../schema/fields.js';
import { flag } from '../../schema/values.js';
import { signRequest } from '../../signing/request.js';
import {
  headersAgain,
  HIDDEN,
  isHidden,
  isSignedAgain,
  SIGNATURE_HEADERS,
  withMember,
} from '../../text/exchange/shown.js';
import type { Admit, InProcessRequest } from '../operation/answer.js';
import type { ReplayedCall } from './calls.js';
import { callDetail, namedCalls } from './calls.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { randomUUID } from 'node:crypto';

const REPLAY = bodyOf({
  body: nullish(RAW_TEXT),
  app: nullish(NAME),
  newCode: named('new_code', nullish(flag)),
});

/** The route that sends a kept call through its door once more; `url` is the origin of the sandbox. */
export function replayRoutes(url: () => string, admit: Admit): readonly ControlRoute[] {
  return [
    route('POST', 'calls/:id/replay', { body: REPLAY }, async ({ sandbox, param, body, because }) => {
      const kept = lookUpIn(namedCalls(sandbox), param('id'));
      const { send, changed } = admitted(requestAgain(sandbox, kept, body), new URL(url()).host, admit);
      const { id, result } = because(() => asked(sandbox, kept, send));
      await result;
      const call = lookUpIn(namedCalls(sandbox), id);
      const view: ReplayedCall = { ...callDetail(sandbox, call), replay_of: kept.requestId, changed };
      return ok(view);
    }),
  ];
}

function asked(sandbox: Sandbox, { requestId }: Call, send: () => Promise<unknown>) {
  const command = 'call.replay';
  const said = {
    kind: 'command',
    id: requestId,
    title: `${command} ${requestId}`,
    facts: { command },
  } as const;
  return sandbox.timeline.asking(said, sandbox.clock.now(), sandbox.realNow(), send);
}

/** Gets a request past the guards: a call that came through a tunnel names a host that is not ours. */
function admitted({ request, changed }: RequestAgain, host: string, admit: Admit) {
  const [, before] = request.headers.find(([name]) => name.toLowerCase() === 'host') ?? [];
  if (before !== undefined) {
    try {
      return { send: admit(request), changed };
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'FORBIDDEN') throw error;
    }
  }
  const { headers } = headersAgain(request.headers, { host });
  const named = before === undefined ? [] : [`host: ${before} -> ${host}`];
  return { send: admit({ ...request, headers }), changed: [...changed, ...named] };
}

/** What is to be other than in the kept call. */
export interface Wish {
  readonly body?: string | undefined;
  readonly app?: string | undefined;
  readonly newCode?: boolean | undefined;
}

/** A request, and what it has other than the kept one. */
export interface RequestAgain {
  readonly request: InProcessRequest;
  readonly changed: readonly string[];
}

type Fresh = Record<string, string | undefined>;

/**
 * The request of a kept call with what was hidden and what must be new. Refuses with INVALID_TRANSITION what is not kept whole, and
 * with INVALID_REQUEST a call whose application is not known and a new code for one without.
 */
export function requestAgain(sandbox: Sandbox, call: Call, wish: Wish): RequestAgain {
  const kept = keptRequest(sandbox, call);
  const changed: string[] = [];
  const app = applicationOf(sandbox, call, wish.app);
  const target = wholeTarget(sandbox, call);
  const fresh: Fresh = { authorization: `Bearer ${credentialOf(sandbox, call, app)}` };
  if (app.id !== call.appId) changed.push(`authorization: that of application ${app.name}`);
  const given = wholeBody(kept, wish, changed);
  const body = wish.newCode ? withNewCode(call, kept, { body: given, fresh, changed }) : given;
  frame(kept, { body, fresh, changed });
  sign(sandbox, call, app, { target, body, fresh, changed });
  const { headers, leftOut } = headersAgain(kept.headers, fresh);
  for (const name of leftOut) changed.push(`${name}: left out, because the log hides its value`);
  const shown = (text: string) => shortenSessionIdsOf(sandbox.secrets.hide(text));
  return { request: { method: call.method, target, headers, body }, changed: changed.map(shown) };
}

function keptRequest({ calls }: Sandbox, call: Call): ShownMessage {
  const { door } = call;
  const exchange = calls.shown(call);
  if (exchange !== undefined && (door === 'api' || door === 'identity')) return exchange.request;
  const which = exchange === undefined ? 'its request is not kept' : `it went to the door ${door}`;
  throw new Refusal('INVALID_TRANSITION', `This call cannot be sent again: ${which}.`, {
    hint: 'Calls to the payments API and to the identity API can be, while the log keeps them.',
  });
}

function applicationOf({ world }: Sandbox, { appId, matched }: Call, named: string | undefined): App {
  if (named !== undefined) return appOrDefault(world, named);
  const known = appId === null ? undefined : world.apps.byId.get(appId);
  if (known !== undefined) return known;
  // No credentials were looked at where there is no route.
  if (!matched) return appOrDefault(world);
  throw new Refusal('INVALID_REQUEST', 'No application was recognised in this call.', {
    hint: 'Say which one sends it: `--app default`, or app in the body.',
    details: [{ field: 'app', message: 'Is required, because no application was recognised in this call.' }],
  });
}

function credentialOf({ world }: Sandbox, { door }: Call, app: App): string {
  if (door === 'api') return app.token;
  const { kycToken } = organizationOf(world, app.id);
  if (kycToken !== null) return kycToken;
  throw new Refusal(
    'INVALID_REQUEST',
    `Application ${app.name} has no credential for identity verification.`,
    {
      hint: 'Send the call as another application: `--app default`, or app in the body.',
    },
  );
}

/** The target with the session id that the log has shortened. */
function wholeTarget({ world }: Sandbox, { path }: Call): string {
  const [before = ''] = path.split(HIDDEN);
  const beginning = before.slice(before.lastIndexOf('/') + 1);
  const [found, ...others] = beginning.startsWith('kyc_')
    ? world.sessions.rows.filter(({ id }) => id.startsWith(beginning))
    : [];
  const isFound = found !== undefined && others.length === 0;
  const whole = isFound ? path.replace(beginning + HIDDEN, () => found.id) : path;
  if (!isHidden(whole)) return whole;
  throw new Refusal(
    'INVALID_TRANSITION',
    'This call cannot be sent again: the log hides a value in its path.',
    {
      hint: `The path is ${path}; send the call from your code, or see \`calls show --curl\`.`,
    },
  );
}

function wholeBody(kept: ShownMessage, { body: given }: Wish, changed: string[]): Buffer {
  if (given !== undefined) {
    const body = Buffer.from(given);
    changed.push(`body: ${kept.bytes} bytes -> ${body.length} bytes`);
    return body;
  }
  const { body, body_base64: encoded } = kept.body;
  if (!kept.truncated && !kept.redacted) {
    return body === undefined ? Buffer.from(encoded, 'base64') : Buffer.from(body);
  }
  const why = kept.truncated
    ? 'only the beginning of its body is kept'
    : 'the log hides a secret in its body';
  throw new Refusal('INVALID_TRANSITION', `This call cannot be sent again as it was: ${why}.`, {
    hint: 'Give the whole body: `--body @file`, or body in the request.',
  });
}

interface Draft {
  readonly body: Buffer;
  readonly fresh: Fresh;
  readonly changed: string[];
}

/** The body with another `code`; a call to the identity API gets another Idempotency-Key. */
function withNewCode({ door }: Call, { headers }: ShownMessage, { body, fresh, changed }: Draft): Buffer {
  const code = randomUUID();
  if (door === 'identity') {
    const [, before] = headers.find(([name]) => name.toLowerCase() === 'idempotency-key') ?? [];
    fresh['idempotency-key'] = code;
    changed.push(`idempotency-key: ${before ?? 'none'} -> ${code}`);
    return body;
  }
  const text = body.toString('utf8');
  const edited = withMember(text, 'code', code);
  if (edited === undefined) {
    throw new Refusal('INVALID_REQUEST', 'The body of this call has no code that could be new.', {
      hint: 'Leave the new code out, or give a body with one.',
    });
  }
  const { code: before } = JSON.parse(text) as { readonly code: unknown };
  changed.push(`code: ${JSON.stringify(before)} -> ${JSON.stringify(code)}`);
  return Buffer.from(edited);
}

/** The headers that tell of the body. */
function frame({ headers }: ShownMessage, { body, fresh, changed }: Draft): void {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  if (!names.has('transfer-encoding') && (body.length > 0 || names.has('content-length')))
    fresh['content-length'] = String(body.length);
  if (body.length === 0 || names.has('content-type')) return;
  fresh['content-type'] = 'application/json';
  changed.push('content-type: application/json');
}

function sign(
  { world, realNow }: Sandbox,
  { door, method, exchange }: Call,
  app: App,
  { target, body, fresh, changed }: Draft & { readonly target: string },
): void {
  const headers = exchange?.request.headers ?? [];
  // Calls that no client could sign have no route either.
  const canBeSigned = /^[A-Z]+$/.test(method) && /^\/[\x21-\x7e]*$/.test(target);
  if (!canBeSigned || !isSignedAgain({ door, method, path: target, headers })) return;
  const signed = signRequest({
    method,
    target,
    body,
    secret: app.signingSecret,
    timestampS: Math.floor(realNow() / 1000),
    scheme: assumedScheme((id) => String(world.assumed[id as keyof typeof world.assumed])),
  });
  Object.assign(fresh, signed.headers);
  changed.push(`${SIGNATURE_HEADERS.join(', ')}: new`);
}
