import type { RequestListener } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Refusal } from '../../contract/refusals.js';
import { responseTo } from '../operation/answer.js';
import { isAlreadySent } from '../operation/send.js';
import { whenKnown } from '../operation/when-known.js';
import type { Fetch } from './serve.js';

/** Adapts a web request handler to node:http. */
export function webListener(fetch: Fetch): RequestListener {
  return getRequestListener(
    (request, bindings) => whenKnown(fetch(request, bindings as HttpBindings), asLibraryKnowsIt),
    { overrideGlobalObjects: false, errorHandler: answerUnreadable },
  );
}

function asLibraryKnowsIt(response: Response): Response {
  return isAlreadySent(response) ? RESPONSE_ALREADY_SENT : response;
}

/** A target that HTTP allows but URLs do not, such as a path with a backslash, never reaches a door. */
function answerUnreadable(error: unknown): Response {
  if (!(error instanceof RequestError)) return responseTo(error);
  return responseTo(new Refusal('INVALID_REQUEST', `The request target is not valid: ${error.message}.`));
}
