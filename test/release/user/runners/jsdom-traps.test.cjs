/** @jest-environment jsdom */
const { createSandbox } = require('pix-sandbox');
const { signWebhook, verifyWebhook } = require('pix-sandbox/signing');

test('signing works in jsdom, and a sandbox names its required environment', async () => {
  const secrets = `whsec_${btoa('the secret of an endpoint')}`;
  for (const body of ['{"name":"João"}', new Uint8Array([1, 2])]) {
    const headers = signWebhook({ id: 'evt_1', timestampS: 1000, body, secrets });
    expect(verifyWebhook({ headers, body, secrets, nowS: 1000 }).ok).toBe(true);
  }
  await expect(createSandbox()).rejects.toThrow('/** @jest-environment node */');
});
