import { createHash, getHashes, hash } from 'node:crypto';
import { hmacSha256 } from '../../bytes.js';
import { type Mistake, mistake, OBJECT_TEXTS, rowsAbout, variantsOf, withRare } from '../mistake.js';
import type { BodyForm } from '../plan.js';
import { byteJson, byteLists, commandOutputs, pythonBytes, UNPADDED_HEX } from '../printed.js';

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
export const DIGEST_MISTAKES: readonly Mistake[] = [
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
    'Use hexdigest(), or .decode() the bytes that hexlify or b64encode returns; do not format bytes with str() or an f-string.',
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
