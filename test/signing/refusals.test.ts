import { describe, expect, test } from 'vitest';
import {
  canonicalRequest,
  SecretFormatError,
  signRequest,
  signWebhook,
  verifyRequest,
  verifyWebhook,
} from '../../src/signing/index.js';
import {
  checkTolerance,
  describeTimestamp,
  formatTimestamp,
  checkWholeSeconds,
} from '../../src/signing/message.js';
import { thrownBy } from '../helpers/thrown-by.js';

/** What somebody without a type checker may write. */
// oxlint-disable-next-line typescript/no-explicit-any
type Untyped = any;

const SECRET = 'whsec_c2FuZGJveC10ZXN0LXNlY3JldC0wMDAwMDAwMDA=';
const WEBHOOK = { id: 'evt_1', timestampS: 1000, body: '{}', secrets: SECRET };
const NOW_S = 1_760_000_123;
const REQUEST = {
  method: 'POST',
  target: '/pix?a=1',
  body: '{}',
  secret: 'secret',
  nonce: 'nonce-of-16-chars',
  timestampS: NOW_S,
};
const sign = (change: object) => () => signRequest({ ...REQUEST, ...change });
const seal = (change: object) => () => signWebhook({ ...WEBHOOK, ...change });
const PERCENT_ENCODED =
  'Expected a percent-encoded request-target that begins with /, without scheme and host.';
const NONCE = 'Expected a nonce with 16 to 128 characters from A-Z a-z 0-9 _ -.';
const seconds = (got: string) =>
  `Expected timestampS in whole Unix seconds, 0 to 999999999999, got ${got}. For milliseconds, use Math.floor(ms / 1000).`;

test.each<[string, ...(() => unknown)[]]>([
  ['Expected an uppercase method, e.g. POST.', sign({ method: 'post' }), sign({ method: 'PO ST' })],
  [PERCENT_ENCODED, sign({ target: 'https://a/pix' }), sign({ target: '/a b' }), sign({ target: '/é' })],
  [NONCE, sign({ nonce: 'a'.repeat(15) }), sign({ nonce: 'a'.repeat(129) })],
  [NONCE, sign({ nonce: 'nonce.of.16.chars' }), sign({ nonce: 1_234_567_890_123_456 as Untyped })],
  ['Expected a signing secret, got an empty string.', sign({ secret: '' })],
  [seconds('-1'), sign({ timestampS: -1 }), seal({ timestampS: -1 })],
  [seconds('1000000000000'), () => formatTimestamp(1e12), seal({ timestampS: 1e12 })],
  [seconds('1.5'), () => formatTimestamp(1.5)],
  [
    'Expected only the scheme options signatureEncoding, digestEncoding, pathForm; got encoding.',
    sign({ scheme: { encoding: 'hex' } }),
  ],
  [
    'Expected signatureEncoding to be hex or base64; got base32.',
    sign({ scheme: { signatureEncoding: 'base32' } }),
  ],
  [
    'Expected digestEncoding to be hex or base64; got latin1.',
    () => canonicalRequest({ ...REQUEST, timestamp: '1' }, { digestEncoding: 'latin1' as Untyped }),
  ],
  ['Expected pathForm to be path or target; got full.', sign({ scheme: { pathForm: 'full' } })],
  ['Expected nowS in Unix seconds, got NaN.', () => checkWholeSeconds(Number.NaN)],
  ['Expected toleranceS of 0 or more, got -1.', () => checkTolerance(-1)],
  ['Expected toleranceS of 0 or more, got NaN.', () => checkTolerance(Number.NaN)],
  [
    'Expected a webhook id of visible ASCII characters without spaces.',
    seal({ id: 'evt 1' }),
    seal({ id: undefined }),
  ],
  ['Expected at least one webhook secret (whsec_<base64>), got none.', seal({ secrets: [] })],
  [
    'Expected secrets as a string or a list of strings (whsec_<base64>), got a different type.',
    seal({ secrets: undefined }),
    seal({ secrets: [7] }),
  ],
  ['Expected headers as an object, got undefined.', () => verifyRequest({ ...REQUEST, nowS: 1 } as Untyped)],
  [
    'Expected headers as an object, got null.',
    () => verifyWebhook({ ...WEBHOOK, headers: null, nowS: 1 } as Untyped),
  ],
])('rejects an unusable argument: %s', (words, ...acts) => {
  for (const act of acts) expect(thrownBy(act, Error).message).toBe(words);
});

test('rejects an argument with its documented error class', () => {
  const verify = (change: object) => () =>
    verifyWebhook({ ...WEBHOOK, headers: signWebhook(WEBHOOK), nowS: 1000, ...change });
  const rejected = [seal({ id: '' }), seal({ timestampS: 0.5 }), verify({ nowS: Number.NaN })];
  for (const act of rejected) expect(act).toThrow(RangeError);
  for (const act of [seal({ secrets: [] }), verify({ secrets: [SECRET, 'whsec_?'] })])
    expect(act).toThrow(SecretFormatError);
  expect(sign({ scheme: { encoding: 'hex' } })).toThrow(TypeError);
});

test('accepts limits, and uses defaults for undefined parts of a scheme', () => {
  expect([formatTimestamp(0), formatTimestamp(999_999_999_999)]).toEqual(['0', '999999999999']);
  expect([checkTolerance(0), checkWholeSeconds(1.9)]).toEqual([0, 1]);
  for (const nonce of ['a'.repeat(16), 'a'.repeat(128)])
    expect(sign({ nonce })().headers['x-nonce']).toBe(nonce);
  const scheme = { signatureEncoding: undefined, pathForm: undefined };
  expect(sign({ scheme })()).toEqual(sign({})());
});

describe('a malformed secret', () => {
  test.each([
    ['', 'nothing. Use the secret returned when the endpoint was created or rotated.'],
    [` ${SECRET}`, 'one with surrounding whitespace. Trim it.'],
    [`"${SECRET}"`, 'one in quotes. Remove the quotes.'],
    [SECRET.slice(6), 'one without the prefix whsec_. Copy the complete secret, including the prefix.'],
    ['whsec_', 'only the prefix. Copy the complete secret.'],
    ['whsec_abcde', 'truncated base64 or base64 without its = padding. Copy the complete secret.'],
    ['whsec_abc', 'truncated base64 or base64 without its = padding. Copy the complete secret.'],
    ['whsec_abcd=', 'base64 with 1 extra = at the end. Remove it.'],
    ['whsec_abcd==', 'base64 with 2 extra = at the end. Remove them.'],
    ['whsec_abc-', 'base64url (- and _) after the prefix. Use + and / instead.'],
    ['whsec_abc!', 'something other than base64 after the prefix. Copy the secret again.'],
    ['whsec_====', 'something other than base64 after the prefix. Copy the secret again.'],
    ['whsec_YQ==YQ==', 'something other than base64 after the prefix. Copy the secret again.'],
    ['whsec_YQ=', 'truncated base64 or base64 without its = padding. Copy the complete secret.'],
    ['WHSEC_MfKQ9r8G', 'one without the prefix whsec_. Copy the complete secret, including the prefix.'],
    ['whsec_abd=', 'base64 with an incomplete last byte. Copy the secret again.'],
  ])('reports what is wrong without showing the secret: %s', (secrets, got) => {
    const { message } = thrownBy(seal({ secrets }), SecretFormatError);
    expect(message).toBe(`Expected a webhook secret of the form whsec_<base64>, got ${got}`);
  });
});

describe('a rejected webhook', () => {
  const headers = signWebhook(WEBHOOK);
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  const right = headers[signature];
  const none = (count: number) => ({
    cause: 'no_supported_signature',
    message: `Expected a v1 signature (v1,<base64>) in webhook-signature, got ${count} with other versions or formats.`,
  });
  const mismatch = (none: string) => ({
    cause: 'signature_mismatch',
    message: `${none} the body, id and timestamp with the secret.`,
  });
  const missing = (...names: string[]) => ({
    cause: 'missing_header',
    missing: names,
    message: `Expected the headers webhook-id, webhook-timestamp and webhook-signature; missing or empty: ${names.join(', ')}.`,
  });
  const time = (got: string) => ({
    cause: 'invalid_timestamp',
    message: `Expected webhook-timestamp in Unix seconds (1 to 12 digits), got ${got}.`,
  });

  test.each<[Readonly<Record<string, string>>, number, object]>([
    [{}, 1000, { ok: true, secretIndex: 0, signatureIndex: 0, ageS: 0 }],
    [{}, 1300.9, { ok: true, secretIndex: 0, signatureIndex: 0, ageS: 300 }],
    [{ [signature]: `v2,abc ${right}` }, 1000, { ok: true, secretIndex: 0, signatureIndex: 1, ageS: 0 }],
    [
      {},
      1301,
      {
        cause: 'timestamp_too_old',
        ageS: 301,
        toleranceS: 300,
        message: 'Expected webhook-timestamp within 300 s of now, got a time 301 s in the past.',
      },
    ],
    [
      {},
      699,
      {
        cause: 'timestamp_too_new',
        ageS: -301,
        toleranceS: 300,
        message: 'Expected webhook-timestamp within 300 s of now, got a time 301 s in the future.',
      },
    ],
    [{ [id]: '' }, 1000, missing(id)],
    [{ [id]: '', [timestamp]: '', [signature]: '' }, 1000, missing(id, timestamp, signature)],
    [{ [timestamp]: '1000.5' }, 1000, time('a number with a fraction')],
    [{ [timestamp]: '1'.repeat(90) }, 1000, time('90 digits')],
    [{ [signature]: ' ' }, 1000, none(0)],
    [{ [signature]: 'v2,abc v3,abc' }, 1000, none(2)],
    [
      { [signature]: 'v1,abc' },
      1000,
      {
        cause: 'malformed_signature',
        message:
          'Expected v1,<base64 of 32 bytes> in webhook-signature, got a v1 signature in a different format.',
      },
    ],
    [{ [signature]: `v1,${'A'.repeat(43)}=` }, 1000, mismatch('The v1 signature does not match')],
    [
      { [signature]: `v1,${'A'.repeat(43)}= v1,${'B'.repeat(42)}A=` },
      1000,
      mismatch('None of 2 v1 signatures matches'),
    ],
  ])('reports the expected and received value for %j at %d', (changed, nowS, verdict) => {
    const found = verifyWebhook({ body: '{}', secrets: SECRET, nowS, headers: { ...headers, ...changed } });
    expect(found).toEqual({ ok: false, ...verdict });
  });

  test('reports the number of secrets', () => {
    const verdict = verifyWebhook({ body: '[]', secrets: [SECRET, SECRET], nowS: 1000, headers });
    expect(verdict).toMatchObject({
      message: 'The v1 signature does not match the body, id and timestamp with any of 2 secrets.',
    });
  });
});

describe('a rejected request', () => {
  const { headers } = signRequest(REQUEST);
  const [timestamp, nonce, signature] = ['x-timestamp', 'x-nonce', 'x-signature'] as const;
  const refused = (cause: string, message: string, more: object = {}) => ({ cause, message, ...more });
  const missing = (...names: string[]) =>
    refused(
      'missing_header',
      `Expected the headers x-timestamp, x-nonce and x-signature; missing or empty: ${names.join(', ')}.`,
      { missing: names },
    );
  const late = (ageS: number, side: string) =>
    refused(
      'timestamp_out_of_range',
      `Expected x-timestamp within 300 s of now, got a time 301 s in the ${side}.`,
      {
        ageS,
        toleranceS: 300,
      },
    );

  test.each<[object, object, object]>([
    [{}, {}, { ok: true }],
    [{}, { nowS: NOW_S + 300 }, { ok: true }],
    [{}, { nowS: NOW_S - 300 }, { ok: true }],
    [{}, { nowS: NOW_S + 301 }, late(301, 'past')],
    [{}, { nowS: NOW_S - 301 }, late(-301, 'future')],
    [{ [signature]: undefined }, {}, missing(signature)],
    [{ [signature]: '', [nonce]: '', [timestamp]: '' }, {}, missing(timestamp, nonce, signature)],
    [
      { [timestamp]: '2026-01-31' },
      {},
      refused('invalid_timestamp', 'Expected x-timestamp in Unix seconds (1 to 12 digits), got an ISO date.'),
    ],
    [
      { [nonce]: 'short' },
      {},
      refused(
        'invalid_nonce',
        'Expected x-nonce with 16 to 128 characters from A-Z a-z 0-9 _ -, got another length or other characters.',
      ),
    ],
    [
      { [signature]: headers[signature].toUpperCase() },
      {},
      refused(
        'invalid_signature_format',
        'Expected x-signature as 64 lowercase hex digits, got a different format.',
      ),
    ],
    [
      {},
      { scheme: { signatureEncoding: 'base64' } },
      refused(
        'invalid_signature_format',
        'Expected x-signature as base64 of 32 bytes (44 characters), got a different format.',
      ),
    ],
    [
      {},
      { body: '[]' },
      refused(
        'signature_mismatch',
        'The signature does not match timestamp.nonce.METHOD.path.sha256(body) with the application’s signing secret.',
      ),
    ],
  ])('reports the expected and received value for %j with %j', (changed, more, verdict) => {
    const given = { ...REQUEST, headers: { ...headers, ...changed }, nowS: NOW_S, ...more };
    expect(verifyRequest(given)).toEqual({ ok: false, ...verdict });
  });
});

test.each([
  ['1234567890123', '13 digits, which looks like milliseconds'],
  ['12345678901234', '14 digits'],
  ['x1234567890123', 'something else'],
  ['1234567890123x', 'something else'],
  [' 1', 'a value with surrounding whitespace'],
  ['1 ', 'a value with surrounding whitespace'],
  ['1.5', 'a number with a fraction'],
  ['12.34', 'a number with a fraction'],
  ['x1.5', 'something else'],
  ['1.5x', 'something else'],
  ['.5', 'something else'],
  ['+1', 'a number with a sign'],
  ['-1', 'a number with a sign'],
  ['x-1', 'something else'],
  ['2026-01-31T12:00:00Z', 'an ISO date'],
  ['2026-01-3', 'something else'],
  ['2026-1-31', 'something else'],
  ['202-01-31', 'something else'],
  ['x2026-01-31', 'something else'],
  ['', 'something else'],
])('describes %j as %s', (text, words) => {
  expect(describeTimestamp(text)).toBe(words);
});
