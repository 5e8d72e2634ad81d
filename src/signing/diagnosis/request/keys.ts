import { hash } from 'node:crypto';
import {
  otherCredential,
  PASS_KEY_BYTES,
  rowsAboutSecret,
  TRIM_SECRET,
  UNSET_KEY_MISTAKES,
  variantOfSecret,
  withWrapping,
} from '../keys.js';
import { type Mistake, mistake, variantsOf } from '../mistake.js';
import { pythonBytes } from '../printed.js';

const AS_TEXT = 'Use the secret as it is: its UTF-8 bytes are the key, without decoding.';

const row = rowsAboutSecret(AS_TEXT);
const trimRow = rowsAboutSecret(TRIM_SECRET);

/** Wrong ways to turn the signing secret of a request into a key (§5.2 takes its UTF-8 bytes). */
export const REQUEST_KEY_MISTAKES: readonly Mistake[] = [
  ...UNSET_KEY_MISTAKES,
  mistake(
    'secret-of-other-application',
    'The secret of another application was used.',
    'Use the secret of the application whose token the request carries.',
    ({ secrets }) =>
      secrets
        .filter(({ note }) => note === 'other')
        .map((known) => variantOfSecret(known, (secret) => secret)),
  ),
  trimRow(
    'secret-not-trimmed',
    'The secret was used with a space or line break around it.',
    (secret) => withWrapping(secret).blanks,
  ),
  rowsAboutSecret('Use the secret unchanged.')(
    'secret-trimmed',
    'The secret was used without the spaces that belong to it.',
    (secret) => [secret.trim()],
  ),
  trimRow(
    'secret-quoted',
    'The secret was used with quotes around it.',
    (secret) => withWrapping(secret).quoted,
  ),
  row('secret-base64-decoded', 'The secret was base64-decoded.', (secret) =>
    tails(secret).map((text) => Buffer.from(text, 'base64')),
  ),
  row('secret-hex-decoded', 'The secret was hex-decoded.', (secret) =>
    tails(secret).map((text) => Buffer.from(text, 'hex')),
  ),
  row('secret-encoded', 'The secret was encoded in base64 or hex.', (secret) => [
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
  ]),
  row('secret-url-encoded', 'The secret was URL-encoded or URL-decoded.', (secret) => [
    encodeURIComponent(secret),
    secret.replaceAll('+', ' '),
  ]),
  row('secret-prefix-left-out', 'The prefix of the secret, up to an underscore, was left out.', (secret) =>
    tails(secret).slice(1),
  ),
  row('secret-case', 'The secret was used with its case changed.', (secret) => [
    secret.toLowerCase(),
    secret.toUpperCase(),
  ]),
  row('secret-hashed', 'The secret was hashed before it became the key.', (secret) => [
    hash('sha256', secret, 'buffer'),
    hash('sha256', secret, 'hex'),
    hash('sha256', secret, 'base64'),
  ]),
  row('secret-cut', 'Only the beginning of the secret was used.', (secret) =>
    [16, 32, 64].map((length) => secret.slice(0, length)).concat(secret.slice(0, -1)),
  ),
  row('secret-utf16', 'The secret was converted to UTF-16 bytes.', (secret) => [
    Buffer.from(secret, 'utf16le'),
  ]),
  mistake(
    'secret-is-token',
    'The bearer token was used as the secret.',
    'The token and the signing secret are different values; sign with the signing secret.',
    ({ token }) => (token ? variantsOf('key', [token, `Bearer ${token}`]) : []),
  ),
  otherCredential(
    'Sign with the signing secret of the application whose token the request carries.',
    (credential) => [
      credential,
      ...tails(credential).slice(1, 2),
      ...tails(credential)
        .slice(1, 2)
        .map((tail) => Buffer.from(tail, 'base64')),
    ],
  ),
  rowsAboutSecret(PASS_KEY_BYTES)(
    'secret-python-bytes',
    "The text b'…' of Python bytes was used as the secret.",
    (secret) => [pythonBytes(Buffer.from(secret))],
  ),
];

/** The secret, and the part after each of its underscores. */
function tails(secret: string): string[] {
  const tails = [secret];
  for (let at = secret.indexOf('_'); at >= 0 && tails.length < 5; at = secret.indexOf('_', at + 1)) {
    tails.push(secret.slice(at + 1));
  }
  return tails.filter((tail) => tail !== '');
}
