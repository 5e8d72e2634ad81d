import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { sandboxOptions } from '../../../../src/cli/commands/start/open-server.js';
import { SANDBOX } from '../../../../src/cli/commands/start/sandbox-options.js';
import { thrownBy } from '../../../helpers/thrown-by.js';

const read = (values: object) => sandboxOptions(readOptions(SANDBOX, { ...values }));

describe('what start is told about identity', () => {
  test('is on, unlimited and decided by others, unless said otherwise', () => {
    expect(read({})).toMatchObject({
      kycEnabled: true,
      kycAuto: undefined,
      kycRateLimit: undefined,
      origins: [],
    });
  });

  test('can be all of it', () => {
    const origin = ['https://shop.example', 'http://localhost:1'];
    const values = { kyc: 'off', kycAuto: 'approved', kycDelay: '2s', kycRateLimit: '60/1m', origin };
    expect(read(values)).toMatchObject({
      kycEnabled: false,
      kycAuto: { status: 'approved', delayMs: 2_000 },
      kycRateLimit: { calls: 60, perMs: 60_000 },
      origins: origin,
    });
    expect(read({ kycAuto: 'under_review' }).kycAuto).toEqual({ status: 'under_review', delayMs: 0 });
  });

  test.each([
    { kyc: 'maybe' },
    { kycAuto: 'aproved' },
    { kycAuto: 'CREATED' },
    { kycAuto: 'approved', kycDelay: 'soon' },
    { kycDelay: '2s' },
    { kycRateLimit: '60' },
    { kycRateLimit: '0/1m' },
    { kycRateLimit: '60/0s' },
    { kycRateLimit: '60/minute' },
  ])('is refused as %j', (values) => {
    expect(thrownBy(() => read(values), CliError).exitCode).toBe(EXIT.usage);
  });
});
