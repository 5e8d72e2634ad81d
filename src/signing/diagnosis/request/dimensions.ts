import type { RequestScheme } from '../../request.js';
import { ALGORITHM_MISTAKES } from '../algorithms.js';
import { BODY_MISTAKES } from '../bodies.js';
import type { Dimension } from '../mistake.js';
import { orderMistakes } from '../orders.js';
import { DIGEST_MISTAKES } from './digests.js';
import { REQUEST_KEY_MISTAKES } from './keys.js';
import { METHOD_MISTAKES } from './methods.js';
import { NONCE_MISTAKES } from './nonces.js';
import { PATH_MISTAKES } from './paths.js';
import { SCHEME_MISTAKES } from './schemes.js';
import { ENDING_MISTAKES, SEPARATOR_MISTAKES } from '../separators.js';
import { TIMESTAMP_MISTAKES } from '../signed-timestamps.js';

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
      expected: `The body is signed as its SHA-256 digest in ${scheme.digestEncoding === 'hex' ? 'lower-case hex' : 'base64'}.`,
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
