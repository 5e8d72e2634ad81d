import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createLoader } from '../operation/loader.js';
import { ALREADY_SENT } from '../operation/send.js';
import { whenKnown } from '../operation/when-known.js';
import { refuse } from './refuse.js';
import type { Fetch } from './serve.js';
import { isShort, ShortRequest } from './short-request.js';

/** The library, which is loaded for the first request that needs it, because it loads all of Node's fetch. */
const loadWeb = createLoader(() => import('./web-listener.js'));

/** Adapts a web request handler to node:http: what is short goes to its door at once, everything else through the library. */
export function adapt(fetch: Fetch): RequestListener {
  return (incoming, outgoing) => {
    if (!isShort(incoming)) return listen(fetch, incoming, outgoing);
    /** Leaves to the library what the door has not sent itself, and the rest of a body that nothing read. */
    const end = (response: Response | Promise<Response>) => {
      const isSent = response === ALREADY_SENT;
      if (isSent && (incoming.method === 'GET' || incoming.readableEnded)) return;
      listen(() => response, incoming, outgoing);
    };
    const request = new ShortRequest(incoming, outgoing) as unknown as Request;
    const answer = fetch(request, { incoming, outgoing });
    if (!(answer instanceof Promise)) return end(answer);
    answer.then(end, (error: unknown) => end(Promise.reject(error)));
  };
}

function listen(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const listening = whenKnown(loadWeb(), ({ webListener }) => webListener(fetch)(incoming, outgoing));
  if (listening instanceof Promise) listening.catch((error: unknown) => refuse(incoming, outgoing, error));
}
