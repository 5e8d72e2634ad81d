// The signing errors of webhooks (§5.5).
import { SECRET_OF_NONE, webhookKey } from '../webhook.js';
import { BODY_ERRORS, jsonOf } from './body-errors.js';
import { type ErrorGroup, errorsIn } from './diagnose.js';
import {
  ALGORITHM_ERRORS,
  currentSecrets,
  ENDING_ERRORS,
  namedKey,
  ofDigest,
  once,
  orderErrors,
  secondsOf,
  secretsNoted,
  SEPARATOR_ERRORS,
  sharedKeyErrors,
  textOf,
  TIMESTAMP_ERRORS,
  UNSET_KEY_ERRORS,
  UNSET_TEXTS,
} from './errors.js';
import { type JsonBody, objectOf } from './rewriting.js';

const PREFIX = 'whsec_';
const DECODE = 'Remove whsec_ and base64-decode the rest; the resulting bytes are the key.';

function bare(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}

const KEY_ERRORS = [
  ...UNSET_KEY_ERRORS,
  ...errorsIn('key', once, DECODE, {
    'injected-fault': [
      'The sandbox signed it with the secret of no endpoint: the fault wrong-signature was injected.',
      () => [webhookKey(SECRET_OF_NONE)],
      'Refuse such a webhook, as a receiver should; without the fault, attempts are signed correctly.',
    ],
  }),
  ...errorsIn('key', secretsNoted('previous'), DECODE, {
    'secret-before-rotation': [
      'It was signed only with the secret from before the rotation.',
      ({ name, secret }, { keyOf }) => namedKey(name, keyOf(secret)),
      'While the old secret is valid, sign with both secrets and give receivers both.',
    ],
  }),
  ...errorsIn('key', secretsNoted('other'), DECODE, {
    'secret-of-other-endpoint': [
      'It was signed with the secret of another endpoint.',
      ({ name, secret }, { keyOf }) => namedKey(name, keyOf(secret)),
      'Each endpoint has its own secret; use the one returned by its creation or last rotation.',
    ],
  }),
  ...errorsIn('key', currentSecrets, DECODE, {
    'secret-not-decoded': [
      'The secret was used as text after whsec_, not base64-decoded.',
      (secret) => [bare(secret)],
    ],
    'secret-used-whole': [
      'The whole secret was used as text, including whsec_ and without decoding.',
      (secret) => [secret],
    ],
    'secret-prefix-decoded': [
      'The secret was base64-decoded together with whsec_.',
      (secret) => [Buffer.from(secret, 'base64'), Buffer.from(secret.replaceAll('_', ''), 'base64')],
    ],
    'secret-decoded-without-plus-and-slash': [
      'The secret was decoded by a decoder that skips + and /.',
      (secret) => [Buffer.from(bare(secret).replaceAll(/[+/]/g, ''), 'base64')],
    ],
    'secret-plus-as-blank': [
      'The + in the secret was read as a space, as in a URL.',
      (secret) => [
        Buffer.from(bare(secret).replaceAll('+', ''), 'base64'),
        bare(secret).replaceAll('+', ' '),
      ],
    ],
    'secret-key-as-hex': [
      'The decoded key was written in hex, and that text was used as the key.',
      (secret, { keyOf }) => {
        const hex = Buffer.from(keyOf(secret)).toString('hex');
        return [hex, hex.toUpperCase()];
      },
    ],
    'secret-encoded-again': [
      'The secret was put into base64 once more.',
      (secret) => [bare(secret), secret].map((text) => Buffer.from(text).toString('base64')),
    ],
    'secret-decoded-twice': [
      'The secret was base64-decoded twice.',
      (secret, { keyOf }) => [Buffer.from(Buffer.from(keyOf(secret)).toString('latin1'), 'base64')],
    ],
    'secret-decoded-to-text': [
      'The decoded key was converted to text, which changed it.',
      (secret, { keyOf }) =>
        (['utf8', 'latin1', 'ascii'] as const).map((encoding) =>
          Buffer.from(keyOf(secret)).toString(encoding),
        ),
    ],
    'secret-base64url': [
      'The secret was used as text with - and _ for + and /.',
      (secret) => {
        const text = bare(secret).replaceAll('+', '-').replaceAll('/', '_');
        return text === bare(secret) ? [] : [text, text.replaceAll('=', '')];
      },
    ],
    'secret-without-padding': [
      'The secret was used as text without the = at its end.',
      (secret) => [bare(secret), secret].map((text) => text.replace(/(?<!=)=+$/, '')),
    ],
    'secret-case': [
      'The secret was used with its case changed.',
      (secret) =>
        [bare(secret).toLowerCase(), bare(secret).toUpperCase()].flatMap((text) => [
          Buffer.from(text, 'base64'),
          text,
        ]),
      'Use the secret unchanged.',
    ],
    'secret-without-zero-bytes': [
      'The key lost its zero bytes, or ended at the first, as in a shell variable or a C string.',
      (secret, { keyOf }) => {
        const key = Buffer.from(keyOf(secret));
        if (!key.includes(0)) return [];
        return [key.filter((byte) => byte !== 0), key.subarray(0, key.indexOf(0))];
      },
      'Do not pass the decoded key through $(…) or a C string; pass it to openssl in hex: -mac HMAC -macopt hexkey:….',
    ],
  }),
  ...sharedKeyErrors(DECODE, 'Use the secret of the endpoint: remove whsec_ and base64-decode the rest.'),
];

const SIGN_THE_BODY = 'Sign the whole raw body: the bytes on the wire.';

const CONTENT_ERRORS = errorsIn('body', jsonOf, SIGN_THE_BODY, {
  'body-data-only': [
    'Only the inner object of the event was signed.',
    ({ value }) => {
      const envelope = objectOf(value);
      const data = envelope?.['data'];
      const parts = [data, objectOf(data)?.['object'], envelope?.['type']];
      return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
    },
  ],
});

const DIGEST_ERRORS = errorsIn('bodyForm', once, SIGN_THE_BODY, {
  'body-digested': [
    'A digest of the body was signed, not the body.',
    () => [
      ofDigest((digest) => digest.toString('hex')),
      ofDigest((digest) => digest.toString('base64')),
      ofDigest((digest) => digest),
      ofDigest((digest) => digest.toString('hex').toUpperCase()),
    ],
  ],
});

const SIGN_THE_TIMESTAMP = 'Sign the text of webhook-timestamp.';

/** The times of a delivery's attempts after the first one (§8). */
const ATTEMPT_DISTANCES_S = [60, 360, 2160, 9360, 30_960, 74_160, 160_560] as const;

const WEBHOOK_TIMESTAMP_ERRORS = [
  ...errorsIn('timestamp', jsonOf, SIGN_THE_TIMESTAMP, {
    'timestamp-of-body': [
      'The timestamp of the event, in the body, was signed in place of webhook-timestamp.',
      timestampsIn,
      'Sign the text of webhook-timestamp; the body has the time of the event, not of the attempt.',
    ],
  }),
  ...errorsIn('timestamp', secondsOf, SIGN_THE_TIMESTAMP, {
    'timestamp-of-earlier-attempt': [
      'The signature of an earlier attempt was sent again with a new timestamp.',
      (seconds) =>
        [0, -2, -1, 1, 2].flatMap((jitterS) =>
          ATTEMPT_DISTANCES_S.map((distanceS) => String(seconds - distanceS - jitterS)),
        ),
      'Create a new timestamp and signature for each attempt.',
    ],
  }),
  ...errorsIn('timestamp', once, SIGN_THE_TIMESTAMP, {
    'timestamp-is-header-name': [
      'The name of the header was signed, not its value.',
      () => ['webhook-timestamp', 'webhook_timestamp', 'timestamp'],
    ],
  }),
];

function timestampsIn({ value }: JsonBody): string[] {
  const envelope = objectOf(value);
  const time = envelope?.['timestamp'] ?? envelope?.['created_at'];
  if (typeof time === 'number') return [String(time)];
  if (typeof time !== 'string') return [];
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? [time] : [time, String(Math.floor(ms / 1000)), String(ms)];
}

const SIGN_THE_ID = 'Sign the text of webhook-id, exactly as in the header.';

const ID_ERRORS = [
  ...errorsIn('id', jsonOf, SIGN_THE_ID, {
    'id-of-body': ['An id from the body was signed in place of webhook-id.', idsIn],
  }),
  ...errorsIn('id', textOf('id'), SIGN_THE_ID, {
    'id-without-prefix': ['The id was signed without its prefix.', (id) => [id.slice(id.indexOf('_') + 1)]],
    'id-with-prefix': [
      'The id was signed with a prefix that was not sent.',
      (id) => [`msg_${id}`, `evt_${id}`],
    ],
    'id-other-prefix': [
      'The id was signed with a different prefix than sent.',
      (id) => ['msg_', 'evt_'].map((prefix) => id.replace(/^[a-z]+_/, prefix)),
    ],
    'id-case': [
      'The id was signed in a different case than sent.',
      (id) => [id.toLowerCase(), id.toUpperCase()],
    ],
    'id-quoted': ['The id was signed in quotes.', (id) => [`"${id}"`, `'${id}'`, `b'${id}'`]],
    'id-with-blanks': [
      'The id was signed with a space or line break around it.',
      (id) => [`${id} `, ` ${id}`, `${id}\n`],
    ],
    'id-unset': ['An unset value was signed in place of the id.', () => UNSET_TEXTS],
    'id-is-header-name': [
      'The name of the header was signed, not its value.',
      () => ['webhook-id', 'webhook_id', 'id'],
    ],
  }),
];

/** The ids in an event, by their places. */
function idsIn({ value }: JsonBody): Record<string, string> {
  const envelope = objectOf(value);
  const data = objectOf(envelope?.['data']);
  const resource = objectOf(data?.['object']);
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
const RAW_BODY = 'The raw body is signed as its bytes, exactly as on the wire.';

/** The tables of webhooks, the likely errors first. @internal */
export const WEBHOOK_ERRORS: readonly ErrorGroup[] = [
  {
    expected:
      'The key is the base64-decoded part of the secret after whsec_; the secret is the current one of the endpoint.',
    errors: KEY_ERRORS,
  },
  { expected: RAW_BODY, errors: [...BODY_ERRORS, ...CONTENT_ERRORS] },
  { expected: RAW_BODY, errors: DIGEST_ERRORS },
  {
    expected: 'The text of webhook-timestamp, as sent.',
    errors: [...TIMESTAMP_ERRORS, ...WEBHOOK_TIMESTAMP_ERRORS],
  },
  { expected: 'The text of webhook-id, as sent.', errors: ID_ERRORS },
  { expected: JOINED, errors: SEPARATOR_ERRORS },
  { expected: JOINED, errors: ENDING_ERRORS },
  {
    expected: JOINED,
    errors: orderErrors(['id', 'timestamp', 'body'], {}, { orders: [], selections: [['body']] }),
  },
  { expected: 'HMAC with SHA-256.', errors: ALGORITHM_ERRORS },
];
