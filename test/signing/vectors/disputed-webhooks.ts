import { gzipSync } from 'node:zlib';
import type { WebhookVector } from './vector.js';
import { counted, type Draft, EVENT, FIRST, NOW_S, v1, vector } from './webhook-vectors.js';

const ID = 'evt_1';
const SIGNATURE = v1(FIRST, ID, String(NOW_S), EVENT);

type Dispute = Partial<Draft> & { readonly errs: readonly string[] };

const NPM = ['npm standardwebhooks', 'npm svix'];
const officials = (...languages: readonly string[]) =>
  languages.map((language) => `${language} standardwebhooks`);
const npmAnd = (...languages: readonly string[]) => [...NPM, ...officials(...languages)];

const accepts = (name: string, dispute: Dispute): WebhookVector =>
  vector({ name: `wrongly accepted: ${name}`, id: ID, class: 'library_wrongly_accepts', ...dispute });
const refuses = (name: string, dispute: Dispute): WebhookVector =>
  vector({ name: `wrongly refused: ${name}`, id: ID, class: 'library_wrongly_refuses', ...dispute });

/** Messages that widely used libraries judge otherwise than the contract. */
export function disputedWebhooks(): WebhookVector[] {
  return [
    ...timestampsAccepted(),
    ...bytesReplaced(),
    ...signaturesAccepted(),
    accepts('a secret without its prefix', {
      secrets: [FIRST.slice(6)],
      signature: SIGNATURE,
      cause: 'invalid_secret',
      errs: npmAnd('Python', 'PHP', 'Ruby', 'Go', 'Java'),
    }),
    ...otherVendor(),
    ...timestampsRefused(),
    ...signaturesRefused(),
    refuses('no body at all', { body: '', errs: ['npm svix', ...officials('Python', 'Ruby')] }),
    ...bodiesRefused(),
  ];
}

/** Timestamps whose number alone is read, and signed again. */
function timestampsAccepted(): WebhookVector[] {
  const read = (name: string, timestamp: string, errs: readonly string[]) =>
    accepts(`timestamp with ${name}`, {
      timestamp,
      signature: SIGNATURE,
      cause: 'invalid_timestamp',
      errs,
    });
  const behind = { '.0': ['Python', 'PHP'], '.5': ['Python', 'PHP'], e3: [] };
  const endings = ['abc', '.0', '.5', 's', 'e3', 'Z', ',000', ' 00', '_', '-1', '+00:00'];
  return [
    ...endings.map((ending) => {
      const languages = new Map<string, string[]>(Object.entries(behind)).get(ending) ?? ['PHP'];
      return read(`${JSON.stringify(ending)} behind`, NOW_S + ending, npmAnd(...languages));
    }),
    read('"+" before', `+${NOW_S}`, npmAnd('Python', 'PHP', 'Ruby', 'Go', 'Java')),
    read('" " before', ` ${NOW_S}`, npmAnd('Python', 'PHP', 'Ruby')),
    accepts('timestamp with zeros before that were not signed', {
      timestamp: `00${NOW_S}`,
      signature: SIGNATURE,
      cause: 'signature_mismatch',
      errs: npmAnd('Python', 'PHP', 'Go', 'Java'),
    }),
  ];
}

/** Bodies whose bytes are replaced when they become text. */
function bytesReplaced(): WebhookVector[] {
  const replaced = (name: string, bytes: readonly number[], errs: readonly string[]) => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const signature = v1(FIRST, ID, String(NOW_S), body.toString('utf8'));
    return accepts(`replaced bytes: ${name}`, { body, signature, cause: 'signature_mismatch', errs });
  };
  return [
    replaced('one byte that is no UTF-8', [0xff], npmAnd('Java')),
    replaced('a character cut short', [0xc3], npmAnd('Java')),
    replaced('an overlong character', [0xc0, 0xaf], npmAnd('Java')),
    replaced('half of a surrogate pair', [0xed, 0xa0, 0x80], NPM),
    replaced('a Latin-1 letter', [0xe7], npmAnd('Java')),
  ];
}

function signaturesAccepted(): WebhookVector[] {
  const accepted = (name: string, signature: string, errs: readonly string[]) =>
    accepts(name, { signature, cause: 'malformed_signature', errs });
  const respelt = SIGNATURE.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`);
  return [
    accepted('something behind the signature', `${SIGNATURE},more`, npmAnd('Go', 'Java')),
    accepted('a comma behind the signature', `${SIGNATURE},`, npmAnd('Go', 'Java')),
    accepted('signature in quotes', `v1,"${SIGNATURE.slice(3)}"`, officials('Python')),
    accepted('a second spelling of the same bytes', respelt, officials('Python')),
  ];
}

function otherVendor(): WebhookVector[] {
  const timestamp = String(NOW_S);
  return [
    accepts('headers of another vendor', {
      headers: { 'svix-id': ID, 'svix-timestamp': timestamp, 'svix-signature': SIGNATURE },
      cause: 'missing_header',
      errs: ['npm svix'],
    }),
    refuses('headers of another vendor beside the right ones', {
      headers: {
        'webhook-id': ID,
        'webhook-timestamp': timestamp,
        'webhook-signature': SIGNATURE,
        'svix-signature': 'v1,none',
      },
      errs: ['npm svix'],
    }),
  ];
}

function timestampsRefused(): WebhookVector[] {
  return [
    ...['01760000123', '001760000123'].map((timestamp) =>
      refuses(`timestamp with zeros before, signed as sent: ${timestamp}`, {
        timestamp,
        errs: npmAnd('Python', 'PHP', 'Ruby', 'Go', 'Java'),
      }),
    ),
    refuses('timestamp 0', { timestamp: '0', now: 10, errs: officials('PHP') }),
    refuses('timestamp of 12 digits', {
      timestamp: '999999999999',
      now: 999_999_999_999,
      errs: officials('Python'),
    }),
  ];
}

/** Right signatures behind an entry that the library fails on. */
function signaturesRefused(): WebhookVector[] {
  const behind = (name: string, before: string, languages: readonly string[]) =>
    refuses(name, {
      signature: `${before} ${SIGNATURE}`,
      matched: [0, 1],
      errs: officials(...languages),
    });
  return [
    behind('a malformed v1 signature before', 'v1,abc', ['Python']),
    behind('an entry without a comma before', 'v1', ['Python', 'PHP', 'Ruby']),
    behind('two spaces between', `v1,${Buffer.alloc(32).toString('base64')} `, ['Python']),
  ];
}

function bodiesRefused(): WebhookVector[] {
  const unread = (name: string, body: Buffer, languages: readonly string[]) =>
    refuses(`body that is not UTF-8 JSON: ${name}`, { body, errs: npmAnd(...languages) });
  const notJson = {
    'a form': 'a=1&b=2',
    text: 'hello',
    'JSON cut short': EVENT.slice(0, 40),
    'a line break': '\n',
    'two objects': '{}{}',
    'a comma too many': '{"a":1,}',
    'a byte order mark': '\uFEFF{"a":1}',
    XML: '<a/>',
    NaN: 'NaN',
  };
  return [
    unread('one byte that is no UTF-8', Buffer.from('{"a":"\u00ff"}', 'latin1'), ['Python', 'Java']),
    unread('Latin-1', Buffer.from('{"nome":"João"}', 'latin1'), ['Python', 'Java']),
    unread('UTF-16', Buffer.from('{"a":1}', 'utf16le'), ['Python', 'Ruby']),
    unread('all bytes', counted(256), ['Python', 'Ruby', 'Java']),
    unread('gzip', gzipHeader(), ['Python', 'Ruby', 'Java']),
    unread('zeros', Buffer.alloc(8), ['Python', 'Ruby']),
    // Python's parser takes NaN.
    ...Object.entries(notJson).map(([name, body]) =>
      refuses(`body that is no JSON: ${name}`, {
        body,
        errs: name === 'NaN' ? npmAnd('Ruby') : npmAnd('Python', 'Ruby'),
      }),
    ),
  ];
}

/** Compressed bytes without the operating system and time that gzip writes into its header. */
function gzipHeader(): Buffer {
  const bytes = gzipSync('{"a":1}');
  bytes.fill(0, 4, 8);
  bytes[9] = 0xff;
  return bytes;
}
