import type { RequestListener } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { getRequestListener, RequestError } from '@hono/node-server';
import { Refusal } from '../../contract/refusals.js';
import { answerFor, jsonHeaders, newRequestId } from '../operation/answer.js';
import type { Fetch } from './serve.js';

/** Adapts a web request handler to node:http. */
export function adapt(fetch: Fetch): RequestListener {
  return getRequestListener((request, bindings) => fetch(request, bindings as HttpBindings), {
    overrideGlobalObjects: false,
    errorHandler: answerUnreadable,
  });
}

/** A target that HTTP allows but URLs do not, such as a path with a backslash, never reaches a door. */
function answerUnreadable(error: unknown): Response {
  const requestId = newRequestId();
  const shown =
    error instanceof RequestError
      ? new Refusal('INVALID_REQUEST', `The request target is not valid: ${error.message}.`)
      : error;
  const { status, body } = answerFor(shown, requestId);
  return new Response(JSON.stringify(body), { status, headers: jsonHeaders(requestId) });
}
