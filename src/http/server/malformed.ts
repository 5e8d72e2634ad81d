import type { IncomingMessage, ServerResponse } from 'node:http';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../../contract/refusals.js';
import { CONTROL_HEADERS, errorBody, jsonHeaders, newRequestId } from '../operation/answer.js';

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The answer before it, which may still be at work. */
  readonly before: ServerResponse | undefined;
}

/** The newest request of each connection. */
const NEWEST = new WeakMap<Duplex, Exchange>();

/** Remembers a request, so that no second answer to it is written. */
export function rememberRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const before = NEWEST.get(incoming.socket)?.outgoing;
  NEWEST.set(incoming.socket, { incoming, outgoing, before });
}

/** Answers in JSON what is not HTTP or comes too late, unless the client would read that as the answer to another request. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = error.code ?? 'unknown';
  const newest = NEWEST.get(socket);
  if (newest !== undefined && isWaiting(newest)) {
    newest.before?.once('close', () => answerMalformed(error, socket));
  } else if (newest === undefined || isAnswerTo(newest, code)) {
    writeRefusal(socket, code);
  } else if (newest.outgoing.writableFinished) {
    socket.end();
  } else {
    newest.outgoing.shouldKeepAlive = false;
    newest.outgoing.once('close', () => socket.end());
  }
}

/** Whether the next answer that the client reads is about this mistake: in an unanswered body, or in the head of a next request. */
function isAnswerTo({ incoming, outgoing }: Exchange, code: string): boolean {
  if (incoming.complete) return code === 'HPE_HEADER_OVERFLOW' && outgoing.writableFinished;
  return !outgoing.headersSent;
}

/** An unfinished request is given its socket when the requests before it are answered. */
function isWaiting({ incoming, outgoing }: Exchange): boolean {
  return !incoming.complete && !outgoing.headersSent && outgoing.socket === null;
}

function writeRefusal(socket: Duplex, code: string): void {
  const requestId = newRequestId();
  const { status, refusal } = malformed(code);
  const body = JSON.stringify(errorBody(refusal, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    // Its path is unknown, so it may be for the control API.
    ...Object.entries({ ...jsonHeaders(requestId), ...CONTROL_HEADERS }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function malformed(code: string): { readonly status: number; readonly refusal: Refusal } {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `The headers of a request may have ${maxHeaderSize} bytes.`;
    const refusal = new Refusal('HEADERS_TOO_LARGE', message, { hint: 'Send fewer or shorter headers.' });
    return { status: refusal.status, refusal };
  }
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  return { status, refusal: new Refusal('INVALID_REQUEST', `The request is not valid HTTP (${code}).`) };
}
