import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { testKey } from './receiver-certificates.js';

/** Something that deliveries can be sent to, well-behaved or not. Close it, or hold it with `await using`. */
export interface Receiver {
  url: string;
  /** How many whole requests came. */
  requests(): number;
  /** How many connections were made. */
  connections(): number;
  /** How many connections are open now. */
  open(): number;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a receiver does with a whole request; `ordinal` counts from 1 over all connections. */
export type OnRequest = (socket: Socket, ordinal: number, request: Buffer) => void;

export interface RawReceiverOptions {
  /** Instead of waiting for a request. */
  onConnection?: (socket: Socket) => void;
  /** Speaks TLS with this certificate. */
  certificate?: string;
  /** Writes `https` into the URL whatever is spoken. */
  scheme?: 'http' | 'https';
  port?: number;
}

/** A receiver that writes its answers to the bare socket, so that any answer can be made. */
export async function startRawReceiver(
  onRequest: OnRequest,
  options: RawReceiverOptions = {},
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let requests = 0;
  let connections = 0;
  const accept = (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}); // The sender may leave at any moment.
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) server.emit('idle');
    });
    if (options.onConnection !== undefined) {
      socket.resume(); // Unread, a socket never learns that the other side has left.
      return options.onConnection(socket);
    }
    forEachRequest(socket, (request) => {
      requests += 1;
      onRequest(socket, requests, request);
    });
  };
  const server: Server =
    options.certificate === undefined
      ? createServer(accept)
      : createTlsServer({ key: testKey, cert: options.certificate }, accept);
  server.on('tlsClientError', () => {}); // A sender that refuses the certificate.
  const scheme = options.scheme ?? (options.certificate === undefined ? 'http' : 'https');
  const port = await listen(server, options.port ?? 0);
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    if (server.listening) await once(server, 'close');
  };
  return {
    url: `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${port}/webhooks`,
    requests: () => requests,
    connections: () => connections,
    open: () => sockets.size,
    idle: async () => {
      if (sockets.size > 0) await once(server, 'idle');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a TCP address.');
  return address.port;
}

function forEachRequest(socket: Socket, onRequest: (request: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (
      let size = requestSize(pending);
      size !== null && size <= pending.length;
      size = requestSize(pending)
    ) {
      const request = pending.subarray(0, size);
      pending = pending.subarray(size);
      onRequest(request);
    }
  });
}

function requestSize(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const length = /^content-length: *(\d+)\r$/im.exec(bytes.toString('latin1', 0, headEnd + 2))?.[1] ?? '0';
  return headEnd + 4 + Number(length);
}

/** Does something later, unless the connection has closed by then. */
export function later(socket: Socket, delayMs: number, action: () => void): void {
  const timer = setTimeout(action, delayMs);
  socket.on('close', () => clearTimeout(timer));
}

/** Writes a text byte by byte. */
export function drip(socket: Socket, text: string, everyMs: number): void {
  let position = 0;
  const timer = setInterval(() => {
    socket.write(text.charAt(position), 'latin1');
    position += 1;
    if (position >= text.length) clearInterval(timer);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Writes for as long as the other side takes it, holding little at a time. */
export function pour(socket: Socket, chunk: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

const NEVER_ACCEPTING_SERVER = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** An address that listens and accepts nobody: its queue is full, because its thread stands still. */
export async function startNeverAccepting(): Promise<Receiver> {
  const worker = new Worker(NEVER_ACCEPTING_SERVER, { eval: true });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const close = async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  };
  return { ...nobody(`http://127.0.0.1:${port}/webhooks`), close, [Symbol.asyncDispose]: close };
}

/** A URL where nobody is. */
export function nobody(url: string): Receiver {
  const close = () => Promise.resolve();
  return {
    url,
    requests: () => 0,
    connections: () => 0,
    open: () => 0,
    idle: () => Promise.resolve(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
