import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import TunnelCluster from 'localtunnel/lib/TunnelCluster.js';
import { parseUrl } from '../text/urls.js';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { clearTimeout, setTimeout } from 'node:timers';
import { createTimeout } from '../delivery/abort.js';

/** Tunnel limits: times in milliseconds of real time, and maximum attempts. */
export const TUNNEL_LIMITS = {
  relayMs: 10_000,
  probeMs: 5_000,
  /** Time limit and maximum probes until the public URL reaches this process. */
  readyMs: 15_000,
  readyProbes: 8,
  /** Intervals between checks of an open tunnel: regular, and after a failed check. */
  healthMs: 30_000,
  recheckMs: 2_000,
  /** Consecutive failed checks after which an open tunnel counts as broken. */
  misses: 2,
  /** Open time after which a break restarts the attempt count. */
  stableMs: 60_000,
  /** Maximum attempts to open the tunnel for the first time, and after each break. */
  attemptsAtFirst: 5,
  attemptsAfterLoss: 10,
  /** Delay after the first failed attempt. Doubles after each failure, up to the maximum. */
  waitMs: 1_000,
  waitMaxMs: 32_000,
  /** Delay before replacing an unused connection, and maximum replacements per granted connection. */
  linkWaitMs: 300,
  linkFailures: 3,
} as const;

export type TunnelLimits = Readonly<Record<keyof typeof TUNNEL_LIMITS, number>>;

/** Waits in real time; rejects when the signal aborts. */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Proves that a tunnel reaches this process: only this process responds to the secret path with the token.
 */
interface Probe {
  readonly path: string;
  readonly token: string;
}

export function createProbe(): Probe {
  return { path: `/${randomBytes(24).toString('hex')}`, token: randomBytes(24).toString('hex') };
}

export interface FailedAttempt {
  readonly reason: string;
  readonly tries: number;
  readonly limit: number;
  readonly waitMs: number;
}

export interface TunnelOptions {
  readonly relay: URL;
  readonly name?: string | undefined;
  /** Port of a local server that listens on every loopback address and responds to the probe. */
  readonly localPort: number;
  readonly probe: Probe;
  readonly signal: AbortSignal;
  /** Called when the tunnel's public origin is known, before the tunnel forwards requests. */
  readonly onUrl: (url: string) => void;
  /** Called when the public origin starts to forward requests, initially and after each break. */
  readonly onOpen: (url: string) => void;
  readonly onFailedAttempt: (failed: FailedAttempt) => void;
  readonly limits?: Partial<TunnelLimits>;
  readonly pause?: Pause;
  readonly now?: () => number;
}

/** Thrown when all attempts to open or reopen a tunnel have failed. */
export class TunnelGoneError extends Error {
  override readonly name = 'TunnelGone';
  readonly wasOpen: boolean;

  constructor(reason: string, wasOpen: boolean) {
    super(reason);
    this.wasOpen = wasOpen;
  }
}

/** Thrown if a tunnel fails to open or breaks. Retryable; the message is one sentence. */
class TunnelError extends Error {}

/** A single tunnel's options. The signal also aborts when the tunnel ends. */
type Scope = Pick<TunnelOptions, 'relay' | 'localPort' | 'probe' | 'signal'> & {
  readonly limits: TunnelLimits;
  readonly pause: Pause;
};

/**
 * Opens a tunnel and keeps it open until the signal aborts. Reopens failed and broken tunnels with backoff.
 * Rejects with TunnelGoneError when no attempts are left.
 */
export async function maintainTunnel(options: TunnelOptions): Promise<void> {
  const { signal, onUrl, onOpen, now = () => performance.now(), pause = sleepUnless } = options;
  const limits: TunnelLimits = { ...TUNNEL_LIMITS, ...options.limits };
  // Request the same name again to preserve the URL.
  let { name } = options;
  let wasOpen = false;
  for (let tries = 1; !signal.aborted; tries += 1) {
    const ending = new AbortController();
    const scope = { ...options, limits, pause, signal: AbortSignal.any([signal, ending.signal]) };
    setMaxListeners(0, scope.signal);
    let openedAt: number | undefined;
    try {
      const grant = await requestTunnel(scope, name);
      name = grant.id;
      onUrl(grant.url);
      const watch = async () => {
        await awaitReady(grant.url, scope);
        openedAt = now();
        wasOpen = true;
        onOpen(grant.url);
        await watchHealth(grant.url, scope);
      };
      await Promise.race([connectRelay(grant, scope), watch()]);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TunnelError)) throw error;
      if (openedAt !== undefined && now() - openedAt >= limits.stableMs) tries = 1;
      const limit = wasOpen ? limits.attemptsAfterLoss : limits.attemptsAtFirst;
      if (tries >= limit) throw new TunnelGoneError(error.message, wasOpen);
      const waitMs = Math.min(limits.waitMs * 2 ** (tries - 1), limits.waitMaxMs);
      options.onFailedAttempt({ reason: error.message, tries, limit, waitMs });
      await pause(waitMs, signal).catch(() => undefined);
    } finally {
      ending.abort();
    }
  }
}

function sleepUnless(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal });
}

interface Grant {
  /** The relay's name for the tunnel, used to reopen the tunnel. */
  readonly id: string;
  readonly url: string;
  /** Relay host that accepts tunnel connections. */
  readonly host: string;
  readonly ip: string | undefined;
  readonly port: number;
  /** Number of idle connections to maintain. */
  readonly connections: number;
}

async function requestTunnel({ relay, limits, signal }: Scope, name: string | undefined): Promise<Grant> {
  const base = relay.href.replace(/\/?$/, '/');
  const url = new URL(name === undefined ? '?new' : encodeURIComponent(name), base);
  const { status, text, failure } = await sendGet(url, limits.relayMs, signal, 'follow', {
    accept: 'application/json',
  });
  signal.throwIfAborted();
  if (failure !== undefined) throw new TunnelError(`The relay ${relay.host} cannot be reached: ${failure}.`);
  if (status !== 200) throw new TunnelError(`The relay ${relay.host} responded with HTTP ${status}.`);
  const grant = readGrant(text, relay);
  if (grant !== undefined) return grant;
  throw new TunnelError(`The relay ${relay.host} did not return a tunnel URL and port.`);
}

/** Sends a GET request. `failure` explains a missing response. */
async function sendGet(
  url: URL | string,
  timeoutMs: number,
  signal: AbortSignal,
  redirect: 'follow' | 'manual',
  headers: object,
) {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': `PixSandbox/${__VERSION__}`, ...headers },
      redirect,
      signal: AbortSignal.any([signal, createTimeout(timeoutMs)]),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: '', failure: causeOf(error) };
  }
}

/** Maximum number of connections that a relay can request. */
const CONNECTIONS_MAX = 16;

/** Parses a relay's untrusted response. Returns undefined if the response is not a grant. */
export function readGrant(text: string, relay: URL): Grant | undefined {
  const { id, url, port, ip, max_conn_count: count } = parseObject(text);
  const origin = typeof url === 'string' ? publicOrigin(url) : undefined;
  const isPort = Number.isInteger(port) && Number(port) > 0 && Number(port) <= 65_535;
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id) || origin === undefined || !isPort)
    return undefined;
  return {
    id,
    url: origin,
    host: relay.hostname.replaceAll(/^\[|\]$/g, ''),
    ip: typeof ip === 'string' && isIP(ip) !== 0 ? ip : undefined,
    port: Number(port),
    connections: Number.isInteger(count) ? Math.min(Math.max(Number(count), 1), CONNECTIONS_MAX) : 1,
  };
}

function publicOrigin(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.pathname === '/' && `${url.username}${url.password}` === '' ? url.origin : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/**
 * Maintains the requested number of idle connections to the relay. Each connection forwards one public
 * connection to the local server as `localhost`, because localtunnel rewrites requests for other hosts.
 * Rejects with TunnelError if the relay refuses connections, and with the abort reason when the signal
 * aborts.
 */
function connectRelay(grant: Grant, { localPort, limits, pause, signal }: Scope): Promise<never> {
  const { host, ip, port, connections } = grant;
  const cluster = new TunnelCluster({
    remote_host: host,
    remote_ip: ip,
    remote_port: port,
    local_port: localPort,
  });
  const open = new Set<Socket>();
  let unused = 0;
  return new Promise((_, reject) => {
    const fail = (reason: string) =>
      reject(new TunnelError(`The relay ${host} does not accept connections on port ${port}: ${reason}.`));
    const replace = (socket: Socket) => {
      open.delete(socket);
      if (signal.aborted) return;
      unused = socket.bytesRead > 0 ? 0 : unused + 1;
      if (unused >= connections * limits.linkFailures) return fail('it closes them');
      if (unused === 0) return cluster.open();
      void pause(limits.linkWaitMs, signal).then(
        () => cluster.open(),
        () => undefined,
      );
    };
    cluster.on('error', () => fail('ECONNREFUSED'));
    cluster.on('open', (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => replace(socket));
      if (signal.aborted) socket.destroy();
    });
    signal.addEventListener('abort', () => {
      for (const socket of open) socket.destroy();
      reject(signal.reason as Error);
    });
    for (let count = 0; count < connections; count += 1) cluster.open();
  });
}

const FIRST_PROBE_WAIT_MS = 250;
const PROBE_WAIT_MAX_MS = 2_000;

async function awaitReady(url: string, scope: Scope): Promise<void> {
  const { limits, pause, signal } = scope;
  const timeUp = createTimeout(limits.readyMs);
  let waitMs = FIRST_PROBE_WAIT_MS;
  for (let tries = 1; ; tries += 1) {
    const problem = await probeProblem(url, { ...scope, signal: AbortSignal.any([signal, timeUp]) });
    if (problem === undefined) return;
    signal.throwIfAborted();
    if (timeUp.aborted || tries >= limits.readyProbes) {
      throw new TunnelError(`The relay assigned ${url}, but requests do not reach this process: ${problem}.`);
    }
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, PROBE_WAIT_MAX_MS);
  }
}

/** Checks the public URL periodically. Rejects when the URL no longer reaches this process. */
async function watchHealth(url: string, scope: Scope): Promise<never> {
  const { limits, pause, signal } = scope;
  for (let misses = 0; ;) {
    await pause(misses === 0 ? limits.healthMs : limits.recheckMs, signal);
    const problem = await probeProblem(url, scope);
    signal.throwIfAborted();
    misses = problem === undefined ? 0 : misses + 1;
    if (misses >= limits.misses)
      throw new TunnelError(`Requests to ${url} no longer reach this process: ${problem}.`);
  }
}

/** Sends a probe through the public URL. Returns the problem, or undefined on success. */
async function probeProblem(url: string, { probe, limits, signal }: Scope): Promise<string | undefined> {
  const { status, text, failure } = await sendGet(url + probe.path, limits.probeMs, signal, 'manual', {
    // Skip the warning page that some relays show to browsers.
    'bypass-tunnel-reminder': '1',
    // Avoid keep-alive, which would block one of the tunnel's few connections.
    connection: 'close',
  });
  if (failure !== undefined) return failure;
  if (status !== 200) return `the response was HTTP ${status}`;
  return text === probe.token ? undefined : 'the response had unexpected content';
}

/** Returns the error code or message of a `fetch` error's innermost cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'the request timed out';
  if (error.cause instanceof Error) return causeOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

export interface IncomingRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface InboxResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

export interface InboxOptions {
  readonly probe: Probe;
  /** Maximum body size, and time limit for receiving the body. */
  readonly bodyBytes: number;
  readonly bodyMs: number;
  readonly headerLines: number;
  /** Maximum concurrent requests. Further requests get a 503 with Retry-After. */
  readonly concurrency: number;
  readonly handle: (incoming: IncomingRequest) => Promise<InboxResponse>;
}

/** Local server behind a tunnel. */
interface Inbox {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Starts a server for POST requests on a free port of `localhost`, the host name to which localtunnel
 * connects.
 */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  let open = 0;
  const server = createServer(
    // Tunnel connections can be idle indefinitely before their first request.
    { headersTimeout: 0, requestTimeout: 0, noDelay: true },
    async (request, response) => {
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      response.on('error', () => undefined);
      const reply =
        refusalOf(request, options, open > options.concurrency) ?? (await readAndHandle(request, options));
      if (response.destroyed || response.headersSent) return;
      const length = Buffer.byteLength(reply.body);
      const plain = { 'content-type': 'text/plain; charset=utf-8', 'content-length': length };
      response.writeHead(reply.status, { ...plain, ...reply.headers }).end(reply.body);
    },
  );
  // By default, Node silently drops header lines after the first thousand.
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

/** Returns a response to probes and invalid requests without reading the body. */
function refusalOf(
  { rawHeaders, url, method }: IncomingMessage,
  { probe, headerLines }: InboxOptions,
  isTooMany: boolean,
): InboxResponse | undefined {
  if (rawHeaders.length / 2 > headerLines)
    return { status: 431, body: `At most ${headerLines} header lines.\n` };
  if (url === probe.path) return { status: 200, body: probe.token };
  if (method !== 'POST')
    return { status: 405, headers: { allow: 'POST' }, body: 'Send webhooks with POST.\n' };
  if (!isTooMany) return undefined;
  return { status: 503, headers: { 'retry-after': '1' }, body: 'Too many concurrent requests.\n' };
}

const CLOSE = { connection: 'close' };
const TOO_LARGE: InboxResponse = { status: 413, headers: CLOSE, body: 'The body is too large.\n' };
const TOO_SLOW: InboxResponse = { status: 408, headers: CLOSE, body: 'The body did not arrive in time.\n' };

async function readAndHandle(
  request: IncomingMessage,
  { bodyBytes, bodyMs, handle }: InboxOptions,
): Promise<InboxResponse> {
  const { headers } = request;
  const chunks: Buffer[] = [];
  let length = 0;
  const refusal = await new Promise<InboxResponse | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(TOO_SLOW), bodyMs);
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyBytes) resolve(TOO_LARGE);
      else chunks.push(chunk);
    });
    // A request that closes before its end means that the client has disconnected.
    request.on('end', () => resolve(undefined));
    request.on('error', () => resolve(TOO_SLOW));
    request.on('close', () => clearTimeout(timer));
  });
  return refusal ?? handle({ headers, body: Buffer.concat(chunks) });
}
