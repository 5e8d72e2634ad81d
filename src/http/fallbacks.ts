import type { Context } from 'hono';
import { Refusal } from '../core/refusal.js';
import { answerFor, newRequestId, send } from './answer.js';

/** 405 in JSON, with the methods that the route has. */
export function refuseMethod(c: Context, methods: readonly string[]): Response {
  const requestId = newRequestId();
  const allow = methods.join(', ');
  const refusal = new Refusal('METHOD_NOT_ALLOWED', `${c.req.method} is not possible here; ${allow} is.`);
  return send(c, requestId, { ...answerFor(refusal, requestId), headers: { allow } });
}

/** 404 in JSON. */
export function notFound(c: Context): Response {
  const requestId = newRequestId();
  const refusal = new Refusal('NOT_FOUND', `There is no ${c.req.method} ${c.req.path}.`);
  return send(c, requestId, answerFor(refusal, requestId));
}
