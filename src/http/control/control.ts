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

/** The context of a control route; `json` is the body, or an empty object when there is none. */
export interface ControlRequest {
  readonly sandbox: Sandbox;
  readonly context: DoorContext;
  readonly json: unknown;
  readonly param: (name: string) => string;
}

/** A request as read by its route. */
export interface Sent<Body, Query> {
  readonly body: Body;
  readonly query: Query;
}

interface RouteOf<Body, Query, TakenBody = Body, TakenQuery = Query> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/_sandbox/`. */
  readonly path: string;
  /** The body limit in bytes, where it is above the usual one. */
  readonly bodyBytes?: number;
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
  readonly handle: (
    request: ControlRequest,
    sent: Sent<TakenBody, TakenQuery>,
  ) => Answer | Response | Promise<Answer | Response>;
}

/** A route whose `handle` takes what `body` and `query` read. */
export type ControlRoute = RouteOf<unknown, unknown, never, never>;

/** Checks that `handle` takes what `body` and `query` read. */
export function route<Body = undefined, Query = undefined>(parts: RouteOf<Body, Query>): ControlRoute {
  return parts;
}

const EMPTY = bodyOf({});

/** Reads, performs and answers one control request. */
export async function serveControl(
  sandbox: Sandbox,
  context: DoorContext,
  route: ControlRoute,
): Promise<Response> {
  const requestId = newRequestId();
  try {
    const body = await readBytes(context, route.bodyBytes ?? LIMITS.controlBodyBytes);
    const json = body.length === 0 ? {} : parseJson(body);
    // A POST that takes no fields refuses any field as a probable typo.
    const schema = route.body ?? (route.method === 'POST' ? EMPTY : undefined);
    const sent: Sent<unknown, unknown> = {
      query: route.query && queryOf(context, route.query),
      body: schema && readBody(schema, json),
    };
    const param = (name: string) => context.req.param(name) ?? '';
    const answer = await route.handle({ sandbox, context, json, param }, sent as Sent<never, never>);
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
