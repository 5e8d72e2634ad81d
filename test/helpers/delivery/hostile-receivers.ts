import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { AttemptError } from '../../../src/contract/attempt-errors.js';
import { ATTACKS, LATIN_ATTACK } from '../e2e/hostile.js';
import { goodCertificate } from './receiver-certificates.js';
import type { OnRequest, RawReceiverOptions, Receiver } from './receiver-server.js';
import { drip, later, pour, startRawReceiver } from './receiver-server.js';

/** How an attempt may end: its error, or the status with which it succeeds. More than one where Node's parsers differ. */
export type Ending = AttemptError | 200 | 204;

export interface HostileReceiver {
  readonly name: string;
  readonly endings: readonly Ending[];
  /** Goes on for as long as the attempt lets it. */
  readonly slow: boolean;
  readonly start: () => Promise<Receiver>;
}

type Socket = Parameters<OnRequest>[0];
type Act = (socket: Socket) => void;
type Rows = readonly (readonly [
  name: string,
  endings: Ending | readonly Ending[],
  act: Act | string | Buffer,
])[];

const OK_HEAD = 'HTTP/1.1 200 OK\r\n';
const OK = `${OK_HEAD}content-length: 2\r\n\r\nok`;
const GARBAGE = Buffer.from('\0\u00ff\u001b[2J\r\n\u00fe\r\n\r\n', 'latin1');
const LONG = Buffer.alloc(64 * 1024, 'x');
/** What a receiver sends is thrown away by a reset if the sender has not read it yet. */
const READ_MS = 20;

function receiver(
  [name, endings, act]: Rows[number],
  options: RawReceiverOptions = {},
  slow = false,
): HostileReceiver {
  const acts: Act =
    typeof act === 'function'
      ? act
      : (socket) => socket.write(typeof act === 'string' ? Buffer.from(act, 'latin1') : act);
  return {
    name,
    endings: Array.isArray(endings) ? (endings as Ending[]) : [endings as Ending],
    slow,
    start: () => startRawReceiver(acts, options),
  };
}

/** How far an answer comes, each with whether its headers are whole by then. */
const STAGES: readonly (readonly [name: string, text: string, hasHeaders: boolean])[] = [
  ['before a byte', '', false],
  ['within the version', 'HTT', false],
  ['within the status', 'HTTP/1.1 20', false],
  ['within the reason', 'HTTP/1.1 200 O', false],
  ['after the status line', OK_HEAD, false],
  ['within a header name', `${OK_HEAD}content-le`, false],
  ['within a header', `${OK_HEAD}content-length: 1`, false],
  ['after an informational answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', false],
  ['after the headers', `${OK_HEAD}content-length: 8\r\n\r\n`, true],
  ['within the body', `${OK_HEAD}content-length: 8\r\n\r\nhalf`, true],
  ['within a chunk size', `${OK_HEAD}transfer-encoding: chunked\r\n\r\n1`, true],
  ['within a chunk', `${OK_HEAD}transfer-encoding: chunked\r\n\r\n10\r\nhalf`, true],
  ['before the last chunk', `${OK_HEAD}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n`, true],
];

const ENDS: readonly (readonly [name: string, ending: AttemptError, end: Act])[] = [
  ['resets', 'CONNECTION_RESET', (socket) => later(socket, READ_MS, () => socket.resetAndDestroy())],
  ['closes', 'CONNECTION_RESET', (socket) => socket.destroySoon()],
  ['closes its half', 'CONNECTION_RESET', (socket) => socket.end()],
  ['goes on with garbage', 'INVALID_RESPONSE', (socket) => socket.write(GARBAGE)],
];

/** Every way to stop, at every stage. Once the headers are whole the outcome is theirs. */
const stopping: Rows = STAGES.flatMap(([stage, text, hasHeaders]) =>
  ENDS.map(
    ([how, ending, end]) =>
      [
        `${how} ${stage}`,
        // A reset throws away headers that the sender has not read yet.
        hasHeaders ? (how === 'resets' ? [200, ending] : 200) : ending,
        (socket: Socket) => {
          if (text !== '') socket.write(text);
          end(socket);
        },
      ] as const,
  ),
);

const endless =
  (head: string, chunk: string | Buffer): Act =>
  (socket) => {
    socket.write(head);
    pour(socket, Buffer.from(chunk));
  };

const withoutEnd: Rows = [
  ['pours a status line', 'INVALID_RESPONSE', endless('HTTP/1.1 200 ', LONG)],
  ['pours headers', 'INVALID_RESPONSE', endless(OK_HEAD, 'x-a: b\r\n'.repeat(1_000))],
  ['pours a header', 'INVALID_RESPONSE', endless(`${OK_HEAD}x-long: `, LONG)],
  ['pours a header name', 'INVALID_RESPONSE', endless(OK_HEAD, LONG)],
  ['pours a body', 200, endless(`${OK_HEAD}\r\n`, LONG)],
  ['pours the body of an error', 'HTTP_STATUS', endless('HTTP/1.1 500 Error\r\n\r\n', LONG)],
  ['pours chunks', 200, endless(`${OK_HEAD}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(1_000))],
  ['pours a chunk extension', 200, endless(`${OK_HEAD}transfer-encoding: chunked\r\n\r\n2;`, LONG)],
  [
    'pours trailers',
    200,
    endless(`${OK_HEAD}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x-a: b\r\n'.repeat(1_000)),
  ],
  ['pours what is no HTTP', 'INVALID_RESPONSE', endless('', LONG)],
  ['pours answers', 200, endless('', OK.repeat(1_000))],
];

const bomb = Buffer.alloc(16 * 1024 * 1024);
const packed = (encoding: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(`${OK_HEAD}content-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`),
    bytes,
  ]);

const bodies: Rows = [
  ['packs a bomb with gzip', 200, packed('gzip', gzipSync(bomb))],
  ['packs a bomb with deflate', 200, packed('deflate', deflateSync(bomb))],
  ['packs a bomb with brotli', 200, packed('br', brotliCompressSync(bomb))],
  [
    'sends a chunk whose size overflows',
    200,
    `${OK_HEAD}transfer-encoding: chunked\r\n\r\n${'f'.repeat(40)}\r\nok`,
  ],
  ['sends a negative chunk', 200, `${OK_HEAD}transfer-encoding: chunked\r\n\r\n-1\r\nok`],
  ['ends its body with another answer', 200, `${OK}HTTP/1.1 500 Error\r\ncontent-length: 0\r\n\r\n`],
  ['ends its body with garbage', 200, Buffer.concat([Buffer.from(OK), GARBAGE])],
  [
    'sends attacks on terminals',
    'HTTP_STATUS',
    `HTTP/1.1 500 ${LATIN_ATTACK}\r\nx-evil: ${LATIN_ATTACK}\r\ncontent-length: 2\r\n\r\nno`,
  ],
  [
    'sends a body of attacks',
    'HTTP_STATUS',
    Buffer.from(
      `HTTP/1.1 500 E\r\ncontent-length: ${Buffer.byteLength(ATTACKS.join(''))}\r\n\r\n${ATTACKS.join('')}`,
    ),
  ],
];

const head = (name: string, endings: Ending | readonly Ending[], lines: string) =>
  [name, endings, `${OK_HEAD}${lines}\r\n\r\nok`] as const;

const heads: Rows = [
  head('announces two lengths', 'INVALID_RESPONSE', 'content-length: 2\r\ncontent-length: 5'),
  head('announces a length twice', ['INVALID_RESPONSE', 200], 'content-length: 2\r\ncontent-length: 2'),
  head('announces a list of lengths', 'INVALID_RESPONSE', 'content-length: 2, 2'),
  head('announces a negative length', 'INVALID_RESPONSE', 'content-length: -2'),
  head('announces a length in words', 'INVALID_RESPONSE', 'content-length: two'),
  head('announces a length in hex', 'INVALID_RESPONSE', 'content-length: 0x2'),
  head('announces a length that overflows', 'INVALID_RESPONSE', `content-length: ${'9'.repeat(40)}`),
  head(
    'announces a length and chunks',
    'INVALID_RESPONSE',
    'content-length: 2\r\ntransfer-encoding: chunked',
  ),
  head('has a header without a colon', 'INVALID_RESPONSE', 'x-strange'),
  head('has a space before a colon', 'INVALID_RESPONSE', 'x-strange : 1'),
  head('has a zero in a header', 'INVALID_RESPONSE', 'x-strange: a\0b'),
  head('has an empty header name', 'INVALID_RESPONSE', ': b'),
  head('keeps the connection for no time', 200, 'content-length: 2\r\nkeep-alive: timeout=0'),
  head('keeps the connection for ever', 200, 'content-length: 2\r\nkeep-alive: timeout=99999999999999'),
  head('offers another protocol', 200, 'content-length: 2\r\nconnection: upgrade\r\nupgrade: h2c'),
];

const versions: Rows = [
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/3',
  'HTTP/11.1',
  'ICY',
  'http/1.1',
  'HTTPS/1.1',
  'RTSP/1.0',
  'HTTP/1.1\0',
].map(
  (version) =>
    [
      `speaks ${JSON.stringify(version)}`,
      ['INVALID_RESPONSE', 200],
      `${version} 200 OK\r\ncontent-length: 2\r\n\r\nok`,
    ] as const,
);

const statuses: Rows = ['1000', '20', '2', '-200', '2OO', '', '200200'].map(
  (status) =>
    [
      `answers the status "${status}"`,
      ['INVALID_RESPONSE', 'HTTP_STATUS'],
      `HTTP/1.1 ${status} OK\r\ncontent-length: 2\r\n\r\nok`,
    ] as const,
);

const redirects: Rows = [
  'http://127.0.0.1:1/',
  'file:///etc/passwd',
  '/webhooks',
  '//evil.example',
  'javascript:1',
  '',
  '\u00ff',
].map(
  (to) =>
    [
      `redirects to "${to}"`,
      'REDIRECT',
      `HTTP/1.1 307 Go\r\nlocation: ${to}\r\ncontent-length: 0\r\n\r\n`,
    ] as const,
);

const others: Rows = [
  ['speaks HTTP/2', 'INVALID_RESPONSE', Buffer.from('000006040000000000000300000064', 'hex')],
  ['answers with a request', 'INVALID_RESPONSE', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
  [
    'sends a thousand informational answers',
    [200, 'INVALID_RESPONSE'],
    'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000) + OK,
  ],
  [
    'answers and resets',
    200,
    (socket) => socket.write(OK, () => later(socket, READ_MS, () => socket.resetAndDestroy())),
  ],
  [
    'answers and goes on when nobody asks',
    200,
    (socket) => {
      socket.write(OK);
      later(socket, 5, () => socket.write(OK));
    },
  ],
  ['answers to half a request', 200, (socket) => socket.write(OK)],
];

const slow: Rows = [
  ['announces more than there is', 200, `${OK_HEAD}content-length: 999999999999999\r\n\r\nok`],
  [
    'sends a chunk of all the memory',
    200,
    `${OK_HEAD}transfer-encoding: chunked\r\n\r\nfffffffffffffff\r\nok`,
  ],
  ['says nothing', 'TIMEOUT', () => {}],
  ['drips its headers', 'TIMEOUT', (socket) => drip(socket, OK.repeat(9), 40)],
  [
    'drips its body',
    200,
    (socket) => {
      socket.write(`${OK_HEAD}content-length: 99\r\n\r\n`);
      drip(socket, 'x'.repeat(99), 40);
    },
  ],
  [
    'sends informational answers for ever',
    ['TIMEOUT', 'INVALID_RESPONSE'],
    endless('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
  ],
  ['stops within the headers', 'TIMEOUT', `${OK_HEAD}x-a`],
];

const onConnection = (name: string, ending: Ending, act: Act) =>
  receiver([name, ending, () => {}], { scheme: 'https', onConnection: act });
const tls: readonly HostileReceiver[] = [
  onConnection('answers TLS with garbage', 'TLS_FAILED', (socket) => socket.write(GARBAGE)),
  onConnection('answers TLS with an alert', 'TLS_FAILED', (socket) =>
    socket.write(Buffer.from('15030300020228', 'hex')),
  ),
  onConnection('answers TLS with half a greeting', 'CONNECTION_RESET', (socket) =>
    socket.end(Buffer.from('160303004a0200', 'hex')),
  ),
  onConnection('answers TLS with HTTP', 'TLS_FAILED', (socket) => socket.write(OK)),
  receiver(['closes within TLS', 'CONNECTION_RESET', (socket) => socket.end()], {
    certificate: goodCertificate,
  }),
  receiver(['sends garbage within TLS', 'INVALID_RESPONSE', GARBAGE], { certificate: goodCertificate }),
];

/** Receivers that do what none should, each with the ways in which an attempt at it may end. */
export const HOSTILE_RECEIVERS: readonly HostileReceiver[] = [
  ...[stopping, withoutEnd, bodies, heads, versions, statuses, redirects, others]
    .flat()
    .map((row) => receiver(row)),
  ...slow.map((row) => receiver(row, {}, true)),
  ...tls,
];
