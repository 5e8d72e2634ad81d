import type { HttpBindings } from '@hono/node-server';
import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { Refusal } from '../../contract/refusals.js';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import {
  createErrorResponse,
  CONTROL_HEADERS,
  type SurfaceBindings,
  createErrorBody,
  createRequestId,
  createResponse,
  serializeResponse,
} from '../shared/response.js';
import { guardRequest, type GuardPolicy, allowAllHeaders } from './guards.js';

/** Responds to a request: all APIs together. */
export type FetchHandler = (request: Request, bindings: SurfaceBindings) => Response | Promise<Response>;

interface ServeOptions {
  /** Loads the handler: for the first request, unless it is opened earlier. */
  readonly load: () => FetchHandler | Promise<FetchHandler>;
  readonly guards: GuardPolicy;
  /** Addresses to listen on; the first is required, the others only if the machine has them. */
  readonly hosts: readonly [string, ...string[]];
  /** 0 takes a free one. */
  readonly port: number;
  /** Real time for a client to send its headers, and its whole request; a slower client is cut off. */
  readonly timeouts?: { readonly headersMs: number; readonly requestMs: number } | undefined;
}

export interface RunningServer {
  readonly port: number;
  /** Loads the handler before a request does; rejects if it cannot be loaded. */
  readonly open: () => Promise<void>;
  /** Closes idle connections immediately, and open ones when they are done or the grace period is over. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** The port is taken; the message says which. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
  readonly port: number;

  constructor(port: number) {
    super(`Port ${port} is taken.`);
    this.port = port;
  }
}

const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000 };
/** Checks of the connections within the shortest time limit. */
const CHECKS_PER_TIMEOUT = 4;
const KEEP_ALIVE_MS = 65_000;
/** The interval for closing newly idle connections while the server closes. */
const SWEEP_MS = 10;
const FREE_PORT_TRIES = 10;

/** Listens on every host under one port. Throws PortTakenError. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const [mainHost, ...otherHosts] = options.hosts;
  const load = createLoader(async () => {
    const [{ getRequestListener, RequestError }, fetch] = await Promise.all([
      import('@hono/node-server'),
      options.load(),
    ]);
    return getRequestListener((request, bindings) => fetch(request, bindings as HttpBindings), {
      overrideGlobalObjects: false,
      errorHandler: (error) =>
        createResponse(error instanceof RequestError ? unreadableTarget(error) : error),
    });
  });
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    try {
      await (
        await load()
      )(incoming, outgoing);
    } catch (error) {
      refuse(incoming, outgoing, error, options.guards);
    }
  };
  for (let tries = 1; ; tries += 1) {
    const main = await listen(options, handle, mainHost, options.port);
    const { port } = main.address() as AddressInfo;
    const others = await Promise.allSettled(otherHosts.map((host) => listen(options, handle, host, port)));
    const servers = [main, ...others.flatMap((other) => (other.status === 'fulfilled' ? [other.value] : []))];
    const isTaken = others.some(
      (other) => other.status === 'rejected' && other.reason instanceof PortTakenError,
    );
    if (!isTaken) {
      return { port, open: async () => void (await load()), close: (graceMs) => closeAll(servers, graceMs) };
    }
    await closeAll(servers, 0);
    if (options.port !== 0 || tries === FREE_PORT_TRIES) throw new PortTakenError(port);
  }
}

/** A target that HTTP allows but URLs do not, such as a path with a backslash. */
function unreadableTarget({ message }: Error): Refusal {
  return new Refusal('INVALID_REQUEST', `The request target is not valid: ${message}.`);
}

function listen(
  { timeouts: { headersMs, requestMs } = TIMEOUTS, guards }: ServeOptions,
  handle: RequestListener,
  host: string,
  port: number,
): Promise<Server> {
  /** Passes on what the guards admit; the body of a refused request that waits for 100 Continue is not requested. */
  const guarded =
    (isWaiting = false): RequestListener =>
    (incoming, outgoing) => {
      NEWEST.set(incoming.socket, { incoming, outgoing, before: NEWEST.get(incoming.socket)?.outgoing });
      const refusal = guardRequest(incoming, guards);
      if (refusal !== undefined) return refuse(incoming, outgoing, refusal, guards);
      if (isWaiting) outgoing.writeContinue();
      return handle(incoming, outgoing);
    };
  const options = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headersMs, requestMs) / CHECKS_PER_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
    noDelay: true,
  };
  const server = allowAllHeaders(createServer(options, guarded()));
  server.on('clientError', (error, socket) => answerMalformed(error, socket, guards));
  server.on('checkContinue', guarded(true));
  // An unknown expectation is ignored; responding here would skip the guards.
  server.on('checkExpectation', guarded());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTakenError(port) : error);
    });
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

async function closeAll(servers: readonly Server[], graceMs: number): Promise<void> {
  const close = (server: Server) =>
    new Promise<void>((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      // A connection whose response ends meanwhile becomes idle without an event.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      server.close(() => {
        clearTimeout(cut);
        clearInterval(sweep);
        resolve();
      });
      server.closeIdleConnections();
    });
  await Promise.all(servers.map(close));
}

/** Responds to a request with an error before any framework is involved. */
function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reason: unknown,
  { program, onRefused }: GuardPolicy,
): void {
  // The rest of a body is discarded: closing the connection could lose the response.
  incoming.resume();
  if (outgoing.headersSent) return;
  const requestId = createRequestId();
  const response = createErrorResponse(reason, requestId, program);
  const sent = serializeResponse(requestId, response);
  const { method = '', url: target = '', headers, rawHeaders } = incoming;
  onRefused?.({ requestId, method, target, headers, rawHeaders, error: response.body.error, sent });
  const own = target.startsWith(CONTROL_PREFIX) ? CONTROL_HEADERS : {};
  outgoing.writeHead(sent.status, { ...sent.headers, ...own, 'content-length': sent.bytes });
  outgoing.end(sent.text);
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The response before it, which may still be at work. */
  readonly before: ServerResponse | undefined;
}

/** The newest request of each connection, so that no second response to it is written. */
const NEWEST = new WeakMap<Duplex, Exchange>();

/** Node's error for bytes other than HTTP, with the bytes where available. */
type MalformedError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Responds in JSON to what is not HTTP or comes too late, unless the client would read that as the response to
 * another request.
 */
function answerMalformed(error: MalformedError, socket: Duplex, guards: GuardPolicy): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { incoming, outgoing, before } = NEWEST.get(socket) ?? {};
  if (incoming === undefined || outgoing === undefined) return writeRefusal(error, socket, guards);
  const isUnanswered = !incoming.complete && !outgoing.headersSent;
  if (isUnanswered && outgoing.socket === null) {
    // It gets its socket after the responses to the requests before it.
    before?.once('close', () => answerMalformed(error, socket, guards));
  } else if (isUnanswered) {
    // An API has already been given the request whose body is malformed, and reports it.
    writeRefusal(error, socket, { ...guards, onRefused: undefined });
  } else if (outgoing.writableFinished) {
    const isNextHead = incoming.complete && error.code === 'HPE_HEADER_OVERFLOW';
    if (isNextHead) writeRefusal(error, socket, guards);
    else socket.end();
  } else {
    outgoing.shouldKeepAlive = false;
    outgoing.once('close', () => socket.end());
  }
}

const REQUEST_LINE = /^([A-Z]{1,20}) (\/[!-~]*) HTTP\/1\.[01]\r?\n/;

/** Responds as far as the request could be read. */
function writeRefusal(error: MalformedError, socket: Duplex, { program, onRefused }: GuardPolicy): void {
  const { rawPacket } = error;
  const requestId = createRequestId();
  const { status, refusal } = malformed(error);
  const body = createErrorBody(refusal, requestId, program);
  const sent = serializeResponse(requestId, { status, body });
  // A connection on which nothing came is not a request: browsers open some in advance.
  if (rawPacket !== undefined) {
    const line = REQUEST_LINE.exec(rawPacket.toString('latin1'));
    const [method, target] = [line?.[1] ?? 'UNKNOWN', line?.[2] ?? '(unreadable)'];
    onRefused?.({ requestId, method, target, headers: {}, rawHeaders: [], error: body.error, sent });
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    // Its path may be unknown, so it may be for the control API.
    ...Object.entries({ ...sent.headers, ...CONTROL_HEADERS }).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${sent.bytes}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${sent.text}`);
}

/** The first byte of a TLS handshake. */
const TLS_HANDSHAKE = 0x16;

function malformed({ code = 'unknown', rawPacket }: MalformedError) {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `The headers of a request may have ${maxHeaderSize} bytes.`;
    const refusal = new Refusal('HEADERS_TOO_LARGE', message, { hint: 'Send fewer or shorter headers.' });
    return { status: 431, refusal } as const;
  }
  const isTls = rawPacket?.[0] === TLS_HANDSHAKE;
  const message = isTls
    ? 'The request is TLS, and this port speaks plain HTTP.'
    : `The request is not valid HTTP (${code}).`;
  const hint = isTls ? 'Use http:// instead of https:// for the sandbox.' : undefined;
  const refusal = new Refusal('INVALID_REQUEST', message, { hint });
  return { status: code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400, refusal } as const;
}

/**
 * Returns a function that loads code or files on first use. A failed load is forgotten, so that the next call
 * tries again: the process may have been out of file descriptors for a moment.
 */
export function createLoader<Value>(load: () => Promise<Value>): () => Value | Promise<Value> {
  let loading: Promise<Value> | undefined;
  let loaded: { readonly value: Value } | undefined;
  return () => {
    if (loaded !== undefined) return loaded.value;
    loading ??= load().then(
      (value) => {
        loaded = { value };
        return value;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
}
