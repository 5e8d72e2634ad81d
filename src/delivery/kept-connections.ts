import type { ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import type { Socket, TcpNetConnectOpts } from 'node:net';
import net from 'node:net';

/** Below the 5 s after which many servers close an idle connection. */
export const IDLE_CONNECTION_MS = 4_000;
/** How long before the receiver closes an idle connection it is left. */
const MARGIN_MS = 1_000;
/** Idle connections to one address. */
const MOST_IDLE = 256;

/**
 * Keeps connections of plain HTTP, and prefers the one that was used last. The agent of Node copies the options and builds the name of
 * the connection several times for each request, which is a quarter of the processor time of an attempt.
 */
export class KeptConnections extends http.Agent {
  readonly #reach: Partial<TcpNetConnectOpts>;
  readonly #idle = new Map<string, Socket[]>();
  readonly #open = new Set<Socket>();

  /** @param reach Options of every connection. */
  constructor(reach: Partial<TcpNetConnectOpts>) {
    super({ keepAlive: true });
    this.#reach = { ...reach, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1_000 };
  }

  /** Gives a request its connection; `node:http` calls it. */
  addRequest(request: ClientRequest, options: TcpNetConnectOpts): void {
    const name = `${options.host}:${options.port}`;
    let idle = this.#idle.get(name);
    if (idle === undefined) this.#idle.set(name, (idle = []));
    let socket = idle.pop();
    while (socket?.destroyed) socket = idle.pop();
    if (socket !== undefined) {
      request.reusedSocket = true;
      socket.ref();
    }
    request.on('response', heedHint);
    request.onSocket(socket ?? this.#connect(idle, options));
  }

  override destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #connect(idle: Socket[], { host, port, lookup }: TcpNetConnectOpts): Socket {
    const socket = net.connect({ ...this.#reach, host, port, lookup });
    this.#open.add(socket);
    socket.setTimeout(IDLE_CONNECTION_MS);
    socket.on('free', () => {
      if (socket.connecting || !socket.writable || idle.length >= MOST_IDLE) {
        socket.destroy();
        return;
      }
      socket.unref();
      idle.push(socket);
    });
    socket.on('timeout', () => {
      if (idle.includes(socket)) socket.destroy();
    });
    // While it is idle, no request listens.
    socket.on('error', () => {});
    socket.on('close', () => this.#open.delete(socket));
    return socket;
  }
}

/** Leaves the connection in time where the answer says, as in `keep-alive: timeout=5`, how long the receiver keeps it. */
function heedHint(this: ClientRequest, { rawHeaders, socket }: IncomingMessage): void {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && /^keep-alive$/i.test(name));
  const [, seconds] = /^timeout=(\d+)/.exec(rawHeaders[at + 1] ?? '') ?? [];
  const keptMs = Math.min(Number(seconds ?? Infinity) * 1_000 - MARGIN_MS, IDLE_CONNECTION_MS);
  if (keptMs <= 0) this.shouldKeepAlive = false;
  else if (socket.timeout !== keptMs) socket.setTimeout(keptMs);
}
