import { performance } from 'node:perf_hooks';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { onAbort } from '../../delivery/abort-hooks.js';
import { messageOf as textOf } from '../../text/errors.js';
import type { Answer, FetchTarget } from '../check.js';
import type { Message } from './message.js';
import type { Target } from './target.js';

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
    const release = onAbort(signal, giveUp);
    let isCut = false;
    void answer(target, request, startedMs)
      .catch((error: unknown) => none(`CONNECTION_RESET: ${textOf(error)}`))
      .then((answered) => resolve(isCut ? none('CUT') : answered))
      .finally(() => {
        clearTimeout(timer);
        release();
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
