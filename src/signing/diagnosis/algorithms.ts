import { createHash, createHmac } from 'node:crypto';
import { type Bytes, hmacSha256 } from '../bytes.js';
import { type Mistake, mistake, namedVariants, variantsOf } from './mistake.js';
import type { Algorithm } from './plan.js';

/** The algorithm of both signatures (§5.2, §5.5). */
export const HMAC_SHA256: Algorithm = (key, content) => hmacSha256(key, ...content);

const USE_HMAC = 'Compute an HMAC with SHA-256: the secret is its key, the content its message.';

function hmac(name: string): Algorithm {
  return (key, content) => {
    const hmac = createHmac(name, key);
    for (const chunk of content) hmac.update(chunk);
    return hmac.digest();
  };
}

function plainHash(...chunks: readonly Bytes[]): Buffer {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest();
}

function joined(content: readonly Bytes[]): Buffer {
  return Buffer.concat(content.map((chunk) => Buffer.from(chunk)));
}

/** Other ways to get from key and content to a signature. */
export const ALGORITHM_MISTAKES: readonly Mistake[] = [
  mistake('algorithm-sha512', 'The HMAC was made with SHA-512.', USE_HMAC, () =>
    variantsOf('algorithm', hmac('sha512')),
  ),
  mistake('algorithm-sha384', 'The HMAC was made with SHA-384.', USE_HMAC, () =>
    variantsOf('algorithm', hmac('sha384')),
  ),
  mistake('algorithm-sha1', 'The HMAC was made with SHA-1.', USE_HMAC, () =>
    variantsOf('algorithm', hmac('sha1')),
  ),
  mistake('algorithm-no-key', 'The content was hashed without any secret.', USE_HMAC, () =>
    variantsOf('algorithm', (_key, content) => plainHash(...content)),
  ),
  mistake(
    'algorithm-hash-with-secret',
    'Secret and content were hashed together instead of an HMAC.',
    USE_HMAC,
    () =>
      namedVariants('algorithm', [
        ['secret first', (key, content) => plainHash(key, ...content)],
        ['secret last', (key, content) => plainHash(...content, key)],
        ['secret first, then a dot', (key, content) => plainHash(key, '.', ...content)],
        ['secret last, after a dot', (key, content) => plainHash(...content, '.', key)],
      ]),
  ),
  mistake(
    'algorithm-key-and-content-swapped',
    'Key and content were swapped in the call of the HMAC.',
    USE_HMAC,
    () => variantsOf('algorithm', (key, content) => hmacSha256(joined(content), key)),
  ),
  mistake(
    'algorithm-content-hashed-first',
    'The content was hashed with SHA-256 before the HMAC.',
    'Pass the content itself to the HMAC.',
    () =>
      namedVariants('algorithm', [
        ['as hex', (key, content) => hmacSha256(key, plainHash(...content).toString('hex'))],
        ['as bytes', (key, content) => hmacSha256(key, plainHash(...content))],
        ['as base64', (key, content) => hmacSha256(key, plainHash(...content).toString('base64'))],
      ]),
  ),
  mistake(
    'algorithm-twice',
    'The result of the HMAC was hashed or signed again.',
    'Compute the HMAC once.',
    () =>
      namedVariants('algorithm', [
        ['signed again', (key, content) => hmacSha256(key, hmacSha256(key, ...content))],
        [
          'its hex signed again',
          (key, content) => hmacSha256(key, hmacSha256(key, ...content).toString('hex')),
        ],
        ['hashed', (key, content) => plainHash(hmacSha256(key, ...content))],
        ['its hex hashed', (key, content) => plainHash(hmacSha256(key, ...content).toString('hex'))],
      ]),
  ),
];
