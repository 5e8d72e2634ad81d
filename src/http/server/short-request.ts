import type { IncomingMessage, ServerResponse } from 'node:http';

/** A host and a target of the doors that answer in JSON which no URL parser would change or refuse. */
const SHORT_HOST = /^(?:localhost|127\.0\.0\.1)(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
const SHORT_TARGET = /^\/(?:api|_sandbox)\/[\w/-]*(?:\?[\w=&-]*)?$/;

/** Whether it is a call without anything to be read with care, such as a body where none is expected. */
export function isShort({ method, url = '', headers }: IncomingMessage): boolean {
  if (!SHORT_TARGET.test(url) || !SHORT_HOST.test(headers.host ?? '')) return false;
  if (method === 'POST') return true;
  return (
    method === 'GET' && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  );
}

/**
 * What the doors that answer in JSON read of a request. The whole of a web Request takes a third of a short call, and naming one loads
 * all of Node's fetch.
 */
export class ShortRequest implements Pick<Request, 'method' | 'url' | 'signal'> {
  readonly method: string;
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
  readonly #outgoing: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor({ method = 'GET', url = '', headers, rawHeaders }: IncomingMessage, outgoing: ServerResponse) {
    this.method = method;
    this.url = `http://${headers.host}${url}`;
    this.headers = { get: (name) => valueOf(rawHeaders, name) };
    this.#outgoing = outgoing;
  }

  /** Aborts when the client leaves before it has its answer. */
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#outgoing);
    return this.#signal;
  }
}

function signalOf(outgoing: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  const leave = () => {
    if (!outgoing.writableFinished) leaving.abort();
  };
  if (outgoing.closed) leave();
  else outgoing.once('close', leave);
  return leaving.signal;
}

/** All values of a header, as Headers joins them: node:http keeps only the first of some. */
function valueOf(rawHeaders: readonly string[], name: string): string | null {
  const wanted = name.toLowerCase();
  const separator = wanted === 'cookie' ? '; ' : ', ';
  let joined: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length !== wanted.length || sent.toLowerCase() !== wanted) continue;
    const value = rawHeaders[index + 1] ?? '';
    joined = joined === null ? value : joined + separator + value;
  }
  return joined;
}
