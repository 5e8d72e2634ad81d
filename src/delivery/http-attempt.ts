import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import type { AttemptError } from '../contract/attempt-errors.js';
import { withoutUrlSecrets } from '../text/redaction.js';
import { onAbort } from './abort-hooks.js';
import { describeFailure, failedAttempt, isClosedConnection } from './attempt-failure.js';
import { BodyPrefix } from './body-prefix.js';
import { createConnections, type Connections, type FoundDestination } from './connections.js';
import { findDestination, type Destination, type DestinationPolicy } from './destination.js';

/** One POST of a signed body. `timeoutMs` is real time and runs from the call of `send`, name lookup included (§6 rule 3). */
export interface AttemptRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  timeoutMs: number;
}

/** A receiver's answer: the headers in their order and spelling, and the first bytes of the body as received. */
export interface AttemptResponse {
  headers: [name: string, value: string][];
  body: Uint8Array;
  truncated: boolean;
}

/** The outcome of an attempt. */
export interface AttemptResult {
  /** The final status; null when there were no final headers. */
  status: number | null;
  /** Null is success: a final 2xx whose headers arrived in time. */
  error: AttemptError | null;
  /** The raw error text, for people. */
  detail: string | null;
  /** An error in the body after valid headers; it does not affect the outcome. */
  bodyError: string | null;
  /** From the start to the final headers or the failure. */
  latencyMs: number;
  response: AttemptResponse | null;
}

/** The options of a sender. */
export interface HttpSenderOptions {
  policy: DestinationPolicy;
  /** The bytes to keep of a receiver's body; a longer one closes the connection. By default 16 KiB. */
  maxBodyBytes?: number;
  /** Monotonic real time in milliseconds. */
  now?: () => number;
  /** Certificate authorities to trust instead of the usual ones (PEM). */
  ca?: string | string[];
}

/** Sends attempts over kept connections. */
export interface HttpSender {
  /**
   * Makes one attempt. Every failure of the network or the receiver is a result. Rejects with the signal's reason when that
   * aborts (the outcome is then dropped), and with a TypeError when a header cannot be sent.
   */
  send(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptResult>;
  /** Closes every connection. Attempts still in flight reject. */
  close(): void;
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024;

interface Wiring {
  policy: DestinationPolicy;
  maxBodyBytes: number;
  now: () => number;
  connections: Connections;
  inFlight: Set<HttpAttempt>;
}

/** Makes a sender. It reuses a kept connection only while the endpoint's URL passes the policy. */
export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const wiring: Wiring = {
    policy: options.policy,
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    now: options.now ?? (() => performance.now()),
    connections: createConnections(options.ca),
    inFlight: new Set(),
  };
  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        new HttpAttempt(wiring, request, { resolve, reject }).start(signal);
      }),
    close() {
      for (const attempt of wiring.inFlight) attempt.abort(new Error('The sender was closed.'));
      wiring.connections.destroy();
    },
  };
}

interface Outcome {
  resolve: (result: AttemptResult) => void;
  reject: (reason: unknown) => void;
}

/** The final headers, once received: they decide the outcome. */
interface Answer {
  status: number;
  latencyMs: number;
  message: IncomingMessage;
  body: BodyPrefix;
}

/** One attempt from start to outcome; a dead kept connection costs it a second request. */
class HttpAttempt {
  readonly #wiring: Wiring;
  readonly #request: AttemptRequest;
  readonly #outcome: Outcome;
  readonly #startedAtMs: number;
  #unhook: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled = false;
  #clientRequest: ClientRequest | null = null;
  #answer: Answer | null = null;

  constructor(wiring: Wiring, request: AttemptRequest, outcome: Outcome) {
    this.#wiring = wiring;
    this.#request = request;
    this.#outcome = outcome;
    this.#startedAtMs = wiring.now();
  }

  start(signal: AbortSignal | undefined): void {
    if (signal?.aborted === true) return this.abort(signal.reason);
    if (signal !== undefined) this.#unhook = onAbort(signal, () => this.abort(signal.reason));
    this.#wiring.inFlight.add(this);
    this.#timer = setTimeout(() => this.#onTimeIsUp(), this.#request.timeoutMs);
    try {
      const found = findDestination(this.#request.url, this.#wiring.policy);
      if (!(found instanceof Promise)) return this.#proceed(found);
      found.then(
        (destination) => this.#proceed(destination),
        (error: unknown) => this.abort(error),
      );
    } catch (error) {
      this.abort(error);
    }
  }

  /** Cancels the attempt: its promise rejects with the reason. */
  abort(reason: unknown): void {
    if (this.#settled) return;
    this.#settle();
    this.#outcome.reject(reason);
    this.#clientRequest?.destroy();
  }

  #proceed(destination: Destination): void {
    if (this.#settled) return;
    if (!destination.ok) return this.#fail(destination.error, destination.reason);
    try {
      this.#post(destination, 'kept');
    } catch (error) {
      this.abort(error); // A header that cannot be sent.
    }
  }

  #post(destination: FoundDestination, kind: 'kept' | 'fresh'): void {
    const request = this.#wiring.connections.open(destination, this.#request.headers, kind);
    this.#clientRequest = request;
    let bytesReadBefore = 0;
    request.on('socket', (socket) => {
      bytesReadBefore = socket.bytesRead;
    });
    request.on('response', (message) => this.#onFinalHeaders(message));
    request.on('upgrade', (message) => this.#onFinalHeaders(message));
    request.on('error', (error) => {
      const untouched = request.socket?.bytesRead === bytesReadBefore;
      if (request.reusedSocket && untouched && isClosedConnection(error) && !this.#settled) {
        // The receiver closed an idle connection just as we reused it, which is not its failure.
        this.#post(destination, 'fresh');
      } else {
        this.#onError(error, request.socket);
      }
    });
    request.end(this.#request.body);
  }

  #onFinalHeaders(message: IncomingMessage): void {
    if (this.#settled) return;
    const latencyMs = this.#elapsedMs();
    if (latencyMs > this.#request.timeoutMs) return this.#onTimeIsUp();
    const body = new BodyPrefix(this.#wiring.maxBodyBytes);
    this.#answer = { status: message.statusCode ?? 0, latencyMs, message, body };
    if (this.#answer.status < 200) return this.#conclude(null, true);
    message.on('data', (chunk: Uint8Array) => {
      body.add(chunk);
      if (body.truncated) this.#conclude(null, true);
    });
    message.on('end', () => this.#conclude(null, false));
    message.on('error', (error) => this.#onError(error, null));
  }

  #onError(error: Error, socket: Socket | null): void {
    if (this.#settled) return;
    if (this.#answer !== null) {
      const cutOff = isClosedConnection(error);
      return this.#conclude(cutOff ? 'The connection closed before the body ended.' : error.message, true);
    }
    const isUntrusted =
      socket !== null && 'authorizationError' in socket && Boolean(socket.authorizationError);
    const failure = describeFailure(error, isUntrusted);
    this.#fail(failure.error, failure.detail);
  }

  #onTimeIsUp(): void {
    if (this.#settled) return;
    const limit = `within ${this.#request.timeoutMs} ms`;
    if (this.#answer !== null) return this.#conclude(`The body did not end ${limit}.`, true);
    this.#fail('TIMEOUT', `No answer ${limit}: ${this.#phase()}.`);
    this.#clientRequest?.destroy();
  }

  #phase(): string {
    if (this.#clientRequest === null) return 'the host name was being looked up';
    const { socket } = this.#clientRequest;
    return socket === null || socket.connecting ? 'the connection was being made' : 'the request was sent';
  }

  #fail(error: AttemptError, detail: string): void {
    this.#settle();
    this.#outcome.resolve(failedAttempt(error, detail, this.#elapsedMs()));
  }

  #conclude(bodyError: string | null, disconnect: boolean): void {
    if (this.#settled || this.#answer === null) return;
    this.#settle();
    const { status, latencyMs, message, body } = this.#answer;
    const response = {
      headers: headerPairs(message.rawHeaders),
      body: body.bytes(),
      truncated: body.truncated,
    };
    const verdict = judge(status, message);
    this.#outcome.resolve({ status, ...verdict, bodyError, latencyMs, response });
    if (disconnect) this.#clientRequest?.destroy();
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#unhook?.();
    this.#wiring.inFlight.delete(this);
  }

  #elapsedMs(): number {
    return this.#wiring.now() - this.#startedAtMs;
  }
}

function judge(
  status: number,
  message: IncomingMessage,
): { error: AttemptError | null; detail: string | null } {
  if (status < 200)
    return {
      error: 'INVALID_RESPONSE',
      detail: `The receiver answered ${status}, which is not a final status.`,
    };
  if (status < 300) return { error: null, detail: null };
  if (status >= 400) return { error: 'HTTP_STATUS', detail: null };
  const { location } = message.headers;
  const detail = location === undefined ? null : `It redirects to ${withoutUrlSecrets(location)}`;
  return { error: 'REDIRECT', detail };
}

function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return pairs;
}
