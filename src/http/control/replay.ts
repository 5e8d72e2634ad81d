import { Refusal } from '../../contract/refusals.js';
import { assumedScheme } from '../../contract/request-scheme.js';
import { appOrDefault, organizationOf } from '../../core/identity/applications.js';
import { shortenSessionIdsOf } from '../../core/identity/session.js';
import { body as bodyOf } from '../../core/input/bodies.js';
import { RAW_TEXT } from '../../core/input/kinds.js';
import { lookUpIn } from '../../core/named-rows.js';
import type { App } from '../../core/world.js';
import type { Call, ShownMessage } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { named, nullish } from '../../schema/object.js';
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
import { callDetail, namedCalls } from './calls.js';
import type { OfApp } from './control.js';
import { OF_APP, ok, route } from './control.js';
import type { Infer } from '../../schema/schema.js';
import { randomUUID } from 'node:crypto';

const REPLAY = bodyOf({
  body: nullish(RAW_TEXT),
  newCode: named('new_code', nullish(flag)),
});

/** A kept call on its way to be sent again. */
interface Draft {
  readonly sandbox: Sandbox;
  readonly call: Call;
  readonly kept: ShownMessage;
  readonly app: App;
  readonly target: string;
  /** Headers with new values; undefined for those to leave out. */
  readonly fresh: Record<string, string | undefined>;
  /** The differences from the kept call, in words. */
  readonly changed: string[];
}

/** The route that sends a kept call through its door once more; `url` is the origin of the sandbox. */
export function replayRoute(url: () => string, admit: Admit) {
  return route(
    'POST',
    'calls/:id/replay',
    { query: OF_APP, body: REPLAY },
    async ({ sandbox, param, query, body, because }) => {
      const kept = lookUpIn(namedCalls(sandbox), param('id'));
      const changed: string[] = [];
      const send = admitted(
        requestAgain(sandbox, kept, { ...query, ...body }, changed),
        new URL(url()).host,
        admit,
        changed,
      );
      const said = { kind: 'command', id: kept.requestId, title: `call.replay ${kept.requestId}` } as const;
      const asked = { ...said, facts: { command: 'call.replay' } };
      const { id, result } = because(() =>
        sandbox.timeline.asking(asked, sandbox.clock.now(), sandbox.realNow(), send),
      );
      await result;
      const call = lookUpIn(namedCalls(sandbox), id);
      return ok({ ...callDetail(sandbox, call), replay_of: kept.requestId, changed });
    },
  );
}

/** Gets a request past the guards: a call that came through a tunnel names a host that is not ours. */
function admitted(request: InProcessRequest, host: string, admit: Admit, changed: string[]) {
  const [, before] = request.headers.find(([name]) => name.toLowerCase() === 'host') ?? [];
  if (before !== undefined) {
    try {
      return admit(request);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'FORBIDDEN') throw error;
      changed.push(`host: ${before} -> ${host}`);
    }
  }
  return admit({ ...request, headers: headersAgain(request.headers, { host }).headers });
}

/**
 * The request of a kept call with what was hidden and what must be new. Refuses with INVALID_TRANSITION what
 * is not kept whole, and with INVALID_REQUEST a call whose application is not known and a new code for one
 * without.
 */
function requestAgain(
  sandbox: Sandbox,
  call: Call,
  wish: Infer<typeof REPLAY> & OfApp,
  told: string[],
): InProcessRequest {
  const kept = keptRequest(sandbox, call);
  const app = applicationOf(sandbox, call, wish.app);
  const fresh: Draft['fresh'] = { authorization: `Bearer ${credentialOf(sandbox, call, app)}` };
  const changed: string[] = [];
  const draft: Draft = { sandbox, call, kept, app, target: wholeTarget(sandbox, call), fresh, changed };
  if (app.id !== call.appId) changed.push(`authorization: that of application ${app.name}`);
  const given = bodyAgain(draft, wish.body);
  const body = wish.newCode ? withNewCode(draft, given) : given;
  frame(draft, body);
  sign(draft, body);
  const { headers, leftOut } = headersAgain(kept.headers, fresh);
  for (const name of leftOut) changed.push(`${name}: left out, because the log hides its value`);
  told.push(...changed.map((text) => shortenSessionIdsOf(sandbox.secrets.hide(text))));
  return { method: call.method, target: draft.target, headers, body };
}

function cannotRepeat(why: string, hint: string, asItWas = ''): Refusal {
  return new Refusal('INVALID_TRANSITION', `This call cannot be sent again${asItWas}: ${why}.`, { hint });
}

function keptRequest({ calls }: Sandbox, call: Call): ShownMessage {
  const { door } = call;
  const exchange = calls.shown(call);
  if (exchange !== undefined && (door === 'api' || door === 'identity')) return exchange.request;
  const why = exchange === undefined ? 'its request is not kept' : `it went to the door ${door}`;
  throw cannotRepeat(
    why,
    'Calls to the payments API and to the identity API can be, while the log keeps them.',
  );
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

function credentialOf({ world }: Sandbox, { door }: Call, { id, name, token }: App): string {
  if (door === 'api') return token;
  const { kycToken } = organizationOf(world, id);
  if (kycToken !== null) return kycToken;
  throw new Refusal('INVALID_REQUEST', `Application ${name} has no credential for identity verification.`, {
    hint: 'Send the call as another application: `--app default`, or app in the body.',
  });
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
  throw cannotRepeat(
    'the log hides a value in its path',
    `The path is ${path}; send the call from your code, or see \`calls show --curl\`.`,
  );
}

function bodyAgain({ kept, changed }: Draft, given: string | undefined): Buffer {
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
  throw cannotRepeat(why, 'Give the whole body: `--body @file`, or body in the request.', ' as it was');
}

/** The body with another `code`; a call to the identity API gets another Idempotency-Key. */
function withNewCode({ call, kept, fresh, changed }: Draft, body: Buffer): Buffer {
  const code = randomUUID();
  if (call.door === 'identity') {
    const [, before] = kept.headers.find(([name]) => name.toLowerCase() === 'idempotency-key') ?? [];
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

/** Sets the headers that describe the body. */
function frame({ kept, fresh, changed }: Draft, body: Buffer): void {
  const names = new Set(kept.headers.map(([name]) => name.toLowerCase()));
  if (!names.has('transfer-encoding') && (body.length > 0 || names.has('content-length')))
    fresh['content-length'] = String(body.length);
  if (body.length === 0 || names.has('content-type')) return;
  fresh['content-type'] = 'application/json';
  changed.push('content-type: application/json');
}

function sign({ sandbox, call, kept, app, target, fresh, changed }: Draft, body: Buffer): void {
  const { door, method } = call;
  // Calls that no client could sign have no route either.
  const canBeSigned = /^[A-Z]+$/.test(method) && /^\/[\x21-\x7e]*$/.test(target);
  if (!canBeSigned || !isSignedAgain({ door, method, path: target, headers: kept.headers })) return;
  const { assumed } = sandbox.world;
  const signed = signRequest({
    method,
    target,
    body,
    secret: app.signingSecret,
    timestampS: Math.floor(sandbox.realNow() / 1000),
    scheme: assumedScheme((id) => String(assumed[id as keyof typeof assumed])),
  });
  Object.assign(fresh, signed.headers);
  changed.push(`${SIGNATURE_HEADERS.join(', ')}: new`);
}
