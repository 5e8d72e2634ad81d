import { expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { CALLED } from '../../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { listenTo } from '../../../helpers/sandbox/sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

test('apps are created, listed without tokens, and given further accounts', async () => {
  await using sandbox = await cliSandbox();
  const options = { name: 'reader', scopes: 'none', openingBalance: '5.00' };
  const made = await sandbox.run('apps create', { options });
  const token = /^token\s+(\S+)$/m.exec(made.stdout)?.[1] ?? '';
  expect(made.stdout).toMatch(/^application\s+reader$/m);
  expect(made.stdout).toMatch(/^scopes\s+none$/m);
  expect(made.stderr).toContain('not shown again');
  const opened = await sandbox.run('apps add-account', {
    args: ['reader'],
    options: { openingBalance: '7.50' },
  });
  expect(opened.stdout).toMatch(/^account [\da-f-]{36} is open and holds 7\.50\.$/m);
  const { stdout } = await sandbox.run('apps list');
  expect(stdout).toMatch(/^default .* all$/m);
  expect(stdout).toMatch(/^reader .* none$/m);
  const listed = JSON.stringify(await sandbox.runJson('apps list'));
  expect(listed).toContain(/account ([\da-f-]{36})/.exec(opened.stdout)?.[1]);
  expect([token === '', listed.includes(token)]).toEqual([false, false]);
});

test('apps commands refuse what does not exist, and say what does', async () => {
  await using sandbox = await cliSandbox();
  const scopes = rejectionOf(
    sandbox.run('apps create', { options: { scopes: 'pix:read,pix:rite' } }),
    CliError,
  );
  expect((await scopes).hint).toContain('Did you mean pix:write?');
  const unknown = rejectionOf(sandbox.run('apps add-account', { args: ['none'] }), SandboxError);
  expect((await unknown).body.hint).toContain(`${CALLED} apps list`);
  const balance = rejectionOf(sandbox.run('apps create', { options: { openingBalance: '10,00' } }), CliError);
  expect((await balance).message).toContain('--opening-balance must be digits');
});

test('lists show one application by --app', async () => {
  await using sandbox = await cliSandbox();
  await sandbox.run('apps create', { options: { name: 'second' } });
  await sandbox.run('trigger', { args: ['pix.settled'], options: { app: 'second', code: 'theirs' } });
  await sandbox.run('trigger', { args: ['pix.settled'], options: { code: 'ours' } });
  for (const command of ['charges list', 'events list']) {
    const { stdout } = await sandbox.run(command, { options: { app: 'second' } });
    expect([stdout.includes('theirs'), stdout.includes('ours')]).toEqual([true, false]);
  }
  listenTo(sandbox.server.sandbox);
  await sandbox.run('trigger', { args: ['pix.settled'] });
  for (const command of ['deliveries list', 'endpoints list']) {
    const rowsOf = async (app: string) => (await sandbox.run(command, { options: { app } })).stdout;
    expect([command, await rowsOf('default')]).toEqual([command, expect.stringContaining('listener')]);
    expect([command, await rowsOf('second')]).toEqual([command, expect.stringMatching(/^No /)]);
  }
});
