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
  OTHER_WEBHOOK_SECRET,
  type Part,
  PREVIOUS_WEBHOOK_SECRET,
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

const BARE = WEBHOOK_SECRET.slice('whsec_'.length);
const KEY = Buffer.from(BARE, 'base64');

function id(change: (text: string, draft: Draft) => string): SenderMistake['make'] {
  return (draft) => {
    draft.signed.token = change(draft.sent.token, draft);
  };
}

function time(change: (text: string, draft: Draft) => string): SenderMistake['make'] {
  return (draft) => {
    draft.signed.timestamp = change(draft.sent.timestamp, draft);
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

function write(make: (base64: string, mac: Buffer) => string): SenderMistake['make'] {
  return (draft) => {
    draft.write = (mac) => make(mac.toString('base64'), mac);
  };
}

/** What stands at a path in the JSON of the body, or undefined. */
function inBody(draft: Draft, ...path: string[]): unknown {
  try {
    let value: unknown = JSON.parse(draft.sent.body.toString());
    for (const name of path)
      value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return value;
  } catch {
    return undefined;
  }
}

function textInBody(draft: Draft, ...path: string[]): string | undefined {
  const value = inBody(draft, ...path);
  return typeof value === 'string' ? value : undefined;
}

const SECRET = [
  ...rows('secret', [
    ['injected-fault', key(Buffer.from('the secret of no endpoint at all'))],
    ['secret-before-rotation', key(Buffer.from(PREVIOUS_WEBHOOK_SECRET.slice(6), 'base64'))],
    ['secret-of-other-endpoint', key(Buffer.from(OTHER_WEBHOOK_SECRET.slice(6), 'base64'))],
    ['secret-not-decoded', key(BARE)],
    ['secret-used-whole', key(WEBHOOK_SECRET)],
    ['secret-prefix-decoded', key(Buffer.from(WEBHOOK_SECRET, 'base64'))],
    ['secret-decoded-without-plus-and-slash', key(Buffer.from(BARE.replace(/[+/]/g, ''), 'base64'))],
    ['secret-plus-as-blank', key(Buffer.from(BARE.replace(/\+/g, ' '), 'base64'))],
    ['secret-hex-decoded', key(Buffer.from(BARE, 'hex'))],
    ['secret-key-as-hex', key(KEY.toString('hex'))],
    ['secret-encoded-again', key(Buffer.from(BARE).toString('base64'))],
    ['secret-decoded-twice', key(Buffer.from(KEY.toString('latin1'), 'base64'))],
    ['secret-decoded-to-text', key(KEY.toString('utf8'))],
    ['secret-decoded-to-text', key(KEY.toString('latin1'))],
    ['secret-base64url', key(BARE.replace(/\+/g, '-').replace(/\//g, '_'))],
    ['secret-without-padding', key(BARE.replace('=', ''))],
    ['secret-not-trimmed', key(`${BARE}\n`)],
    ['secret-quoted', key(`"${WEBHOOK_SECRET}"`)],
    ['secret-cut', key(KEY.subarray(0, 24))],
    ['secret-case', key(Buffer.from(BARE.toLowerCase(), 'base64'))],
    ['secret-python-bytes', key(formatPythonBytes(KEY))],
    ['secret-without-zero-bytes', key(Buffer.from([...KEY].filter((byte) => byte > 0)))],
    ['secret-is-other-credential', key(REQUEST_SECRET)],
    ['secret-is-other-credential', key(KYC_TOKEN)],
  ]),
  ...UNSET_KEY,
];

const ID = rows('id', [
  ['id-of-body', id((text, draft) => textInBody(draft, 'id') ?? text)],
  ['id-of-body', id((text, draft) => textInBody(draft, 'data', 'object', 'id') ?? text)],
  ['id-without-prefix', id((text) => text.replace('evt_', ''))],
  ['id-with-prefix', id((text) => `msg_${text}`)],
  ['id-other-prefix', id((text) => text.replace('evt_', 'msg_'))],
  ['id-case', id((text) => text.toLowerCase())],
  ['id-quoted', id((text) => JSON.stringify(text))],
  ['id-with-blanks', id((text) => `${text}\n`)],
  ['id-unset', id(() => 'undefined')],
  ['id-unset', id(() => '')],
  ['id-is-header-name', id(() => 'webhook-id')],
]);

const TIME = rows('timestamp', [
  ['timestamp-of-body', time((text, draft) => textInBody(draft, 'timestamp') ?? text)],
  ['timestamp-of-body', time((text, draft) => seconds(textInBody(draft, 'timestamp')) ?? text)],
  ['timestamp-of-earlier-attempt', time((_text, draft) => String(draft.seconds - 60))],
  ['timestamp-of-earlier-attempt', time((_text, draft) => String(draft.seconds - 361))],
  ['timestamp-is-header-name', time(() => 'webhook-timestamp')],
]);

function seconds(iso: string | undefined): string | undefined {
  return iso === undefined ? undefined : String(Math.floor(Date.parse(iso) / 1000));
}

const CONTENT = rows('body', [
  ['body-data-only', inner('data')],
  ['body-data-only', inner('data', 'object')],
]);

function inner(...path: string[]): SenderMistake['make'] {
  return (draft) => {
    const value = inBody(draft, ...path);
    if (value !== undefined) draft.signed.body = Buffer.from(JSON.stringify(value));
  };
}

const DIGEST = rows('digest', [
  ['body-digested', form((body) => digestOf('sha256', body).toString('hex'))],
  ['body-digested', form((body) => digestOf('sha256', body).toString('base64'))],
]);

const ORDER = rows('order', [
  ['id-left-out', order('timestamp', 'body')],
  ['timestamp-left-out', order('token', 'body')],
  ['body-left-out', order('token', 'timestamp')],
  ['parts-left-out', order('body')],
  ['parts-order', order('timestamp', 'token', 'body')],
  ['parts-order', order('body', 'timestamp', 'token')],
  ['parts-twice', order('token', 'token', 'timestamp', 'body')],
]);

const OTHER_SIGNATURE = hmacOf('sha256', 'another key', 'another message').toString('base64');

const WRITING = rows('signature', [
  ['signature-hex', write((_base64, mac) => `v1,${mac.toString('hex')}`)],
  ['signature-base64url', write((_base64, mac) => `v1,${mac.toString('base64url')}`)],
  ['signature-unpadded', write((base64) => `v1,${base64.replace('=', '')}`)],
  ['signature-upper-case', write((_base64, mac) => `v1,${mac.toString('hex').toUpperCase()}`)],
  [
    'signature-base64-of-hex',
    write((_base64, mac) => `v1,${Buffer.from(mac.toString('hex')).toString('base64')}`),
  ],
  ['signature-hex-of-base64', write((base64) => `v1,${Buffer.from(base64).toString('hex')}`)],
  ...BYTE_LIST_FORMATS.map(
    (list) => ['signature-as-numbers', write((_base64, mac) => `v1,${list(mac)}`)] as const,
  ),
  ['signature-as-numbers', write((_base64, mac) => `v1,${JSON.stringify(mac)}`)],
  ['signature-python-bytes', write((base64) => `v1,b'${base64}'`)],
  ['signature-python-bytes', write((_base64, mac) => `v1,${formatPythonBytes(mac)}`)],
  ...UNPADDED_HEX_FORMATS.filter((_write, index) => index !== 1).map(
    (unpadded) =>
      ['signature-without-leading-zeros', write((_base64, mac) => `v1,${unpadded(mac)}`)] as const,
  ),
  ['signature-command-output', write((_base64, mac) => `v1,SHA2-256(stdin)= ${mac.toString('hex')}`)],
  ['signature-command-output', write((_base64, mac) => `${mac.toString('hex')}  -`)],
  [
    'signature-command-output',
    write((_base64, mac) => `v1,${Buffer.from(`(stdin)= ${mac.toString('hex')}\n`).toString('base64')}`),
  ],
  ['signature-is-object', write(() => 'v1,[object Promise]')],
  ['signature-is-object', write(() => 'undefined')],
  [
    'signature-with-colons',
    write((_base64, mac) => `v1,${[...mac].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`),
  ],
  ['signature-truncated', write((_base64, mac) => `v1,${mac.subarray(0, 16).toString('base64')}`)],
  ['signature-prefixed', write((base64) => `v1,sha256=${base64}`)],
  ['signature-with-0x', write((_base64, mac) => `v1,0x${mac.toString('hex')}`)],
  ['signature-quoted', write((base64) => `"v1,${base64}"`)],
  ['signature-quoted', write((base64) => `v1,"${base64}"`)],
  ['signature-with-blanks', write((base64) => `v1, ${base64}`)],
  ['signature-url-encoded', write((base64) => `v1,${encodeURIComponent(base64)}`)],
  ['signature-url-encoded', write((base64) => encodeURIComponent(`v1,${base64}`))],
  ['signature-without-version', write((base64) => base64)],
  ['signature-version-mark', write((base64) => `v1=${base64}`)],
  ['signature-other-version', write((base64) => `v2,${base64}`)],
  ['signature-other-version', write((base64) => `V1,${base64}`)],
  ['signatures-joined-otherwise', write((base64) => `v1,${OTHER_SIGNATURE},v1,${base64}`)],
  ['signatures-joined-otherwise', write((base64) => `v1,${base64};v1,${OTHER_SIGNATURE}`)],
]);

const HEADERS = rows('headers', [
  ['header-missing', write(() => '')],
  ['header-misnamed', (draft) => void (draft.names = { ...draft.names, timestamp: 'webhook_timestamp' })],
  ['header-misnamed', (draft) => void (draft.names = { ...draft.names, token: 'svix-id' })],
  ['header-misnamed', (draft) => void (draft.names = { ...draft.names, signature: 'x-webhook-signature' })],
  ['header-repeated', (draft) => void (draft.sent.token = `${draft.sent.token}, ${draft.sent.token}`)],
]);

/** Everything that can be wrong about a webhook: in its sender, or in what happened to it on the way. */
export const WEBHOOK_MISTAKES: readonly SenderMistake[] = [
  ...SECRET,
  ...BODY,
  ...CONTENT,
  ...DIGEST,
  ...SIGNED_TIMESTAMP,
  ...TIME,
  ...SENT_TIMESTAMP,
  ...ID,
  ...JOINING,
  ...ORDER,
  ...ALGORITHM,
  ...WRITING,
  ...HEADERS,
];
