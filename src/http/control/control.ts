import { body as bodyOf, readBody } from '../../core/input/body.js';
import { LIMITS } from '../../contract/limits.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Cause } from '../../sandbox/timeline/cause.js';
import { SANDBOX_HEADER } from '../../text/control-api.js';
import { readSender, SENDER_HEADER } from '../../text/sender.js';
import type { Schema } from '../../schema/schema.js';
import type { Answer, DoorContext } from '../operation/answer.js';
import { answerFor, CONTROL_HEADERS, newRequestId } from '../operation/answer.js';
import { parseJson, readBody as readBytes } from '../operation/body.js';
import type { QuerySchema } from '../operation/query.js';
import { readQuery } from '../operation/query.js';
import { send } from '../operation/send.js';
import { withAppInPlace } from './of-app.js';

/** A request to a control route. `json` is the whole body, or an empty object when there is none. */
export interface ControlRequest<Body = unknown, Query = unknown> {
  readonly sandbox: Sandbox;
  readonly context: DoorContext;
  readonly json: unknown;
  readonly bytes: Buffer;
  readonly param: (name: string) => string;
  readonly body: Body;
  readonly query: Query;
  /** Runs what the request changes after an await; what comes before needs no wrapping. */
  readonly because: <Result>(change: () => Result) => Result;
}

/** What a route reads from its requests. */
interface Reads<Body, Query> {
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
  /** The body limit in bytes, where it is above the usual one; such a body is not parsed. */
  readonly bodyBytes?: number;
}

type Reply = Answer | Response | Promise<Answer | Response>;

export interface ControlRoute extends Reads<unknown, unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/_sandbox/`. */
  readonly path: string;
  readonly handle: (request: ControlRequest<never, never>) => Reply;
}

/** A route whose `handle` takes what its body and query are read as. */
export function route<Body = undefined, Query = undefined>(
  method: ControlRoute['method'],
  path: string,
  reads: Reads<Body, Query>,
  handle: (request: ControlRequest<Body, Query>) => Reply,
): ControlRoute {
  return { method, path, ...reads, handle };
}

const EMPTY = bodyOf({});

function causeOf({ req }: DoorContext): Cause {
  return readSender(req.header(SENDER_HEADER) ?? '', LIMITS.nameLength) ?? { by: 'control' };
}

/** Reads, performs and answers one control request. */
export async function serveControl(
  sandbox: Sandbox,
  context: DoorContext,
  route: ControlRoute,
): Promise<Response> {
  const requestId = newRequestId();
  const cause = causeOf(context);
  const because = <Result>(change: () => Result) => sandbox.timeline.because(cause, change);
  try {
    const bytes = await readBytes(context, route.bodyBytes ?? LIMITS.controlBodyBytes);
    const json = bytes.length === 0 || route.bodyBytes !== undefined ? {} : parseJson(bytes);
    // A POST that takes no fields refuses any field as a probable typo.
    const schema = route.body ?? (route.method === 'POST' ? EMPTY : undefined);
    const given = withAppInPlace(route, context.req.queries(), json);
    const request: ControlRequest = {
      sandbox,
      context,
      json,
      bytes,
      param: (name) => context.req.param(name) ?? '',
      query: route.query && readQuery(route.query, given.queries),
      body: schema && readBody(schema, given.json),
      because,
    };
    const answer = await because(() => route.handle(request as ControlRequest<never, never>));
    const keeping = sandbox.kept();
    if (keeping !== undefined) await keeping;
    // Naming Response in every call would load all of Node's fetch.
    if (!('arrayBuffer' in answer)) return sendControl(context, requestId, answer);
    answer.headers.set('x-request-id', requestId);
    answer.headers.set(SANDBOX_HEADER, __VERSION__);
    return answer;
  } catch (error) {
    await sandbox.kept();
    return sendControl(context, requestId, answerFor(error, requestId, sandbox.program));
  }
}

/** Sends a response that clients recognize as a sandbox's. */
export function sendControl(c: DoorContext, requestId: string, answer: Answer): Response {
  return send(c, requestId, { ...answer, headers: { ...answer.headers, ...CONTROL_HEADERS } });
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}
