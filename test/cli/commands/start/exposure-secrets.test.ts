import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { exposureOf } from '../../../../src/cli/commands/start/exposure.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { start } from '../../../../src/cli/commands/start/command.js';
import { thrownBy } from '../../../helpers/thrown-by.js';

const OPEN = readOptions(start.options, { host: '0.0.0.0' });
const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;

describe('a secret of the environment, off loopback,', () => {
  test.each([
    ['SANDBOX_WEBHOOK_SECRET', 'foo', /without the prefix whsec_/],
    ['SANDBOX_WEBHOOK_SECRET', 'whsec_', /nothing after it/],
    ['SANDBOX_WEBHOOK_SECRET', `${WEBHOOK_SECRET}\n`, /blanks or a line break/],
    ['SANDBOX_WEBHOOK_SECRET', WEBHOOK_SECRET.slice(0, -1), /cut short/],
  ])('%s is refused as %j, by its name and with what to type', (name, secret, message) => {
    const error = thrownBy(() => exposureOf(OPEN, { [name]: secret }), CliError);
    expect(error).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
      hint: expect.stringContaining(`Unset ${name} to have one drawn, or print one with \`node -p `),
    });
    expect(error.message).toMatch(new RegExp(`^${name}: Expected a`));
  });

  test('is refused where its form holds and it can be guessed', () => {
    const weak = `whsec_${Buffer.alloc(12).toString('base64')}`;
    const error = thrownBy(() => exposureOf(OPEN, { SANDBOX_WEBHOOK_SECRET: weak }), CliError);
    expect(error.message).toContain('SANDBOX_WEBHOOK_SECRET must be 24 to 255 letters');
  });

  test('is taken where its form holds', () => {
    const env = { SANDBOX_WEBHOOK_SECRET: WEBHOOK_SECRET };
    expect(exposureOf(OPEN, env).credentials).toMatchObject({ webhookSecret: WEBHOOK_SECRET });
  });
});
