import { describe, expect, test } from 'vitest';
import {
  createByteGenerator,
  isStrongSecret,
  createCredentials,
  createSessionSecrets,
  createWebhookSecret,
  WELL_KNOWN_CREDENTIALS,
} from '../../src/sandbox/credentials.js';
import { webhookKey } from '../../src/signing/webhook.js';

describe('the well-known credentials', () => {
  test('never change, because users have them in their .env.test', () => {
    expect(WELL_KNOWN_CREDENTIALS).toEqual({
      accountId: '00000000-0000-4000-8000-000000000001',
      token: 'pix_test_token_0000000000000001',
      signingSecret: 'pix_test_signing_secret_0000000000000001',
      webhookSecret: 'whsec_cGl4LXNhbmRib3ggd2VsbC1rbm93biBzZWNyZXQgMDE=',
      kycToken: 'kyc_test_token_0000000000000001',
      kycPublishableKey: 'pk_test_0000000000000001',
    });
  });
});

describe('generated secrets', () => {
  test('generated secrets follow from the seed and the order of generation', () => {
    const draw = (seed: string) => createCredentials(createByteGenerator(seed));
    expect(draw('42')).toEqual(draw('42'));
    expect(draw('42')).not.toEqual(draw('43'));
    const [first, second] = [createByteGenerator('42')].flatMap((bytes) => [bytes(32), bytes(32)]);
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(false);
  });

  test('generated secrets are random without a seed', () => {
    const draw = createByteGenerator(undefined);
    expect(createWebhookSecret(draw)).not.toBe(createWebhookSecret(draw));
    expect(createCredentials(draw)).not.toEqual(createCredentials(draw));
  });

  test('generated secrets are ids and form tokens of sessions, too long to guess', () => {
    for (const seed of [undefined, '42']) {
      const draw = createByteGenerator(seed);
      const secrets = Array.from({ length: 100 }, () => createSessionSecrets(draw));
      for (const { sessionId, formToken } of secrets) {
        expect(sessionId).toMatch(/^kyc_[0-9a-f]{40}$/);
        expect(formToken).toMatch(/^[\w-]{32}$/);
      }
      expect(new Set(secrets.flatMap(({ sessionId, formToken }) => [sessionId, formToken])).size).toBe(200);
    }
  });

  test('generated secrets are webhook secrets with a key of 32 bytes', () => {
    for (const seed of [undefined, '42']) {
      const secret = createWebhookSecret(createByteGenerator(seed));
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(webhookKey(secret)).toHaveLength(32);
    }
    expect(webhookKey(WELL_KNOWN_CREDENTIALS.webhookSecret)).toHaveLength(32);
  });
});

describe('a secret of an exposed sandbox', () => {
  test.for([
    ['abcdefgh'.repeat(3), true],
    [`!~${'abcdef'.repeat(42)}g`, true],
    ['abcdefgh'.repeat(2) + 'ijklmno', false],
    ['abcdefgh'.repeat(32), false],
    ['abcdefg'.repeat(4), false],
    ['abcdefgh ijklmnopqrstuvwxyz', false],
    ['abcdefghijklmnopqrstuvwxyzä', false],
    ['', false],
  ] as const)('%s is strong: %s', ([secret, isStrong]) => {
    expect(isStrongSecret(secret)).toBe(isStrong);
  });
});
