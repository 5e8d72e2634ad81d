import { describe, expect, test } from 'vitest';
import {
  canonicalRequest,
  signRequest,
  signWebhook,
  verifyRequest,
  verifyWebhook,
} from '../../src/signing/index.js';

/** What somebody without a type checker may write. */
// oxlint-disable-next-line typescript/no-explicit-any
type Untyped = any;

const SECRET = 'whsec_c2FuZGJveC10ZXN0LXNlY3JldC0wMDAwMDAwMDA=';
const REQUEST = { method: 'POST', target: '/x', body: '', secret: 's', timestampS: 1, nonce: 'n'.repeat(16) };
const WEBHOOK = { id: 'evt_1', timestampS: 1, body: '{}', secrets: SECRET };

describe('a signing function', () => {
  test.each<[string, () => unknown]>([
    ['a webhook id', () => signWebhook({ ...WEBHOOK, id: undefined as Untyped })],
    ['a nonce', () => signRequest({ ...REQUEST, nonce: 1_234_567_890_123_456 as Untyped })],
    ['secrets as a text or a list', () => signWebhook({ ...WEBHOOK, secrets: undefined as Untyped })],
    ['secrets as a text or a list', () => signWebhook({ ...WEBHOOK, secrets: [7] as Untyped })],
    ['headers as an object, got undefined', () => verifyRequest({ ...REQUEST, nowS: 1 } as Untyped)],
    [
      'headers as an object, got null',
      () => verifyWebhook({ ...WEBHOOK, headers: null, nowS: 1 } as Untyped),
    ],
    [
      'pathForm to be path or target; got full',
      () => signRequest({ ...REQUEST, scheme: { pathForm: 'full' as Untyped } }),
    ],
    [
      'digestEncoding to be hex or base64; got latin1',
      () => canonicalRequest({ ...REQUEST, timestamp: '1' }, { digestEncoding: 'latin1' as Untyped }),
    ],
    [
      'a scheme of signatureEncoding, digestEncoding, pathForm; got encoding',
      () => signRequest({ ...REQUEST, scheme: { encoding: 'base64' } as Untyped }),
    ],
  ])('refuses what it would sign or read as something else: %s', (expected, act) => {
    expect(act).toThrow(`Expected ${expected}`);
  });

  test('takes a scheme whose parts are undefined for the default', () => {
    const scheme = { signatureEncoding: undefined, pathForm: undefined } as Untyped;
    expect(signRequest({ ...REQUEST, scheme })).toEqual(signRequest(REQUEST));
  });
});
