import { LIMITS } from '../../contract/limits.js';
import { findRoute } from '../../core/webhooks/faults.js';
import type { Call } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { PendingRequest } from '../../sandbox/timeline/entry.js';
import type { ErrorBody, SerializedResponse } from './response.js';
import { getPath } from './read-request.js';
import { selectSurface } from './surface.js';

/** Default fields for a request that reached no operation. */
export const UNKNOWN_CALL = { appId: null, resourceId: null, hint: null, warnings: [], faults: [] } as const;

/** Adds a request to the request log with the current time; `open` is its timeline entry, if any. */
export function addCall(sandbox: Sandbox, call: Omit<Call, 'at' | 'realAt'>, open?: PendingRequest): void {
  sandbox.calls.add({ ...call, at: sandbox.clock.now(), realAt: sandbox.realNow() }, open);
}

/** A request rejected before reaching an API, with its response. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly rawHeaders: readonly string[];
  readonly error: ErrorBody['error'];
  readonly sent: SerializedResponse;
}

/** Adds a rejected request to the request log, because integrators need to see why it failed. */
export function recordRefusedRequest(sandbox: Sandbox, refused: RefusedRequest): void {
  const { requestId, method, target, headers, rawHeaders, error, sent } = refused;
  const { accept, 'sec-fetch-mode': mode } = headers as NodeJS.Dict<string>;
  const api = selectSurface({ method, target, accept, mode }, sandbox.strict);
  if (api !== 'api' && api !== 'identity' && api !== 'hosted') return;
  const path = getPath(target);
  const body = method === 'HEAD' ? '' : sent.text;
  addCall(sandbox, {
    ...UNKNOWN_CALL,
    requestId,
    api,
    method,
    path: target.length > LIMITS.urlLength ? `${target.slice(0, LIMITS.urlLength)}…` : target,
    status: sent.status,
    matched: api === 'hosted' || findRoute({ api, method, path }) !== undefined,
    error: error.code,
    hint: error.hint ?? null,
    message: error.message,
    details: error.details,
    exchange: {
      request: {
        headers: toHeaderPairs(rawHeaders).slice(0, LIMITS.requestHeaders),
        // The body is never read, so only its length is known.
        body: '',
        bytes: Number(headers['content-length'] ?? 0) || 0,
      },
      response: {
        headers: [['content-length', String(sent.bytes)], ...Object.entries(sent.headers)],
        body,
        bytes: Buffer.byteLength(body),
      },
      durationMs: 0,
    },
  });
}

/** Converts raw headers to pairs, as they appeared on the wire. */
export function toHeaderPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}
