import { SecretFormatError, webhookKey } from '../../webhook-secret.js';
import { isCurrent, keyMistake, TRIM_SECRET, UNSET_KEY_MISTAKES, withWrapping } from '../keys.js';
import { type KnownSecret, type Mistake, mistake, type Variant } from '../mistake.js';

const PREFIX = 'whsec_';
const DECODE = 'Remove whsec_ and base64-decode the rest; the resulting bytes are the key.';

/** Wrong ways to turn a `whsec_` secret into a key (§5.5 takes the decoded bytes). */
export const WEBHOOK_KEY_MISTAKES: readonly Mistake[] = [
  ...UNSET_KEY_MISTAKES,
  mistake(
    'secret-before-rotation',
    'It was signed only with the secret from before the rotation.',
    'While the old secret is valid, sign with both secrets and give receivers both.',
    ({ secrets }) => secrets.filter(({ note }) => note === 'previous').flatMap(keyVariant),
  ),
  mistake(
    'secret-of-other-endpoint',
    'It was signed with the secret of another endpoint.',
    'Each endpoint has its own secret; use the one returned by its creation or last rotation.',
    ({ secrets }) => secrets.filter(({ note }) => note === 'other').flatMap(keyVariant),
  ),
  keyMistake(
    'secret-not-decoded',
    'The secret was used as text after whsec_, not base64-decoded.',
    DECODE,
    (secret) => [bare(secret)],
  ),
  keyMistake(
    'secret-used-whole',
    'The whole secret was used as text, including whsec_ and without decoding.',
    DECODE,
    (secret) => [secret],
  ),
  keyMistake(
    'secret-prefix-decoded',
    'The secret was base64-decoded together with whsec_.',
    DECODE,
    (secret) => [Buffer.from(secret, 'base64'), Buffer.from(secret.replaceAll('_', ''), 'base64')],
  ),
  keyMistake(
    'secret-decoded-without-plus-and-slash',
    'The secret was decoded by a decoder that skips + and /.',
    DECODE,
    (secret) => [Buffer.from(bare(secret).replaceAll(/[+/]/g, ''), 'base64')],
  ),
  keyMistake(
    'secret-plus-as-blank',
    'The + in the secret was read as a space, as in a URL.',
    DECODE,
    (secret) => [Buffer.from(bare(secret).replaceAll('+', ''), 'base64'), bare(secret).replaceAll('+', ' ')],
  ),
  keyMistake('secret-hex-decoded', 'The secret was hex-decoded.', DECODE, (secret) => [
    Buffer.from(bare(secret), 'hex'),
  ]),
  keyMistake(
    'secret-key-as-hex',
    'The decoded key was written in hex, and that text was used as the key.',
    DECODE,
    (secret) => [keyOf(secret).toString('hex'), keyOf(secret).toString('hex').toUpperCase()],
  ),
  keyMistake('secret-encoded-again', 'The secret was put into base64 once more.', DECODE, (secret) => [
    Buffer.from(bare(secret)).toString('base64'),
    Buffer.from(secret).toString('base64'),
  ]),
  keyMistake('secret-decoded-twice', 'The secret was base64-decoded twice.', DECODE, (secret) => [
    Buffer.from(keyOf(secret).toString('latin1'), 'base64'),
  ]),
  keyMistake(
    'secret-decoded-to-text',
    'The decoded key was converted to text, which changed it.',
    DECODE,
    (secret) => [
      keyOf(secret).toString('utf8'),
      keyOf(secret).toString('latin1'),
      keyOf(secret).toString('ascii'),
    ],
  ),
  keyMistake(
    'secret-base64url',
    'The secret was used as text with - and _ for + and /.',
    DECODE,
    (secret) => [
      bare(secret).replaceAll('+', '-').replaceAll('/', '_'),
      bare(secret).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    ],
  ),
  keyMistake(
    'secret-without-padding',
    'The secret was used as text without the = at its end.',
    DECODE,
    (secret) => [bare(secret).replace(/(?<!=)=+$/, ''), secret.replace(/(?<!=)=+$/, '')],
  ),
  keyMistake(
    'secret-not-trimmed',
    'The secret was used as text with a space or line break around it.',
    TRIM_SECRET,
    (secret) => withWrapping(secret).blanks.flatMap((text) => [text, text.replace(PREFIX, '')]),
  ),
  keyMistake('secret-quoted', 'The secret was used as text with quotes around it.', TRIM_SECRET, (secret) =>
    withWrapping(secret).quoted.flatMap((text) => [text, text.replace(PREFIX, '')]),
  ),
  keyMistake('secret-cut', 'Only a part of the key was used.', DECODE, (secret) => {
    const key = keyOf(secret);
    return [16, 20, 24, 32, 64]
      .map((length) => key.subarray(0, length))
      .concat(key.subarray(0, -1), key.subarray(1));
  }),
  keyMistake(
    'secret-case',
    'The secret was used with its case changed.',
    'Use the secret unchanged.',
    (secret) =>
      [bare(secret).toLowerCase(), bare(secret).toUpperCase()].flatMap((text) => [
        Buffer.from(text, 'base64'),
        text,
      ]),
  ),
];

/** The key in a secret: the decoded bytes of a `whsec_` secret, the text of any other. */
export function keyOf(secret: string): Buffer {
  try {
    return Buffer.from(webhookKey(secret));
  } catch (error) {
    if (error instanceof SecretFormatError) return Buffer.from(secret);
    throw error;
  }
}

/** The keys of the secrets that may sign a valid message. Throws SecretFormatError. */
export function currentKeys(secrets: readonly KnownSecret[]): Uint8Array[] {
  return secrets.filter(isCurrent).map(({ secret }) => webhookKey(secret));
}

function keyVariant({ name, secret }: KnownSecret): Variant[] {
  const variant = { change: { key: keyOf(secret) } };
  return [name === undefined ? variant : { ...variant, detail: name }];
}

function bare(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}
