import { gzipSync } from 'node:zlib';
import type { AttemptError } from '../../../src/contract/enums.js';
import {
  expiredCertificate,
  goodCertificate,
  selfSignedCertificate,
  wrongHostCertificate,
} from './receiver-certificates.js';
import {
  drip,
  later,
  nobody,
  pour,
  startNeverAccepting,
  startRawReceiver,
  type OnRequest,
  type RawReceiverOptions,
  type Receiver,
} from './receiver-server.js';

export type { Receiver } from './receiver-server.js';
export { testAuthority } from './receiver-certificates.js';

/** What an attempt at a receiver must come to. */
export interface ReceiverExpectation {
  error: AttemptError | null;
  status: number | null;
  /** Whether the body is at fault after good headers; `either` where Node's parsers differ by version. By default not. */
  bodyFault?: true | 'either';
}

/** One way to behave. TLS modes need `testAuthority` as the trusted authority; all need local endpoints allowed. */
export interface ReceiverMode {
  /** `limitMs` is the time limit of the attempts, for the modes that go by it. */
  start(limitMs?: number): Promise<Receiver>;
  expect: ReceiverExpectation;
  /** Takes as long as the time limit allows, so give a short one. */
  slow?: true;
}

/** The limit that slow modes go by when none is given. */
export const RECEIVER_LIMIT_MS = 300;

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

function mode(
  expect: ReceiverExpectation,
  onRequest: OnRequest,
  options: RawReceiverOptions = {},
): ReceiverMode {
  return { expect, start: () => startRawReceiver(onRequest, options) };
}

/** Writes one text in answer to each request, and closes the connection where `close` says so. */
function says(expect: ReceiverExpectation, text: string, options: { close?: true } = {}): ReceiverMode {
  return mode(expect, (socket) => {
    socket.write(text, 'latin1');
    if (options.close === true) socket.end();
  });
}

function slow(
  expect: ReceiverExpectation,
  onRequest: (socket: Parameters<OnRequest>[0], limitMs: number) => void,
): ReceiverMode {
  return {
    expect,
    slow: true,
    start: (limitMs = RECEIVER_LIMIT_MS) => startRawReceiver((socket) => onRequest(socket, limitMs)),
  };
}

/** Answers each request with a status, `ok` and further header lines. */
export function answering(status: number, headers = ''): ReceiverMode {
  const text = `HTTP/1.1 ${status} Status\r\n${headers}content-length: 2\r\n\r\nok`;
  return says({ error: errorOf(status), status }, text);
}

function errorOf(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'REDIRECT' : 'HTTP_STATUS';
}

const success: ReceiverExpectation = { error: null, status: 200 };
const faultyBody: ReceiverExpectation = { ...success, bodyFault: true };
const closed: ReceiverExpectation = { error: 'CONNECTION_RESET', status: null };
const timeout: ReceiverExpectation = { error: 'TIMEOUT', status: null };
const invalid: ReceiverExpectation = { error: 'INVALID_RESPONSE', status: null };
const tlsFailed: ReceiverExpectation = { error: 'TLS_FAILED', status: null };

const answersOk: OnRequest = (socket) => socket.write(OK);

const connectionModes = {
  'connection refused': {
    expect: { error: 'CONNECTION_REFUSED', status: null },
    start: () => Promise.resolve(nobody('http://127.0.0.1:1/webhooks')),
  },
  'unknown host': {
    expect: { error: 'DNS_FAILED', status: null },
    // A label over 63 bytes fails without a question to any server, so the outcome is the same on and off a network.
    start: () => Promise.resolve(nobody(`http://${'x'.repeat(64)}.invalid/webhooks`)),
  },
  'never accepts': { expect: timeout, slow: true, start: startNeverAccepting },
  'reset on accept': mode(closed, answersOk, { onConnection: (socket) => socket.resetAndDestroy() }),
  'closed on accept': mode(closed, answersOk, { onConnection: (socket) => socket.end() }),
  'closes without answer': mode(closed, (socket) => socket.end()),
  'reset without answer': mode(closed, (socket) => socket.resetAndDestroy()),
  'closes within the status line': says(closed, 'HTTP/1.1 20', { close: true }),
  'closes within the headers': says(closed, 'HTTP/1.1 200 OK\r\ncontent-le', { close: true }),
} satisfies Record<string, ReceiverMode>;

const timeModes = {
  'never answers': slow(timeout, () => {}),
  'headers byte by byte': slow(timeout, (socket, limitMs) => drip(socket, OK, limitMs / 6)),
  'only 1xx': slow(timeout, (socket, limitMs) => {
    for (const share of [0, 0.3, 0.6])
      later(socket, share * limitMs, () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
  }),
  'answers within the limit': slow(success, (socket, limitMs) =>
    later(socket, limitMs / 2, () => socket.write(OK)),
  ),
  'answers after the limit': slow(timeout, (socket, limitMs) =>
    later(socket, limitMs + 50, () => socket.write(OK)),
  ),
  'body byte by byte': slow(faultyBody, (socket, limitMs) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
    drip(socket, 'x'.repeat(100), limitMs / 6);
  }),
} satisfies Record<string, ReceiverMode>;

const bodyModes = {
  'reset in the body': mode(faultyBody, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    // A reset throws away what the other side has not read yet, so the headers get time to be read.
    later(socket, 50, () => socket.resetAndDestroy());
  }),
  'short body': says(faultyBody, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', { close: true }),
  'overlong body': says(faultyBody, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more than was said'),
  'bad chunk': says(faultyBody, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZZ\r\nbad\r\n'),
  'chunks without end': says(faultyBody, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n', {
    close: true,
  }),
  'body until close': says(success, 'HTTP/1.1 200 OK\r\n\r\nok', { close: true }),
  '204 with body': says(
    { error: null, status: 204, bodyFault: 'either' },
    'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok',
  ),
  'endless body': mode(success, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    pour(socket, Buffer.alloc(64 * 1024, 'x'));
  }),
  'endless error body': mode({ error: 'HTTP_STATUS', status: 500 }, (socket) => {
    socket.write('HTTP/1.1 500 Error\r\n\r\n');
    pour(socket, Buffer.alloc(64 * 1024, 'x'));
  }),
  'compressed bomb': mode(success, (socket) => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  }),
} satisfies Record<string, ReceiverMode>;

const headerModes = {
  'not HTTP': says(invalid, 'SSH-2.0-OpenSSH_9.6\r\n'),
  'headers of 20 KB': says(
    invalid,
    `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(20 * 1024)}\r\ncontent-length: 2\r\n\r\nok`,
  ),
  'two content lengths': says(
    invalid,
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!',
  ),
  '100 before 200': says(success, `HTTP/1.1 100 Continue\r\n\r\n${OK}`),
  '102 before 200': says(success, `HTTP/1.1 102 Processing\r\n\r\n${OK}`),
  '103 before 200': says(success, `HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n${OK}`),
  '103 before 500': says(
    { error: 'HTTP_STATUS', status: 500 },
    'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 500 Error\r\ncontent-length: 0\r\n\r\n',
  ),
  '101 with upgrade': says(
    { error: 'INVALID_RESPONSE', status: 101 },
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ),
  '101 without upgrade': says(
    { error: 'INVALID_RESPONSE', status: 101 },
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  ),
} satisfies Record<string, ReceiverMode>;

const tlsModes = {
  'TLS good': mode(success, answersOk, { certificate: goodCertificate }),
  'TLS self-signed': mode(tlsFailed, answersOk, { certificate: selfSignedCertificate }),
  'TLS expired': mode(tlsFailed, answersOk, { certificate: expiredCertificate }),
  'TLS wrong host': mode(tlsFailed, answersOk, { certificate: wrongHostCertificate }),
  'TLS spoken to plain HTTP': mode(tlsFailed, answersOk, {
    scheme: 'https',
    onConnection: (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  }),
} satisfies Record<string, ReceiverMode>;

const STATUSES = [
  [200, 201, 202, 203, 205, 206, 226, 299],
  [300, 301, 302, 303, 305, 307, 308, 399],
  [400, 401, 403, 404, 405, 406, 408, 409, 410, 413, 415, 417, 418, 421, 422, 425, 426, 431, 451, 499],
  [500, 501, 502, 503, 504, 505, 507, 511, 599, 600, 999],
].flat();

const statusModes: Record<string, ReceiverMode> = {
  ...Object.fromEntries(
    STATUSES.map((status) => [`status ${status}`, answering(status, locationOf(status))]),
  ),
  'status 304': says({ error: 'REDIRECT', status: 304 }, 'HTTP/1.1 304 Not Modified\r\n\r\n'),
  '429 with Retry-After': answering(429, 'retry-after: 3600\r\n'),
  '503 with Retry-After': answering(503, 'retry-after: Wed, 21 Oct 2099 07:28:00 GMT\r\n'),
};

function locationOf(status: number): string {
  return status >= 300 && status < 400 ? 'location: https://elsewhere.example/\r\n' : '';
}

/** Every way in which a receiver behaves or misbehaves, with what an attempt at it must come to (§6 rule 3). */
export const receiverModes: Readonly<Record<string, ReceiverMode>> = {
  ...connectionModes,
  ...timeModes,
  ...headerModes,
  ...bodyModes,
  ...tlsModes,
  ...statusModes,
};
