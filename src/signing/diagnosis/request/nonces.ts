import { type Mistake, mistake, rowsFromText, type Subject, UNSET_TEXTS, type Variant } from '../mistake.js';
import { objectOf } from '../json-forms.js';

const SIGN_AS_SENT = 'Generate the nonce once, and use the same text in X-Nonce and in the signed content.';

const row = rowsFromText('id', SIGN_AS_SENT);

/** Texts that may have been signed instead of the nonce. */
export const NONCE_MISTAKES: readonly Mistake[] = [
  row('nonce-case', 'The nonce was signed in a different case than sent.', (nonce) => [
    nonce.toLowerCase(),
    nonce.toUpperCase(),
  ]),
  row(
    'nonce-dashes',
    'The nonce was signed without the dashes it was sent with, or with extra dashes.',
    (nonce) => [
      nonce.replaceAll('-', ''),
      nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    ],
  ),
  row(
    'nonce-encoded',
    'The nonce was signed as hex or base64 of what was sent, or the other way round.',
    (nonce) => [
      Buffer.from(nonce).toString('hex'),
      Buffer.from(nonce).toString('base64'),
      Buffer.from(nonce).toString('base64url'),
      Buffer.from(nonce, 'hex').toString('latin1'),
      Buffer.from(nonce, 'base64').toString('latin1'),
      Buffer.from(nonce, 'hex').toString('base64'),
      Buffer.from(nonce, 'base64').toString('hex'),
    ],
  ),
  row('nonce-quoted', 'The nonce was signed in quotes or braces.', (nonce) => [
    `"${nonce}"`,
    `'${nonce}'`,
    `{${nonce}}`,
    `b'${nonce}'`,
    `UUID('${nonce}')`,
  ]),
  row('nonce-line-break', 'The nonce was signed with a line break or space after it.', (nonce) => [
    `${nonce}\n`,
    `${nonce} `,
  ]),
  row('nonce-cut', 'Only the beginning of the nonce was signed.', (nonce) =>
    [8, 12, 16, 32, 64].map((length) => nonce.slice(0, length)),
  ),
  row('nonce-unset', 'An unset value was signed in place of the nonce.', () => [...UNSET_TEXTS, '0']),
  mistake(
    'nonce-is-other-field',
    'Another value was signed in place of the nonce.',
    SIGN_AS_SENT,
    otherFields,
  ),
];

function otherFields({ right, json }: Subject): Variant[] {
  const code = objectOf(json?.value)?.['code'];
  const variants: Variant[] = [{ change: { id: right.timestamp }, detail: 'the timestamp' }];
  if (typeof code === 'string') variants.push({ change: { id: code }, detail: 'the code of the charge' });
  return variants;
}
