import { Fields } from '../../core/fields.js';
import { LIMITS } from '../../core/limits.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer, DoorContext } from '../answer.js';
import { answerFor, newRequestId } from '../answer.js';
import { parseJson, readBody } from '../body.js';
import { queryOf } from '../query.js';
import { send } from '../send.js';

/** What a control route works with. Its fields are those of the JSON body, or none when there is no body. */
export interface ControlRequest {
  readonly sandbox: Sandbox;
  readonly context: DoorContext;
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
  context: DoorContext,
  route: ControlRoute,
): Promise<Response> {
  const requestId = newRequestId();
  try {
    const body = await readBody(context, LIMITS.controlBodyBytes);
    const json = body.length === 0 ? {} : parseJson(body);
    const answer = await route.handle({
      sandbox,
      context,
      json,
      fields: new Fields(json),
      param: (name) => context.req.param(name) ?? '',
      query: (name) => queryOf(context, name),
    });
    if (!(answer instanceof Response)) return send(context, requestId, answer);
    answer.headers.set('x-request-id', requestId);
    return answer;
  } catch (error) {
    return send(context, requestId, answerFor(error, requestId));
  }
}

/** Refuses fields that nothing asked for, as probable slips of the pen, together with what else is wrong. */
export function noMoreFields(fields: Fields): void {
  for (const field of fields.unknown()) fields.problem(field, 'Is not a known field.');
  fields.done();
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}
