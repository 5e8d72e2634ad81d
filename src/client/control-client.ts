import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import type { ErrorBody } from '../http/operation/error-body.js';

/** Nothing answers at the sandbox's address. */
export class NotReachableError extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`Nothing answers at ${url}.`, { cause });
    this.name = 'NotReachableError';
    this.url = url;
  }
}

/** The sandbox said no: its error code, and what to do. */
export class ControlError extends Error {
  readonly status: number;
  readonly body: ErrorBody['error'];

  constructor(status: number, body: ErrorBody['error']) {
    super(body.message);
    this.name = 'ControlError';
    this.status = status;
    this.body = body;
  }
}

export interface ControlClientOptions {
  readonly url: string;
  readonly token?: string | undefined;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object | undefined;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A client of the control API, on `node:http` because global fetch would double a command's start-up and ends streams after
 * five quiet minutes. Every method throws NotReachableError and ControlError.
 */
export class ControlClient {
  readonly url: string;
  readonly token: string | undefined;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor({ url, token }: ControlClientOptions) {
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.token = token;
  }

  get<Body>(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<Body> {
    return this.#json({ method: 'GET', path: path + queryText(query) });
  }

  post<Body>(path: string, body?: object, signal?: AbortSignal): Promise<Body> {
    return this.#json({ method: 'POST', path, body, signal });
  }

  put<Body>(path: string, body: object): Promise<Body> {
    return this.#json({ method: 'PUT', path, body });
  }

  delete<Body>(path: string): Promise<Body> {
    return this.#json({ method: 'DELETE', path });
  }

  /** The messages of a server-sent event stream, until it ends or the signal aborts. */
  events<Message>(
    path: string,
    query: Readonly<Record<string, string | undefined>> = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Message> {
    return this.#events({ method: 'GET', path: path + queryText(query), signal });
  }

  /** The same of a stream that answers what was posted. */
  postedEvents<Message>(path: string, body: object, signal?: AbortSignal): AsyncGenerator<Message> {
    return this.#events({ method: 'POST', path, body, signal });
  }

  async *#events<Message>(sent: Omit<Call, 'accept'>): AsyncGenerator<Message> {
    const call = { ...sent, accept: 'text/event-stream' };
    for await (const block of this.#pieces(call, '\n\n')) {
      if (block.startsWith('data: ')) yield JSON.parse(block.slice('data: '.length)) as Message;
    }
  }

  /** The lines of a streamed answer, until it ends or the signal aborts. */
  async *lines<Message>(path: string, body: object, signal?: AbortSignal): AsyncGenerator<Message> {
    const call = { method: 'POST', path, body, accept: 'application/x-ndjson', signal } as const;
    for await (const line of this.#pieces(call, '\n')) if (line !== '') yield JSON.parse(line) as Message;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #json<Body>(call: Call): Promise<Body> {
    const response = await this.#open(call);
    const json = await this.#reading(call, text(response));
    try {
      return JSON.parse(json) as Body;
    } catch {
      const { statusCode = 0 } = response;
      throw new ControlError(statusCode, notASandbox(statusCode, this.url));
    }
  }

  /** A connection that breaks in the middle of an answer is a sandbox that went away. */
  async #reading<Value>({ signal }: Pick<Call, 'signal'>, read: Promise<Value>): Promise<Value> {
    return read.catch((error: unknown) => {
      throw signal?.aborted ? error : new NotReachableError(this.url, error);
    });
  }

  async *#pieces(call: Call, separator: string): AsyncGenerator<string> {
    const pieces = split(await this.#open(call), separator);
    for (;;) {
      const piece = await this.#reading(call, pieces.next());
      if (piece.done) return;
      yield piece.value;
    }
  }

  async #open(call: Call): Promise<IncomingMessage> {
    const response = await this.#reading(call, this.#send(call));
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    throw new ControlError(status, parseError(await text(response), status, this.url));
  }

  #send({ method, path, body, accept, signal }: Call): Promise<IncomingMessage> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const request: ClientRequest = httpRequest(
        `${this.url}/_sandbox/${path}`,
        {
          method,
          agent: this.#agent,
          ...(signal === undefined ? {} : { signal }),
          headers: {
            accept: accept ?? 'application/json',
            ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
            ...(payload === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': payload.length }),
          },
        },
        resolve,
      );
      request.on('error', reject);
      request.end(payload);
    });
  }
}

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

async function text(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function* split(response: IncomingMessage, separator: string): AsyncGenerator<string> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response) {
    const parts = (rest + String(chunk)).split(separator);
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}

function parseError(body: string, status: number, url: string): ErrorBody['error'] {
  try {
    const parsed = JSON.parse(body) as Partial<ErrorBody>;
    if (parsed.error !== undefined) return parsed.error;
  } catch {
    // What answers is not a sandbox: the message below says so.
  }
  return notASandbox(status, url);
}

function notASandbox(status: number, url: string): ErrorBody['error'] {
  return {
    code: 'NOT_A_SANDBOX',
    message: `What answers at ${url} is not a sandbox (HTTP ${status}).`,
    request_id: '',
    details: [],
  };
}
