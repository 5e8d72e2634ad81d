import { SecretFormatError, webhookKey } from '../../webhook-secret.js';
import {
  otherCredential,
  PASS_KEY_BYTES,
  rowsAboutSecret,
  TRIM_SECRET,
  UNSET_KEY_MISTAKES,
  variantOfSecret,
  withWrapping,
} from '../keys.js';
import { type Mistake, mistake } from '../mistake.js';
import { pythonBytes } from '../printed.js';

const PREFIX = 'whsec_';
const DECODE = 'Remove whsec_ and base64-decode the rest; the resulting bytes are the key.';

const DECODE_CURRENT = 'Use the secret of the endpoint: remove whsec_ and base64-decode the rest.';

const row = rowsAboutSecret(DECODE);
const trimRow = rowsAboutSecret(TRIM_SECRET);

/** Wrong ways to turn a `whsec_` secret into a key (§5.5 takes the decoded bytes). */
export const WEBHOOK_KEY_MISTAKES: readonly Mistake[] = [
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
