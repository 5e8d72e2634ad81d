// Defines the signing errors of webhooks (§5.5).
import { UNKNOWN_SECRET, webhookKey } from '../webhook.js';
import { BODY_ERRORS, listJsonBodies } from './body-errors.js';
import { type ErrorGroup, expandErrors, type KnownSecret, type SignedMessageInput } from './diagnose.js';
import {
  ALGORITHM_ERRORS,
  listCurrentSecrets,
  TRAILING_TEXT_ERRORS,
  labelKey,
  createDigestForm,
  listMessage,
  createOrderErrors,
  listSeconds,
  listSecretsWithNote,
  SEPARATOR_ERRORS,
  createKeyErrors,
  listPartText,
  TIMESTAMP_ERRORS,
  UNSET_KEY_ERRORS,
  UNSET_TEXTS,
} from './errors.js';
import { type JsonBody, toObject } from './rewriting.js';

const PREFIX = 'whsec_';
const DECODE = 'Remove whsec_ and base64-decode the rest; the resulting bytes are the key.';
const KEY = ['The secret was', DECODE] as const;
const SIGN_WITH_BOTH = 'While the old secret is valid, sign with both secrets and share both with receivers.';
const OWN_SECRET =
  'Each endpoint has its own secret; use the one returned when it was created or last rotated.';
const REFUSE = 'Reject this webhook, as a receiver should; without the fault, attempts are signed correctly.';
const PASS_IN_HEX =
  'Do not pass the decoded key through $(…) or a C string; pass it to openssl in hex: -mac HMAC -macopt hexkey:….';

const KEY_ERRORS = [
  ...UNSET_KEY_ERRORS,
  ...expandErrors('key', listMessage, KEY, {
    'injected-fault': [
      'The sandbox signed the webhook with an unknown secret: the fault wrong-signature was injected.',
      () => [webhookKey(UNKNOWN_SECRET)],
      REFUSE,
    ],
  }),
  ...expandErrors('key', listSecretsWithNote('previous'), KEY, {
    'secret-before-rotation': ['Only the pre-rotation secret was used.', keyOfOther, SIGN_WITH_BOTH],
  }),
  ...expandErrors('key', listSecretsWithNote('other'), KEY, {
    'secret-of-other-endpoint': ['The secret of another endpoint was used.', keyOfOther, OWN_SECRET],
  }),
  ...expandErrors('key', listCurrentSecrets, KEY, {
    'secret-not-decoded': [
      'used as text without whsec_ instead of being base64-decoded',
      (secret) => [bare(secret)],
    ],
    'secret-used-whole': [
      'The full secret was used as undecoded text, including whsec_.',
      (secret) => [secret],
    ],
    'secret-prefix-decoded': [
      'base64-decoded together with whsec_',
      (secret) => [secret, secret.replaceAll('_', '')].map(fromBase64),
    ],
    'secret-decoded-without-plus-and-slash': [
      'decoded without its + and / characters',
      (secret) => [fromBase64(bare(secret).replaceAll(/[+/]/g, ''))],
    ],
    'secret-plus-as-blank': [
      'read with a space instead of +, as in a URL',
      (secret) => [fromBase64(bare(secret).replaceAll('+', '')), bare(secret).replaceAll('+', ' ')],
    ],
    'secret-encoded-again': [
      'base64-encoded again',
      (secret) => [bare(secret), secret].map((text) => Buffer.from(text).toString('base64')),
    ],
    'secret-base64url': ['used as text with - and _ instead of + and /', base64urlForms],
    'secret-without-padding': [
      'used as text without = padding',
      (secret) => [bare(secret), secret].map((text) => text.replace(/(?<!=)=+$/, '')),
    ],
    'secret-case': [
      'used in a different letter case',
      (secret) =>
        [bare(secret).toLowerCase(), bare(secret).toUpperCase()].flatMap((text) => [fromBase64(text), text]),
    ],
  }),
  ...expandErrors('key', decodedKeys, KEY, {
    'secret-key-as-hex': ['decoded and then encoded in hex', (key) => [hexOf(key), hexOf(key).toUpperCase()]],
    'secret-decoded-twice': ['base64-decoded twice', (key) => [fromBase64(key.toString('latin1'))]],
    'secret-decoded-to-text': [
      'decoded and converted to text, which changed its bytes',
      (key) => (['utf8', 'latin1', 'ascii'] as const).map((charset) => key.toString(charset)),
    ],
    'secret-without-zero-bytes': [
      'stripped of zero bytes, or cut at the first one, as in a shell variable or a C string',
      (key) => (key.includes(0) ? [key.filter((byte) => byte !== 0), key.subarray(0, key.indexOf(0))] : []),
      PASS_IN_HEX,
    ],
  }),
  ...createKeyErrors(DECODE, OWN_SECRET),
];

function bare(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function hexOf(key: Buffer): string {
  return key.toString('hex');
}

function decodedKeys(message: SignedMessageInput): Buffer[] {
  return listCurrentSecrets(message).map((secret) => Buffer.from(message.keyOf(secret)));
}

function keyOfOther({ name, secret }: KnownSecret, { keyOf }: SignedMessageInput) {
  return labelKey(name, keyOf(secret));
}

function base64urlForms(secret: string): string[] {
  const text = bare(secret).replaceAll('+', '-').replaceAll('/', '_');
  return text === bare(secret) ? [] : [text, text.replaceAll('=', '')];
}

const BODY = ['The body was signed', 'Sign the complete raw body: the bytes on the wire.'] as const;

const CONTENT_ERRORS = expandErrors('body', listJsonBodies, BODY, {
  'body-data-only': ['as only the inner object of the event', innerObjects],
});

function innerObjects({ value }: JsonBody): (string | undefined)[] {
  const envelope = toObject(value);
  const data = envelope?.['data'];
  const parts = [data, toObject(data)?.['object'], envelope?.['type']];
  return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
}

const DIGEST_ERRORS = expandErrors('bodyForm', listMessage, BODY, {
  'body-digested': [
    'as its digest',
    () => [
      createDigestForm((digest) => digest.toString('hex')),
      createDigestForm((digest) => digest.toString('base64')),
      createDigestForm((digest) => digest),
      createDigestForm((digest) => digest.toString('hex').toUpperCase()),
    ],
  ],
});

const TIME = [
  'The timestamp was signed',
  'Sign the value of webhook-timestamp, which is new for each attempt; the body contains the event time.',
] as const;

/** Seconds from the first attempt of a delivery to each later attempt (§8). */
const ATTEMPT_DISTANCES_S = [60, 360, 2160, 9360, 30_960, 74_160, 160_560] as const;

const WEBHOOK_TIMESTAMP_ERRORS = [
  ...expandErrors('timestamp', listJsonBodies, TIME, {
    'timestamp-of-body': ['as the event time in the body', timesIn],
  }),
  ...expandErrors('timestamp', listSeconds, TIME, {
    'timestamp-of-earlier-attempt': [
      'The signature of an earlier attempt was sent again with a new timestamp.',
      (seconds) =>
        [0, -2, -1, 1, 2].flatMap((jitterS) =>
          ATTEMPT_DISTANCES_S.map((distanceS) => String(seconds - distanceS - jitterS)),
        ),
    ],
  }),
  ...expandErrors('timestamp', listMessage, TIME, {
    'timestamp-is-header-name': [
      'as the name of the header instead of its value',
      () => ['webhook-timestamp', 'webhook_timestamp', 'timestamp'],
    ],
  }),
];

function timesIn({ value }: JsonBody): string[] {
  const envelope = toObject(value);
  const time = envelope?.['timestamp'] ?? envelope?.['created_at'];
  if (typeof time === 'number') return [String(time)];
  if (typeof time !== 'string') return [];
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? [time] : [time, String(Math.floor(ms / 1000)), String(ms)];
}

const ID = ['The id was signed', 'Sign the value of webhook-id exactly as sent.'] as const;

const ID_ERRORS = [
  ...expandErrors('id', listJsonBodies, ID, { 'id-of-body': ['as an id from the body', idsIn] }),
  ...expandErrors('id', listPartText('id'), ID, {
    'id-without-prefix': ['without its prefix', (id) => [id.slice(id.indexOf('_') + 1)]],
    'id-with-prefix': ['with an added prefix', (id) => [`msg_${id}`, `evt_${id}`]],
    'id-other-prefix': [
      'with a different prefix than sent',
      (id) => ['msg_', 'evt_'].map((prefix) => id.replace(/^[a-z]+_/, prefix)),
    ],
    'id-case': ['in a different letter case than sent', (id) => [id.toLowerCase(), id.toUpperCase()]],
    'id-quoted': ['in quotes', (id) => [`"${id}"`, `'${id}'`, `b'${id}'`]],
    'id-with-blanks': ['with a space or line break around it', (id) => [`${id} `, ` ${id}`, `${id}\n`]],
    'id-unset': ['as an unset value', () => UNSET_TEXTS],
    'id-is-header-name': [
      'as the name of the header instead of its value',
      () => ['webhook-id', 'webhook_id', 'id'],
    ],
  }),
];

/** Returns the ids in an event, keyed by JSON path. */
function idsIn({ value }: JsonBody): Record<string, string> {
  const envelope = toObject(value);
  const data = toObject(envelope?.['data']);
  const resource = toObject(data?.['object']);
  const places = {
    id: envelope?.['id'],
    event_id: envelope?.['event_id'],
    'data.id': data?.['id'],
    'data.object.id': resource?.['id'],
    'data.object.code': resource?.['code'],
  };
  return Object.fromEntries(
    Object.entries(places).filter((place): place is [string, string] => typeof place[1] === 'string'),
  );
}

const JOINED = 'The bytes webhook-id.webhook-timestamp.body: three parts in this order, joined by dots.';
const RAW_BODY = 'The raw body is signed exactly as sent on the wire.';

/** Error tables for webhooks, likely errors first. @internal */
export const WEBHOOK_ERRORS: readonly ErrorGroup[] = [
  {
    expected: 'The key is the base64-decoded part after whsec_ of the endpoint’s current secret.',
    errors: KEY_ERRORS,
  },
  { expected: RAW_BODY, errors: [...BODY_ERRORS, ...CONTENT_ERRORS] },
  { expected: RAW_BODY, errors: DIGEST_ERRORS },
  {
    expected: 'The value of webhook-timestamp, as sent.',
    errors: [...TIMESTAMP_ERRORS, ...WEBHOOK_TIMESTAMP_ERRORS],
  },
  { expected: 'The value of webhook-id, as sent.', errors: ID_ERRORS },
  { expected: JOINED, errors: SEPARATOR_ERRORS },
  { expected: JOINED, errors: TRAILING_TEXT_ERRORS },
  {
    expected: JOINED,
    errors: createOrderErrors(['id', 'timestamp', 'body'], {}, { orders: [], selections: [['body']] }),
  },
  { expected: 'HMAC with SHA-256.', errors: ALGORITHM_ERRORS },
];
