import type { RequestListener } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { getRequestListener, RequestError } from '@hono/node-server';
import { Refusal } from '../../contract/refusals.js';
import { answerFor, jsonHeaders, newRequestId } from '../operation/answer.js';
import type { Fetch } from './serve.js';

/** What answers requests of node:http by what answers those of the web. */
export function adapt(fetch: Fetch): RequestListener {
  return getRequestListener((request, bindings) => fetch(request, bindings as HttpBindings), {
    overrideGlobalObjects: false,
    errorHandler: answerUnreadable,
  });
}

/** What HTTP allows and URLs do not, such as a backslash in the path, never gets as far as a door. */
function answerUnreadable(error: unknown): Response {
  const requestId = newRequestId();
  const shown =
    error instanceof RequestError
      ? new Refusal('INVALID_REQUEST', `The request target is not valid: ${error.message}.`)
      : error;
  const { status, body } = answerFor(shown, requestId);
  return new Response(JSON.stringify(body), { status, headers: jsonHeaders(requestId) });
}
