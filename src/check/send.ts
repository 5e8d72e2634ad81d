import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { createTimeout, raceAbort } from '../delivery/abort.js';
import { describeFailure } from '../delivery/attempt-failure.js';
import { computeHmacSha256 } from '../signing/message.js';
import { webhookKey } from '../signing/webhook.js';
import { getErrorMessage as textOf } from '../text/errors.js';
import type { ReceiverResponse, FetchTarget } from './check.js';

const WRITE_GAP_MS = 30;
const MAX_BODY_BYTES = 64 * 1024;
const IN_PROCESS_ORIGIN = 'http://receiver.localhost';

/** An event to send, with its `webhook-id` and serialized body. */
export interface EventToSend {
  readonly id: string;
  readonly type: string;
  readonly body: Uint8Array;
}

export interface WebhookMessage {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly isChunked?: boolean;
  /** Byte offset at which the body is split into two writes, with a pause in between. */
  readonly splitAt?: number;
  /** Milliseconds from the last byte until the connection is cut, unless the response arrives first. */
  readonly cutAfterMs?: number;
}

/** Input for a signature. The timestamp can be any string. */
export interface SignatureInput {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly secret: string;
}

/** Computes a v1 signature in base64 (§5.5). */
export function computeSignature({ id, timestamp, body, secret }: SignatureInput): string {
  return computeHmacSha256(webhookKey(secret), `${id}.${timestamp}.`, body).toString('base64');
}

/** Parts of a signed webhook. Undefined headers are omitted. */
export interface MessageParts {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Uint8Array;
}

/** Signs an event with a timestamp in Unix seconds. */
export function createSignedParts(
  { id, body }: EventToSend,
  secret: string,
  nowS: number,
): MessageParts & SignatureInput {
  const timestamp = String(nowS);
  const signed = { id, timestamp, body, secret };
  return { ...signed, signature: `v1,${computeSignature(signed)}` };
}

export function createMessage(
  { id, timestamp, signature, body }: MessageParts,
  more: Partial<WebhookMessage> = {},
): WebhookMessage {
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

/** Sends requests to a receiver. Failures also resolve to a response; only an aborted signal rejects. */
export interface SendTarget {
  readonly url: string;
  readonly hasSocket: boolean;
  readonly send: (message: WebhookMessage, signal: AbortSignal) => Promise<ReceiverResponse>;
  readonly close: () => void;
}

function noResponse(error: string, startedMs: number): ReceiverResponse {
  const ms = performance.now() - startedMs;
  return { status: null, error, headers: [], body: new Uint8Array(), ms };
}

function timeoutText(ms: number): string {
  return `TIMEOUT: No response within ${ms} ms.`;
}

export function createSocketTarget(url: URL, timeoutMs: number): SendTarget {
  const { Agent } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true });
  return {
    url: url.href,
    hasSocket: true,
    send: (message, signal) => sendOver(url, agent, message, { timeoutMs, signal }),
    close: () => agent.destroy(),
  };
}

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Uses a separate connection for a cut or split request. Retries if a pooled connection was just reset. */
function sendOver(
  url: URL,
  agent: http.Agent,
  message: WebhookMessage,
  limits: Limits,
): Promise<ReceiverResponse> {
  const { method, headers, body, isChunked = false, cutAfterMs, splitAt } = message;
  const { timeoutMs, signal } = limits;
  const isOwn = cutAfterMs !== undefined || splitAt !== undefined;
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length };
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      headers: { ...headers, ...length, ...(isOwn ? { connection: 'close' } : {}) },
      agent: isOwn ? false : agent,
      signal,
    });
    const end = (error: string) => {
      resolve(noResponse(error, startedMs));
      request.destroy();
    };
    const timer = setTimeout(() => end(timeoutText(timeoutMs)), timeoutMs);
    request.on('close', () => clearTimeout(timer));
    const fail = (error: Error) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const { error: code, detail } = describeFailure(error, false);
      return end(`${code}: ${detail}`);
    };
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (!request.reusedSocket || error.code !== 'ECONNRESET' || signal.aborted) return fail(error);
      return resolve(sendOver(url, agent, message, limits));
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        if (bytes < MAX_BODY_BYTES) chunks.push(chunk);
        bytes += chunk.length;
      });
      response.on('error', fail);
      response.on('end', () => {
        const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
        const ms = performance.now() - startedMs;
        const status = response.statusCode ?? null;
        resolve({ status, error: null, headers: pairs, body: Buffer.concat(chunks), ms });
      });
    });
    if (splitAt === undefined) {
      request.end(body, () => {
        if (cutAfterMs !== undefined) setTimeout(() => end('CUT'), cutAfterMs);
      });
      return;
    }
    request.setNoDelay(true);
    // Gives the receiver time to read the first part.
    const endLater = () => setTimeout(() => request.end(body.subarray(splitAt)), WRITE_GAP_MS);
    request.write(body.subarray(0, splitAt), endLater);
  });
}

/** Creates a target for an in-process receiver. An exception counts as a closed connection. */
export function createFetchTarget({ fetch }: FetchTarget, path: string, timeoutMs: number): SendTarget {
  const url = new URL(path, IN_PROCESS_ORIGIN).href;
  const send = async (message: WebhookMessage, signal: AbortSignal): Promise<ReceiverResponse> => {
    const { cutAfterMs } = message;
    const startedMs = performance.now();
    /** Aborts the receiver's request when the sender disconnects. */
    const gone = new AbortController();
    const respond = async (): Promise<ReceiverResponse> => {
      const response = await fetch(requestOf(url, message, gone.signal));
      const ms = performance.now() - startedMs;
      const body = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, error: null, headers: [...response.headers], body, ms };
    };
    const work = respond().catch((error: unknown) =>
      noResponse(`CONNECTION_RESET: ${textOf(error)}`, startedMs),
    );
    // Lets the receiver start before the connection is cut.
    if (cutAfterMs === 0) setImmediate(() => gone.abort());
    else if (cutAfterMs !== undefined) setTimeout(() => gone.abort(), cutAfterMs);
    try {
      const response = await raceAbort(work, AbortSignal.any([signal, createTimeout(timeoutMs)]));
      return gone.signal.aborted ? noResponse('CUT', startedMs) : response;
    } catch {
      gone.abort();
      signal.throwIfAborted();
      return noResponse(timeoutText(timeoutMs), startedMs);
    }
  };
  return { url, hasSocket: false, send, close: () => undefined };
}

function requestOf(url: string, message: WebhookMessage, signal: AbortSignal): Request {
  const { method, headers, body, isChunked = false, splitAt = body.length } = message;
  // Copies the bytes, because the receiver may modify them.
  const pieces = [body.subarray(0, splitAt), body.subarray(splitAt)].map((one) => new Uint8Array(one));
  const init: RequestInit & { readonly duplex: 'half' } = {
    method: 'POST',
    headers: isChunked ? { ...headers } : { ...headers, 'content-length': String(body.length) },
    body: isChunked || message.splitAt !== undefined ? ReadableStream.from(pieces) : pieces[0],
    signal,
    duplex: 'half',
  };
  const request = new Request(url, init);
  // The Request constructor rejects a GET with a body.
  if (method !== 'POST') Object.defineProperty(request, 'method', { value: method });
  return request;
}
