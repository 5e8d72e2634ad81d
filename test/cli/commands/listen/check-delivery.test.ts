import { describe, expect, test } from 'vitest';
import { checkDelivery } from '../../../../src/cli/commands/listen/forwarder.js';
import { signWebhook } from '../../../../src/signing/webhook.js';

const NOW_S = 1_760_000_000;
const SECRET = `whsec_${Buffer.from('the secret of the listener').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('a secret that nobody knows').toString('base64')}`;
const body = Buffer.from('{"type":"pix.settled"}');

function check(
  secrets: string[],
  { secret = SECRET, nowS = NOW_S }: { secret?: string | null; nowS?: number } = {},
) {
  const headers = signWebhook({ id: 'evt_1', timestampS: NOW_S, body, secrets });
  return checkDelivery({ headers, body, secret, nowS });
}

describe('a delivery', () => {
  test('a delivery during a rotation is valid by either signature', async () => {
    expect(await check([OTHER, SECRET])).toMatchObject({ verified: true });
    expect(await check([SECRET, OTHER])).toMatchObject({ verified: true });
  });

  test('a delivery under a secret received with a rotation is invalid, and nothing breaks', async () => {
    const { verified, problem } = await check([OTHER]);
    expect(verified).toBe(false);
    expect(problem).toMatch(
      /^signature_mismatch: No known signing error explains the signature: the secret differs/,
    );
  });

  test('a delivery is reported as late', async () => {
    expect((await check([SECRET], { nowS: NOW_S + 400 })).problem).toBe(
      'timestamp_too_old: webhook-timestamp is 6 min 40 s in the past (-400 s).',
    );
  });

  test('a delivery is not verified without a secret', async () => {
    expect(await check([OTHER], { secret: null })).toEqual({ verified: null, problem: null });
  });
});
