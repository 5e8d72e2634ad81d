import type { HttpBindings } from '@hono/node-server';
import type { DoorBindings } from '../operation/answer.js';
import { responseTo } from '../operation/answer.js';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { Refusal } from '../../contract/refusals.js';
import { createLoader } from '../operation/loader.js';
import { guard, type GuardPolicy, seeAllHeaders } from './guards.js';
import { answerMalformed, refuse, rememberRequest } from './refuse.js';

/** Answers a request: all doors together. */
export type Fetch = (request: Request, bindings: DoorBindings) => Response | Promise<Response>;

export interface ServeOptions {
  /** Loads the handler: for the first request, unless it is opened earlier. */
  readonly load: () => Fetch | Promise<Fetch>;
  readonly guards: GuardPolicy;
  /** Addresses to listen on; the first is required, the others only if the machine has them. */
  readonly hosts: readonly [string, ...string[]];
  /** 0 takes a free one. */
  readonly port: number;
  readonly timeouts?: Timeouts | undefined;
}

/** Real time for a client to send its headers, and its whole request; a slower client is cut off. */
interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
}

export interface Served {
  readonly port: number;
  /** Loads the handler before a request does; rejects if it cannot be loaded. */
  readonly open: () => Promise<void>;
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
  const listener = createLoader(async () => {
    const [{ getRequestListener, RequestError }, fetch] = await Promise.all([
      import('@hono/node-server'),
      options.load(),
    ]);
    return getRequestListener((request, bindings) => fetch(request, bindings as HttpBindings), {
      overrideGlobalObjects: false,
      errorHandler: (error) => responseTo(error instanceof RequestError ? unreadableTarget(error) : error),
    });
  });
  for (let tries = 1; ; tries += 1) {
    const main = await listen(options, listener, mainHost, options.port);
    const { port } = main.address() as AddressInfo;
    const others = await Promise.allSettled(otherHosts.map((host) => listen(options, listener, host, port)));
    const servers = [main, ...others.flatMap((other) => (other.status === 'fulfilled' ? [other.value] : []))];
    const isTaken = others.some(
      (other) => other.status === 'rejected' && other.reason instanceof PortTakenError,
    );
    if (!isTaken) {
      const open = async () => void (await listener());
      return { port, open, close: (graceMs) => closeAll(servers, graceMs) };
    }
    await closeAll(servers, 0);
    if (options.port !== 0 || tries === FREE_PORT_TRIES) throw new PortTakenError(port);
  }
}

/** Resolves when the request was answered. */
type Listener = (...exchange: Parameters<RequestListener>) => Promise<void>;

function listen(
  { timeouts = TIMEOUTS, guards }: ServeOptions,
  listener: () => Listener | Promise<Listener>,
  host: string,
  port: number,
): Promise<Server> {
  const { headersMs, requestMs } = timeouts;
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    try {
      const listen = await listener();
      await listen(incoming, outgoing);
    } catch (error) {
      refuse(incoming, outgoing, error, guards);
    }
  };
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
      guarded(guards, pass),
    ),
  );
  server.on('clientError', (error, socket) => answerMalformed(error, socket, guards));
  server.on('checkContinue', guarded(guards, pass, true));
  // An unknown expectation is ignored; answering it here would skip the guards.
  server.on('checkExpectation', guarded(guards, pass));
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTakenError(port) : error);
    });
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

/**
 * Passes on what the guards admit. With `isAsking` a client waits for 100 Continue: a refused body is not
 * requested, and its connection ends.
 */
function guarded(guards: GuardPolicy, pass: RequestListener, isAsking = false): RequestListener {
  return (incoming, outgoing) => {
    rememberRequest(incoming, outgoing);
    const refusal = guard(incoming, guards);
    if (refusal !== undefined) {
      refuse(incoming, outgoing, refusal, guards);
      return;
    }
    if (isAsking) outgoing.writeContinue();
    pass(incoming, outgoing);
  };
}

/** A target that HTTP allows but URLs do not, such as a path with a backslash. */
function unreadableTarget({ message }: Error): Refusal {
  return new Refusal('INVALID_REQUEST', `The request target is not valid: ${message}.`);
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
