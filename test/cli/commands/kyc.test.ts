import { describe, expect, test } from 'vitest';
import { CliError, EXIT_CODES } from '../../../src/cli/program/errors.js';
import { type CliSandbox, cliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { askedIn } from '../../helpers/cli/fake-prompter.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

async function withSessions(sandbox: CliSandbox, count: number): Promise<string[]> {
  for (let made = 0; made < count; made += 1) await sandbox.run('kyc create');
  return sandbox.server.sandbox.world.sessions.rows.map(({ id }) => id.slice(0, 12));
}

describe('kyc decide', () => {
  test('offers the sessions without a final decision, and possible decisions of each', async () => {
    await using sandbox = await cliSandbox();
    const [one, two, three] = await withSessions(sandbox, 3);
    await sandbox.run('kyc decide', { args: [one ?? '', 'rejected'] });
    await sandbox.run('kyc decide', { args: [two ?? '', 'under_review'] });
    const fresh = await askedIn(sandbox, 'kyc decide', [`${three}  individual  CREATED`, 'cancelled'], {
      options: { delay: '2s' },
    });
    expect(fresh.asked).toEqual([
      {
        question: 'Which session?',
        offered: [`${three}  individual  CREATED`, `${two}  individual  under_review`],
      },
      {
        question: 'Which decision?',
        offered: ['approved', 'under_review', 'rejected', 'cancelled', 'expired'],
      },
    ]);
    expect(fresh.command).toBe(`$ npx sandbox kyc decide ${three} cancelled --delay 2s`);
    const reviewed = await askedIn(sandbox, 'kyc decide', [`${two}  individual  under_review`, 'approved']);
    expect(reviewed.asked[1]?.offered).toEqual(['approved', 'rejected']);
    await sandbox.run('kyc decide', { args: reviewed.args });
  });

  test('asks for no typed value', async () => {
    await using sandbox = await cliSandbox();
    const [one] = await withSessions(sandbox, 1);
    const status = await askedIn(sandbox, 'kyc decide', ['approved'], { args: [one ?? ''] });
    expect(status.args).toEqual([one, 'approved']);
    const session = await askedIn(sandbox, 'kyc decide', [`${one}  individual  CREATED`], {
      options: { error: 'CAMERA_DENIED' },
    });
    expect(session.command).toBe(`$ npx sandbox kyc decide ${one} --error CAMERA_DENIED`);
  });

  test('reports that there is nothing to decide', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(askedIn(sandbox, 'kyc decide', []), CliError);
    expect(error).toMatchObject({ exitCode: EXIT_CODES.no, code: 'NOTHING_TO_CHOOSE' });
  });
});
