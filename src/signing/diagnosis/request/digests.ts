import { createHash, hash } from 'node:crypto';
import { hmacSha256 } from '../../bytes.js';
import { type Mistake, mistake, namedVariants, variantsOf } from '../mistake.js';
import type { BodyForm } from '../plan.js';

const SIGN_THE_DIGEST = 'Sign the SHA-256 digest of the body bytes, encoded as expected.';

const sha256 =
  (encoding: 'hex' | 'base64' | 'base64url'): BodyForm =>
  (body) =>
    hash('sha256', body, encoding);

/** Forms of the body that may have been signed instead of its digest. */
export const DIGEST_MISTAKES: readonly Mistake[] = [
  mistake('digest-raw-body', 'The body itself was signed, not its digest.', SIGN_THE_DIGEST, () =>
    variantsOf('bodyForm', (body) => body),
  ),
  mistake('digest-base64', 'The digest of the body was signed in base64.', SIGN_THE_DIGEST, () =>
    variantsOf('bodyForm', sha256('base64')),
  ),
  mistake('digest-hex', 'The digest of the body was signed in hex.', SIGN_THE_DIGEST, () =>
    variantsOf('bodyForm', sha256('hex')),
  ),
  mistake(
    'digest-base64url',
    'The digest of the body was signed in base64url or without padding.',
    SIGN_THE_DIGEST,
    () =>
      variantsOf('bodyForm', sha256('base64url'), (body) => hash('sha256', body, 'base64').replace('=', '')),
  ),
  mistake('digest-upper-case', 'The digest of the body was signed in upper-case hex.', SIGN_THE_DIGEST, () =>
    variantsOf('bodyForm', (body) => hash('sha256', body, 'hex').toUpperCase()),
  ),
  mistake(
    'digest-bytes',
    'The digest of the body was signed as 32 raw bytes, not as text.',
    SIGN_THE_DIGEST,
    () =>
      variantsOf(
        'bodyForm',
        (body) => hash('sha256', body, 'buffer'),
        (body) => hash('sha256', body, 'buffer').toString('latin1'),
        (body) => hash('sha256', body, 'buffer').toString('utf8'),
      ),
  ),
  mistake('digest-algorithm', 'The digest of the body was not made with SHA-256.', SIGN_THE_DIGEST, () =>
    namedVariants(
      'bodyForm',
      ['sha1', 'sha512', 'sha384', 'sha224'].map((name) => [
        name,
        (body) => createHash(name).update(body).digest('hex'),
      ]),
    ),
  ),
  mistake('digest-twice', 'The digest of the body was digested again.', SIGN_THE_DIGEST, () =>
    variantsOf(
      'bodyForm',
      (body) => hash('sha256', hash('sha256', body, 'hex'), 'hex'),
      (body) => hash('sha256', hash('sha256', body, 'buffer'), 'hex'),
    ),
  ),
  mistake(
    'digest-prefixed',
    'A prefix was signed before the digest of the body, such as sha256=.',
    SIGN_THE_DIGEST,
    () =>
      variantsOf(
        'bodyForm',
        (body) => `sha256=${hash('sha256', body, 'hex')}`,
        (body) => `sha256:${hash('sha256', body, 'hex')}`,
        (body) => `SHA-256=${hash('sha256', body, 'base64')}`,
        (body) => `sha-256=:${hash('sha256', body, 'base64')}:`,
        (body) => `0x${hash('sha256', body, 'hex')}`,
      ),
  ),
  mistake(
    'digest-with-secret',
    'The digest of the body was an HMAC with the secret.',
    SIGN_THE_DIGEST,
    ({ right }) => variantsOf('bodyForm', (body) => hmacSha256(right.key, body).toString('hex')),
  ),
  mistake(
    'digest-base64-of-hex',
    'The hex digest of the body was encoded in base64 before it was signed.',
    SIGN_THE_DIGEST,
    () => variantsOf('bodyForm', (body) => Buffer.from(hash('sha256', body, 'hex')).toString('base64')),
  ),
  mistake(
    'digest-left-empty',
    'Nothing, or an unset value, was signed in place of the digest.',
    'Always sign the digest of the body; without a body it is the SHA-256 of zero bytes.',
    () =>
      ['', 'undefined', 'null', 'None', 'UNSIGNED-PAYLOAD'].flatMap((text) =>
        variantsOf('bodyForm', () => text),
      ),
  ),
  mistake('digest-length', 'The length of the body was signed in place of its digest.', SIGN_THE_DIGEST, () =>
    variantsOf('bodyForm', (body) => String(body.length)),
  ),
];
