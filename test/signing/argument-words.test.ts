import { expect, test } from 'vitest';
import { signRequest, verifyRequest } from '../../src/signing/request.js';
import {
  checkedTolerance,
  describeTimestamp,
  formatTimestamp,
  wholeSeconds,
} from '../../src/signing/timestamp.js';
import { thrownBy } from '../helpers/thrown-by.js';

const RIGHT = {
  method: 'POST',
  target: '/pix?a=1',
  body: '{}',
  secret: 'secret',
  nonce: 'nonce-of-16-chars',
  timestampS: 1_760_000_123,
};
const SIGNED = signRequest(RIGHT);
const sign = (change: object) => () => signRequest({ ...RIGHT, ...change });

test.each<[string, () => unknown, string]>([
  ['a method in small letters', sign({ method: 'post' }), 'Expected a method in capitals, as in POST.'],
  ['a method with a space', sign({ method: 'PO ST' }), 'Expected a method in capitals, as in POST.'],
  [
    'a target with a host',
    sign({ target: 'https://a/pix' }),
    'Expected a request-target that begins with / and is percent-encoded, without scheme and host.',
  ],
  [
    'a target with a space',
    sign({ target: '/a b' }),
    'Expected a request-target that begins with / and is percent-encoded, without scheme and host.',
  ],
  [
    'a short nonce',
    sign({ nonce: 'a'.repeat(15) }),
    'Expected a nonce of 16 to 128 characters of A-Z a-z 0-9 _ -.',
  ],
  [
    'a long nonce',
    sign({ nonce: 'a'.repeat(129) }),
    'Expected a nonce of 16 to 128 characters of A-Z a-z 0-9 _ -.',
  ],
  [
    'a nonce with a dot',
    sign({ nonce: 'nonce.of.16.chars' }),
    'Expected a nonce of 16 to 128 characters of A-Z a-z 0-9 _ -.',
  ],
  ['an empty secret', sign({ secret: '' }), 'Expected a signing secret, got an empty one.'],
  [
    'a time before 1970',
    sign({ timestampS: -1 }),
    'Expected timestampS in whole Unix seconds, 0 to 999999999999, got -1. For milliseconds, use Math.floor(ms / 1000).',
  ],
  [
    'milliseconds far away',
    () => formatTimestamp(1e12),
    'Expected timestampS in whole Unix seconds, 0 to 999999999999, got 1000000000000. For milliseconds, use Math.floor(ms / 1000).',
  ],
  [
    'a fraction',
    () => formatTimestamp(1.5),
    'Expected timestampS in whole Unix seconds, 0 to 999999999999, got 1.5. For milliseconds, use Math.floor(ms / 1000).',
  ],
  [
    'an unknown part of the scheme',
    sign({ scheme: { encoding: 'hex' } }),
    'Expected a scheme of signatureEncoding, digestEncoding, pathForm; got encoding.',
  ],
  [
    'an unknown encoding',
    sign({ scheme: { signatureEncoding: 'base32' } }),
    'Expected signatureEncoding to be hex or base64; got base32.',
  ],
  ['no time', () => wholeSeconds(Number.NaN), 'Expected nowS in Unix seconds, got NaN.'],
  ['a negative tolerance', () => checkedTolerance(-1), 'Expected toleranceS of 0 or more, got -1.'],
  ['no tolerance', () => checkedTolerance(Number.NaN), 'Expected toleranceS of 0 or more, got NaN.'],
])('%s is an error that says what is expected', (_what, act, words) => {
  expect(thrownBy(act, Error).message).toBe(words);
});

test('what is at a limit is taken', () => {
  expect([formatTimestamp(0), formatTimestamp(999_999_999_999)]).toEqual(['0', '999999999999']);
  expect([checkedTolerance(0), wholeSeconds(1.9)]).toEqual([0, 1]);
  for (const nonce of ['a'.repeat(16), 'a'.repeat(128)])
    expect(sign({ nonce })().headers['x-nonce']).toBe(nonce);
});

const verdict = (headers: object, more: object = {}) => {
  const all = { ...SIGNED.headers, ...headers };
  const { method, target, body, secret, timestampS } = RIGHT;
  const given = verifyRequest({ method, target, body, secret, nowS: timestampS, headers: all, ...more });
  return JSON.stringify(given);
};

test.each<[string, () => string, string]>([
  ['all that is right', () => verdict({}), '{"ok":true}'],
  [
    'no signature',
    () => verdict({ 'x-signature': undefined }),
    '{"ok":false,"cause":"missing_header","missing":["x-signature"],"message":"Expected the headers x-timestamp, x-nonce and x-signature; missing or empty: x-signature."}',
  ],
  [
    'no header',
    () => verdict({ 'x-signature': '', 'x-nonce': '', 'x-timestamp': '' }),
    '{"ok":false,"cause":"missing_header","missing":["x-timestamp","x-nonce","x-signature"],"message":"Expected the headers x-timestamp, x-nonce and x-signature; missing or empty: x-timestamp, x-nonce, x-signature."}',
  ],
  [
    'a date',
    () => verdict({ 'x-timestamp': '2026-01-31' }),
    '{"ok":false,"cause":"invalid_timestamp","message":"Expected x-timestamp in Unix seconds (1 to 12 digits), got a date in ISO form."}',
  ],
  [
    'a short nonce',
    () => verdict({ 'x-nonce': 'short' }),
    '{"ok":false,"cause":"invalid_nonce","message":"Expected x-nonce of 16 to 128 characters of A-Z a-z 0-9 _ -, got another length or other characters."}',
  ],
  [
    'a signature in capitals',
    () => verdict({ 'x-signature': SIGNED.headers['x-signature'].toUpperCase() }),
    '{"ok":false,"cause":"invalid_signature_format","message":"Expected x-signature as 64 lower-case hex digits, got another form."}',
  ],
  [
    'another form of signature',
    () => verdict({}, { scheme: { signatureEncoding: 'base64' } }),
    '{"ok":false,"cause":"invalid_signature_format","message":"Expected x-signature as base64 of 32 bytes (44 characters), got another form."}',
  ],
  [
    'an old time',
    () => verdict({}, { nowS: RIGHT.timestampS + 301 }),
    '{"ok":false,"cause":"timestamp_out_of_range","ageS":301,"toleranceS":300,"message":"Expected x-timestamp within 300 s of now, got one 301 s in the past."}',
  ],
  [
    'a coming time',
    () => verdict({}, { nowS: RIGHT.timestampS - 301 }),
    '{"ok":false,"cause":"timestamp_out_of_range","ageS":-301,"toleranceS":300,"message":"Expected x-timestamp within 300 s of now, got one 301 s in the future."}',
  ],
  ['the oldest time', () => verdict({}, { nowS: RIGHT.timestampS + 300 }), '{"ok":true}'],
  ['the latest time', () => verdict({}, { nowS: RIGHT.timestampS - 300 }), '{"ok":true}'],
  [
    'another body',
    () => verdict({}, { body: '[]' }),
    '{"ok":false,"cause":"signature_mismatch","message":"The signature does not match timestamp.nonce.METHOD.path.sha256(body) under the application’s signing secret."}',
  ],
])('%s is answered with its cause', (_what, act, words) => {
  expect(act()).toBe(words);
});

test.each([
  ['1234567890123', '13 digits, which looks like milliseconds'],
  ['12345678901234', '14 digits'],
  ['x1234567890123', 'something else'],
  ['1234567890123x', 'something else'],
  [' 1', 'a value with blanks around it'],
  ['1 ', 'a value with blanks around it'],
  ['1.5', 'a number with a fraction'],
  ['12.34', 'a number with a fraction'],
  ['x1.5', 'something else'],
  ['1.5x', 'something else'],
  ['.5', 'something else'],
  ['+1', 'a number with a sign'],
  ['-1', 'a number with a sign'],
  ['x-1', 'something else'],
  ['2026-01-31T12:00:00Z', 'a date in ISO form'],
  ['2026-01-3', 'something else'],
  ['2026-1-31', 'something else'],
  ['202-01-31', 'something else'],
  ['x2026-01-31', 'something else'],
  ['', 'something else'],
])('%j is described as %s', (text, words) => {
  expect(describeTimestamp(text)).toBe(words);
});
