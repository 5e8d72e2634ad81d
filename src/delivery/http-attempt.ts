import { isError } from '../text/errors.js';
import { setMaxListeners } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import type { AttemptError } from '../contract/enums.js';
import { redactUrl } from '../text/redaction.js';
import {
  createCompletedAttempt,
  describeFailure,
  createFailedAttempt,
  isClosedConnection,
} from './attempt-failure.js';
import { createPinnedLookup } from './addresses.js';
import { findDestination, type Destination, type DestinationPolicy } from './destination.js';

/**
 * A POST request with a signed body. `timeoutMs` limits the real time of `send`, including DNS (§6 rule 3).
 */
export interface AttemptRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  timeoutMs: number;
}

/** A receiver's response: the headers as they appeared on the wire, and the first bytes of the body. */
interface AttemptResponse {
  headers: [name: string, value: string][];
  body: Uint8Array;
  truncated: boolean;
}

export interface AttemptResult {
  /** The final status; null if no final headers arrived. */
  status: number | null;
  /** Null on success: the headers of a final 2xx response arrived in time. */
  error: AttemptError | null;
  detail: string | null;
  /** An error while reading the body, which does not affect the outcome. */
  bodyError: string | null;
  /** Real time from the start to the final headers or the failure. */
  latencyMs: number;
  response: AttemptResponse | null;
}

export interface HttpSenderOptions {
  policy: DestinationPolicy;
  /** Maximum number of body bytes to store; a longer body closes the connection. 16 KiB by default. */
  maxBodyBytes?: number;
  now?: () => number;
  /** Certificate authorities (PEM) to trust instead of the default ones. */
  ca?: string | string[];
}

/**
 * Sends attempts over an unlimited number of persistent connections, so that a slow host does not delay other
 * hosts.
 */
export interface HttpSender {
  /**
   * Sends one attempt. Resolves even after a network or receiver failure. On abort, drops the outcome and
   * rejects with the signal's reason. Rejects with a TypeError for an invalid header.
   */
  send(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptResult>;
  close(): void;
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Idle timeout of a connection; many servers close idle connections after 5 s. */
const IDLE_CONNECTION_MS = 4_000;
/** Time limit for connecting to each address of a host name, long enough for a loaded machine. */
const NEXT_ADDRESS_MS = 2_000;

/** Abort reason for a timed-out attempt. */
const TIME_IS_UP = new Error('The attempt timed out.');

type FoundDestination = Extract<Destination, { ok: true }>;

interface Attempt {
  readonly request: AttemptRequest;
  clientRequest: ClientRequest | undefined;
  /** Reason for an early end: a timeout or an abort. */
  endedBy: unknown;
  /** Called when the attempt ends early. */
  onEnd: (reason: unknown) => void;
  /** Connection error, possibly after the final headers. */
  failure: Error | undefined;
}

/** Ends an attempt early. An `AbortController` per attempt would add 10% CPU time. */
function end(attempt: Attempt, reason: unknown): void {
  attempt.endedBy ??= reason;
  attempt.onEnd(reason);
  attempt.clientRequest?.destroy();
}

export function createHttpSender(options: HttpSenderOptions): HttpSender {
  return new PooledSender(options);
}

/**
 * Validates addresses only when opening a connection. Reuses an open connection while the endpoint URL passes
 * the policy, even if its host name now resolves to a different address.
 */
class PooledSender implements HttpSender {
  readonly #options: HttpSenderOptions;
  readonly #inFlight = new Set<Attempt>();
  readonly #agents;

  constructor(options: HttpSenderOptions) {
    this.#options = options;
    const fresh = { autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS, ca: options.ca };
    const kept = { ...fresh, keepAlive: true, timeout: IDLE_CONNECTION_MS };
    this.#agents = {
      'http:': { kept: new http.Agent(kept), fresh: new http.Agent(fresh) },
      'https:': { kept: new https.Agent(kept), fresh: new https.Agent(fresh) },
    };
  }

  async send(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptResult> {
    const { policy, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, now = () => performance.now() } = this.#options;
    const startedAtMs = now();
    const elapsedMs = () => now() - startedAtMs;
    const attempt: Attempt = {
      request,
      clientRequest: undefined,
      endedBy: undefined,
      onEnd: () => undefined,
      failure: undefined,
    };
    signal?.throwIfAborted();
    const timer = setTimeout(end, request.timeoutMs, attempt, TIME_IS_UP);
    const callOff = () => end(attempt, signal?.reason);
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', callOff);
    this.#inFlight.add(attempt);
    try {
      const destination = findDestination(request.url, policy);
      const found = destination instanceof Promise ? await untilEnded(destination, attempt) : destination;
      if (!found.ok) return createFailedAttempt(found.error, found.reason, elapsedMs());
      const message = await this.#post(found, 'kept', attempt);
      const latencyMs = elapsedMs();
      // Check the limit again, because the timer can fire late.
      if (latencyMs > request.timeoutMs) end(attempt, TIME_IS_UP);
      if (attempt.endedBy !== undefined) throw attempt.endedBy;
      const { bodyError, ...start } = await readStart(message, maxBodyBytes, attempt);
      const response = { headers: headerPairs(message.rawHeaders), ...start };
      return { ...resultOfResponse(message), bodyError, latencyMs, response };
    } catch (error) {
      if (attempt.endedBy === TIME_IS_UP) {
        const detail = `No response within ${request.timeoutMs} ms: ${phaseOf(attempt)}.`;
        return createFailedAttempt('TIMEOUT', detail, elapsedMs());
      }
      if (attempt.endedBy !== undefined) throw attempt.endedBy;
      // Without a client request, a header is invalid or the policy's lookup has a bug.
      if (!isError(error) || attempt.clientRequest === undefined) throw error;
      const failure = describeFailure(error, isUntrusted(attempt.clientRequest));
      return createFailedAttempt(failure.error, failure.detail, elapsedMs());
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', callOff);
      this.#inFlight.delete(attempt);
    }
  }

  close(): void {
    for (const attempt of this.#inFlight) end(attempt, new Error('The sender was closed.'));
    for (const { kept, fresh } of Object.values(this.#agents)) {
      kept.destroy();
      fresh.destroy();
    }
  }

  #post(destination: FoundDestination, kind: 'kept' | 'fresh', attempt: Attempt): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = this.#open(destination, kind, attempt);
      attempt.clientRequest = request;
      let bytesReadBefore = 0;
      request.on('socket', (socket) => {
        bytesReadBefore = socket.bytesRead;
      });
      request.on('response', resolve);
      request.on('upgrade', resolve);
      request.on('error', (error) => {
        const isUntouched = request.socket?.bytesRead === bytesReadBefore;
        const isOver = attempt.endedBy !== undefined;
        if (request.reusedSocket && isUntouched && isClosedConnection(error) && !isOver) {
          // The receiver closed an idle connection while it was being reused. Retry on a fresh connection.
          resolve(this.#post(destination, 'fresh', attempt));
          return;
        }
        attempt.failure = error;
        reject(error);
      });
      request.end(attempt.request.body);
    });
  }

  #open({ target, addresses }: FoundDestination, kind: 'kept' | 'fresh', attempt: Attempt): ClientRequest {
    const isSecure = target.protocol === 'https:';
    return (isSecure ? https : http).request({
      agent: this.#agents[isSecure ? 'https:' : 'http:'][kind],
      method: 'POST',
      hostname: target.hostname,
      port: target.port,
      path: target.path,
      headers: attempt.request.headers,
      maxHeaderSize: MAX_HEADER_BYTES,
      lookup: addresses === null ? undefined : createPinnedLookup(addresses),
    });
  }
}

function phaseOf({ clientRequest }: Attempt): string {
  if (clientRequest === undefined) return 'the host name was being looked up';
  const { socket } = clientRequest;
  return socket === null || socket.connecting
    ? 'the connection was being established'
    : 'the request was sent';
}

function isUntrusted({ socket }: ClientRequest): boolean {
  return socket !== null && 'authorizationError' in socket && Boolean(socket.authorizationError);
}

function untilEnded<Result>(work: Promise<Result>, attempt: Attempt): Promise<Result> {
  return new Promise((resolve, reject) => {
    attempt.onEnd = reject;
    work.then(resolve, reject);
  });
}

interface BodyStart {
  body: Uint8Array;
  truncated: boolean;
  bodyError: string | null;
}

/** Reads a body up to `maxBytes` and closes the connection if the body is longer. Rejects on abort. */
function readStart(message: IncomingMessage, maxBytes: number, attempt: Attempt): Promise<BodyStart> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const finish = (bodyError: string | null, isWhole: boolean) => {
      if (!isWhole) message.destroy();
      // Copy the bytes, because a view would retain the entire network buffer.
      const body = new Uint8Array(Buffer.concat(chunks).subarray(0, maxBytes));
      resolve({ body, truncated: length > maxBytes, bodyError });
    };
    const fail = (error: Error) => {
      const isCut = isClosedConnection(error);
      finish(isCut ? 'The connection closed before the body ended.' : error.message, false);
    };
    attempt.onEnd = (reason) => {
      if (reason !== TIME_IS_UP) reject(reason);
      finish(`The body did not end within ${attempt.request.timeoutMs} ms.`, false);
    };
    if ((message.statusCode ?? 0) < 200) {
      message.socket.destroy();
      return finish(null, true);
    }
    message.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > maxBytes) finish(null, false);
    });
    message.on('end', () => (attempt.failure === undefined ? finish(null, true) : fail(attempt.failure)));
    message.on('error', fail);
  });
}

/** Converts the final status to an attempt result. */
function resultOfResponse({ statusCode: status = 0, headers: { location } }: IncomingMessage): AttemptResult {
  if (status < 200) {
    const detail = `The receiver responded with ${status}, which is not a final status.`;
    return { ...createFailedAttempt('INVALID_RESPONSE', detail), status };
  }
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  return createCompletedAttempt(status, isRedirect ? `Redirects to ${redactUrl(location)}` : null);
}

function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return pairs;
}
