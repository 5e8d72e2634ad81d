import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { resolveExposure } from '../../../../src/cli/commands/start/exposure.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { start } from '../../../../src/cli/declarations/serve.js';
import { LIMITS } from '../../../../src/contract/limits.js';
import {
  isStrongSecret,
  createCredentials,
  WELL_KNOWN_CREDENTIALS,
} from '../../../../src/sandbox/credentials.js';
import { thrownBy } from '../../../helpers/thrown-by.js';

const OPEN = readOptions(start.options, { host: '0.0.0.0' });
const TUNNELLED = readOptions(start.options, { tunnel: true });
const LOOPBACK = readOptions(start.options, {});
const SECRETS = [
  'SANDBOX_CONTROL_TOKEN',
  'SANDBOX_TOKEN',
  'SANDBOX_SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'SANDBOX_KYC_TOKEN',
  'SANDBOX_KYC_PUBLISHABLE_KEY',
];

describe('credentials of an exposed sandbox', () => {
  test.for([
    ['one character', 'x'],
    ['too short', 'a7Kd03mQz91pLw8vTn2bYx5'],
    ['too long', randomBytes(LIMITS.exposedSecretLengthMax).toString('base64url')],
    ['too little variety', 'abcdefg'.repeat(10)],
    ['characters that no header allows', 'a7Kd03mQz91pLw8vTn2bYx5c\n'],
  ] as const)('credentials of an exposed sandbox are rejected: %s', ([, value]) => {
    for (const options of [OPEN, TUNNELLED]) {
      for (const name of SECRETS.filter((each) => each !== 'SANDBOX_WEBHOOK_SECRET')) {
        let message = '';
        let hint = '';
        try {
          resolveExposure(options, { [name]: value });
        } catch (error) {
          ({ message, hint } = error as { message: string; hint: string });
        }
        expect(message).toContain(`${name} must be 24 to 255 letters, digits and symbols without spaces`);
        expect(message).toContain(`(${value.length} character`);
        expect(message).not.toContain(`got ${value}`);
        expect(hint).toContain(`Unset ${name}`);
        expect(hint).toContain('node -p "');
      }
    }
  });

  test('credentials of an exposed sandbox are accepted if they are strong', () => {
    const env = Object.fromEntries(SECRETS.map((name) => [name, randomBytes(24).toString('base64url')]));
    env.SANDBOX_WEBHOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
    const { credentials, controlToken } = resolveExposure(OPEN, env);
    expect(controlToken).toBe(env.SANDBOX_CONTROL_TOKEN);
    expect(credentials.token).toBe(env.SANDBOX_TOKEN);
    expect(credentials.webhookSecret).toBe(env.SANDBOX_WEBHOOK_SECRET);
  });

  test('credentials of an exposed sandbox are generated if omitted, as strong as required', () => {
    const { credentials, controlToken = '' } = resolveExposure(OPEN, { SANDBOX_TOKEN: '' });
    const { accountId: _accountId, ...secrets } = credentials;
    for (const secret of [controlToken, ...Object.values(secrets)]) expect(isStrongSecret(secret)).toBe(true);
    expect(Object.values(createCredentials(randomBytes))).toHaveLength(Object.values(secrets).length);
  });

  test('credentials of an exposed sandbox are not published values', () => {
    expect(() => resolveExposure(OPEN, { SANDBOX_TOKEN: WELL_KNOWN_CREDENTIALS.token })).toThrow(
      'offers no protection',
    );
  });
});

describe('SANDBOX_ACCOUNT_ID', () => {
  test('SANDBOX_ACCOUNT_ID is rejected if it is malformed, even on loopback', () => {
    for (const options of [LOOPBACK, OPEN, TUNNELLED]) {
      expect(() => resolveExposure(options, { SANDBOX_ACCOUNT_ID: 'acc-1' })).toThrow(
        'SANDBOX_ACCOUNT_ID must be a UUID, e.g. 00000000-0000-4000-8000-000000000001; got acc-1.',
      );
    }
  });

  test('SANDBOX_ACCOUNT_ID is accepted off loopback; without it, the published one is used', () => {
    const id = '3f0e4f3c-33a4-4d34-9a35-9c6c3b4e7a10';
    expect(resolveExposure(OPEN, { SANDBOX_ACCOUNT_ID: id }).credentials.accountId).toBe(id);
    expect(resolveExposure(OPEN, {}).credentials.accountId).toBe(WELL_KNOWN_CREDENTIALS.accountId);
    expect(resolveExposure(LOOPBACK, { SANDBOX_ACCOUNT_ID: id }).credentials).toBe(WELL_KNOWN_CREDENTIALS);
  });
});

describe('buttons on the payment pages', () => {
  test.for([{ payButtons: true }, { payButtons: true, tunnel: true }])(
    'buttons on the payment pages are rejected if only this machine reaches the pages: %j',
    (given) => {
      const { message, hint } = thrownBy(
        () => resolveExposure(readOptions(start.options, given), {}),
        CliError,
      );
      expect(message).toBe('--pay-buttons requires --host or --pay-page.');
      expect(hint).toContain('on this machine, pay pages always have buttons');
    },
  );

  test.for([
    { payButtons: true, host: '0.0.0.0' },
    { payButtons: true, tunnel: true, payPage: true },
  ])('buttons on the payment pages are possible with %j', (given) => {
    expect(resolveExposure(readOptions(start.options, given), {}).controlToken).not.toBeUndefined();
  });
});

const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;

describe('a secret in the environment, off loopback,', () => {
  test.each([
    ['SANDBOX_WEBHOOK_SECRET', 'foo', /without the prefix whsec_/],
    ['SANDBOX_WEBHOOK_SECRET', 'whsec_', /whsec_/],
    ['SANDBOX_WEBHOOK_SECRET', WEBHOOK_SECRET.slice(0, -1), /truncated/],
  ])('%s is rejected as %j, with its name and what to type', (name, secret, message) => {
    const error = thrownBy(() => resolveExposure(OPEN, { [name]: secret }), CliError);
    expect(error).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
      hint: expect.stringContaining(`Unset ${name} to generate a secret, or print one with \`node -p `),
    });
    expect(error.message).toMatch(new RegExp(`^${name}: Expected a`));
  });

  test('a secret in the environment, off loopback, is rejected if its form is valid but it can be guessed', () => {
    const weak = `whsec_${Buffer.alloc(12).toString('base64')}`;
    const error = thrownBy(() => resolveExposure(OPEN, { SANDBOX_WEBHOOK_SECRET: weak }), CliError);
    expect(error.message).toContain('SANDBOX_WEBHOOK_SECRET must be 24 to 255 letters');
  });
});
