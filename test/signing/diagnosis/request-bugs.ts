import {
  BYTE_LIST_FORMATS,
  formatPythonBytes,
  UNPADDED_HEX_FORMATS,
} from '../../../src/signing/diagnosis/rewriting.js';
import {
  digestOf,
  type Draft,
  hmacOf,
  KYC_TOKEN,
  OTHER_APPLICATION_SECRET,
  type Part,
  REQUEST_SECRET,
  type SenderMistake,
  WEBHOOK_SECRET,
} from './sender.js';
import {
  ALGORITHM,
  BODY,
  JOINING,
  key,
  rows,
  SENT_TIMESTAMP,
  SIGNED_TIMESTAMP,
  UNSET_KEY,
} from './shared-bugs.js';

function signed(
  field: 'token' | 'method' | 'path',
  change: (text: string, draft: Draft) => string,
): SenderMistake['make'] {
  return (draft) => {
    draft.signed[field] = change(draft.signed[field], draft);
  };
}

function form(make: Draft['form']): SenderMistake['make'] {
  return (draft) => {
    draft.form = make;
  };
}

function order(...parts: Part[]): SenderMistake['make'] {
  return (draft) => {
    draft.order = parts;
  };
}

function write(make: Draft['write']): SenderMistake['make'] {
  return (draft) => {
    draft.write = make;
  };
}

/** Sends and signs the same nonce of a wrong form. */
function nonce(text: string): SenderMistake['make'] {
  return (draft) => {
    draft.sent.token = text;
    draft.signed.token = text;
  };
}

const PATH = rows('path', [
  ['path-with-query', signed('path', (_path, { sent }) => sent.target)],
  [
    'path-query-order',
    signed('path', (path, { sent }) => (sent.target.includes('&') ? `${path}?a=1&b=2` : path)),
  ],
  ['path-absolute-url', signed('path', (path, { host }) => `http://${host}${path}`)],
  ['path-absolute-url', signed('path', (_path, { host, sent }) => `https://${host}${sent.target}`)],
  ['path-with-host', signed('path', (path, { host }) => host + path)],
  ['path-without-leading-slash', signed('path', (path) => path.slice(1))],
  ['path-trailing-slash', signed('path', (path) => `${path}/`)],
  ['path-prefix-left-out', signed('path', (path) => path.replace('/api/public/v1', ''))],
  ['path-prefix-left-out', signed('path', (path) => path.replace('/api', ''))],
  ['path-prefix-doubled', signed('path', (path) => `/api/public/v1${path}`)],
  ['path-decoded', signed('path', decodeURIComponent)],
  ['path-encoded', signed('path', encodeURIComponent)],
  ['path-case', signed('path', (path) => path.toUpperCase())],
  ['path-case', signed('path', (path) => path.toLowerCase())],
  ['path-normalised', signed('path', (path) => path.replace('//', '/').replace('/./', '/'))],
  ['path-template', signed('path', withNames)],
  ['path-request-line', signed('path', (_path, { sent }) => `${sent.method} ${sent.target} HTTP/1.1`)],
  ['path-fragment', signed('path', (path) => `${path}?`)],
  ['path-unset', signed('path', () => '')],
  ['path-unset', signed('path', () => 'undefined')],
]);

function withNames(path: string): string {
  return path.replace(
    /(webhook-endpoints)\/[^/]+\/deliveries\/[^/]+/,
    '$1/{endpoint_id}/deliveries/{delivery_id}',
  );
}

const NONCE = rows('nonce', [
  ['nonce-case', signed('token', (text) => text.toLowerCase())],
  ['nonce-dashes', signed('token', (text) => text.split('-').join(''))],
  ['nonce-encoded', signed('token', (text) => Buffer.from(text).toString('hex'))],
  ['nonce-quoted', signed('token', (text) => JSON.stringify(text))],
  ['nonce-quoted', signed('token', (text) => `UUID('${text}')`)],
  ['nonce-line-break', signed('token', (text) => `${text}\n`)],
  ['nonce-cut', signed('token', (text) => text.slice(0, 16))],
  ['nonce-unset', signed('token', () => 'undefined')],
  ['nonce-is-other-field', signed('token', (_text, { sent }) => sent.timestamp)],
  ['nonce-characters', nonce('a nonce with blanks in it')],
  ['nonce-too-short', nonce('short')],
  ['nonce-too-long', nonce('n'.repeat(129))],
]);

const METHOD = rows('method', [
  ['method-lower-case', signed('method', (method) => method.toLowerCase())],
  ['method-capitalised', signed('method', () => 'Post')],
  ['method-other', signed('method', () => 'GET')],
  ['method-other', signed('method', () => 'PUT')],
  ['method-unset', signed('method', () => 'undefined')],
]);

const sha256Hex = (body: Buffer): string => digestOf('sha256', body).toString('hex');

const DIGEST = rows('digest', [
  ['digest-raw-body', form((body) => body)],
  ['digest-base64', form((body) => digestOf('sha256', body).toString('base64'))],
  ['digest-base64url', form((body) => digestOf('sha256', body).toString('base64url'))],
  ['digest-upper-case', form((body) => sha256Hex(body).toUpperCase())],
  ['digest-bytes', form((body) => digestOf('sha256', body))],
  ['digest-algorithm', form((body) => digestOf('sha1', body).toString('hex'))],
  ['digest-algorithm', form((body) => digestOf('sha512', body).toString('hex'))],
  ['digest-twice', form((body) => sha256Hex(Buffer.from(sha256Hex(body))))],
  ['digest-prefixed', form((body) => `sha256=${sha256Hex(body)}`)],
  ['digest-with-secret', form((body) => hmacOf('sha256', REQUEST_SECRET, body).toString('hex'))],
  ['digest-base64-of-hex', form((body) => Buffer.from(sha256Hex(body)).toString('base64'))],
  ['digest-left-empty', form(() => '')],
  ['digest-left-empty', form(() => 'undefined')],
  ['digest-length', form((body) => String(body.length))],
  ['digest-command-output', form((body) => `SHA2-256(stdin)= ${sha256Hex(body)}`)],
  ['digest-command-output', form((body) => `${sha256Hex(body)}  -`)],
  ['digest-python-bytes', form((body) => formatPythonBytes(Buffer.from(sha256Hex(body))))],
  [
    'digest-without-leading-zeros',
    form((body) => String(UNPADDED_HEX_FORMATS[0]?.(digestOf('sha256', body)))),
  ],
  ['digest-as-numbers', form((body) => String(BYTE_LIST_FORMATS[1]?.(digestOf('sha256', body))))],
  ['digest-not-written', form((body) => body.toString('hex') + sha256Hex(Buffer.of()))],
]);

const SECRET = [
  ...rows('secret', [
    ['secret-of-other-application', key(OTHER_APPLICATION_SECRET)],
    ['secret-not-trimmed', key(`${REQUEST_SECRET}\n`)],
    ['secret-quoted', key(`"${REQUEST_SECRET}"`)],
    ['secret-base64-decoded', key(Buffer.from(REQUEST_SECRET.replace('sk_test_', ''), 'base64'))],
    ['secret-hex-decoded', key(Buffer.from(REQUEST_SECRET, 'hex'))],
    ['secret-encoded', key(Buffer.from(REQUEST_SECRET).toString('base64'))],
    ['secret-encoded', key(Buffer.from(REQUEST_SECRET).toString('hex'))],
    ['secret-prefix-left-out', key(REQUEST_SECRET.replace('sk_test_', ''))],
    ['secret-case', key(REQUEST_SECRET.toLowerCase())],
    ['secret-hashed', key(digestOf('sha256', REQUEST_SECRET))],
    ['secret-cut', key(REQUEST_SECRET.slice(0, 16))],
    ['secret-utf16', key(Buffer.from(REQUEST_SECRET, 'utf16le'))],
    ['secret-python-bytes', key(`b'${REQUEST_SECRET}'`)],
    ['secret-is-other-credential', key(WEBHOOK_SECRET)],
    ['secret-is-other-credential', key(Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64'))],
    ['secret-is-other-credential', key(KYC_TOKEN)],
    [
      'secret-is-token',
      (draft) => void (draft.key = draft.extra['authorization']?.replace('Bearer ', '') ?? ''),
    ],
  ]),
  ...UNSET_KEY,
];

const ORDER = rows('order', [
  ['timestamp-left-out', order('token', 'method', 'path', 'body')],
  ['nonce-left-out', order('timestamp', 'method', 'path', 'body')],
  ['method-left-out', order('timestamp', 'token', 'path', 'body')],
  ['path-left-out', order('timestamp', 'token', 'method', 'body')],
  ['body-digest-left-out', order('timestamp', 'token', 'method', 'path')],
  ['parts-left-out', order('timestamp', 'body')],
  ['parts-left-out', order('timestamp', 'token', 'body')],
  ['parts-order', order('token', 'timestamp', 'method', 'path', 'body')],
  ['parts-order', order('method', 'path', 'timestamp', 'token', 'body')],
  ['parts-order', order('path', 'timestamp', 'body', 'token', 'method')],
  ['parts-twice', order('timestamp', 'timestamp', 'token', 'method', 'path', 'body')],
]);

const SCHEME = rows('order', [
  ['scheme-of-webhooks', rawParts('token', 'timestamp', 'body')],
  ['scheme-timestamp-and-body', rawParts('timestamp', 'body')],
  ['scheme-body-only', rawParts('body')],
  [
    'scheme-json-object',
    (draft) => {
      const { timestamp, token: nonce, method, path, body } = draft.signed;
      draft.content = JSON.stringify({ timestamp, nonce, method, path, body: sha256Hex(body) });
    },
  ],
]);

function rawParts(...parts: Part[]): SenderMistake['make'] {
  return (draft) => {
    draft.order = parts;
    draft.form = (body) => body;
  };
}

const WRITING = rows('signature', [
  ['signature-base64', write((mac) => mac.toString('base64'))],
  ['signature-base64url', write((mac) => mac.toString('base64url'))],
  ['signature-unpadded', write((mac) => mac.toString('base64').replace('=', ''))],
  ['signature-upper-case', write((mac) => mac.toString('hex').toUpperCase())],
  ['signature-base64-of-hex', write((mac) => Buffer.from(mac.toString('hex')).toString('base64'))],
  ['signature-hex-of-base64', write((mac) => Buffer.from(mac.toString('base64')).toString('hex'))],
  [
    'signature-with-colons',
    write((mac) => [...mac].map((byte) => byte.toString(16).padStart(2, '0')).join(':')),
  ],
  ...BYTE_LIST_FORMATS.map((list) => ['signature-as-numbers', write(list)] as const),
  ['signature-as-numbers', write((mac) => JSON.stringify(mac))],
  ['signature-python-bytes', write((mac) => formatPythonBytes(Buffer.from(mac.toString('hex'))))],
  ['signature-python-bytes', write(formatPythonBytes)],
  ...UNPADDED_HEX_FORMATS.filter((_write, index) => index !== 1).map(
    (unpadded) => ['signature-without-leading-zeros', write(unpadded)] as const,
  ),
  ['signature-command-output', write((mac) => `SHA2-256(stdin)= ${mac.toString('hex')}`)],
  ['signature-command-output', write((mac) => `${mac.toString('hex')} *stdin`)],
  [
    'signature-command-output',
    write((mac) => Buffer.from(`(stdin)= ${mac.toString('hex')}\n`).toString('base64')),
  ],
  ['signature-is-object', write(() => '[object Promise]')],
  ['signature-truncated', write((mac) => mac.subarray(0, 16).toString('hex'))],
  ['signature-prefixed', write((mac) => `sha256=${mac.toString('hex')}`)],
  ['signature-prefixed', write((mac) => `v1,${mac.toString('hex')}`)],
  ['signature-with-0x', write((mac) => `0x${mac.toString('hex')}`)],
  ['signature-quoted', write((mac) => `"${mac.toString('hex')}"`)],
  [
    'signature-with-blanks',
    write((mac) => `${mac.toString('hex').slice(0, 32)} ${mac.toString('hex').slice(32)}`),
  ],
  [
    'signature-url-encoded',
    write((mac) => Buffer.from(mac.toString('hex')).toString('hex').replace(/../g, '%$&')),
  ],
]);

const HEADERS = rows('headers', [
  ['header-missing', write(() => '')],
  ['header-misnamed', (draft) => void (draft.names = { ...draft.names, signature: 'signature' })],
  ['header-misnamed', (draft) => void (draft.names = { ...draft.names, timestamp: 'timestamp' })],
  ['header-misnamed', (draft) => void (draft.names = { ...draft.names, token: 'nonce' })],
  [
    'header-repeated',
    (draft) => void (draft.sent.timestamp = `${draft.sent.timestamp}, ${draft.sent.timestamp}`),
  ],
]);

const EMPTY_BODY = rows('body', [
  ['body-empty-form', emptyForm('{}')],
  ['body-empty-form', emptyForm('null')],
  ['body-empty-form', emptyForm('""')],
]);

function emptyForm(text: string): SenderMistake['make'] {
  return (draft) => {
    if (draft.sent.body.length === 0) draft.signed.body = Buffer.from(text);
  };
}

/** Everything that a client of the API can do wrong in signing a request. */
export const REQUEST_MISTAKES: readonly SenderMistake[] = [
  ...PATH,
  ...BODY,
  ...EMPTY_BODY,
  ...DIGEST,
  ...SECRET,
  ...SIGNED_TIMESTAMP,
  ...SENT_TIMESTAMP,
  ...NONCE,
  ...METHOD,
  ...JOINING,
  ...ORDER,
  ...SCHEME,
  ...ALGORITHM,
  ...WRITING,
  ...HEADERS,
];
