import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { SandboxError } from '../../../../src/client/control.js';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const DOCUMENT = '529.982.247-25';

/** The id of the n-th session, and how it is shown. */
function idOf({ server }: CliSandbox, n = 0) {
  const id = server.sandbox.world.sessions.rows[n]?.id ?? '';
  return { id, short: `${id.slice(0, 12)}…` };
}

describe('kyc', () => {
  test('create prints the address of the page', async () => {
    await using sandbox = await cliSandbox();
    const { stdout } = await sandbox.run('kyc create', { options: { customerType: 'business' } });
    const { id } = idOf(sandbox);
    expect(stdout.split('\n')).toEqual([
      `session  ${id}`,
      `page     ${sandbox.server.url}/session/${id}`,
      'type     business',
      'status   CREATED',
      'created  now (2026-01-01T00:00:00Z)',
      'expires  in 30m (2026-01-01T00:30:00Z)',
      '',
    ]);
    const json = await sandbox.runJson('kyc create');
    expect(json).toMatchObject({ id: idOf(sandbox, 1).id, customer_type: 'individual' });
    const wrong = sandbox.run('kyc create', { options: { customerType: 'company' } });
    expect((await rejectionOf(wrong, CliError)).exitCode).toBe(EXIT.usage);
  });

  test('decide prints the new status and from when it can be read', async () => {
    await using sandbox = await cliSandbox();
    for (let n = 0; n < 3; n += 1) await sandbox.run('kyc create');
    const [first, second, third] = [0, 1, 2].map((n) => idOf(sandbox, n));
    const decide = async (args: string[], options = {}) =>
      (await sandbox.run('kyc decide', { args, options })).stdout;
    expect(await decide([first?.id ?? '', 'approved'], { document: DOCUMENT })).toBe(
      `session ${first?.short} is approved.\n`,
    );
    expect(await decide([second?.short ?? '', 'rejected'], { delay: '2s' })).toBe(
      `session ${second?.short} is rejected, readable in 2s.\n`,
    );
    expect(await decide([third?.id.slice(0, 8) ?? ''], { error: 'CAMERA_DENIED' })).toBe(
      `session ${third?.short} reports CAMERA_DENIED and stays undecided.\n`,
    );
    expect(await sandbox.runJson('kyc show', { args: [third?.id ?? ''] })).toMatchObject({
      status: 'CREATED',
      error: 'CAMERA_DENIED',
    });
  });

  test('show tells everything of one', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('kyc create');
    const { id, short } = idOf(sandbox);
    const options = { document: DOCUMENT, delay: '5m' };
    const { euid } = await sandbox.runJson('kyc decide', { args: [id, 'approved'], options });
    const shortened = await sandbox.run('kyc show', { args: [short] });
    expect(shortened.stdout).toContain(`session   ${short}\n`);
    expect(shortened.stdout).not.toContain(id.slice(0, 13));
    const { stdout } = await sandbox.run('kyc show', { args: [id] });
    expect(stdout.split('\n')).toEqual([
      `session   ${id}`,
      `page      ${sandbox.server.url}/session/${id}`,
      'type      individual',
      'status    approved',
      `euid      ${String(euid)}`,
      'document  52998224725',
      'created   now (2026-01-01T00:00:00Z)',
      'expires   in 30m (2026-01-01T00:30:00Z)',
      'decided   now (2026-01-01T00:00:00Z)',
      'readable  in 5m (2026-01-01T00:05:00Z)',
      '',
    ]);
  });

  test('list shortens the ids, and goes on from page to page', async () => {
    await using sandbox = await cliSandbox();
    expect((await sandbox.run('kyc list')).stdout).toBe('No sessions.\n');
    for (let n = 0; n < 3; n += 1) await sandbox.run('kyc create');
    const [first, second, third] = [0, 1, 2].map((n) => idOf(sandbox, n));
    await sandbox.run('kyc decide', { args: [second?.id ?? '', 'rejected'], options: { delay: '2s' } });
    const { stdout } = await sandbox.run('kyc list', { columns: 80 });
    expect(stdout.split('\n')).toEqual([
      'ID             TYPE        STATUS    AGE  READABLE  EXPIRES',
      `${third?.short}  individual  CREATED   now            in 30m`,
      `${second?.short}  individual  rejected  now  in 2s`,
      `${first?.short}  individual  CREATED   now            in 30m`,
      '',
    ]);
    const page = await sandbox.run('kyc list', { options: { status: 'CREATED', limit: '1' } });
    expect(page.stdout).toContain(third?.short);
    const after = /older: --after (\S+)/.exec(page.stderr)?.[1];
    const json = await sandbox.runJson('kyc list', { options: { status: 'CREATED', after } });
    expect(json['data']).toMatchObject([{ id: first?.id }]);
  });

  test('decide and list refuse what cannot be meant before they ask the sandbox', async () => {
    await using sandbox = await cliSandbox();
    const wrong = [
      sandbox.run('kyc decide', { args: ['kyc_0000'] }),
      sandbox.run('kyc decide', { args: ['kyc_0000', 'approved'], options: { error: 'A' } }),
      sandbox.run('kyc decide', { args: ['kyc_0000', 'aproved'] }),
      sandbox.run('kyc decide', { args: ['kyc_0000', 'approved'], options: { delay: 'soon' } }),
      sandbox.run('kyc list', { options: { status: 'APPROVED' } }),
    ];
    for (const running of wrong) expect((await rejectionOf(running, CliError)).exitCode).toBe(EXIT.usage);
    const unknown = await rejectionOf(
      sandbox.run('kyc decide', { args: ['kyc_0000', 'approved'] }),
      SandboxError,
    );
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND']);
  });
});
