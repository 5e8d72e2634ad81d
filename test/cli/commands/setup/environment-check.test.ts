import { describe, expect, test } from 'vitest';
import { checkEnvironment } from '../../../../src/cli/commands/setup/environment-check.js';

const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`;
const UNKNOWN = `whsec_${Buffer.alloc(32).toString('base64')}`;
const VALUES = {
  SANDBOX_URL: 'http://127.0.0.1:7490',
  SANDBOX_ACCOUNT_ID: '00000000-0000-4000-8000-000000000001',
  SANDBOX_TOKEN: 'pix_test_token_1',
  SANDBOX_SIGNING_SECRET: 'pix_test_signing_1',
  SANDBOX_WEBHOOK_SECRET: SECRET,
};
const APP = {
  id: 'a',
  organization_id: 'o',
  name: 'shop',
  scopes: [],
  account_id: VALUES.SANDBOX_ACCOUNT_ID,
  account_ids: [VALUES.SANDBOX_ACCOUNT_ID],
  token: 'pix_test_token_2',
  signing_secret: 'pix_test_signing_2',
  kyc_token: null,
  kyc_publishable_key: null,
};
const ENDPOINT = { id: 'e', secret: SECRET, previous_secret: 'whsec_cHJldmlvdXM=' };
const SANDBOX = { url: VALUES.SANDBOX_URL, env: VALUES, credentials: { apps: [APP], endpoints: [ENDPOINT] } };

const MAPPING = {
  PSP_TOKEN: 'SANDBOX_TOKEN',
  PSP_SECRET: '{SANDBOX_WEBHOOK_SECRET}',
  PSP_URL: 'SANDBOX_BASE_URL',
  PSP_API: '{SANDBOX_BASE_URL}/api',
};

/** Checks `.env.test` where a sandbox responds at ports 7490 and 7491, another program at 3000, and nothing else. */
function check(values: Readonly<Record<string, string>>, sandbox: typeof SANDBOX | undefined = SANDBOX) {
  const isSandboxAt = async (url: string) => {
    const { port } = new URL(url);
    return port === '3000' ? false : sandbox !== undefined && port.startsWith('749') ? true : undefined;
  };
  return checkEnvironment([{ name: '.env.test', values }], {
    sandbox,
    startPort: 7490,
    isSandboxAt,
    mapping: MAPPING,
  });
}

describe('the environment block', () => {
  test.for([
    [
      { SANDBOX_TOKEN: 'pix_test_token_3' },
      /^SANDBOX_TOKEN in \.env\.test \(pix_test…_3\) is unknown to the sandbox at/,
    ],
    [
      { SANDBOX_SIGNING_SECRET: 'pix_test_signing_3', SANDBOX_ACCOUNT_ID: 'x' },
      /^SANDBOX_ACCOUNT_ID .* and SANDBOX_SIGNING_SECRET in .* are unknown/,
    ],
    [
      { SANDBOX_WEBHOOK_SECRET: UNKNOWN },
      /^SANDBOX_WEBHOOK_SECRET in \.env\.test \(whsec_AA…A=\) is unknown/,
    ],
    [
      { SANDBOX_WEBHOOK_SECRET: 'cGl4' },
      /^SANDBOX_WEBHOOK_SECRET in \.env\.test is malformed\. .*without the prefix/,
    ],
    [
      { SANDBOX_BASE_URL: 'ftp://x' },
      /^SANDBOX_BASE_URL in \.env\.test must look like http:.* got ftp:\/\/x\.$/,
    ],
    [
      { SANDBOX_URL: 'http://localhost:7999' },
      /^Nothing responds at http:\/\/localhost:7999 \(SANDBOX_URL in \.env\.test\)\. The sandbox is running at/,
    ],
    [{ SANDBOX_URL: 'http://127.0.0.1:3000' }, /^Another program responds at/],
    [{ PSP_TOKEN: 'pix_test_token_3' }, /^PSP_TOKEN in \.env\.test \(pix_test…_3\) is unknown/],
    [{ PSP_SECRET: 'cGl4' }, /^PSP_SECRET in \.env\.test is malformed\./],
    [{ PSP_URL: 'http://127.0.0.1:3000' }, /^Another program responds at http:\S+ \(PSP_URL in/],
  ] as const)('warns about %j', async ([values, message]) => {
    const [found, ...others] = await check({ ...VALUES, ...values });
    expect(found).toMatchObject({ status: 'warn', message: expect.stringMatching(message) });
    expect(found?.advice).toContain('`npx sandbox env`');
    expect(others).toEqual([]);
  });

  test.for([
    VALUES,
    {
      SANDBOX_URL: 'http://[::1]:7490',
      SANDBOX_TOKEN: APP.token,
      SANDBOX_SIGNING_SECRET: APP.signing_secret,
    },
    { SANDBOX_BASE_URL: 'http://sandbox.example:1', SANDBOX_WEBHOOK_SECRET: ENDPOINT.previous_secret },
    { SANDBOX_BASE_URL: 'http://127.0.0.1:7491' },
    { PIX_TOKEN: 'x' },
    { PSP_TOKEN: APP.token, PSP_SECRET: SECRET, PSP_API: 'https://other.example/api' },
  ])('accepts %j', async (values) => {
    expect(await check(values as Record<string, string>)).toMatchObject([{ status: 'ok' }]);
  });

  test('expects no sandbox at the port of the next start, but somewhere else', async () => {
    const isolated = { SANDBOX_TOKEN: 'unknown', SANDBOX_URL: VALUES.SANDBOX_URL };
    const none = (values: Record<string, string>) =>
      checkEnvironment([{ name: '.env.test', values }], {
        sandbox: undefined,
        startPort: 7490,
        isSandboxAt: async () => undefined,
        mapping: {},
      });
    expect(await none(isolated)).toMatchObject([{ status: 'ok' }]);
    expect(await none({ SANDBOX_URL: 'http://127.0.0.1:7999' })).toMatchObject([
      { status: 'warn', advice: 'Start a sandbox there, or remove the variable.' },
    ]);
  });
});
