import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { seedByScenarios } from '../../../../src/cli/commands/start/open-server.js';
import { startServer } from '../../../../src/http/server/start.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

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
  test('leaves in a sandbox what a scenario did', async () => {
    const steps = [
      { create: { charge: { code: 'a' } } },
      { create: { charge: { code: 'b' } } },
      { settle: { charge: 'b' } },
    ];
    expect(await seeded(JSON.stringify({ sandbox: { seed: '1' }, steps }))).toEqual({
      stderr: 'The options say how this sandbox begins; not applied: sandbox.seed.\n',
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
      exitCode: EXIT.no,
      code: 'SCENARIO_FAILED',
      message: 'The scenario seed failed.',
      details: [
        { field: 'step 1, settle charge', message: expect.stringContaining('404 NOT_FOUND') },
        { field: 'step 1, settle charge', message: expect.stringContaining('charges list') },
      ],
    });
    expect(await rejectionOf(seeded('{'), CliError)).toMatchObject({
      exitCode: EXIT.usage,
      code: 'INVALID_SCENARIO',
    });
  });
});
