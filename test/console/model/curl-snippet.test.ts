import { expect, test } from 'vitest';
import { curlSnippet } from '../../../src/console/model/curl-snippet.js';

const ENV = { SANDBOX_BASE_URL: 'http://127.0.0.1:7490', SANDBOX_ACCOUNT_ID: 'account-1' };

test('the command of the set-up signs as this sandbox wants it', () => {
  const hex = { signatureEncoding: 'hex', digestEncoding: 'hex', pathForm: 'path' } as const;
  const usual = curlSnippet(ENV, hex);
  expect(usual).not.toMatch(/base64/);
  expect(curlSnippet(ENV, { ...hex, signatureEncoding: 'base64' })).toMatch(/base64/);
});
