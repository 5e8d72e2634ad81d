import type { RequestListener } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { getRequestListener, RequestError } from '@hono/node-server';
import { Refusal } from '../../contract/refusals.js';
import { responseTo } from '../operation/answer.js';
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
  if (!(error instanceof RequestError)) return responseTo(error);
  return responseTo(new Refusal('INVALID_REQUEST', `The request target is not valid: ${error.message}.`));
}
