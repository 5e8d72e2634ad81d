import { createHash, createHmac, getHashes } from 'node:crypto';
import { type Bytes, hmacSha256 } from '../bytes.js';
import { type Mistake, mistake, rowsAbout, variantsOf } from './mistake.js';
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

function joined(chunks: readonly Bytes[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
}

const algorithm = rowsAbout('algorithm', USE_HMAC);

/** Other ways to get from key and content to a signature. */
export const ALGORITHM_MISTAKES: readonly Mistake[] = [
  algorithm('algorithm-sha512', 'The HMAC was made with SHA-512.', () => [hmac('sha512')]),
  algorithm('algorithm-sha384', 'The HMAC was made with SHA-384.', () => [hmac('sha384')]),
  algorithm('algorithm-sha1', 'The HMAC was made with SHA-1.', () => [hmac('sha1')]),
  algorithm('algorithm-other-hash', 'The HMAC was made with another hash than SHA-256.', () =>
    Object.fromEntries(OTHER_HASHES.map((name): [string, Algorithm] => [name, hmac(name)])),
  ),
  algorithm('algorithm-no-key', 'The content was hashed without any secret.', () => [
    (_key, content) => plainHash(...content),
  ]),
  algorithm(
    'algorithm-hash-with-secret',
    'Secret and content were hashed together instead of an HMAC.',
    () => ({
      'secret first': (key, content) => plainHash(key, ...content),
      'secret last': (key, content) => plainHash(...content, key),
      'secret first, then a dot': (key, content) => plainHash(key, '.', ...content),
      'secret last, after a dot': (key, content) => plainHash(...content, '.', key),
    }),
  ),
  algorithm(
    'algorithm-key-and-content-swapped',
    'Key and content were swapped in the call of the HMAC.',
    () => [(key, content) => hmacSha256(joined(content), key)],
  ),
  mistake(
    'algorithm-content-hashed-first',
    'The content was hashed with SHA-256 before the HMAC.',
    'Pass the content itself to the HMAC.',
    () =>
      variantsOf('algorithm', {
        'as hex': (key, content) => hmacSha256(key, plainHash(...content).toString('hex')),
        'as bytes': (key, content) => hmacSha256(key, plainHash(...content)),
        'as base64': (key, content) => hmacSha256(key, plainHash(...content).toString('base64')),
      }),
  ),
  mistake(
    'algorithm-twice',
    'The result of the HMAC was hashed or signed again.',
    'Compute the HMAC once.',
    () =>
      variantsOf('algorithm', {
        'signed again': (key, content) => hmacSha256(key, hmacSha256(key, ...content)),
        'its hex signed again': (key, content) =>
          hmacSha256(key, hmacSha256(key, ...content).toString('hex')),
        hashed: (key, content) => plainHash(hmacSha256(key, ...content)),
        'its hex hashed': (key, content) => plainHash(hmacSha256(key, ...content).toString('hex')),
      }),
  ),
  mistake(
    'content-not-passed',
    'Nothing was passed to the HMAC: it was computed without its content.',
    'Pass the content before the result is read: update(content) in JavaScript, Write(content) in Go.',
    () => variantsOf('algorithm', [(key) => hmacSha256(key, '')]),
  ),
  mistake(
    'content-passed-to-sum',
    'The content was passed to Sum() of Go, which puts it before the HMAC of nothing.',
    'Write the content first: mac.Write(content), then mac.Sum(nil).',
    () => variantsOf('algorithm', [(key, content) => Buffer.concat([joined(content), hmacSha256(key, '')])]),
  ),
  mistake(
    'content-encoded',
    'The content was encoded in base64 or hex before the HMAC.',
    'Pass the bytes of the content to the HMAC.',
    () =>
      variantsOf('algorithm', {
        'in base64': (key, content) => hmacSha256(key, joined(content).toString('base64')),
        'in hex': (key, content) => hmacSha256(key, joined(content).toString('hex')),
      }),
  ),
];

/** Other hashes, without those that this machine does not provide. */
const OTHER_HASHES = ['md5', 'sha224', 'sha3-256'].filter((name) => getHashes().includes(name));
