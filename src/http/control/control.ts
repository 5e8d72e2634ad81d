import { body as bodyOf, readBody } from '../../core/input/body.js';
import { LIMITS } from '../../contract/limits.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Schema } from '../../schema/schema.js';
import type { Answer, DoorContext } from '../operation/answer.js';
import { answerFor, newRequestId } from '../operation/answer.js';
import { parseJson, readBody as readBytes } from '../operation/body.js';
import type { QuerySchema } from '../operation/query.js';
import { queryOf } from '../operation/query.js';
import { send } from '../operation/send.js';

/** What a control route works with; `json` is the body as it came, or an empty object where none did. */
export interface ControlRequest {
  readonly sandbox: Sandbox;
  readonly context: DoorContext;
  readonly json: unknown;
  readonly param: (name: string) => string;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/_sandbox/`. */
  readonly path: string;
  /** How large a body may be, where it may be larger than others. */
  readonly bodyBytes?: number;
  readonly body?: Schema<unknown>;
  readonly query?: QuerySchema<unknown>;
  readonly handle: (request: ControlRequest) => Answer | Response | Promise<Answer | Response>;
}

/** What a request brought, as its route reads it. */
export interface Sent<Body, Query> {
  readonly body: Body;
  readonly query: Query;
}

interface RouteOf<Body, Query> extends Omit<ControlRoute, 'body' | 'query' | 'handle'> {
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
  readonly handle: (
    request: ControlRequest,
    sent: Sent<Body, Query>,
  ) => Answer | Response | Promise<Answer | Response>;
}

const EMPTY = bodyOf({});

/** A route that is handed what it reads of body and query. */
export function route<Body = undefined, Query = undefined>(parts: RouteOf<Body, Query>): ControlRoute {
  const { method, body, query, handle } = parts;
  const schema: Schema<unknown> = body ?? EMPTY;
  const takesBody = body !== undefined || method === 'POST' || method === 'PUT';
  return {
    ...parts,
    handle: (request) =>
      handle(request, {
        // What reads nothing has undefined for its type.
        query: query === undefined ? (undefined as Query) : queryOf(request.context, query),
        body: takesBody ? (readBody(schema, request.json) as Body) : (undefined as Body),
      }),
  };
}

/** Reads, does and answers one control request. */
export async function serveControl(
  sandbox: Sandbox,
  context: DoorContext,
  route: ControlRoute,
): Promise<Response> {
  const requestId = newRequestId();
  try {
    const body = await readBytes(context, route.bodyBytes ?? LIMITS.controlBodyBytes);
    const json = body.length === 0 ? {} : parseJson(body);
    const answer = await route.handle({
      sandbox,
      context,
      json,
      param: (name) => context.req.param(name) ?? '',
    });
    const keeping = sandbox.kept();
    if (keeping !== undefined) await keeping;
    if (!(answer instanceof Response)) return send(context, requestId, answer);
    answer.headers.set('x-request-id', requestId);
    return answer;
  } catch (error) {
    await sandbox.kept();
    return send(context, requestId, answerFor(error, requestId));
  }
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}
