import type { ClientRequest } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import type { AttemptResult } from '../../delivery/http-attempt.js';
import { createHttpSender } from '../../delivery/http-attempt.js';
import { describeFailure } from '../../delivery/attempt-failure.js';
import type { Answer } from '../check.js';
import type { Message } from './message.js';
import type { Target } from './target.js';

const WRITE_GAP_MS = 30;
const NOTHING = new Uint8Array();
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
