import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN, Project } from '../helpers/e2e/e2e.js';

/** A command that fails to end is killed by the time limit of its test. */
const TIMEOUT_MS = 30_000;

describe('an unwritable state directory', { timeout: TIMEOUT_MS }, () => {
  test.each([
    ['a file is in its way', { XDG_STATE_HOME: 'package.json' }, 'part of the path is not a directory'],
    ...(existsSync('/proc/self')
      ? [
          [
            'nothing can be made in it',
            { XDG_STATE_HOME: '', HOME: '/proc' },
            'there is no such file',
          ] as const,
        ]
      : []),
  ] as const)(
    'an unwritable state directory is reported once by start because %s, and start continues',
    async (_, given, reason) => {
      using project = new Project();
      const { XDG_STATE_HOME: state } = given;
      const env = { ...given, ...(state === '' ? {} : { XDG_STATE_HOME: join(project.folder, state) }) };
      await using sandbox = await project.start([], { env });
      expect(await project.json(['status'], { env: { ...env, SANDBOX_URL: sandbox.url } })).toBeDefined();
      expect((await project.run(['status', '--url', sandbox.url], { env })).exitCode).toBe(0);
      expect((await project.run(['status'], { env })).exitCode).toBe(3);
      const { exitCode, stderr } = await sandbox.leave();
      expect(exitCode).toBe(130);
      const warnings = stderr.split('\n').filter((line) => line.startsWith('warning'));
      expect(warnings).toEqual([expect.stringContaining(`cannot be written (${reason})`)]);
      expect(warnings[0]).toContain(`\`--url ${sandbox.url}\``);
    },
  );

  test('prevents start --detach, which says what to do', async () => {
    using project = new Project();
    const env = { XDG_STATE_HOME: join(project.folder, 'package.json') };
    const ran = await project.run(['start', '--detach', '--port', '0'], { env });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(
      /^error The log .* cannot be written .*\nhint {2}Choose another directory .*--detach\.$/,
    );
  });
});

describe('a failed start', { timeout: TIMEOUT_MS }, () => {
  test.each([
    ['a failing scenario', ['--scenario', 'fails.json'], 1, 'SCENARIO_FAILED'],
    ['an invalid scenario', ['--scenario', 'package.json'], 2, 'INVALID_SCENARIO'],
    ['an existing recording', ['--record', 'package.json'], 2, 'DATA_NOT_USABLE'],
    ['a recording without its directory', ['--record', 'none/r.ndjson'], 2, 'DATA_NOT_USABLE'],
    ['a foreign address', ['--host', '192.0.2.1'], 2, 'USAGE'],
    ['a used port', ['--port', 'taken'], 5, 'PORT_TAKEN'],
  ])('exits with its exit code and stores nothing: %s', async (_, args, exitCode, code) => {
    using project = new Project();
    project.write('fails.json', JSON.stringify({ steps: [{ settle: { charge: 'none' } }] }));
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const taken = String((holder.address() as AddressInfo).port);
    try {
      const words = args.map((word) => (word === 'taken' ? taken : word));
      const port = words.includes('--port') ? [] : ['--port', '0'];
      const ran = await project.run(['start', '--json', '--data', 'kept', ...port, ...words]);
      const last: unknown = JSON.parse(ran.stdout.split('\n').at(-1) ?? '');
      expect(last).toMatchObject({ error: { code }, exit_code: exitCode });
      expect(ran.exitCode).toBe(exitCode);
      await using again = await project.start(['--data', 'kept']);
      expect(again.stderr.text()).toBe('');
    } finally {
      holder.close();
    }
  });
});

test.skipIf(!existsSync('/dev/full'))('a full disk under the output is not reported as a bug', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'config'], {
    stdio: ['ignore', full, 'pipe'],
  });
  expect([status, stderr.toString()]).toEqual([
    2,
    expect.stringMatching(/^error .*ENOSPC.*\nhint .*Free some space.*\n$/),
  ]);
});
