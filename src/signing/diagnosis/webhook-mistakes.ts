import { SecretFormatError, webhookKey } from '../webhook.js';
import { bodies, BODY_MISTAKES } from './bodies.js';
import type { Dimension, Mistake, Subject, Variant } from './mistake.js';
import { mistake, rowsAbout, rowsFromText, UNSET_TEXTS, variantsOf, withRare } from './mistake.js';
import {
  ALGORITHM_MISTAKES,
  ENDING_MISTAKES,
  orderMistakes,
  otherCredential,
  PASS_KEY_BYTES,
  rowsAboutSecret,
  SEPARATOR_MISTAKES,
  TIMESTAMP_MISTAKES,
  TRIM_SECRET,
  UNSET_KEY_MISTAKES,
  variantOfSecret,
  withWrapping,
} from './shared-mistakes.js';
import { objectOf, pythonBytes } from './texts.js';

const SIGN_THE_BODY = 'Sign the whole raw body: the bytes on the wire.';

/** Mistakes that only the body of a webhook can have. */
const WEBHOOK_BODY_MISTAKES: readonly Mistake[] = [
  mistake('body-data-only', 'Only the inner object of the event was signed.', SIGN_THE_BODY, innerObjects),
];

/** Forms of the body that may have been signed instead of it. */
const WEBHOOK_DIGEST_MISTAKES: readonly Mistake[] = [
  mistake('body-digested', 'A digest of the body was signed, not the body.', SIGN_THE_BODY, () =>
    variantsOf('bodyForm', [
      (_body, sha256) => sha256().toString('hex'),
      (_body, sha256) => sha256().toString('base64'),
      (_body, sha256) => sha256(),
      (_body, sha256) => sha256().toString('hex').toUpperCase(),
    ]),
  ),
];

function innerObjects({ json }: Subject): Variant[] {
  const envelope = objectOf(json?.value);
  const data = envelope?.['data'];
  const parts = [data, objectOf(data)?.['object'], envelope?.['type']];
  return bodies(
    ...parts.map((part) =>
      part === undefined ? undefined : typeof part === 'string' ? part : JSON.stringify(part),
    ),
  );
}

const SIGN_THE_HEADER = 'Sign the text of webhook-id, exactly as in the header.';

const idRow = rowsFromText('id', SIGN_THE_HEADER);

/** Texts that may have been signed instead of the message id. */
const ID_MISTAKES: readonly Mistake[] = [
  rowsAbout('id', SIGN_THE_HEADER)(
    'id-of-body',
    'An id from the body was signed in place of webhook-id.',
    ({ json }) => idsInBody(json?.value),
  ),
  idRow('id-without-prefix', 'The id was signed without its prefix.', (id) => [
    id.slice(id.indexOf('_') + 1),
  ]),
  idRow('id-with-prefix', 'The id was signed with a prefix that was not sent.', (id) => [
    `msg_${id}`,
    `evt_${id}`,
  ]),
  idRow('id-other-prefix', 'The id was signed with a different prefix than sent.', (id) =>
    ['msg_', 'evt_'].map((prefix) => id.replace(/^[a-z]+_/, prefix)),
  ),
  idRow('id-case', 'The id was signed in a different case than sent.', (id) => [
    id.toLowerCase(),
    id.toUpperCase(),
  ]),
  idRow('id-quoted', 'The id was signed in quotes.', (id) => [`"${id}"`, `'${id}'`, `b'${id}'`]),
  idRow('id-with-blanks', 'The id was signed with a space or line break around it.', (id) => [
    `${id} `,
    ` ${id}`,
    `${id}\n`,
  ]),
  idRow('id-unset', 'An unset value was signed in place of the id.', () => UNSET_TEXTS),
  idRow('id-is-header-name', 'The name of the header was signed, not its value.', () => [
    'webhook-id',
    'webhook_id',
    'id',
  ]),
];

/** The ids in an event, by their places. */
function idsInBody(event: unknown): Record<string, string> {
  const envelope = objectOf(event);
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

const PREFIX = 'whsec_';
const DECODE = 'Remove whsec_ and base64-decode the rest; the resulting bytes are the key.';

const DECODE_CURRENT = 'Use the secret of the endpoint: remove whsec_ and base64-decode the rest.';

const row = rowsAboutSecret(DECODE);
const trimRow = rowsAboutSecret(TRIM_SECRET);

/** Wrong ways to turn a `whsec_` secret into a key (§5.5 takes the decoded bytes). */
const WEBHOOK_KEY_MISTAKES: readonly Mistake[] = [
  ...UNSET_KEY_MISTAKES,
  mistake(
    'secret-before-rotation',
    'It was signed only with the secret from before the rotation.',
    'While the old secret is valid, sign with both secrets and give receivers both.',
    ({ secrets }) =>
      secrets.filter(({ note }) => note === 'previous').map((known) => variantOfSecret(known, keyOf)),
  ),
  mistake(
    'secret-of-other-endpoint',
    'It was signed with the secret of another endpoint.',
    'Each endpoint has its own secret; use the one returned by its creation or last rotation.',
    ({ secrets }) =>
      secrets.filter(({ note }) => note === 'other').map((known) => variantOfSecret(known, keyOf)),
  ),
  row('secret-not-decoded', 'The secret was used as text after whsec_, not base64-decoded.', (secret) => [
    bare(secret),
  ]),
  row(
    'secret-used-whole',
    'The whole secret was used as text, including whsec_ and without decoding.',
    (secret) => [secret],
  ),
  row('secret-prefix-decoded', 'The secret was base64-decoded together with whsec_.', (secret) => [
    Buffer.from(secret, 'base64'),
    Buffer.from(secret.replaceAll('_', ''), 'base64'),
  ]),
  row(
    'secret-decoded-without-plus-and-slash',
    'The secret was decoded by a decoder that skips + and /.',
    (secret) => [Buffer.from(bare(secret).replaceAll(/[+/]/g, ''), 'base64')],
  ),
  row('secret-plus-as-blank', 'The + in the secret was read as a space, as in a URL.', (secret) => [
    Buffer.from(bare(secret).replaceAll('+', ''), 'base64'),
    bare(secret).replaceAll('+', ' '),
  ]),
  row('secret-hex-decoded', 'The secret was hex-decoded.', (secret) => [Buffer.from(bare(secret), 'hex')]),
  row(
    'secret-key-as-hex',
    'The decoded key was written in hex, and that text was used as the key.',
    (secret) => [keyOf(secret).toString('hex'), keyOf(secret).toString('hex').toUpperCase()],
  ),
  row('secret-encoded-again', 'The secret was put into base64 once more.', (secret) => [
    Buffer.from(bare(secret)).toString('base64'),
    Buffer.from(secret).toString('base64'),
  ]),
  row('secret-decoded-twice', 'The secret was base64-decoded twice.', (secret) => [
    Buffer.from(keyOf(secret).toString('latin1'), 'base64'),
  ]),
  row('secret-decoded-to-text', 'The decoded key was converted to text, which changed it.', (secret) => [
    keyOf(secret).toString('utf8'),
    keyOf(secret).toString('latin1'),
    keyOf(secret).toString('ascii'),
  ]),
  row('secret-base64url', 'The secret was used as text with - and _ for + and /.', (secret) => {
    const text = bare(secret).replaceAll('+', '-').replaceAll('/', '_');
    return text === bare(secret) ? [] : [text, text.replaceAll('=', '')];
  }),
  row('secret-without-padding', 'The secret was used as text without the = at its end.', (secret) => [
    bare(secret).replace(/(?<!=)=+$/, ''),
    secret.replace(/(?<!=)=+$/, ''),
  ]),
  trimRow(
    'secret-not-trimmed',
    'The secret was used as text with a space or line break around it.',
    (secret) => withWrapping(secret).blanks.flatMap((text) => [text, text.replace(PREFIX, '')]),
  ),
  trimRow('secret-quoted', 'The secret was used as text with quotes around it.', (secret) =>
    withWrapping(secret).quoted.flatMap((text) => [text, text.replace(PREFIX, '')]),
  ),
  row('secret-cut', 'Only a part of the key was used.', (secret) => {
    const key = keyOf(secret);
    return [16, 20, 24, 32, 64]
      .map((length) => key.subarray(0, length))
      .concat(key.subarray(0, -1), key.subarray(1));
  }),
  rowsAboutSecret('Use the secret unchanged.')(
    'secret-case',
    'The secret was used with its case changed.',
    (secret) =>
      [bare(secret).toLowerCase(), bare(secret).toUpperCase()].flatMap((text) => [
        Buffer.from(text, 'base64'),
        text,
      ]),
  ),
  rowsAboutSecret(PASS_KEY_BYTES)(
    'secret-python-bytes',
    "The text b'…' of Python bytes was used as the key.",
    (secret) => [keyOf(secret), Buffer.from(bare(secret)), Buffer.from(secret)].map(pythonBytes),
  ),
  rowsAboutSecret(
    'Do not pass the decoded key through $(…) or a C string; pass it to openssl in hex: -mac HMAC -macopt hexkey:….',
  )(
    'secret-without-zero-bytes',
    'The key lost its zero bytes, or ended at the first, as in a shell variable or a C string.',
    (secret) => {
      const key = keyOf(secret);
      if (!key.includes(0)) return [];
      return [key.filter((byte) => byte !== 0), key.subarray(0, key.indexOf(0))];
    },
  ),
  otherCredential(DECODE_CURRENT, (credential) => [
    credential,
    Buffer.from(credential, 'base64'),
    Buffer.from(credential.slice(credential.lastIndexOf('_') + 1), 'base64'),
  ]),
];

/** The key in a secret: the decoded bytes of a `whsec_` secret, the text of any other. */
function keyOf(secret: string): Buffer {
  try {
    return Buffer.from(webhookKey(secret));
  } catch (error) {
    if (error instanceof SecretFormatError) return Buffer.from(secret);
    throw error;
  }
}

function bare(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}

/** The times of a delivery's attempts after the first one (§8). */
const ATTEMPT_DISTANCES_S = [60, 360, 2160, 9360, 30_960, 74_160, 160_560] as const;
const JITTERS_S = [-2, -1, 1, 2] as const;

/** Mistakes about the time that only a webhook can have. */
const WEBHOOK_TIMESTAMP_MISTAKES: readonly Mistake[] = [
  mistake(
    'timestamp-of-body',
    'The timestamp of the event, in the body, was signed in place of webhook-timestamp.',
    'Sign the text of webhook-timestamp; the body has the time of the event, not of the attempt.',
    timestampsInBody,
  ),
  withRare(
    mistake(
      'timestamp-of-earlier-attempt',
      'The signature of an earlier attempt was sent again with a new timestamp.',
      'Create a new timestamp and signature for each attempt.',
      ({ seconds }) => earlierAttempts(seconds, [0]),
    ),
    ({ seconds }) => earlierAttempts(seconds, JITTERS_S),
  ),
  mistake(
    'timestamp-is-header-name',
    'The name of the header was signed, not its value.',
    'Sign the text of webhook-timestamp.',
    () => variantsOf('timestamp', ['webhook-timestamp', 'webhook_timestamp', 'timestamp']),
  ),
];

function timestampsInBody({ json }: Subject): Variant[] {
  const envelope = objectOf(json?.value);
  const text = envelope?.['timestamp'] ?? envelope?.['created_at'];
  if (typeof text === 'number') return variantsOf('timestamp', [String(text)]);
  if (typeof text !== 'string') return [];
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return variantsOf('timestamp', [text]);
  return variantsOf('timestamp', [text, String(Math.floor(ms / 1000)), String(ms)]);
}

function earlierAttempts(seconds: number | undefined, shiftsS: readonly number[]): Variant[] {
  if (seconds === undefined) return [];
  return ATTEMPT_DISTANCES_S.flatMap((distanceS) =>
    shiftsS.map((shiftS) => ({
      change: { timestamp: String(seconds - distanceS - shiftS) },
      detail: `about ${distanceS} s earlier`,
    })),
  );
}

const JOINED = 'The bytes webhook-id.webhook-timestamp.body: three parts in this order, joined by dots.';
const RAW_BODY = 'The raw body is signed as its bytes, exactly as on the wire.';

const ORDER_MISTAKES = orderMistakes({
  right: ['id', 'timestamp', 'body'],
  names: {},
  likelyOrders: [
    ['timestamp', 'id', 'body'],
    ['timestamp', 'body', 'id'],
    ['id', 'body', 'timestamp'],
    ['body', 'id', 'timestamp'],
    ['body', 'timestamp', 'id'],
  ],
  likelyChoices: [['body']],
});

/** The tables of mistakes in a webhook's signature (§5.5), the likely ones first. */
export const WEBHOOK_DIMENSIONS: readonly Dimension[] = [
  {
    name: 'secret',
    expected:
      'The key is the base64-decoded part of the secret after whsec_; the secret is the current one of the endpoint.',
    mistakes: WEBHOOK_KEY_MISTAKES,
  },
  { name: 'body', expected: RAW_BODY, mistakes: [...BODY_MISTAKES, ...WEBHOOK_BODY_MISTAKES] },
  { name: 'digest', expected: RAW_BODY, mistakes: WEBHOOK_DIGEST_MISTAKES },
  {
    name: 'timestamp',
    expected: 'The text of webhook-timestamp, as sent.',
    mistakes: [...TIMESTAMP_MISTAKES, ...WEBHOOK_TIMESTAMP_MISTAKES],
  },
  { name: 'id', expected: 'The text of webhook-id, as sent.', mistakes: ID_MISTAKES },
  { name: 'separator', expected: JOINED, mistakes: SEPARATOR_MISTAKES },
  { name: 'ending', expected: JOINED, mistakes: ENDING_MISTAKES },
  { name: 'order', expected: JOINED, mistakes: ORDER_MISTAKES },
  { name: 'algorithm', expected: 'HMAC with SHA-256.', mistakes: ALGORITHM_MISTAKES },
];
