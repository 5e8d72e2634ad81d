import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Probe } from './probe.js';

/** A request that came through the tunnel, its body byte for byte. */
export interface Incoming {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface InboxAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

export interface InboxOptions {
  readonly probe: Probe;
  /** The largest body, and how long it may take to arrive. */
  readonly bodyBytes: number;
  readonly bodyMs: number;
  /** How many header lines a request may have. */
  readonly headerLines: number;
  /** How many requests are handled at a time; more get a 503 with Retry-After. */
  readonly concurrency: number;
  readonly handle: (incoming: Incoming) => Promise<InboxAnswer>;
}

/** The local server that a tunnel leads to. */
export interface Inbox {
  readonly port: number;
  /** Closes everything at once. */
  readonly close: () => Promise<void>;
}

/** Takes POST requests on a free port of this machine, as `localhost`, which is how localtunnel connects. */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  let open = 0;
  const server = createServer(
    // The tunnel's connections may wait indefinitely for their first request.
    { headersTimeout: 0, requestTimeout: 0, noDelay: true },
    (request, response) => {
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      void take(request, response, options, open > options.concurrency);
    },
  );
  // By default Node silently drops the lines after the thousandth.
  server.maxHeadersCount = 0;
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const isClosed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await isClosed;
    },
  };
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  options: InboxOptions,
  isTooMany: boolean,
): Promise<void> {
  const { probe, handle } = options;
  response.on('error', () => undefined);
  if (request.rawHeaders.length / 2 > options.headerLines) {
    return send(response, { status: 431, body: `At most ${options.headerLines} header lines.\n` });
  }
  if (request.url === probe.path) return send(response, { status: 200, body: probe.token });
  if (request.method !== 'POST') {
    return send(response, { status: 405, headers: { allow: 'POST' }, body: 'Send webhooks with POST.\n' });
  }
  if (isTooMany) {
    return send(response, {
      status: 503,
      headers: { 'retry-after': '1' },
      body: 'Too many requests at a time.\n',
    });
  }
  const body = await readBody(request, options);
  if (!Buffer.isBuffer(body)) return send(response, body);
  send(response, await handle({ headers: request.headers, body }));
}

const TOO_LARGE: InboxAnswer = {
  status: 413,
  headers: { connection: 'close' },
  body: 'The body is too large.\n',
};
const TOO_SLOW: InboxAnswer = {
  status: 408,
  headers: { connection: 'close' },
  body: 'The body did not arrive.\n',
};

/** The body, or the answer if it cannot be read. */
function readBody(
  request: IncomingMessage,
  { bodyBytes, bodyMs }: InboxOptions,
): Promise<Buffer | InboxAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => end(TOO_SLOW), bodyMs);
    const end = (result: Buffer | InboxAnswer) => {
      clearTimeout(timer);
      request.off('data', add);
      request.resume();
      resolve(result);
    };
    const add = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > bodyBytes) end(TOO_LARGE);
    };
    request.on('data', add);
    request.on('end', () => end(Buffer.concat(chunks)));
    // The client is gone.
    request.on('error', () => end(TOO_SLOW));
  });
}

function send(response: ServerResponse, { status, headers, body }: InboxAnswer): void {
  if (response.destroyed || response.headersSent) return;
  const length = Buffer.byteLength(body);
  const plain = { 'content-type': 'text/plain; charset=utf-8', 'content-length': length };
  response.writeHead(status, { ...plain, ...headers }).end(body);
}
