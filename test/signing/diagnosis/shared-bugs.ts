import {
  escapeAscii,
  BYTE_LIST_FORMATS,
  escapeLikeDotnet,
  escapeHtml,
  escapeLikePhp,
  printValue,
  LANGUAGE_PRINTERS,
  formatPythonBytes,
  respaceJson,
  reverseKeys,
  sortKeys,
} from '../../../src/signing/diagnosis/rewriting.js';
import { digestOf, type Draft, hmacOf, type SenderMistake } from './sender.js';

function parsed(draft: Draft): unknown {
  try {
    const value: unknown = JSON.parse(draft.sent.body.toString());
    return value;
  } catch {
    return undefined;
  }
}

/** Signs another serialization of the JSON than the one sent; a body that is no JSON stays as it is. */
function serialized(write: (value: unknown) => string): (draft: Draft) => void {
  return (draft) => {
    const value = parsed(draft);
    if (value !== undefined) draft.signed.body = Buffer.from(write(value));
  };
}

function bytes(change: (body: Buffer) => Buffer | string): (draft: Draft) => void {
  return (draft) => {
    if (draft.sent.body.length > 0) draft.signed.body = Buffer.from(change(draft.sent.body));
  };
}

/** The same for a change of text; a non-UTF-8 body stays as it is. */
function text(change: (body: string) => string): (draft: Draft) => void {
  return (draft) => {
    const { body } = draft.sent;
    if (body.length > 0 && Buffer.from(body.toString()).equals(body))
      draft.signed.body = Buffer.from(change(body.toString()));
  };
}

function timestamp(write: (seconds: number) => string): (draft: Draft) => void {
  return (draft) => {
    draft.signed.timestamp = write(draft.seconds);
  };
}

function mac(make: Draft['mac']): (draft: Draft) => void {
  return (draft) => {
    draft.mac = make;
  };
}

/** Sends and signs the same wrong timestamp, as a program does that takes the time in another unit. */
function sentTimestamp(write: (seconds: number) => string): (draft: Draft) => void {
  return (draft) => {
    draft.sent.timestamp = write(draft.seconds);
    draft.signed.timestamp = draft.sent.timestamp;
  };
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

const spaced = (json: string) => respaceJson(json, ', ', ': ');

/** Mistakes about the body's bytes that both kinds of message can have. */
export const BODY = rows('body', [
  ['body-compact', serialized((value) => JSON.stringify(value))],
  ['body-spaced', serialized((value) => spaced(JSON.stringify(value)))],
  ['body-indented', serialized((value) => JSON.stringify(value, undefined, 2))],
  ['body-key-order', serialized((value) => JSON.stringify(sortKeys(value)))],
  ['body-key-order', serialized((value) => JSON.stringify(reverseKeys(value)))],
  ['body-key-order', serialized((value) => spaced(JSON.stringify(sortKeys(value, 1))))],
  ['body-key-order', serialized((value) => escapeLikePhp(JSON.stringify(sortKeys(value))))],
  ['body-reserialised', serialized((value) => JSON.stringify(value))],
  ['body-unicode-escaped', serialized((value) => escapeAscii(JSON.stringify(value)))],
  ['body-slashes-escaped', serialized((value) => JSON.stringify(value).replaceAll('/', '\\/'))],
  ['body-html-escaped', serialized((value) => escapeHtml(JSON.stringify(value)))],
  ['body-encoded-twice', text((body) => JSON.stringify(body))],
  [
    'body-nulls-left-out',
    serialized((value) => JSON.stringify(value, (_key, held: unknown) => (held === null ? undefined : held))),
  ],
  [
    'body-field-left-out',
    serialized((value) =>
      JSON.stringify(value, (key, held: unknown) =>
        key === 'payer_document' || key === 'environment' ? undefined : held,
      ),
    ),
  ],
  ['body-amount-type', text((body) => body.replace(/"amount":( ?)"([0-9.]+)"/, '"amount":$1$2'))],
  ['body-form-encoded', serialized(formEncoded)],
  ['body-newline-added', bytes((body) => Buffer.concat([body, Buffer.from('\n')]))],
  ['body-trimmed', text((body) => body.trim())],
  ['body-line-endings', text((body) => body.split('\n').join('\r\n'))],
  ['body-byte-order-mark', bytes((body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]))],
  ['body-charset', bytes((body) => Buffer.from(body.toString(), 'latin1'))],
  ['body-base64', bytes((body) => body.toString('base64'))],
  ['body-left-empty', bytes(() => '')],
  ['body-unserialised', bytes(() => '[object Object]')],
  ['body-unserialised', bytes(() => 'undefined')],
  ['body-php-json', serialized((value) => escapeLikePhp(JSON.stringify(value)))],
  ['body-signs-escaped', serialized((value) => escapeLikeDotnet(JSON.stringify(value)))],
  ['body-go-map', serialized((value) => escapeHtml(JSON.stringify(sortKeys(value))))],
  ['body-keys-filtered', serialized((value) => JSON.stringify(value, Object.keys(Object(value)).sort()))],
  ['body-python-dict', serialized((value) => printValue(value, LANGUAGE_PRINTERS.python))],
  ['body-python-bytes', bytes(formatPythonBytes)],
  ['body-buffer-json', bytes((body) => JSON.stringify(body))],
  ...BYTE_LIST_FORMATS.slice(1).map((write) => ['body-byte-list', bytes(write)] as const),
  ['body-printed', serialized((value) => printValue(value, LANGUAGE_PRINTERS.ruby))],
  ['body-printed', serialized((value) => printValue(value, LANGUAGE_PRINTERS.java))],
  ['body-printed', serialized((value) => printValue(sortKeys(value), LANGUAGE_PRINTERS.go))],
]);

function formEncoded(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, held]) => [key, typeof held === 'string' ? held : JSON.stringify(held)])
    .map((pair) => pair.map((text) => encodeURIComponent(text ?? '').replace(/%20/g, '+')).join('='))
    .join('&');
}

export const SIGNED_TIMESTAMP = rows('timestamp', [
  ['timestamp-milliseconds', timestamp((seconds) => `${seconds}000`)],
  ['timestamp-milliseconds', timestamp((seconds) => `${seconds}417`)],
  ['timestamp-microseconds', timestamp((seconds) => `${seconds}000000`)],
  ['timestamp-nanoseconds', timestamp((seconds) => `${seconds}000000000`)],
  ['timestamp-fraction', timestamp((seconds) => `${seconds}.0`)],
  ['timestamp-minutes', timestamp((seconds) => String(Math.floor(seconds / 60)))],
  ['timestamp-iso-date', timestamp(iso)],
  ['timestamp-http-date', timestamp((seconds) => new Date(seconds * 1000).toUTCString())],
  ['timestamp-zero-padded', timestamp((seconds) => `00${seconds}`)],
  ['timestamp-quoted', timestamp((seconds) => JSON.stringify(String(seconds)))],
  ['timestamp-other-second', timestamp((seconds) => String(seconds + 1))],
  ['timestamp-unset', timestamp(() => 'undefined')],
]);

export const SENT_TIMESTAMP = rows('timestamp', [
  ['timestamp-header-milliseconds', sentTimestamp((seconds) => `${seconds}417`)],
  ['timestamp-header-microseconds', sentTimestamp((seconds) => `${seconds}417123`)],
  ['timestamp-header-nanoseconds', sentTimestamp((seconds) => `${seconds}417123456`)],
  ['timestamp-header-fraction', sentTimestamp((seconds) => `${seconds}.417`)],
  ['timestamp-header-exponent', sentTimestamp((seconds) => seconds.toExponential())],
  ['timestamp-header-sign', sentTimestamp((seconds) => `+${seconds}`)],
  ['timestamp-header-blanks', sentTimestamp((seconds) => ` ${seconds}`)],
  ['timestamp-header-quoted', sentTimestamp((seconds) => `"${seconds}"`)],
  ['timestamp-header-unit', sentTimestamp((seconds) => `${seconds}s`)],
  ['timestamp-header-iso-date', sentTimestamp(iso)],
  ['timestamp-header-http-date', sentTimestamp((seconds) => new Date(seconds * 1000).toUTCString())],
  ['timestamp-header-form', sentTimestamp(() => 'now')],
  ['clock-ahead', sentTimestamp((seconds) => String(seconds + 1000))],
  ['clock-behind', sentTimestamp((seconds) => String(seconds - 1000))],
  ['clock-time-zone', sentTimestamp((seconds) => String(seconds - 3 * 3600))],
  ['timestamp-stale', sentTimestamp((seconds) => String(seconds - 100 * 86_400))],
]);

export const ALGORITHM = rows('algorithm', [
  ['algorithm-sha512', mac((key, content) => hmacOf('sha512', key, content))],
  ['algorithm-sha384', mac((key, content) => hmacOf('sha384', key, content))],
  ['algorithm-sha1', mac((key, content) => hmacOf('sha1', key, content))],
  ['algorithm-no-key', mac((_key, content) => digestOf('sha256', content))],
  ['algorithm-hash-with-secret', mac((key, content) => digestOf('sha256', key, content))],
  ['algorithm-hash-with-secret', mac((key, content) => digestOf('sha256', content, key))],
  ['algorithm-key-and-content-swapped', mac((key, content) => hmacOf('sha256', content, key))],
  [
    'algorithm-content-hashed-first',
    mac((key, content) => hmacOf('sha256', key, digestOf('sha256', content).toString('hex'))),
  ],
  ['algorithm-twice', mac((key, content) => hmacOf('sha256', key, hmacOf('sha256', key, content)))],
  ['algorithm-other-hash', mac((key, content) => hmacOf('md5', key, content))],
  ['content-not-passed', mac((key) => hmacOf('sha256', key, ''))],
  ['content-passed-to-sum', mac((key, content) => Buffer.concat([content, hmacOf('sha256', key, '')]))],
  ['content-encoded', mac((key, content) => hmacOf('sha256', key, content.toString('base64')))],
]);

export const JOINING: readonly SenderMistake[] = [
  ...rows('separator', [
    ['separator-none', glue('')],
    ['separator-line-break', glue('\n')],
    ['separator-other', glue(':')],
  ]),
  ...rows('ending', [
    ['content-ends-with-line-break', ending('\n')],
    ['content-ends-with-dot', ending('.')],
  ]),
];

/** What is used where a variable is not read. */
export const UNSET_KEY = rows('secret', [
  ['secret-unset', key('')],
  ['secret-variable-name', key('SANDBOX_SIGNING_SECRET')],
]);

function glue(text: string): SenderMistake['make'] {
  return (draft) => {
    draft.glue = text;
  };
}

function ending(text: string): SenderMistake['make'] {
  return (draft) => {
    draft.ending = text;
  };
}

/** Signs with another key. */
export function key(value: string | Buffer): SenderMistake['make'] {
  return (draft) => {
    draft.key = value;
  };
}

/** A table of mistakes about one thing. */
export function rows(
  about: string,
  table: readonly (readonly [id: string, make: SenderMistake['make']])[],
): SenderMistake[] {
  return table.map(([id, make]) => ({ id, about, make }));
}
