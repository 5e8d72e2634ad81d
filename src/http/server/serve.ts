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

/** Handles requests to all APIs. */
export type FetchHandler = (request: Request, bindings: SurfaceBindings) => Response | Promise<Response>;

interface ServeOptions {
  /** Loads the handler on the first request, unless `open` was called earlier. */
  readonly load: () => FetchHandler | Promise<FetchHandler>;
  readonly guards: GuardPolicy;
  /** Listening addresses. The first is required; other addresses are skipped if unavailable. */
  readonly hosts: readonly [string, ...string[]];
  /** 0 selects a free port. */
  readonly port: number;
  /**
   * Time limits (real time) for a client to send its headers and its full request. Slower clients are
   * disconnected.
   */
  readonly timeouts?: { readonly headersMs: number; readonly requestMs: number } | undefined;
}

export interface RunningServer {
  readonly port: number;
  /** Loads the handler before the first request; rejects if loading fails. */
  readonly open: () => Promise<void>;
  /** Closes idle connections immediately and busy connections after their response or the grace period. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Thrown when the port is already in use. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
  readonly port: number;

  constructor(port: number) {
    super(`Port ${port} is already in use.`);
    this.port = port;
  }
}

const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000 };
/** Number of connection checks within the shortest timeout. */
const CHECKS_PER_TIMEOUT = 4;
const KEEP_ALIVE_MS = 65_000;
/** Interval for closing newly idle connections during shutdown. */
const SWEEP_MS = 10;
const FREE_PORT_TRIES = 10;

/** Listens on the same port of every host. Throws PortTakenError. */
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

/** Creates the error for a target that is valid in HTTP but not in a URL, e.g. with a backslash. */
function unreadableTarget({ message }: Error): Refusal {
  return new Refusal('INVALID_REQUEST', `The request target is not valid: ${message}.`);
}

function listen(
  { timeouts: { headersMs, requestMs } = TIMEOUTS, guards }: ServeOptions,
  handle: RequestListener,
  host: string,
  port: number,
): Promise<Server> {
  /** Forwards admitted requests. A rejected request never gets 100 Continue, so its body is not sent. */
  const guarded =
    (isWaiting = false): RequestListener =>
    (incoming, outgoing) => {
      latestExchange.set(incoming.socket, {
        incoming,
        outgoing,
        before: latestExchange.get(incoming.socket)?.outgoing,
      });
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
  server.on('clientError', (error, socket) => respondToMalformed(error, socket, guards));
  server.on('checkContinue', guarded(true));
  // Ignore an unknown Expect header, because responding here would skip the guards.
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
      // No event is emitted when a connection becomes idle after its response.
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

/** Sends an error response without using a framework. */
function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reason: unknown,
  { program, onRefused }: GuardPolicy,
): void {
  // Discard the rest of the body: closing the connection could lose the response.
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
  /** The previous response, if still unfinished. */
  readonly before: ServerResponse | undefined;
}

/** Newest request of each connection, so that no request gets two responses. */
const latestExchange = new WeakMap<Duplex, Exchange>();

/** Node's error for malformed HTTP, with the raw bytes if available. */
type MalformedError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Responds in JSON to malformed or late requests, unless the client would mistake the response for the
 * response to another request.
 */
function respondToMalformed(error: MalformedError, socket: Duplex, guards: GuardPolicy): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { incoming, outgoing, before } = latestExchange.get(socket) ?? {};
  if (incoming === undefined || outgoing === undefined) return writeRefusal(error, socket, guards);
  const isUnanswered = !incoming.complete && !outgoing.headersSent;
  if (isUnanswered && outgoing.socket === null) {
    // Wait: the response gets a socket only after all previous responses are finished.
    before?.once('close', () => respondToMalformed(error, socket, guards));
  } else if (isUnanswered) {
    // The API that reads the malformed body already reports the error.
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

/** Writes an error response to the socket, using the readable part of the request. */
function writeRefusal(error: MalformedError, socket: Duplex, { program, onRefused }: GuardPolicy): void {
  const { rawPacket } = error;
  const requestId = createRequestId();
  const { status, refusal } = malformed(error);
  const body = createErrorBody(refusal, requestId, program);
  const sent = serializeResponse(requestId, { status, body });
  // Report nothing for connections without data, because browsers open connections in advance.
  if (rawPacket !== undefined) {
    const line = REQUEST_LINE.exec(rawPacket.toString('latin1'));
    const [method, target] = [line?.[1] ?? 'UNKNOWN', line?.[2] ?? '(unreadable)'];
    onRefused?.({ requestId, method, target, headers: {}, rawHeaders: [], error: body.error, sent });
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    // The path may be unknown, so the request may be for the control API.
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
    const message = `Request headers can have at most ${maxHeaderSize} bytes.`;
    const refusal = new Refusal('HEADERS_TOO_LARGE', message, { hint: 'Send fewer or shorter headers.' });
    return { status: 431, refusal } as const;
  }
  const isTls = rawPacket?.[0] === TLS_HANDSHAKE;
  const message = isTls
    ? 'Received a TLS request, but this port accepts only plain HTTP.'
    : `The request is not valid HTTP (${code}).`;
  const hint = isTls ? 'Use http:// instead of https:// for the sandbox.' : undefined;
  const refusal = new Refusal('INVALID_REQUEST', message, { hint });
  return { status: code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400, refusal } as const;
}

/**
 * Returns a function that loads code or files on first use. The next call retries a failed load, because
 * running out of file descriptors can be temporary.
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
