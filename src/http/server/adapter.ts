import type { IncomingMessage, RequestListener } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Refusal } from '../../contract/refusals.js';
import { responseTo } from '../operation/answer.js';
import type { Fetch } from './serve.js';

/** Adapts a web request handler to node:http. */
export function adapt(fetch: Fetch): RequestListener {
  const listen = listenerOf((request, bindings) => fetch(request, bindings));
  return (incoming, outgoing) => {
    if (!isShort(incoming)) return listen(incoming, outgoing);
    /** Leaves to the library what the door has not sent itself, and the rest of a body that nothing read. */
    const end = (response: Response | Promise<Response>) => {
      const isSent = response === RESPONSE_ALREADY_SENT;
      if (isSent && (incoming.method === 'GET' || incoming.readableEnded)) return;
      void listenerOf(() => response)(incoming, outgoing);
    };
    const answer = fetch(new ShortRequest(incoming) as unknown as Request, { incoming, outgoing });
    if (!(answer instanceof Promise)) return end(answer);
    answer.then(end, (error: unknown) => end(Promise.reject(error)));
  };
}

function listenerOf(fetch: (request: Request, bindings: HttpBindings) => Response | Promise<Response>) {
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

/** A host and a target of the API that no URL parser would change. */
const SHORT_HOST = /^[a-z\d.-]+(?::[1-9]\d{3,4})?$/;
const SHORT_TARGET = /^\/api\/[\w/-]*(?:\?[\w=&-]*)?$/;

/** Whether it is a call of the API without anything to be read with care, such as a body where none is expected. */
function isShort({ method, url = '', headers }: IncomingMessage): boolean {
  if (!SHORT_TARGET.test(url) || !SHORT_HOST.test(headers.host ?? '')) return false;
  if (method === 'POST') return true;
  return (
    method === 'GET' && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  );
}

/** What the doors of the API read of a request, because the whole of a web Request takes a third of a short call. */
class ShortRequest implements Pick<Request, 'method' | 'url' | 'headers'> {
  readonly method: string;
  readonly url: string;
  readonly #raw: readonly string[];
  #headers: Headers | undefined;

  constructor({ method = 'GET', url = '', headers, rawHeaders }: IncomingMessage) {
    this.method = method;
    this.url = `http://${headers.host}${url}`;
    this.#raw = rawHeaders;
  }

  get headers(): Headers {
    if (this.#headers !== undefined) return this.#headers;
    const headers = new Headers();
    for (let at = 0; at < this.#raw.length; at += 2)
      headers.append(this.#raw[at] ?? '', this.#raw[at + 1] ?? '');
    this.#headers = headers;
    return headers;
  }
}
