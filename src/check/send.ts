import type { ClientRequest } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { describeFailure } from '../delivery/attempt-failure.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import { createHttpSender } from '../delivery/http-attempt.js';
import { hmacSha256 } from '../signing/bytes.js';
import { webhookKey } from '../signing/webhook-secret.js';
import { messageOf as textOf } from '../text/errors.js';
import type { Answer, FetchTarget } from './check.js';

/** An event to announce: its `webhook-id`, and its body as it goes over the wire. */
export interface EventToSend {
  readonly id: string;
  readonly type: string;
  readonly body: Uint8Array;
}

/** A request to a receiver. */
export interface Message {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Sent in chunks, without a length. */
  readonly isChunked?: boolean;
  /** The byte of the body at which it is split into two writes, with a pause between them. */
  readonly splitAt?: number;
  /** Milliseconds after the last byte at which the connection ends, unless the answer comes first. */
  readonly cutAfterMs?: number;
}

/** What is signed; a timestamp may be any text. */
export interface ToSign {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly secret: string;
}

/** The base64 of a v1 signature (§5.5). */
export function signatureOf({ id, timestamp, body, secret }: ToSign): string {
  return hmacSha256(webhookKey(secret), `${id}.${timestamp}.`, body).toString('base64');
}

/** The parts of a signed webhook; an undefined header is left out. */
export interface Parts {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Uint8Array;
}

/** The parts of an event, rightly signed at a time in Unix seconds. */
export function rightParts({ id, body }: EventToSend, secret: string, nowS: number): Parts & ToSign {
  const timestamp = String(nowS);
  const signed = { id, timestamp, body, secret };
  return { ...signed, signature: `v1,${signatureOf(signed)}` };
}

/** The request of a webhook with these parts (§6). */
export function messageOf({ id, timestamp, signature, body }: Parts, more: Partial<Message> = {}): Message {
  const parts = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const present = Object.entries(parts).filter((part): part is [string, string] => part[1] !== undefined);
  return {
    method: 'POST',
    body,
    ...more,
    headers: {
      'user-agent': `PixSandbox-Webhooks/${__VERSION__}`,
      'content-type': 'application/json',
      ...Object.fromEntries(present),
      ...more.headers,
    },
  };
}

/** Sends requests to a receiver. Every failure of the receiver is an answer; rejects only when the signal aborts. */
export interface Target {
  readonly url: string;
  /** Whether requests cross a socket. */
  readonly hasSocket: boolean;
  readonly send: (message: Message, signal: AbortSignal) => Promise<Answer>;
  readonly close: () => void;
}

const ORIGIN = 'http://receiver.localhost';
const NOTHING = new Uint8Array();

/** A receiver in this process: what throws counts as a connection that closed. */
export function inProcessTarget(target: FetchTarget, path: string, timeoutMs: number): Target {
  const url = new URL(path, ORIGIN).href;
  return {
    url,
    hasSocket: false,
    send: (message, signal) => call(target, requestOf(url, message), { message, timeoutMs, signal }),
    close: () => undefined,
  };
}

interface Calling {
  readonly message: Message;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly request: Request;
  readonly abort: () => void;
}

function requestOf(url: string, { method, headers, body, isChunked = false, splitAt }: Message): Asked {
  const ending = new AbortController();
  const init: RequestInit & { readonly duplex: 'half' } = {
    method: 'POST',
    headers: isChunked ? { ...headers } : { ...headers, 'content-length': String(body.length) },
    body: splitAt === undefined ? whole(body, isChunked) : splitStream(body, splitAt),
    signal: ending.signal,
    duplex: 'half',
  };
  const request = new Request(url, init);
  // The constructor refuses a GET with a body.
  if (method !== 'POST') Object.defineProperty(request, 'method', { value: method });
  return { request, abort: () => ending.abort() };
}

function whole(body: Uint8Array, isChunked: boolean) {
  return isChunked ? new Blob([copyOf(body)]).stream() : copyOf(body);
}

function splitStream(body: Uint8Array, at: number): ReadableStream<Uint8Array> {
  const pieces = [body.subarray(0, at), body.subarray(at)].map(copyOf).values();
  return new ReadableStream({
    pull: (controller) => {
      const { value, done } = pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** The bytes in a buffer of their own, which the receiver may keep or change. */
function copyOf(body: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(body);
}

function call(target: FetchTarget, { request, abort }: Asked, calling: Calling): Promise<Answer> {
  const { message, timeoutMs, signal } = calling;
  const startedMs = performance.now();
  const none = (error: string): Answer => {
    return { status: null, error, headers: [], body: NOTHING, ms: performance.now() - startedMs };
  };
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      abort();
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      resolve(none(`TIMEOUT: No answer within ${timeoutMs} ms.`));
      abort();
    }, timeoutMs);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    let isCut = false;
    void answer(target, request, startedMs)
      .catch((error: unknown) => none(`CONNECTION_RESET: ${textOf(error)}`))
      .then((answered) => resolve(isCut ? none('CUT') : answered))
      .finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      });
    if (message.cutAfterMs === undefined) return;
    // The receiver has begun by then, and learns that the sender is gone.
    const cut = () => {
      isCut = true;
      abort();
    };
    if (message.cutAfterMs > 0) setTimeout(cut, message.cutAfterMs);
    else setImmediate(cut);
  });
}

async function answer({ fetch }: FetchTarget, request: Request, startedMs: number): Promise<Answer> {
  const response = await fetch(request);
  const ms = performance.now() - startedMs;
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, error: null, headers: [...response.headers], body, ms };
}

const WRITE_GAP_MS = 30;
/** Beyond this nothing is read of an answer. */
const MAX_BODY_BYTES = 64 * 1024;

/** A receiver at a URL. */
export function socketTarget(url: URL, timeoutMs: number): Target {
  const sender = createHttpSender({
    policy: { routes: new Map(), allowLocalEndpoints: true },
    maxBodyBytes: MAX_BODY_BYTES,
  });
  return {
    url: url.href,
    hasSocket: true,
    send: async (message, signal) => {
      const { cutAfterMs, splitAt, method } = message;
      if (cutAfterMs !== undefined || splitAt !== undefined || method !== 'POST')
        return sendOnce(url, message, timeoutMs, signal);
      const headers = {
        ...message.headers,
        ...(message.isChunked ? { 'transfer-encoding': 'chunked' } : {}),
      };
      return answerOf(await sender.send({ url: url.href, headers, body: message.body, timeoutMs }, signal));
    },
    close: () => sender.close(),
  };
}

function answerOf({ status, error, detail, latencyMs, response }: AttemptResult): Answer {
  return {
    status,
    error: status === null ? `${error}${detail === null ? '' : `: ${detail}`}` : null,
    headers: response?.headers ?? [],
    body: response?.body ?? NOTHING,
    ms: latencyMs,
  };
}

/** A request over a connection of its own, for a cut one, and for one in two writes. */
function sendOnce(url: URL, message: Message, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
  const startedMs = performance.now();
  const { request: open } = url.protocol === 'https:' ? https : http;
  const { method, headers, body, cutAfterMs, splitAt } = message;
  return new Promise((resolve, reject) => {
    const none = (error: string) =>
      resolve({ status: null, error, headers: [], body: NOTHING, ms: performance.now() - startedMs });
    const request = open(url, {
      method,
      headers: { ...headers, 'content-length': body.length, connection: 'close' },
      agent: false,
      signal,
      timeout: timeoutMs,
    });
    request.on('timeout', () => {
      none(`TIMEOUT: No answer within ${timeoutMs} ms.`);
      request.destroy();
    });
    request.on('error', (error) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (cutAfterMs === undefined) none(failureText(error));
      else none('CUT');
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        if (bytes < MAX_BODY_BYTES) chunks.push(chunk);
        bytes += chunk.length;
      });
      response.on('error', (error) => none(failureText(error)));
      response.on('end', () => {
        const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
        const ms = performance.now() - startedMs;
        resolve({
          status: response.statusCode ?? null,
          error: null,
          headers: pairs,
          body: Buffer.concat(chunks),
          ms,
        });
      });
    });
    if (splitAt !== undefined) return endInTwoWrites(request, body, splitAt);
    request.end(body, () => {
      if (cutAfterMs === undefined) return;
      const cut = () => {
        none('CUT');
        request.destroy();
      };
      setTimeout(cut, cutAfterMs);
    });
  });
}

/** Writes the rest of a body once the receiver has had time to read the beginning. */
function endInTwoWrites(request: ClientRequest, body: Uint8Array, at: number): void {
  request.setNoDelay(true);
  request.write(body.subarray(0, at), () => setTimeout(() => request.end(body.subarray(at)), WRITE_GAP_MS));
}

function failureText(error: Error): string {
  const { error: code, detail } = describeFailure(error, false);
  return `${code}: ${detail}`;
}
