import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NotReachableError } from '../../../../src/client/control-client.js';
import * as charges from '../../../../src/cli/commands/charges/charges.js';
import * as inspect from '../../../../src/cli/commands/status/inspect.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { ASSUMPTION_IDS } from '../../../../src/contract/assumptions.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox, START_INSTANT } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

/** Nobody listens on port 1. */
const NOBODY = 'http://127.0.0.1:1';

describe('env', () => {
  test('prints the block as dotenv, or as asked', async () => {
    await using sandbox = await cliSandbox();
    const { env } = sandbox.server;
    const dotenv = await sandbox.run(inspect.env);
    expect(dotenv.stdout.split('\n').slice(0, 2)).toEqual([
      `SANDBOX_URL=${env.SANDBOX_URL}`,
      `SANDBOX_BASE_URL=${env.SANDBOX_BASE_URL}`,
    ]);
    expect(dotenv.stdout.trimEnd().split('\n')).toHaveLength(Object.keys(env).length);
    expect(dotenv.stderr).toBe('');
    const shell = await sandbox.run(inspect.env, { options: { format: 'shell' } });
    expect(shell.stdout).toContain(`export SANDBOX_TOKEN='${env.SANDBOX_TOKEN}'\n`);
    const json = await sandbox.run(inspect.env, { options: { format: 'json' } });
    expect(JSON.parse(json.stdout)).toEqual(env);
    expect(await sandbox.runJson(inspect.env)).toEqual(env);
  });

  test('names the close formats', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(sandbox.run(inspect.env, { options: { format: 'dotnev' } }), CliError);
    expect(error.message).toBe('There is no format dotnev.');
    expect(error.hint).toBe('Did you mean dotenv? Known: dotenv, json, shell, github.');
  });
});

describe('status', () => {
  test('says what the sandbox holds, what time it is and what is due', async () => {
    await using sandbox = await cliSandbox({ policy: { routes: new Map(), allowLocalEndpoints: true } });
    await sandbox.run(charges.create, { options: { code: 'a' } });
    await sandbox.run(charges.create, { options: { code: 'b', amount: '5' } });
    await sandbox.run(charges.move('settle'), { args: ['b'] });
    const { stdout } = await sandbox.run(inspect.status, { columns: 80 });
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

  test('shows endpoints and listeners', async () => {
    await using sandbox = await cliSandbox();
    const { sandbox: inside } = sandbox.server;
    const listener = inside.dispatch({
      type: 'listener.connect',
      appId: inside.world.apps.rows[0]?.id ?? '',
      listener: { name: 'mine', events: ['pix.settled'], description: null, secret: 'whsec_AAAA' },
    });
    const { stdout } = await sandbox.run(inspect.status, { columns: 80 });
    expect(stdout).toContain(`\n${listener.id}  connected  https://mine.listen.sandbox.lo…\n`);
    expect(await sandbox.runJson(inspect.status)).toMatchObject({
      url: sandbox.server.url,
      clock: { now: START_INSTANT },
      endpoints: [{ id: listener.id, connected: true }],
    });
  });
});

describe('assumptions', () => {
  test('are those of the running sandbox, and those that were chosen are marked', async () => {
    await using sandbox = await cliSandbox({ assume: { 'charge.lifetime': '2h' } });
    const { stdout, stderr } = await sandbox.run(inspect.assumptions, { columns: 80, colourLevel: 1 });
    expect(stdout).toContain('\u001b[33mcharge.lifetime = 2h (the default is 1d)\u001b[39m  §2.1\n');
    expect(stdout).toContain('\ncharge.late_window = 1d  §3\n  How long after its expiry');
    expect(stdout.match(/the default is/g)).toHaveLength(1);
    expect(stderr).toBe('');
  });

  test('fit 80 columns', async () => {
    await using sandbox = await cliSandbox();
    const { stdout } = await sandbox.run(inspect.assumptions, { columns: 80 });
    const tooLong = stdout.split('\n').filter((line) => line.length > 80);
    expect(tooLong).toEqual([]);
  });

  test('answer JSON as the control API does', async () => {
    await using sandbox = await cliSandbox({ assume: { 'charge.lifetime': '2h' } });
    const response = await sandbox.server.fetch(new Request('http://localhost/_sandbox/assumptions'), {});
    expect(await sandbox.runJson(inspect.assumptions)).toEqual(await response.json());
  });

  test('are the defaults when no sandbox is running', async () => {
    const state = mkdtempSync(join(tmpdir(), 'state-'));
    try {
      const env = { XDG_STATE_HOME: state };
      for (const running of [env, { ...env, SANDBOX_URL: NOBODY }]) {
        const { stdout, stderr } = await runBody(inspect.assumptions, { env: running });
        expect(stdout).toContain('\ncharge.lifetime = 1d  §2.1\n');
        expect(stderr).toBe('No sandbox is running: these are the defaults.\n');
      }
      const { stdout, stderr } = await runBody(inspect.assumptions, { env, json: true });
      const { data } = JSON.parse(stdout) as { data: { id: string }[] };
      expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(ASSUMPTION_IDS));
      expect(stderr).toBe('');
    } finally {
      rmSync(state, { recursive: true });
    }
  });

  test('of a sandbox that was named are not made up', async () => {
    const asked = runBody(inspect.assumptions, { options: { url: NOBODY } });
    expect((await rejectionOf(asked, NotReachableError)).url).toBe(NOBODY);
  });
});
