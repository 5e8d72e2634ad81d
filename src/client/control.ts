import type { PageView } from '../http/control/schema.js';
import type { ErrorBody } from '../public-types.js';
import type { ResponseOf, RouteParameters, RouteArguments, ListPath, PathOf, RowOf } from './routes.js';
import type { ControlApi, ControlStreams } from './routes.js';
import { CONTROL_PREFIX, SANDBOX_HEADER } from '../text/control-api.js';
import { encodeSegment } from '../text/urls.js';
import { SandboxError } from './sandbox-error.js';
import { parseJson } from '../text/json.js';

export { SandboxError } from './sandbox-error.js';

/** Thrown if the sandbox does not respond. */
export class NotReachableError extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`Nothing responds at ${url}.`, { cause });
    this.name = 'NotReachableError';
    this.url = url;
  }
}

export interface ControlMessage {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

interface ControlReply {
  readonly status: number;
  /** Set if the response contains SANDBOX_HEADER. */
  readonly isSandbox: boolean;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests to a sandbox. `send` rejects if there is no response. */
export interface Transport {
  readonly url: string;
  /** The control token, if required. */
  readonly token?: string | undefined;
  readonly send: (sent: ControlMessage) => Promise<ControlReply>;
  readonly close?: () => void;
}

interface Call {
  readonly signal?: AbortSignal | undefined;
  readonly body?: unknown;
  /** Id of the last received message. The stream resumes after that message. */
  readonly lastEventId?: string | undefined;
  readonly [name: string]: unknown;
}

export const CONTROL_PATH = CONTROL_PREFIX;
const ROWS_PER_PAGE = 50;

/** A control API client. Every method can reject with NotReachableError or SandboxError. */
export class ControlClient {
  readonly url: string;
  readonly token: string | undefined;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.url = transport.url;
    this.token = transport.token;
    this.#transport = transport;
  }

  get<Path extends PathOf<'GET'>>(path: Path, ...[given]: RouteParameters<ControlApi, `GET ${Path}`>) {
    return this.#json<ResponseOf<ControlApi, `GET ${Path}`>>('GET', path, given);
  }

  /** Returns the unparsed response body, for callers that require the exact bytes. */
  async getText<Path extends PathOf<'GET'>>(
    path: Path,
    ...[given]: RouteParameters<ControlApi, `GET ${Path}`>
  ) {
    const { body } = await this.#open('GET', path, 'application/json', given);
    return this.#wrapReadErrors(undefined, text(body));
  }

  post<Path extends PathOf<'POST'>>(path: Path, ...[given]: RouteParameters<ControlApi, `POST ${Path}`>) {
    return this.#json<ResponseOf<ControlApi, `POST ${Path}`>>('POST', path, given);
  }

  put<Path extends PathOf<'PUT'>>(path: Path, ...[given]: RouteParameters<ControlApi, `PUT ${Path}`>) {
    return this.#json<ResponseOf<ControlApi, `PUT ${Path}`>>('PUT', path, given);
  }

  delete<Path extends PathOf<'DELETE'>>(
    path: Path,
    ...[given]: RouteParameters<ControlApi, `DELETE ${Path}`>
  ) {
    return this.#json<ResponseOf<ControlApi, `DELETE ${Path}`>>('DELETE', path, given);
  }

  /** Lists the rows of all pages, newest first, up to `limit` or the first known row. */
  list<Path extends ListPath>(
    path: Path,
    given?: RouteArguments<ControlApi, `GET ${Path}`> & { readonly limit?: number | undefined },
    isKnown?: (row: RowOf<Path>) => boolean,
  ): Promise<RowOf<Path>[]> {
    const page = (paging: object) => this.#json<PageView<RowOf<Path>>>('GET', path, { ...given, ...paging });
    return fetchAllPages(page, isKnown, given?.limit);
  }

  /** Streams a response's messages until the response ends or the signal aborts. */
  async *stream<Name extends keyof ControlStreams>(
    route: Name,
    ...[given]: RouteParameters<ControlStreams, Name>
  ): AsyncGenerator<ResponseOf<ControlStreams, Name>> {
    const [method = '', path = ''] = route.split(' ');
    const lines = splitLines((await this.#open(method, path, STREAMED, given)).body);
    for (;;) {
      const { done, value: line } = await this.#wrapReadErrors(given?.signal, lines.next());
      if (done) return;
      const json = line.replace(/^data: /, '');
      if (json.startsWith('{')) yield JSON.parse(json) as ResponseOf<ControlStreams, Name>;
    }
  }

  close(): void {
    this.#transport.close?.();
  }

  async #json<Answer>(method: string, path: string, given: Call = {}): Promise<Answer> {
    const { status, body, request } = await this.#open(method, path, 'application/json', given);
    const json = await this.#wrapReadErrors(given.signal, text(body));
    const response = parseJson(json);
    if (response === undefined) throw this.#notASandbox(status, request);
    return response as Answer;
  }

  async #open(method: string, path: string, accept: string, given: Call = {}) {
    const { signal, body, lastEventId, ...values } = given;
    const { token } = this;
    const sent = {
      method,
      target: targetOf(path, values),
      headers: {
        accept,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    };
    const request = `${method} ${sent.target}`;
    const response = await this.#wrapReadErrors(signal, this.#transport.send(sent));
    if (!response.isSandbox) throw this.#notASandbox(response.status, request);
    if (response.status >= 200 && response.status < 300) return { ...response, request };
    const refusal = await this.#wrapReadErrors(signal, text(response.body));
    throw this.#refusal(response.status, refusal, request);
  }

  /** Converts a broken connection to NotReachableError, unless the signal aborted. */
  async #wrapReadErrors<Value>(signal: AbortSignal | undefined, read: Promise<Value>): Promise<Value> {
    return read.catch((error: unknown) => {
      throw signal?.aborted ? error : new NotReachableError(this.url, error);
    });
  }

  #refusal(status: number, response: string, request: string): SandboxError {
    try {
      const { error } = JSON.parse(response) as Partial<ErrorBody>;
      if (error !== undefined) return new SandboxError(status, error, request);
    } catch {
      // A proxy replaced the JSON body.
    }
    return this.#notASandbox(status, request);
  }

  #notASandbox(status: number, request: string): SandboxError {
    const message = `${this.url} responded with HTTP ${status}, but it is not a pix-sandbox.`;
    const hint = 'Check `--url` and `SANDBOX_URL`.';
    return new SandboxError(
      status,
      { code: NOT_A_SANDBOX, message, request_id: '', details: [], hint },
      request,
    );
  }
}

export const NOT_A_SANDBOX = 'NOT_A_SANDBOX';
const STREAMED = 'text/event-stream, application/x-ndjson';

/** Fetches the rows of all pages, newest first, up to the first known row or the limit. */
async function fetchAllPages<Row>(
  pageAt: (paging: { readonly limit: number; readonly after?: string }) => Promise<PageView<Row>>,
  isKnown: (row: Row) => boolean = () => false,
  limit = Infinity,
): Promise<Row[]> {
  const rows: Row[] = [];
  let paging: { readonly after?: string } = {};
  while (rows.length < limit) {
    const page = await pageAt({ limit: Math.min(limit - rows.length, ROWS_PER_PAGE), ...paging });
    const known = page.data.findIndex(isKnown);
    rows.push(...(known < 0 ? page.data : page.data.slice(0, known)));
    if (known >= 0 || page.paging.after === null) break;
    paging = { after: page.paging.after };
  }
  return rows;
}

/** Fills in the path parameters; the remaining values become the query. */
function targetOf(path: string, values: Readonly<Record<string, unknown>>): string {
  const rest = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = encodeSegment(String(rest.get(name)));
    rest.delete(name);
    return value;
  });
  const query = new URLSearchParams();
  for (const [name, value] of rest) query.set(name, String(value));
  return `${CONTROL_PATH}${filled}${rest.size === 0 ? '' : `?${query.toString()}`}`;
}

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let read = '';
  for await (const chunk of body) read += decoder.decode(chunk, { stream: true });
  return read + decoder.decode();
}

async function* splitLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/** Works like global fetch, but accepts a path and query. */
type LocalFetch = (target: string, init: RequestInit) => Response | Promise<Response>;

/** Creates a transport from a fetch-like function, e.g. for an in-process sandbox. */
export function createFetchTransport(url: string, fetch: LocalFetch): Transport {
  return {
    url,
    send: async ({ method, target, headers, body, signal }) => {
      const sent = { ...(body === undefined ? {} : { body }), ...(signal === undefined ? {} : { signal }) };
      const response = await fetch(target, { method, headers, ...sent });
      const { status } = response;
      const isSandbox = response.headers.has(SANDBOX_HEADER);
      return { status, isSandbox, body: chunksOf(response.body, signal) };
    },
  };
}

/** Cancels the stream on abort, because an in-process response has no connection to close. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array> | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (stream === null) return;
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}
