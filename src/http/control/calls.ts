import { randomUUID } from 'node:crypto';
import * as is from '../../core/resources/values.js';
import { CALL_APIS } from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { resolveScheme } from '../../contract/request-scheme.js';
import { findAppOrDefault, findOrganization } from '../../core/identity/applications.js';
import { shortenSessionIdsOf } from '../../core/identity/session.js';
import { acceptDuration, NAME_INPUT, RAW_TEXT, acceptText } from '../../core/input/kinds.js';
import { requireRowIn, type RowLookup } from '../../core/named-rows.js';
import type { App } from '../../core/world.js';
import type { Call, RedactedMessage } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { array } from '../../schema/compound.js';
import { renameField, nullish, optional, type ValuesOf } from '../../schema/object.js';
import { boolean, enumOf } from '../../schema/values.js';
import { signRequest } from '../../signing/request.js';
import {
  buildReplayHeaders,
  needsSignature,
  SIGNATURE_HEADERS,
  replaceMember,
} from '../../text/exchange/present-exchange.js';
import { REDACTED } from '../../text/redaction.js';
import type { RunInProcess, InProcessRequest } from '../shared/response.js';
import { createCallTests, isUnmatched, STATUS_FORM } from './call-tests.js';
import { CALL_VIEW, CALL_DETAIL, presentCallDetail, presentCall, REPLAYED_CALL } from './exchanges.js';
import { findAppFilter, defineDelete, defineGet, APP_QUERY, definePost } from './route.js';

/** Query parameters for the request log. `app` is an id or a name; `since` is a duration in real time. */
export const CALL_QUERY = {
  method: optional(acceptText(20)),
  path: optional(acceptText(LIMITS.urlLength)),
  status: optional(acceptText(LIMITS.nameLength, STATUS_FORM)),
  api: optional(enumOf(CALL_APIS)),
  matched: optional(enumOf(['true', 'false'])),
  app: optional(NAME_INPUT),
  sinceMs: renameField('since', optional(acceptDuration({ example: '5m' }))),
};

type CallFilter = ValuesOf<typeof CALL_QUERY>;

/** Converts `since` to a real-time timestamp; returns 0 if `since` is omitted. */
export function resolveSince({ realNow }: Sandbox, { sinceMs }: Pick<CallFilter, 'sinceMs'>): number {
  return sinceMs === undefined ? 0 : realNow() - sinceMs;
}

export function createCallFilter(sandbox: Sandbox, filter: CallFilter): (call: Call) => boolean {
  const { matched } = filter;
  const tests = Object.values(createCallTests(filter));
  const appId = findAppFilter(sandbox.world, filter.app)?.id;
  const from = resolveSince(sandbox, filter);
  return (call) =>
    tests.every((test) => test(call)) &&
    (appId === undefined || call.appId === appId) &&
    (matched === undefined || isUnmatched(call) === (matched === 'false')) &&
    call.realAt >= from;
}

/** Looks up API requests by id, id prefix or payment code. */
export function createCallLookup({ calls }: Sandbox): RowLookup<Call> {
  return {
    what: 'call',
    prefix: 'req_',
    rows: () => calls.newest().reverse(),
    idOf: ({ requestId }) => requestId,
    byId: (id) => calls.get(id),
    paymentOf: ({ resourceId: id, resourceCode: code }) => ({ id, code }),
    label: ({ method, path, status }) => `${method} ${path} ${status}`,
    hint:
      'The log stores the newest requests since the last reset, restore or import. List them with `npx sandbox ' +
      'calls list`.',
  };
}

/** `admit` resends a request; `url` returns the sandbox's origin. */
export const createCallRoutes = (url: () => string, admit: RunInProcess) => [
  defineGet(
    'calls',
    'List API requests from the integrator’s code, newest first.',
    { data: array(CALL_VIEW) },
    { query: CALL_QUERY },
  )(({ sandbox, query }) => ({
    data: sandbox.calls.newest().filter(createCallFilter(sandbox, query)).map(presentCall),
  })),
  defineGet(
    'calls/:id',
    'Get an API request with the events and deliveries it caused.',
    CALL_DETAIL,
  )(({ sandbox, param }) => presentCallDetail(sandbox, requireRowIn(createCallLookup(sandbox), param('id')))),
  defineDelete('calls', 'Clear the request log.', { deleted: is.COUNT })(({ sandbox: { calls } }) => {
    const { count } = calls;
    calls.clear();
    return { deleted: count };
  }),
  definePost('calls/:id/replay', 'Resend an API request.', REPLAYED_CALL, {
    query: APP_QUERY,
    body: { body: nullish(RAW_TEXT), newCode: renameField('new_code', nullish(boolean)) },
    errors: ['INVALID_TRANSITION'],
    description:
      'The request gets a new timestamp, nonce and signature, and the credentials of `app` or, by default, ' +
      'of its original application. `body` replaces the body. `new_code` replaces the code or, on the ' +
      'identity API, the Idempotency-Key.',
  })(async ({ sandbox, param, query, body, withCause }) => {
    const call = requireRowIn(createCallLookup(sandbox), param('id'));
    const draft = buildReplay(sandbox, call, { ...query, ...body });
    const send = sendThroughGuards(draft, new URL(url()).host, admit);
    const title = `call.replay ${call.requestId}`;
    const command = {
      kind: 'command',
      id: call.requestId,
      title,
      facts: { command: 'call.replay' },
    } as const;
    const { id, result } = withCause(() =>
      sandbox.timeline.withParentEntry(command, sandbox.clock.now(), sandbox.realNow(), send),
    );
    await result;
    const sent = presentCallDetail(sandbox, requireRowIn(createCallLookup(sandbox), id));
    return { ...sent, replay_of: call.requestId, changed: draft.changed };
  }),
];

interface ReplayOptions {
  readonly app?: string | undefined;
  readonly body?: string | undefined;
  readonly newCode?: boolean | undefined;
}

/** A rebuilt request and its differences from the recorded request. */
interface Draft {
  readonly request: InProcessRequest;
  readonly changed: string[];
}

/**
 * Sends a request through the guards. If the guards reject the recorded host, retries with the sandbox's
 * host.
 */
function sendThroughGuards({ request, changed }: Draft, host: string, admit: RunInProcess) {
  const [, before] = request.headers.find(([name]) => name.toLowerCase() === 'host') ?? [];
  if (before !== undefined) {
    try {
      return admit(request);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'FORBIDDEN') throw error;
      changed.push(`host: ${before} -> ${host}`);
    }
  }
  return admit({ ...request, headers: buildReplayHeaders(request.headers, { host }).headers });
}

/**
 * Rebuilds a recorded request, restoring redacted values and adding a new signature. Throws
 * INVALID_TRANSITION for an incomplete recording, and INVALID_REQUEST for an unknown application or a body
 * without a code to replace.
 */
function buildReplay(sandbox: Sandbox, call: Call, options: ReplayOptions): Draft {
  const { api, method } = call;
  const recorded = recordedRequest(sandbox, call);
  const names = new Map(recorded.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const app = applicationOf(sandbox, call, options.app);
  const target = restoreTarget(sandbox, call);
  // Headers to replace or add.
  const fresh: Record<string, string> = { authorization: `Bearer ${credentialOf(sandbox, call, app)}` };
  const changed: string[] = [];
  if (app.id !== call.appId) changed.push(`authorization: credential of application ${app.name}`);
  let body = replayBody(recorded, options.body);
  if (options.body !== undefined) changed.push(`body: ${recorded.bytes} bytes -> ${body.length} bytes`);
  if (options.newCode && api === 'identity') {
    fresh['idempotency-key'] = randomUUID();
    const before = names.get('idempotency-key') ?? 'none';
    changed.push(`idempotency-key: ${before} -> ${fresh['idempotency-key']}`);
  } else if (options.newCode) {
    const { edited, before, code } = withNewCode(body);
    body = edited;
    changed.push(`code: ${JSON.stringify(before)} -> ${JSON.stringify(code)}`);
  }
  if (!names.has('transfer-encoding') && (body.length > 0 || names.has('content-length')))
    fresh['content-length'] = String(body.length);
  if (body.length > 0 && !names.has('content-type')) {
    fresh['content-type'] = 'application/json';
    changed.push('content-type: application/json');
  }
  // Requests that cannot be signed match no route, so they require no signature.
  const canBeSigned = /^[A-Z]+$/.test(method) && /^\/[\x21-\x7e]*$/.test(target);
  if (canBeSigned && needsSignature({ api, method, headers: recorded.headers })) {
    const { assumed } = sandbox.world;
    const timestampS = Math.floor(sandbox.realNow() / 1000);
    const scheme = resolveScheme((id) => String(assumed[id as keyof typeof assumed]));
    const secret = app.signingSecret;
    Object.assign(fresh, signRequest({ method, target, body, secret, timestampS, scheme }).headers);
    changed.push(`${SIGNATURE_HEADERS.join(', ')}: new`);
  }
  const { headers, leftOut } = buildReplayHeaders(recorded.headers, fresh);
  for (const name of leftOut) changed.push(`${name}: omitted, because the log redacts the value`);
  return {
    request: { method, target, headers, body },
    changed: changed.map((words) => shortenSessionIdsOf(sandbox.secrets.hide(words))),
  };
}

function cannotRepeat(why: string, hint: string, asItWas = ''): Refusal {
  return new Refusal('INVALID_TRANSITION', `This request cannot be resent${asItWas}: ${why}.`, { hint });
}

function recordedRequest({ calls }: Sandbox, call: Call): RedactedMessage {
  const exchange = calls.shown(call);
  if (exchange !== undefined && call.api !== 'hosted') return exchange.request;
  const why = exchange === undefined ? 'the log no longer stores it' : `it was sent to the ${call.api} API`;
  const hint =
    'Only requests to the payments API and the identity API can be resent, and only while they are in the log.';
  throw cannotRepeat(why, hint);
}

function applicationOf({ world }: Sandbox, { appId, matched }: Call, idOrName: string | undefined): App {
  if (idOrName !== undefined) return findAppOrDefault(world, idOrName);
  const known = appId === null ? undefined : world.apps.byId.get(appId);
  if (known !== undefined) return known;
  // Requests without a route are not authenticated.
  if (!matched) return findAppOrDefault(world);
  throw new Refusal('INVALID_REQUEST', 'The application of this request could not be identified.', {
    hint: 'Specify the application: `--app default`, or app in the body.',
    details: [
      {
        field: 'app',
        message: 'Is required, because the application of this request could not be identified.',
      },
    ],
  });
}

function credentialOf({ world }: Sandbox, { api }: Call, { id, name, token }: App): string {
  if (api === 'api') return token;
  const { kycToken } = findOrganization(world, id);
  if (kycToken !== null) return kycToken;
  throw new Refusal('INVALID_REQUEST', `Application ${name} has no credential for identity verification.`, {
    hint: 'Send the request as another application: `--app default`, or app in the body.',
  });
}

/** Returns the request target with the full session id. */
function restoreTarget({ world }: Sandbox, { path }: Call): string {
  const [before = ''] = path.split(REDACTED);
  const beginning = before.slice(before.lastIndexOf('/') + 1);
  const [found, ...others] = beginning.startsWith('kyc_')
    ? world.sessions.rows.filter(({ id }) => id.startsWith(beginning))
    : [];
  const isFound = found !== undefined && others.length === 0;
  const whole = isFound ? path.replace(beginning + REDACTED, () => found.id) : path;
  if (!whole.includes(REDACTED)) return whole;
  throw cannotRepeat(
    'the log redacts a value in its path',
    `The path is ${path}; send the request from your code, or use \`calls show --curl\`.`,
  );
}

function replayBody({ body, truncated, redacted }: RedactedMessage, wanted: string | undefined): Buffer {
  if (wanted !== undefined) return Buffer.from(wanted);
  if (truncated || redacted) {
    const why = truncated
      ? 'the log stores only the beginning of its body'
      : 'the log redacts a secret in its body';
    throw cannotRepeat(why, 'Pass the full body: `--body @file`, or body in the request.', ' unchanged');
  }
  return body.body === undefined ? Buffer.from(body.body_base64, 'base64') : Buffer.from(body.body);
}

function withNewCode(body: Buffer) {
  const code = randomUUID();
  const json = body.toString('utf8');
  const edited = replaceMember(json, 'code', code);
  if (edited === undefined) {
    throw new Refusal('INVALID_REQUEST', 'The body of this request has no code to replace.', {
      hint: 'Omit the new code, or pass a body that contains a code.',
    });
  }
  const { code: before } = JSON.parse(json) as { readonly code: unknown };
  return { edited: Buffer.from(edited), before, code };
}
