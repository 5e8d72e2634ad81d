import { createHash, createHmac } from 'node:crypto';
import { assert, constantFrom, integer, property, record, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalParts, canonicalRequest, signRequest, verifyRequest } from '../../src/signing/request.js';
import { pathTexts } from '../helpers/signing/path-texts.js';

const NOW_S = 1_760_000_000;
const NONCE = '7f9c24e5-0b1d-4c3a-9e8f-abcdef012345';
const REQUEST = {
  method: 'POST',
  target: '/api/public/v1/pix?a=1',
  body: '{"code":"a"}',
  secret: 'sk_test_1',
  timestampS: NOW_S,
  nonce: NONCE,
};
const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const scheme = record({
  signatureEncoding: constantFrom('hex', 'base64'),
  digestEncoding: constantFrom('hex', 'base64'),
  pathForm: constantFrom('path', 'target'),
});
const message = record({
  method: constantFrom('POST', 'PUT', 'DELETE'),
  target: record({ path: pathTexts, query: pathTexts }).map(({ path, query }) => `/x${path}?${query}`),
  body: uint8Array({ maxLength: 300 }),
  secret: string({ unit: 'binary', minLength: 1, maxLength: 80 }),
  timestampS: integer({ min: 0, max: 999_999_999_999 }),
});

describe('the canonical string', () => {
  test('joins timestamp, nonce, method, path and body digest with dots', () => {
    const request = {
      method: 'POST',
      target: '/api/public/v1/pix?a=1',
      body: '',
      timestamp: '1',
      nonce: NONCE,
    };
    expect(canonicalRequest(request)).toBe(`1.${NONCE}.POST./api/public/v1/pix.${EMPTY_DIGEST}`);
    expect(canonicalParts(request)).toEqual({
      timestamp: '1',
      nonce: NONCE,
      method: 'POST',
      path: '/api/public/v1/pix',
      digest: EMPTY_DIGEST,
    });
  });

  test('follows the scheme', () => {
    const request = { method: 'POST', target: '/p?a=1', body: '', timestamp: '1', nonce: NONCE };
    const digest = Buffer.from(EMPTY_DIGEST, 'hex').toString('base64');
    expect(canonicalRequest(request, { pathForm: 'target', digestEncoding: 'base64' })).toBe(
      `1.${NONCE}.POST./p?a=1.${digest}`,
    );
  });
});

describe('signRequest', () => {
  test('returns the HMAC-SHA256 of the canonical string in lowercase hex', () => {
    const { headers, canonical } = signRequest(REQUEST);
    const digest = createHash('sha256').update(REQUEST.body).digest('hex');
    expect(canonical).toBe(`${NOW_S}.${NONCE}.POST./api/public/v1/pix.${digest}`);
    const signature = createHmac('sha256', 'sk_test_1').update(canonical).digest('hex');
    expect(headers).toEqual({ 'x-timestamp': String(NOW_S), 'x-nonce': NONCE, 'x-signature': signature });
  });

  test('generates a new valid nonce each time when none is provided', () => {
    const { nonce: _nonce, ...request } = REQUEST;
    const [one, other] = [signRequest(request), signRequest(request)].map(
      ({ headers }) => headers['x-nonce'],
    );
    expect(one).toMatch(/^[A-Za-z0-9_-]{16,128}$/);
    expect(one).not.toBe(other);
  });
});

describe('verifyRequest', () => {
  const { headers } = signRequest(REQUEST);
  const given = { ...REQUEST, headers, nowS: NOW_S };

  test('accepts what signRequest signs under every scheme: any body, any secret, any path', () => {
    assert(
      property(message, scheme, (one, scheme) => {
        const { headers } = signRequest({ ...one, scheme });
        expect(verifyRequest({ ...one, headers, scheme, nowS: one.timestampS })).toEqual({ ok: true });
      }),
    );
  });

  test('rejects a request with any signed part changed', () => {
    assert(
      property(message, (one) => {
        const signed = signRequest(one).headers;
        const whole = { ...one, headers: signed, nowS: one.timestampS };
        const changed = [
          { ...whole, body: Buffer.concat([one.body, Buffer.from(' ')]) },
          { ...whole, method: 'PATCH' },
          { ...whole, target: `/y${one.target}` },
          { ...whole, secret: `${one.secret}!` },
          { ...whole, headers: { ...signed, 'x-nonce': NONCE } },
        ];
        for (const wrong of changed)
          expect(verifyRequest(wrong)).toMatchObject({ ok: false, cause: 'signature_mismatch' });
      }),
    );
  });

  test('omits the query in the default scheme', () => {
    expect(verifyRequest({ ...given, target: '/api/public/v1/pix?a=2' }).ok).toBe(true);
    expect(verifyRequest({ ...given, target: '/api/public/v1/pix/' }).ok).toBe(false);
  });

  test('accepts raw bytes in a target, one character per byte', () => {
    const bytes = Buffer.from('/são');
    const digest = createHash('sha256').update('').digest('hex');
    const content = Buffer.concat([Buffer.from(`${NOW_S}.${NONCE}.POST.`), bytes, Buffer.from(`.${digest}`)]);
    const signature = createHmac('sha256', 'sk_test_1').update(content).digest('hex');
    const request = { ...given, body: '', headers: { timestamp: String(NOW_S), nonce: NONCE, signature } };
    expect(verifyRequest({ ...request, target: bytes.toString('latin1') }).ok).toBe(true);
    expect(verifyRequest({ ...request, target: '/s\u0161\u0161o' }).ok).toBe(false);
  });

  test('accepts timestamps up to the tolerance of the caller and nothing beyond', () => {
    const at = (ageS: number) => verifyRequest({ ...given, nowS: NOW_S + ageS, toleranceS: 5 });
    expect([at(5), at(-5)]).toEqual([{ ok: true }, { ok: true }]);
    expect(at(6)).toMatchObject({ cause: 'timestamp_out_of_range', toleranceS: 5 });
  });

  test('checks the form of the headers before the time, and the time before the signature', () => {
    const late = { ...given, nowS: NOW_S + 9999 };
    expect(verifyRequest({ ...late, headers: { ...headers, 'x-nonce': 'short' } })).toMatchObject({
      cause: 'invalid_nonce',
    });
    expect(verifyRequest({ ...late, headers: { ...headers, 'x-signature': '0'.repeat(64) } })).toMatchObject({
      cause: 'timestamp_out_of_range',
    });
  });

  test('accepts short header names, in any case, and from fetch', () => {
    const short = {
      timestamp: headers['x-timestamp'],
      nonce: headers['x-nonce'],
      signature: headers['x-signature'],
    };
    const upper = { 'X-Timestamp': short.timestamp, 'X-Nonce': short.nonce, 'X-SIGNATURE': short.signature };
    for (const form of [short, upper, new Headers(headers)])
      expect(verifyRequest({ ...given, headers: form })).toEqual({ ok: true });
  });
});
