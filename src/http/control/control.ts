import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { Fields } from '../../core/fields.js';
import { LIMITS } from '../../core/limits.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import { answerFor, newRequestId, send } from '../answer.js';
import { parseJson, readBody } from '../body.js';

export type ControlContext = Context<{ Bindings: Partial<HttpBindings> }>;

/** What a control route works with. Its fields are those of the JSON body, or none when there is no body. */
export interface ControlRequest {
  readonly sandbox: Sandbox;
  readonly context: ControlContext;
  readonly json: unknown;
  readonly fields: Fields;
  readonly param: (name: string) => string;
  readonly query: (name: string) => string | undefined;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/_sandbox/`. */
  readonly path: string;
  readonly handle: (request: ControlRequest) => Answer | Response | Promise<Answer | Response>;
}

/** Reads, does and answers one control request. */
export async function serveControl(
  sandbox: Sandbox,
  context: ControlContext,
  route: ControlRoute,
): Promise<Response> {
  const requestId = newRequestId();
  try {
    const { incoming } = context.env ?? {};
    const body = await readBody({ incoming, request: () => context.req.raw }, LIMITS.controlBodyBytes);
    const json = body.length === 0 ? {} : parseJson(body);
    const answer = await route.handle({
      sandbox,
      context,
      json,
      fields: new Fields(json),
      param: (name) => context.req.param(name) ?? '',
      query: (name) => context.req.query(name) || undefined,
    });
    return answer instanceof Response ? answer : send(context, requestId, answer);
  } catch (error) {
    const answer = answerFor(error, requestId);
    if (answer.status === 500) process.emitWarning(String(error instanceof Error ? error.stack : error));
    return send(context, requestId, answer);
  }
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}
