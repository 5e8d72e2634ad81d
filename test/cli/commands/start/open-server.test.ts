import { describe, expect, test } from 'vitest';
import { resolveSandboxOptions, seedByScenarios } from '../../../../src/cli/commands/start/open-server.js';
import { SANDBOX_OPTIONS } from '../../../../src/cli/program/setting-options.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { CliError, EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { startServer } from '../../../../src/http/server/start.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf, thrownBy } from '../../../helpers/thrown-by.js';

const read = (values: object) => resolveSandboxOptions(readOptions(SANDBOX_OPTIONS, { ...values }));

describe('the identity options of start', () => {
  test('the identity options of start default to on, unlimited and decided by others', () => {
    expect(read({})).toMatchObject({
      kycEnabled: true,
      kycAuto: undefined,
      kycRateLimit: undefined,
      origins: [],
    });
  });

  test('the identity options of start can all be set', () => {
    const origin = ['https://shop.example', 'http://localhost:1'];
    const values = {
      rateLimit: '100/1m30s',
      kyc: 'off',
      kycAuto: 'approved',
      kycDelay: '2s',
      kycRateLimit: '60/1m',
      origin,
    };
    expect(read(values)).toMatchObject({
      rateLimit: { calls: 100, perMs: 90_000 },
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
    { kycAuto: 'approved', kycDelay: 'soon' },
    { kycDelay: '2s' },
    { kycRateLimit: '60' },
    { rateLimit: '0/1m' },
    { kycRateLimit: '60/0s' },
  ])('the identity options of start are rejected as %j', (values) => {
    expect(thrownBy(() => read(values), CliError).exitCode).toBe(EXIT_CODES.usage);
  });
});

/** Seeds a sandbox with a scenario, and says what is in it then. */
async function seeded(text: string) {
  using folder = tempFolder();
  folder.write('seed.json', text);
  const server = await startServer({ seed: '7' });
  const { io, stderr } = fakeIo({ cwd: folder.path });
  try {
    await seedByScenarios(server, { io, options: { scenario: ['./seed.json'] } });
    return {
      stderr: stderr(),
      codes: server.sandbox.world.charges.rows.map(({ code, status }) => [code, status]),
    };
  } finally {
    await server.close();
  }
}

describe('--scenario', () => {
  test('applies a scenario to the sandbox', async () => {
    const steps = [
      { create: { charge: { code: 'a' } } },
      { create: { charge: { code: 'b' } } },
      { settle: { charge: 'b' } },
    ];
    expect(await seeded(JSON.stringify({ sandbox: { seed: '1' }, steps }))).toEqual({
      stderr: 'The command options configure this sandbox; ignored scenario settings: sandbox.seed.\n',
      codes: [
        ['a', 'PENDING'],
        ['b', 'SETTLED'],
      ],
    });
  });

  test('stops a start with the reason', async () => {
    const failed = await rejectionOf(
      seeded(JSON.stringify({ steps: [{ settle: { charge: 'none' } }] })),
      CliError,
    );
    expect(failed).toMatchObject({
      exitCode: EXIT_CODES.no,
      code: 'SCENARIO_FAILED',
      message: 'The scenario seed failed.',
      details: [
        { field: 'step 1, settle charge', message: expect.stringContaining('404 NOT_FOUND') },
        { field: 'step 1, settle charge', message: expect.stringContaining('charges list') },
      ],
    });
    expect(await rejectionOf(seeded('{'), CliError)).toMatchObject({
      exitCode: EXIT_CODES.usage,
      code: 'INVALID_SCENARIO',
    });
  });
});
