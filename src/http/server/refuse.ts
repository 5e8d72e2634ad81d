import type { IncomingMessage, ServerResponse } from 'node:http';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../../contract/refusals.js';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import { answerFor, CONTROL_HEADERS, errorBody, newRequestId, written } from '../operation/answer.js';
import type { RefusedRequest } from '../operation/call-record.js';

/** What a refusal needs to know of its sandbox. */
export interface Refusing {
  /** The program as hints name it. */
  readonly program?: string | undefined;
  /** Gets every request that is refused before it reaches an API. */
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
}

/** Responds to a request with an error before any framework is involved. */
export function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reason: unknown,
  { program, onRefused }: Refusing = {},
): void {
  // The rest of a body is discarded: closing the connection could lose the response.
  incoming.resume();
  if (outgoing.headersSent) return;
  const requestId = newRequestId();
  const answer = answerFor(reason, requestId, program);
  const sent = written(requestId, answer);
  const { method = '', url: target = '', headers, rawHeaders } = incoming;
  onRefused?.({ requestId, method, target, headers, rawHeaders, error: answer.body.error, sent });
  const own = target.startsWith(CONTROL_PREFIX) ? CONTROL_HEADERS : {};
  outgoing.writeHead(sent.status, { ...sent.headers, ...own, 'content-length': sent.bytes });
  outgoing.end(sent.text);
}

/** What Node reports of bytes that are not HTTP, with the bytes themselves where there are any. */
type MalformedError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

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

/**
 * Answers in JSON what is not HTTP or comes too late, unless the client would read that as the answer to
 * another request.
 */
export function answerMalformed(error: MalformedError, socket: Duplex, refusing: Refusing = {}): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = error.code ?? 'unknown';
  const newest = NEWEST.get(socket);
  if (newest !== undefined && isWaiting(newest)) {
    newest.before?.once('close', () => answerMalformed(error, socket, refusing));
  } else if (newest === undefined || isAnswerTo(newest, code)) {
    writeRefusal(socket, error, code, newest?.incoming.complete === false ? {} : refusing);
  } else if (newest.outgoing.writableFinished) {
    socket.end();
  } else {
    newest.outgoing.shouldKeepAlive = false;
    newest.outgoing.once('close', () => socket.end());
  }
}

/**
 * Whether the next answer that the client reads is about this mistake: in an unanswered body, or in the head
 * of a next request.
 */
function isAnswerTo({ incoming, outgoing }: Exchange, code: string): boolean {
  if (incoming.complete) return code === 'HPE_HEADER_OVERFLOW' && outgoing.writableFinished;
  return !outgoing.headersSent;
}

/** An unfinished request is given its socket when the requests before it are answered. */
function isWaiting({ incoming, outgoing }: Exchange): boolean {
  return !incoming.complete && !outgoing.headersSent && outgoing.socket === null;
}

/** Reports what could be read; an API has already been given a request whose body is malformed. */
function writeRefusal(
  socket: Duplex,
  { rawPacket }: MalformedError,
  code: string,
  { program, onRefused }: Refusing,
): void {
  const requestId = newRequestId();
  const { status, refusal } = malformed(code, rawPacket);
  const body = errorBody(refusal, requestId, program);
  const sent = written(requestId, { status, body });
  // A connection on which nothing came is not a request: browsers open some in advance.
  if (rawPacket !== undefined) {
    const { error } = body;
    onRefused?.({ requestId, ...requestLineOf(rawPacket), headers: {}, rawHeaders: [], error, sent });
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    // Its path may be unknown, so it may be for the control API.
    ...Object.entries({ ...sent.headers, ...CONTROL_HEADERS }).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${sent.bytes}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${sent.text}`);
}

const REQUEST_LINE = /^([A-Z]{1,20}) (\/[!-~]*) HTTP\/1\.[01]\r?\n/;

/** The method and target with which the bytes of a malformed request begin. */
function requestLineOf(rawPacket: Buffer): Pick<RefusedRequest, 'method' | 'target'> {
  const [, method, target] = REQUEST_LINE.exec(rawPacket.toString('latin1')) ?? [];
  return method === undefined || target === undefined
    ? { method: 'UNKNOWN', target: '(unreadable)' }
    : { method, target };
}

/** The first byte of a TLS handshake. */
const TLS_HANDSHAKE = 0x16;

function malformed(
  code: string,
  rawPacket: Buffer | undefined,
): { readonly status: 400 | 408 | 431; readonly refusal: Refusal } {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `The headers of a request may have ${maxHeaderSize} bytes.`;
    const refusal = new Refusal('HEADERS_TOO_LARGE', message, { hint: 'Send fewer or shorter headers.' });
    return { status: 431, refusal };
  }
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const isTls = rawPacket?.[0] === TLS_HANDSHAKE;
  const message = isTls
    ? 'The request is TLS, and this port speaks plain HTTP.'
    : `The request is not valid HTTP (${code}).`;
  const hint = isTls ? 'Call the sandbox with http:// instead of https://.' : undefined;
  return { status, refusal: new Refusal('INVALID_REQUEST', message, { hint }) };
}
