import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { Options } from '../../../../src/cli/program/io.js';
import { kycOptions } from '../../../../src/cli/commands/kyc/kyc-options.js';
import { thrownBy } from '../../../helpers/thrown-by.js';

const read = (values: object) => kycOptions(new Options({ ...values }));

describe('what start is told about identity', () => {
  test('is on, unlimited and decided by others, unless said otherwise', () => {
    expect(read({})).toEqual({ kycEnabled: true, kycAuto: undefined, kycRateLimit: undefined, origins: [] });
  });

  test('can be all of it', () => {
    const origin = ['https://shop.example', 'http://localhost:1'];
    const values = { kyc: 'off', kycAuto: 'approved', kycDelay: '2s', kycRateLimit: '60/1m', origin };
    expect(read(values)).toEqual({
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
