import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Refusal, REFUSAL_STATUSES } from '../../contract/refusals.js';
import type { RowPage } from '../../core/page.js';
import { reportBug } from '../../sandbox/subscribers.js';
import { SANDBOX_HEADER } from '../../text/control-api.js';
import { withProgramName } from '../../text/program-name.js';
import { SYSTEM_ERRORS } from '../../text/system-errors.js';
import * as is from '../../core/resources/values.js';
import { optional } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { withDoc, text } from '../../schema/values.js';
import { setImmediate } from 'node:timers';

const DETAIL = is.createObjectSchema('A problem with one field.', { field: is.TEXT, message: is.TEXT });

export const ERROR_DETAIL = is.createResourceSchema('ErrorDetail', 'The problem and its fix.', {
  code: withDoc('The machine-readable error code.', is.TEXT),
  message: is.TEXT,
  request_id: text('a request id', /^req_[0-9a-f]{32}$/),
  details: is.arrayOf(DETAIL),
  hint: optional(withDoc('The next step, added by the sandbox.', is.TEXT)),
});

export const ERROR_BODY = is.createResourceSchema('Error', 'The body of every error response (§7).', {
  error: ERROR_DETAIL,
});

/** The body of every error response (§7). */
export type ErrorBody = Infer<typeof ERROR_BODY>;

/** An API response: an HTTP status and a JSON body. */
export interface ApiResponse<Body = unknown> {
  readonly status: ContentfulStatusCode;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A serialized response; `bytes` is the length of `text`. */
export interface SerializedResponse {
  readonly status: ApiResponse['status'];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: number;
}

/** A request's socket or, for requests without a socket, a callback for faults that break the connection. */
export type SurfaceBindings = Partial<HttpBindings> & {
  readonly breakOff?: ((cause: Error) => void) | undefined;
};

/** A request to an API. */
export type SurfaceContext = Context<{ Bindings: SurfaceBindings }>;
export type SurfaceApp = Hono<{ Bindings: SurfaceBindings }>;

/** A request without a socket. */
export interface InProcessRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/**
 * Throws if the guards reject the request. Otherwise returns a function that sends the request to its API and
 * starts handling it synchronously.
 */
export type RunInProcess = (request: InProcessRequest) => () => Promise<unknown>;

/**
 * Headers that prevent browsers and proxies from storing a response, guessing its type, or loading it into
 * other pages.
 */
export const PRIVATE_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** Header sent with every control API response. */
export const CONTROL_HEADERS = { [SANDBOX_HEADER]: __VERSION__ } as const;

/** Presents a page of results (§2.6). */
export function presentPageView<Row, View>(
  { rows, after, before }: RowPage<Row>,
  present: (row: Row) => View,
) {
  return { data: rows.map((row) => present(row)), paging: { before, after } };
}

export function presentPage<Row>(page: RowPage<Row>, present: (row: Row) => unknown): ApiResponse {
  return { status: 200, body: presentPageView(page, present) };
}

export function createRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** Serializes a response, with its request id. */
export function serializeResponse(
  requestId: string,
  { status, body, headers }: ApiResponse,
): SerializedResponse {
  const text = JSON.stringify(body);
  return { status, headers: { ...jsonHeaders(requestId), ...headers }, text, bytes: Buffer.byteLength(text) };
}

function jsonHeaders(requestId: string) {
  return { 'content-type': 'application/json', 'x-request-id': requestId, ...PRIVATE_HEADERS };
}

/** Creates the error body for a Refusal; `program` replaces the program name in its hint. */
export function createErrorBody(refusal: Refusal, requestId: string, program?: string): ErrorBody {
  const { code, message, details } = refusal;
  const hint = refusal.hint === undefined ? undefined : withProgramName(refusal.hint, program);
  return {
    error: { code, message, request_id: requestId, details, ...(hint === undefined ? {} : { hint }) },
  };
}

/** Returns the Refusal for an expected error or for exhausted file descriptors; undefined for bugs. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  const { reason, fix } = SYSTEM_ERRORS[code];
  const message = `The sandbox cannot handle this request now: ${reason} (${code}).`;
  return new Refusal('SERVICE_UNAVAILABLE', message, { hint: `${fix} Then try again.` });
}

/**
 * Creates an error response. Treats any error other than a Refusal as a bug, with details only in the
 * sandbox's output.
 */
export function createErrorResponse(
  error: unknown,
  requestId: string,
  program?: string,
): ApiResponse<ErrorBody> {
  const refusal = toRefusal(error);
  if (refusal !== undefined)
    return { status: REFUSAL_STATUSES[refusal.code], body: createErrorBody(refusal, requestId, program) };
  reportBug(error);
  const message = 'Internal sandbox error. See the sandbox output for the stack trace.';
  return {
    status: 500,
    body: { error: { code: 'INTERNAL', message, request_id: requestId, details: [] } },
  };
}

/** Creates an error response as a web Response. */
export function createResponse(
  error: unknown,
  requestId = createRequestId(),
  more: ApiResponse['headers'] = {},
): Response {
  const { status, headers, text } = serializeResponse(requestId, {
    ...createErrorResponse(error, requestId),
    headers: more,
  });
  return new Response(text, { status, headers });
}

/**
 * Creates a Hono app that responds to errors in JSON; Hono's default handler prints the stack trace and sends
 * plain text.
 */
export function createSurfaceApp(): SurfaceApp {
  const app: SurfaceApp = new Hono();
  app.onError((error) => createResponse(error));
  return app;
}

/** Sends a response, directly to the socket if available: a web Response costs more than most operations. */
export function sendResponse(
  c: SurfaceContext,
  { status, headers, text, bytes }: SerializedResponse,
): Response {
  const { outgoing } = c.env;
  if (outgoing === undefined) return c.body(text, status, headers);
  outgoing.writeHead(status, { 'content-length': bytes, ...headers });
  if (ending.push(() => void outgoing.end(text)) === 1) setImmediate(endAll);
  return createSentMarker();
}

/** Responses from the current event-loop turn. Writing responses together wakes clients less often. */
let ending: (() => void)[] = [];

function endAll(): void {
  const all = ending;
  ending = [];
  for (const end of all) end();
}

let sentOnSocket: Response | undefined;

/**
 * Tells @hono/node-server that the response was already sent on the socket. Replaces the library's constant,
 * whose import loads all of Node's fetch before the sandbox is ready.
 */
export function createSentMarker(): Response {
  sentOnSocket ??= new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
  return sentOnSocket;
}
