import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer, maxHeaderSize, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import type { HttpBindings } from '@hono/node-server';
import { Refusal } from '../../contract/refusals.js';
import { answerFor, errorBody, jsonHeaders, newRequestId } from '../operation/answer.js';
import type { GuardPolicy } from './guards.js';
import { guard } from './guards.js';
import { seeAllHeaders } from './header-count.js';

/** Answers a request: all doors together. */
export type Fetch = (request: Request, bindings: Partial<HttpBindings>) => Response | Promise<Response>;

export interface ServeOptions {
  /** Loads the handler, once the addresses are bound; earlier requests wait for it. */
  readonly load: () => Promise<Fetch>;
  readonly guards: GuardPolicy;
  /** Addresses to listen on; the first is required, the others only if the machine has them. */
  readonly hosts: readonly [string, ...string[]];
  /** 0 takes a free one. */
  readonly port: number;
  readonly timeouts?: Timeouts | undefined;
}

/** Real time for a client to send its headers, and its whole request; a slower client is cut off. */
export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
}

export interface Served {
  readonly port: number;
  /** Resolves when the handler is loaded; rejects if it cannot be. */
  readonly loaded: Promise<void>;
  /** Closes idle connections at once, and open ones when they are done or the grace period is over. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** The port is taken; the message says which. */
export class PortTakenError extends Error {
  readonly port: number;

  constructor(port: number) {
    super(`Port ${port} is taken.`);
    this.name = 'PortTakenError';
    this.port = port;
  }
}

const TIMEOUTS: Timeouts = { headersMs: 10_000, requestMs: 30_000 };
/** How many times the connections are checked within the shortest time limit. */
const CHECKS_PER_TIMEOUT = 4;
const KEEP_ALIVE_MS = 65_000;
/** The interval for closing newly idle connections while the server closes. */
const SWEEP_MS = 10;
const FREE_PORT_TRIES = 10;

/** Listens on every host under one port. Throws PortTakenError. */
export async function serve(options: ServeOptions): Promise<Served> {
  const [mainHost, ...otherHosts] = options.hosts;
  const adapted = adapter(options.load);
  for (let tries = 1; ; tries += 1) {
    const main = await listen(options, adapted, mainHost, options.port);
    const { port } = main.address() as AddressInfo;
    const others = await Promise.allSettled(otherHosts.map((host) => listen(options, adapted, host, port)));
    const servers = [main, ...others.flatMap((other) => (other.status === 'fulfilled' ? [other.value] : []))];
    const isTaken = others.some(
      (other) => other.status === 'rejected' && other.reason instanceof PortTakenError,
    );
    if (!isTaken) {
      const loaded = adapted().then(() => undefined);
      // Waiting for it is optional, so its rejection counts as handled.
      loaded.catch(() => undefined);
      return { port, loaded, close: (graceMs) => closeAll(servers, graceMs) };
    }
    await closeAll(servers, 0);
    if (options.port !== 0 || tries === FREE_PORT_TRIES) throw new PortTakenError(port);
  }
}

/** Loads the handler once. This takes half of the start time, so it runs after the addresses are announced. */
function adapter(load: ServeOptions['load']): () => Promise<RequestListener> {
  let adapted: Promise<RequestListener> | undefined;
  return () => {
    adapted ??= Promise.all([import('./adapter.js'), load()]).then(([{ adapt }, fetch]) => adapt(fetch));
    return adapted;
  };
}

function listen(
  { timeouts = TIMEOUTS, guards }: ServeOptions,
  adapted: () => Promise<RequestListener>,
  host: string,
  port: number,
): Promise<Server> {
  const { headersMs, requestMs } = timeouts;
  const answer = guarded(guards, adapted);
  const server = seeAllHeaders(
    createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: Math.min(headersMs, requestMs) / CHECKS_PER_TIMEOUT,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requireHostHeader: false,
        noDelay: true,
      },
      answer,
    ),
  );
  server.on('clientError', answerMalformed);
  server.on('checkContinue', guardedBody(guards, answer));
  // An unknown expectation is ignored; answering it here would skip the guards.
  server.on('checkExpectation', answer);
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTakenError(port) : error);
    });
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

function guarded(guards: GuardPolicy, adapted: () => Promise<RequestListener>): RequestListener {
  return (incoming, outgoing) => {
    const refusal = guard(incoming, guards);
    if (refusal !== undefined) {
      refuse(incoming, outgoing, refusal);
      return;
    }
    adapted().then(
      (pass) => pass(incoming, outgoing),
      () => outgoing.destroy(),
    );
  };
}

/** The same for `Expect: 100-continue`: a refused body is not requested, and its connection ends. */
function guardedBody(guards: GuardPolicy, answer: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const refusal = guard(incoming, guards);
    if (refusal !== undefined) {
      outgoing.shouldKeepAlive = false;
      refuse(incoming, outgoing, refusal);
      return;
    }
    outgoing.writeContinue();
    answer(incoming, outgoing);
  };
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): void {
  // The rest of a body is discarded: closing the connection could lose the answer.
  incoming.resume();
  const requestId = newRequestId();
  const { status, body } = answerFor(refusal, requestId);
  const text = JSON.stringify(body);
  outgoing.writeHead(status, { ...jsonHeaders(requestId), 'content-length': Buffer.byteLength(text) });
  outgoing.end(text);
}

/** Invalid HTTP and late requests get a JSON error like all others. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const { status, refusal } = malformed(error.code ?? 'unknown');
  const body = JSON.stringify(errorBody(refusal, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(jsonHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function malformed(code: string): { readonly status: number; readonly refusal: Refusal } {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `The headers of a request may have ${maxHeaderSize} bytes.`;
    const refusal = new Refusal('HEADERS_TOO_LARGE', message, { hint: 'Send fewer or shorter headers.' });
    return { status: refusal.status, refusal };
  }
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  return { status, refusal: new Refusal('INVALID_REQUEST', `The request is not valid HTTP (${code}).`) };
}

async function closeAll(servers: readonly Server[], graceMs: number): Promise<void> {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          const cut = setTimeout(() => server.closeAllConnections(), graceMs);
          // A connection whose answer ends meanwhile becomes idle without an event.
          const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
          server.close(() => {
            clearTimeout(cut);
            clearInterval(sweep);
            resolve();
          });
          server.closeIdleConnections();
        }),
    ),
  );
}
