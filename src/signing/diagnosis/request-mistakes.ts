import { createHash, getHashes, hash } from 'node:crypto';
import { hmacSha256 } from '../bytes.js';
import type { RequestScheme } from '../request.js';
import { BODY_MISTAKES } from './bodies.js';
import type { BodyForm, Dimension, Mistake } from './mistake.js';
import { formedBody, mistake, OBJECT_TEXTS, rowsAbout, variantsOf, withRare } from './mistake.js';
import { METHOD_MISTAKES, NONCE_MISTAKES, PATH_MISTAKES } from './request-parts.js';
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
import { byteJson, byteLists, commandOutputs, pythonBytes, UNPADDED_HEX } from './texts.js';

const FIX =
  'Sign timestamp, nonce, METHOD, path and body digest, joined by dots; this API has its own scheme.';
const rawBody: BodyForm = (body) => body;

/** Schemes of other services that may have been used instead of this one. */
const SCHEME_MISTAKES: readonly Mistake[] = [
  mistake(
    'scheme-of-webhooks',
    'The request was signed like a webhook: nonce, timestamp and the raw body.',
    FIX,
    () => [{ change: { order: ['id', 'timestamp', 'body'], bodyForm: rawBody } }],
  ),
  mistake('scheme-timestamp-and-body', 'Only the timestamp and the raw body were signed.', FIX, () => [
    { change: { order: ['timestamp', 'body'], bodyForm: rawBody } },
    { change: { order: ['timestamp', 'body'], bodyForm: rawBody, separator: '' } },
  ]),
  mistake('scheme-body-only', 'Only the raw body was signed.', FIX, () => [
    { change: { order: ['body'], bodyForm: rawBody } },
  ]),
  mistake('scheme-json-object', 'The parts were signed as a JSON object or array.', FIX, ({ right }) => {
    const { timestamp, id: nonce, method, path } = right;
    const digest = formedBody(right);
    return [
      { timestamp, nonce, method, path, body: digest },
      { timestamp, nonce, method, path, digest },
      { timestamp, nonce, method, path, bodyHash: digest },
      { timestamp, nonce, method, path, body_hash: digest },
      [timestamp, nonce, method, path, digest],
    ].map((parts) => ({ change: { order: [], ending: JSON.stringify(parts) } }));
  }),
];

const AS_TEXT = 'Use the secret as it is: its UTF-8 bytes are the key, without decoding.';

const row = rowsAboutSecret(AS_TEXT);
const trimRow = rowsAboutSecret(TRIM_SECRET);

/** Wrong ways to turn the signing secret of a request into a key (§5.2 takes its UTF-8 bytes). */
const REQUEST_KEY_MISTAKES: readonly Mistake[] = [
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

const SIGN_THE_DIGEST = 'Sign the SHA-256 digest of the body bytes, encoded as expected.';

const digest = rowsAbout('bodyForm', SIGN_THE_DIGEST);

/** A form made from the correct digest. */
function ofDigest(write: (digest: Buffer) => string | Buffer): BodyForm {
  return (_body, sha256) => write(sha256());
}

/** Forms made from the hex of the correct digest; the same number of them for every digest. */
function ofHex(write: (hex: string) => readonly string[]): BodyForm[] {
  return write('').map((_text, at) => ofDigest((digest) => write(digest.toString('hex'))[at] ?? ''));
}

/** Forms of the body that may have been signed instead of its digest. */
const DIGEST_MISTAKES: readonly Mistake[] = [
  digest('digest-raw-body', 'The body itself was signed, not its digest.', () => [(body) => body]),
  digest('digest-base64', 'The digest of the body was signed in base64.', () => [
    ofDigest((digest) => digest.toString('base64')),
  ]),
  digest('digest-hex', 'The digest of the body was signed in hex.', () => [
    ofDigest((digest) => digest.toString('hex')),
  ]),
  digest('digest-base64url', 'The digest of the body was signed in base64url or without padding.', () => [
    ofDigest((digest) => digest.toString('base64url')),
    ofDigest((digest) => digest.toString('base64').replace('=', '')),
  ]),
  digest('digest-upper-case', 'The digest of the body was signed in upper-case hex.', () => [
    ofDigest((digest) => digest.toString('hex').toUpperCase()),
  ]),
  digest('digest-bytes', 'The digest of the body was signed as 32 raw bytes, not as text.', () => [
    ofDigest((digest) => digest),
    ofDigest((digest) => digest.toString('latin1')),
    ofDigest((digest) => digest.toString('utf8')),
  ]),
  digest('digest-algorithm', 'The digest of the body was not made with SHA-256.', () =>
    Object.fromEntries(
      OTHER_HASHES.map((name): [string, BodyForm] => [
        name,
        (body) => createHash(name).update(body).digest('hex'),
      ]),
    ),
  ),
  digest('digest-twice', 'The digest of the body was digested again.', () => [
    ofDigest((digest) => hash('sha256', digest.toString('hex'), 'hex')),
    ofDigest((digest) => hash('sha256', digest, 'hex')),
  ]),
  digest('digest-prefixed', 'A prefix was signed before the digest of the body, such as sha256=.', () => [
    ofDigest((digest) => `sha256=${digest.toString('hex')}`),
    ofDigest((digest) => `sha256:${digest.toString('hex')}`),
    ofDigest((digest) => `SHA-256=${digest.toString('base64')}`),
    ofDigest((digest) => `sha-256=:${digest.toString('base64')}:`),
    ofDigest((digest) => `0x${digest.toString('hex')}`),
  ]),
  digest('digest-with-secret', 'The digest of the body was an HMAC with the secret.', ({ right }) => [
    (body) => hmacSha256(right.key, body).toString('hex'),
  ]),
  digest(
    'digest-base64-of-hex',
    'The hex digest of the body was encoded in base64 before it was signed.',
    () => [ofDigest((digest) => Buffer.from(digest.toString('hex')).toString('base64'))],
  ),
  mistake(
    'digest-left-empty',
    'Nothing, or an unset value, was signed in place of the digest.',
    'Always sign the digest of the body; without a body it is the SHA-256 of zero bytes.',
    () =>
      variantsOf(
        'bodyForm',
        ['', 'undefined', 'null', 'None', 'UNSIGNED-PAYLOAD', ...OBJECT_TEXTS].map((text) => () => text),
      ),
  ),
  digest('digest-length', 'The length of the body was signed in place of its digest.', () => [
    (body) => String(body.length),
  ]),
  withRare(
    mistake(
      'digest-command-output',
      'The whole output of a command such as openssl dgst or sha256sum was signed in place of the digest.',
      "Sign only the hex digits, without label, file name or line break: … | sed 's/^.*= *//; s/ .*//'.",
      () =>
        variantsOf(
          'bodyForm',
          ofHex((hex) => commandOutputs(hex).stdin),
        ),
    ),
    () =>
      variantsOf(
        'bodyForm',
        ofHex((hex) => commandOutputs(hex).others),
      ),
  ),
  mistake(
    'digest-python-bytes',
    "The text b'…' of Python bytes was signed in place of the digest.",
    'Use hexdigest(), or .decode() the bytes that hexlify or b64encode returns; do not ' +
      'format bytes with str() or an f-string.',
    () =>
      variantsOf('bodyForm', [
        ofDigest((digest) => pythonBytes(Buffer.from(digest.toString('hex')))),
        ofDigest((digest) => pythonBytes(Buffer.from(digest.toString('base64')))),
        ofDigest(pythonBytes),
      ]),
  ),
  mistake(
    'digest-without-leading-zeros',
    'The digest of the body was signed in hex without leading zeros.',
    'Write each byte as two hex digits: padStart(2, "0"), "%02x", or the hex encoder of the language.',
    () => variantsOf('bodyForm', UNPADDED_HEX.map(ofDigest)),
  ),
  digest(
    'digest-as-numbers',
    'The digest of the body was signed as a list of decimal numbers, one for each byte.',
    () =>
      [0, 1, 2, 3, 4].map((at) =>
        ofDigest((digest) => [...byteLists(digest), ...byteJson(digest)][at] ?? ''),
      ),
  ),
  mistake(
    'digest-not-written',
    'The body was passed to Sum() of Go, which puts it before the digest of nothing.',
    'Write the body to the hash first: h.Write(body), then h.Sum(nil); or call sha256.Sum256(body).',
    () =>
      variantsOf('bodyForm', [
        (body) => Buffer.from(body).toString('hex') + hash('sha256', '', 'hex'),
        (body) => Buffer.concat([body, hash('sha256', '', 'buffer')]).toString('base64'),
      ]),
  ),
];

/** Other hashes, without those that this machine does not provide. */
const OTHER_HASHES = ['sha1', 'sha512', 'sha384', 'sha224', 'md5'].filter((name) =>
  getHashes().includes(name),
);

const JOINED =
  'The string timestamp.nonce.METHOD.path.sha256(body): five parts in this order, joined by dots.';

const ORDER_MISTAKES = orderMistakes({
  right: ['timestamp', 'id', 'method', 'path', 'body'],
  names: { id: 'nonce', body: 'body digest' },
  likelyOrders: [
    ['id', 'timestamp', 'method', 'path', 'body'],
    ['method', 'path', 'timestamp', 'id', 'body'],
    ['method', 'path', 'body', 'timestamp', 'id'],
    ['timestamp', 'method', 'path', 'id', 'body'],
    ['timestamp', 'method', 'path', 'body', 'id'],
    ['method', 'path', 'id', 'timestamp', 'body'],
    ['timestamp', 'id', 'path', 'method', 'body'],
    ['timestamp', 'id', 'body', 'method', 'path'],
    ['body', 'path', 'method', 'id', 'timestamp'],
  ],
  likelyChoices: [
    ['timestamp', 'body'],
    ['timestamp', 'id', 'body'],
    ['method', 'path', 'body'],
    ['timestamp', 'method', 'path'],
    ['timestamp', 'path', 'body'],
  ],
});

/** The tables of mistakes in a request's signature (§5.2), the likely ones first. */
export function requestDimensions(scheme: RequestScheme): readonly Dimension[] {
  const pathExpected =
    scheme.pathForm === 'path'
      ? 'The path is the request-target before its ?, byte for byte as sent.'
      : 'The path is the whole request-target, query included, byte for byte as sent.';
  return [
    { name: 'path', expected: pathExpected, mistakes: PATH_MISTAKES },
    {
      name: 'body',
      expected: 'The digest is made over the bytes of the body on the wire.',
      mistakes: BODY_MISTAKES,
    },
    {
      name: 'digest',
      expected:
        'The body is signed as its SHA-256 digest in ' +
        `${scheme.digestEncoding === 'hex' ? 'lower-case hex' : 'base64'}.`,
      mistakes: DIGEST_MISTAKES,
    },
    {
      name: 'secret',
      expected: 'The key is the signing secret, as its UTF-8 bytes.',
      mistakes: REQUEST_KEY_MISTAKES,
    },
    { name: 'timestamp', expected: 'The text of x-timestamp, as sent.', mistakes: TIMESTAMP_MISTAKES },
    { name: 'nonce', expected: 'The text of x-nonce, as sent.', mistakes: NONCE_MISTAKES },
    { name: 'method', expected: 'The method in upper case.', mistakes: METHOD_MISTAKES },
    { name: 'separator', expected: JOINED, mistakes: SEPARATOR_MISTAKES },
    { name: 'ending', expected: JOINED, mistakes: ENDING_MISTAKES },
    { name: 'order', expected: JOINED, mistakes: ORDER_MISTAKES },
    { name: 'scheme', expected: JOINED, mistakes: SCHEME_MISTAKES },
    { name: 'algorithm', expected: 'HMAC with SHA-256.', mistakes: ALGORITHM_MISTAKES },
  ];
}
