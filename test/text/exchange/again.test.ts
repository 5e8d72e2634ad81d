import { expect, test } from 'vitest';
import { headersAgain, isSignedAgain } from '../../../src/text/exchange/shown.js';

test('fresh values stand in the places of the old ones, each once, or after all', () => {
  const kept = [
    ['X-Nonce', 'old'],
    ['Accept', '*/*'],
    ['x-nonce', 'older'],
    ['Content-Length', '2'],
    ['Cookie', 'a…b'],
  ] as const;
  expect(
    headersAgain(kept, { 'x-nonce': 'new', authorization: 'Bearer t', 'content-length': undefined }),
  ).toEqual({
    headers: [
      ['X-Nonce', 'new'],
      ['Accept', '*/*'],
      ['authorization', 'Bearer t'],
    ],
    leftOut: ['cookie'],
  });
});

test.for([
  ['POST', 'api', [], true],
  ['GET', 'api', [], false],
  ['GET', 'api', [['X-Signature', 'a']], true],
  ['POST', 'identity', [['X-Signature', 'a']], false],
] as const)('%s at the door %s with the headers %j is signed: %s', ([method, door, headers, isSigned]) => {
  expect(isSignedAgain({ door, method, path: '/', headers })).toBe(isSigned);
});
