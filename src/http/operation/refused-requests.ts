import { CALL_ROUTES } from '../../contract/call-routes.js';
import { LIMITS } from '../../contract/limits.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { ErrorBody } from './error-body.js';
import type { Written } from './send.js';
import { pathOf } from './target.js';
import { callDoorOf } from './targets.js';

/** A request that was refused before it reached an API, and the response. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly rawHeaders: readonly string[];
  readonly error: ErrorBody['error'];
  readonly sent: Written;
}

/** What stands for a method and a target that could not be read. */
export const UNREADABLE = { method: 'UNKNOWN', target: '(unreadable)' } as const;

const ROUTES = [...CALL_ROUTES.api, ...CALL_ROUTES.identity].map((route) => {
  const [method, path = ''] = route.split(' ');
  return { method, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) };
});

function isRoute(called: string, target: string): boolean {
  const wanted = called === 'HEAD' ? 'GET' : called;
  return ROUTES.some(({ method, pattern }) => method === wanted && pattern.test(pathOf(target)));
}

/** Adds a refused request to the call log where its API would have: user code sent it, and has to see why it failed. */
export function logRefused(sandbox: Sandbox, refused: RefusedRequest): void {
  const { requestId, method, target, headers, rawHeaders, error, sent } = refused;
  const door = callDoorOf(refused);
  if (door === undefined) return;
  const path = target.length > LIMITS.urlLength ? `${target.slice(0, LIMITS.urlLength)}…` : target;
  const { code, message, details, hint = null } = error;
  sandbox.calls.add({
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    door,
    method,
    path,
    status: sent.status,
    matched: door === 'hosted' || isRoute(method, target),
    appId: null,
    resourceId: null,
    error: code,
    hint,
    message,
    details,
    warnings: [],
    faults: [],
    exchange: {
      request: {
        headers: pairsOf(rawHeaders).slice(0, LIMITS.requestHeaders),
        // Never read, so only its length is known.
        body: Buffer.alloc(0),
        bytes: Number(headers['content-length'] ?? 0) || 0,
      },
      response: {
        headers: [['content-length', String(sent.bytes)], ...Object.entries(sent.headers)],
        body: method === 'HEAD' ? '' : sent.text,
        bytes: method === 'HEAD' ? 0 : sent.bytes,
      },
      durationMs: 0,
    },
  });
}

function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}
