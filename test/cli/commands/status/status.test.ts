import { describe, expect, test } from 'vitest';
import { writeRunFile } from '../../../../src/client/run-file.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox, LOCAL, START_INSTANT } from '../../../helpers/cli/cli-sandbox.js';

describe('status', () => {
  test('says what the sandbox holds, what time it is and what is due', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await sandbox.run('charges create', { options: { code: 'a' } });
    await sandbox.run('charges create', { options: { code: 'b', amount: '5' } });
    await sandbox.run('charges settle', { args: ['b'] });
    const { stdout } = await sandbox.run('status', { columns: 80 });
    const { world } = sandbox.server.sandbox;
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(
      new RegExp(`^sandbox      ${sandbox.server.url} \\(version \\S+, pid ${process.pid}\\)$`),
    );
    expect(lines.slice(2)).toEqual([
      'clock        2026-01-01T00:00:00Z, frozen',
      `due next     expiry of charge ${world.charges.rows[0]?.id} in 1d`,
      '             (2026-01-02T00:00:00Z)',
      'state        idle',
      'charges      1 PENDING, 1 SETTLED',
      'withdrawals  none',
      'events       1',
      'deliveries   none',
      'calls        0',
      `balance      10004.50 BRL in account ${world.apps.rows[0]?.accountId}`,
      'No endpoints.',
      '',
    ]);
  });

  test('says what retention dropped', async () => {
    await using sandbox = await cliSandbox({ ...LOCAL, keepDeliveries: 1 });
    for (const code of ['a', 'b', 'c']) {
      await sandbox.run('charges create', { options: { code } });
      await sandbox.run('charges settle', { args: [code] });
    }
    const { stdout } = await sandbox.run('status');
    expect(stdout).toContain(
      '\ndropped      0 deliveries, 2 events, the oldest finished ones; 1 are kept (--keep-deliveries)\n',
    );
  });

  test('names the other sandboxes of the project, in which it runs or not', async () => {
    using folder = tempFolder();
    const env = { XDG_STATE_HOME: folder.path };
    await using first = await cliSandbox();
    await using second = await cliSandbox();
    const runOf = ({ server: { url, instanceId } }: CliSandbox, started_at: string) => ({
      url,
      pid: process.pid,
      instance_id: instanceId,
      folder: folder.path,
      version: '1',
      started_at,
    });
    const earlier = runOf(first, '2026-01-31T12:00:00.000Z');
    const later = runOf(second, '2026-01-31T12:00:01.000Z');
    const status = async (json: boolean) => (await runBody('status', { env, cwd: folder.path, json })).stdout;
    writeRunFile(earlier, env);
    writeRunFile({ ...later, url: 'http://127.0.0.1:1', instance_id: 'crashed', pid: 2 ** 22 + 1 }, env);
    expect(JSON.parse(await status(true))).not.toHaveProperty('others');
    writeRunFile(later, env);
    expect(await status(false)).toContain(`\nanother      ${earlier.url} (pid ${process.pid})\n`);
    const { url, pid, instance_id, started_at } = earlier;
    expect(JSON.parse(await status(true))).toMatchObject({
      url: later.url,
      others: [{ url, pid, instance_id, started_at }],
    });
    expect(await first.runJson('status', { cwd: '/elsewhere' })).not.toHaveProperty('others');
  });

  test('shows endpoints and listeners', async () => {
    await using sandbox = await cliSandbox();
    const { sandbox: inside } = sandbox.server;
    const { endpoint: listener } = inside.dispatch({
      type: 'listener.connect',
      appId: inside.world.apps.rows[0]?.id ?? '',
      listener: { name: 'mine', events: ['pix.settled'], description: null, secret: 'whsec_AAAA' },
    });
    const { stdout } = await sandbox.run('status', { columns: 80 });
    expect(stdout).toContain(`\n${listener.id}  connected  https://mine.listen.sandbox.lo…\n`);
    expect(await sandbox.runJson('status')).toMatchObject({
      url: sandbox.server.url,
      clock: { now: START_INSTANT },
      endpoints: [{ id: listener.id, connected: true }],
    });
  });
});
