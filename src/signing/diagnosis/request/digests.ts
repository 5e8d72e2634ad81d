import { createHash, hash } from 'node:crypto';
import { hmacSha256 } from '../../bytes.js';
import { type Mistake, mistake, rowsAbout, variantsOf } from '../mistake.js';
import type { BodyForm } from '../plan.js';

const digest = rowsAbout('bodyForm', 'Sign the SHA-256 digest of the body bytes, encoded as expected.');

function sha256(encoding: 'hex' | 'base64' | 'base64url'): BodyForm {
  return (body) => hash('sha256', body, encoding);
}

/** Forms of the body that may have been signed instead of its digest. */
export const DIGEST_MISTAKES: readonly Mistake[] = [
  digest('digest-raw-body', 'The body itself was signed, not its digest.', () => [(body) => body]),
  digest('digest-base64', 'The digest of the body was signed in base64.', () => [sha256('base64')]),
  digest('digest-hex', 'The digest of the body was signed in hex.', () => [sha256('hex')]),
  digest('digest-base64url', 'The digest of the body was signed in base64url or without padding.', () => [
    sha256('base64url'),
    (body) => hash('sha256', body, 'base64').replace('=', ''),
  ]),
  digest('digest-upper-case', 'The digest of the body was signed in upper-case hex.', () => [
    (body) => hash('sha256', body, 'hex').toUpperCase(),
  ]),
  digest('digest-bytes', 'The digest of the body was signed as 32 raw bytes, not as text.', () => [
    (body) => hash('sha256', body, 'buffer'),
    (body) => hash('sha256', body, 'buffer').toString('latin1'),
    (body) => hash('sha256', body, 'buffer').toString('utf8'),
  ]),
  digest('digest-algorithm', 'The digest of the body was not made with SHA-256.', () =>
    Object.fromEntries(
      ['sha1', 'sha512', 'sha384', 'sha224'].map((name): [string, BodyForm] => [
        name,
        (body) => createHash(name).update(body).digest('hex'),
      ]),
    ),
  ),
  digest('digest-twice', 'The digest of the body was digested again.', () => [
    (body) => hash('sha256', hash('sha256', body, 'hex'), 'hex'),
    (body) => hash('sha256', hash('sha256', body, 'buffer'), 'hex'),
  ]),
  digest('digest-prefixed', 'A prefix was signed before the digest of the body, such as sha256=.', () => [
    (body) => `sha256=${hash('sha256', body, 'hex')}`,
    (body) => `sha256:${hash('sha256', body, 'hex')}`,
    (body) => `SHA-256=${hash('sha256', body, 'base64')}`,
    (body) => `sha-256=:${hash('sha256', body, 'base64')}:`,
    (body) => `0x${hash('sha256', body, 'hex')}`,
  ]),
  digest('digest-with-secret', 'The digest of the body was an HMAC with the secret.', ({ right }) => [
    (body) => hmacSha256(right.key, body).toString('hex'),
  ]),
  digest(
    'digest-base64-of-hex',
    'The hex digest of the body was encoded in base64 before it was signed.',
    () => [(body) => Buffer.from(hash('sha256', body, 'hex')).toString('base64')],
  ),
  mistake(
    'digest-left-empty',
    'Nothing, or an unset value, was signed in place of the digest.',
    'Always sign the digest of the body; without a body it is the SHA-256 of zero bytes.',
    () =>
      variantsOf(
        'bodyForm',
        ['', 'undefined', 'null', 'None', 'UNSIGNED-PAYLOAD'].map((text) => () => text),
      ),
  ),
  digest('digest-length', 'The length of the body was signed in place of its digest.', () => [
    (body) => String(body.length),
  ]),
];
