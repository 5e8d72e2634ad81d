import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Probe } from './tunnel.js';

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
  readonly headerLines: number;
  /** Concurrent requests; more get a 503 with Retry-After. */
  readonly concurrency: number;
  readonly handle: (incoming: Incoming) => Promise<InboxAnswer>;
}

/** Local server behind a tunnel. */
export interface Inbox {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Accepts POST requests on a free port of this machine, as `localhost`, which is how localtunnel connects. */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  let open = 0;
  const server = createServer(
    // The tunnel's connections may wait indefinitely for their first request.
    { headersTimeout: 0, requestTimeout: 0, noDelay: true },
    async (request, response) => {
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      response.on('error', () => undefined);
      const answer =
        refusalOf(request, options, open > options.concurrency) ?? (await readAndHandle(request, options));
      if (response.destroyed || response.headersSent) return;
      const length = Buffer.byteLength(answer.body);
      const plain = { 'content-type': 'text/plain; charset=utf-8', 'content-length': length };
      response.writeHead(answer.status, { ...plain, ...answer.headers }).end(answer.body);
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

/** Responds without reading the body: to probes, and to requests unlike a delivery. */
function refusalOf(
  { rawHeaders, url, method }: IncomingMessage,
  { probe, headerLines }: InboxOptions,
  isTooMany: boolean,
): InboxAnswer | undefined {
  if (rawHeaders.length / 2 > headerLines)
    return { status: 431, body: `At most ${headerLines} header lines.\n` };
  if (url === probe.path) return { status: 200, body: probe.token };
  if (method !== 'POST')
    return { status: 405, headers: { allow: 'POST' }, body: 'Send webhooks with POST.\n' };
  if (!isTooMany) return undefined;
  return { status: 503, headers: { 'retry-after': '1' }, body: 'Too many requests at a time.\n' };
}

const CLOSE = { connection: 'close' };
const TOO_LARGE: InboxAnswer = { status: 413, headers: CLOSE, body: 'The body is too large.\n' };
const TOO_SLOW: InboxAnswer = { status: 408, headers: CLOSE, body: 'The body did not arrive.\n' };

async function readAndHandle(
  request: IncomingMessage,
  { bodyBytes, bodyMs, handle }: InboxOptions,
): Promise<InboxAnswer> {
  const { headers } = request;
  const chunks: Buffer[] = [];
  let length = 0;
  const refusal = await new Promise<InboxAnswer | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(TOO_SLOW), bodyMs);
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyBytes) resolve(TOO_LARGE);
      else chunks.push(chunk);
    });
    // When it closes before its end, the client is gone.
    request.on('end', () => resolve(undefined));
    request.on('error', () => resolve(TOO_SLOW));
    request.on('close', () => clearTimeout(timer));
  });
  return refusal ?? handle({ headers, body: Buffer.concat(chunks) });
}
