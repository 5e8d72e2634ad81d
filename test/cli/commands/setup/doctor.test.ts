import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runDoctorChecks, SYSTEM_NAMES, checkRoundTrip } from '../../../../src/cli/commands/setup/doctor.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import type { FakeIoOptions } from '../../../helpers/cli/cli-io.js';
import { cliSandbox, LOCAL, settledFor, worldOf } from '../../../helpers/cli/cli-sandbox.js';
import { freePort } from '../../../helpers/free-port.js';
import { writeRunFile } from '../../../../src/client/run-file.js';
import type { TempFolder } from '../../../helpers/temp-folder.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

const NAMES = [
  'node',
  'proxy',
  'localhost',
  'config',
  'environment',
  'parity',
  'run file',
  'port',
  'forward to',
  'clock',
  'endpoints',
  'deliveries',
  'requests',
  'round trip',
];

/** Everybody's port stays alone: in the test's place the machine has it free. */
const FREE = { ...SYSTEM_NAMES, refusalToListen: () => Promise.resolve(undefined) };

async function run(folder: TempFolder, more: FakeIoOptions = {}) {
  folder.write('package.json', '{}');
  const env = { XDG_STATE_HOME: join(folder.path, 'state'), ...more.env };
  const { io, stdout, stderr } = fakeIo({ cwd: folder.path, ...more, env });
  const exitCode = await runDoctorChecks({ io, args: {}, options: { url: undefined } }, FREE);
  return { stdout: stdout(), stderr: stderr(), exitCode };
}

interface Checkup {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message: string }[];
}

describe('doctor', () => {
  test('prints a line for each check, and what to do', async () => {
    using folder = tempFolder();
    const { stdout, stderr, exitCode } = await run(folder, {
      columns: 80,
      env: { HTTP_PROXY: 'http://proxy' },
    });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const lines = stdout.trimEnd().split('\n');
    for (const name of NAMES) expect(lines.filter((line) => line.slice(6).startsWith(name))).toHaveLength(1);
    expect(stdout).toContain('\nwarn  proxy ');
    expect(stdout).toContain('→ export NO_PROXY=localhost,127.0.0.1');
    expect(lines.at(-1)).toMatch(/^\d+ ok, \d+ with warnings, 0 failed\.$/);
    // A path is not cut, so that it can be copied.
    expect(lines.filter((line) => line.length > 80 && !line.includes(folder.path))).toEqual([]);
  });

  test('prints JSON, and exits with 1 after a failure', async () => {
    using folder = tempFolder();
    const well = JSON.parse((await run(folder, { json: true })).stdout) as Checkup;
    expect(well.ok).toBe(true);
    expect(well.checks.map(({ name }) => name)).toEqual(NAMES);
    folder.write('sandbox.config.json', '{"port": "x"}');
    const { stdout, exitCode } = await run(folder, { json: true });
    const ill = JSON.parse(stdout) as Checkup;
    expect({ ok: ill.ok, exitCode }).toEqual({ ok: false, exitCode: 1 });
    expect(ill.checks.filter(({ status }) => status === 'fail').map(({ name }) => name)).toEqual(['config']);
  });

  test('warns of a configured forward target without a listening process', async () => {
    using folder = tempFolder();
    const target = `127.0.0.1:${await freePort()}/hooks`;
    folder.write('sandbox.config.json', JSON.stringify({ forwardTo: [`pix.*=${target}`] }));
    const { stdout, exitCode } = await run(folder);
    expect(stdout).toMatch(new RegExp(`warn {2}forward to +Nothing is listening on http://${target}: `));
    expect(exitCode).toBe(0);
  });

  test('checks the port and the listeners of the running sandbox', async () => {
    using folder = tempFolder();
    await using cli = await cliSandbox();
    const { url, port, instanceId, sandbox } = cli.server;
    const target = `http://127.0.0.1:${await freePort()}/`;
    sandbox.dispatch({
      type: 'listener.connect',
      appId: sandbox.world.apps.rows[0]?.id ?? '',
      listener: {
        name: 'shop',
        events: ['pix.settled'],
        secret: 'whsec_x',
        description: `start → ${target}`,
      },
    });
    const env = { XDG_STATE_HOME: join(folder.path, 'state') };
    writeRunFile({ url, pid: process.pid, instance_id: instanceId, folder: folder.path, version: '1' }, env);
    const { stdout } = await run(folder, { env });
    expect(stdout).toMatch(new RegExp(`ok {4}port +Port ${port} is `));
    expect(stdout).toContain(`Nothing is listening on ${target}: `);
  });

  test('compares .env files with the running sandbox, and names its failed deliveries and refused requests', async () => {
    using folder = tempFolder();
    await using cli = await cliSandbox(LOCAL);
    const block = await cli.runJson('env');
    const lines = Object.entries(block).map(([name, value]) => `${name}="${String(value)}"`);
    folder.write('.env', lines.join('\n'));
    folder.write('.env.test', 'SANDBOX_TOKEN=pix_test_unknown\n');
    folder.write('.env.example', 'SANDBOX_TOKEN=…');
    const { delivery } = await settledFor(cli, `http://127.0.0.1:${await freePort()}/hook`);
    await cli.server.fetch(
      new Request(
        `${cli.server.url}/api/public/v1/accounts/00000000-0000-4000-8000-000000000001/transactions`,
      ),
      {},
    );
    const { stdout } = await run(folder, { env: { SANDBOX_URL: cli.server.url } });
    expect(stdout).toMatch(
      /warn {2}environment +SANDBOX_TOKEN in \.env\.test \(pix_test…wn\) is unknown to the sandbox/,
    );
    expect(stdout).toContain(`→ Run \`npx sandbox verify --delivery ${delivery.id.slice(0, 8)}\`.`);
    expect(stdout).toMatch(/warn {2}requests +1 of 1 requests got 401 UNAUTHENTICATED, the newest GET/);
    expect(stdout).not.toContain('.env.example');
  });

  test('leaves the running sandbox unchanged', async () => {
    using folder = tempFolder();
    await using sandbox = await cliSandbox();
    const before = JSON.stringify([...worldOf(sandbox).apps.rows, sandbox.server.sandbox.calls.count]);
    const { stdout } = await run(folder, { env: { SANDBOX_URL: sandbox.server.url } });
    expect(stdout).toMatch(/ok {4}clock/);
    expect(worldOf(sandbox).charges.rows).toHaveLength(0);
    expect(worldOf(sandbox).endpoints.size).toBe(0);
    expect(JSON.stringify([...worldOf(sandbox).apps.rows, sandbox.server.sandbox.calls.count])).toBe(before);
  });
});

test('the round trip creates, signs, delivers and verifies', async () => {
  const check = await checkRoundTrip();
  expect(check).toMatchObject({ status: 'ok' });
  expect(check.message).toMatch(/^A charge was created and paid, and its webhook was verified, in \d+ ms\.$/);
});
