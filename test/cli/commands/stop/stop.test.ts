import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NotReachableError } from '../../../../src/client/control.js';
import { writeRunFile } from '../../../../src/client/run-file.js';
import type { RunFile } from '../../../../src/client/run-file.js';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { startServer } from '../../../../src/http/server/start.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

/** A process that answers as a sandbox does, and leaves on SIGTERM. */
const SANDBOX_PROCESS = `
  const server = require('node:http').createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ready: true, version: '1', instance_id: process.argv[1], pid: process.pid }));
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)));
`;

let state: string;
let env: { XDG_STATE_HOME: string };
const children: ChildProcess[] = [];

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'state-'));
  env = { XDG_STATE_HOME: state };
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(state, { recursive: true });
});

async function startProcess(
  id = 'instance-1',
): Promise<{ url: string; pid: number; ended: Promise<unknown[]> }> {
  const child = spawn(process.execPath, ['-e', SANDBOX_PROCESS, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = once(child, 'exit');
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString()}`, pid: child.pid ?? 0, ended };
}

function runFile(run: Pick<RunFile, 'url' | 'pid'> & Partial<RunFile>): string {
  return writeRunFile({ instance_id: 'instance-1', folder: state, version: '1', ...run }, env);
}

test('asks the process of the project to leave, and waits until it has gone', async () => {
  const { url, pid, ended } = await startProcess();
  const path = runFile({ url, pid });
  const { stdout } = await runBody('stop', { env, cwd: state });
  expect(stdout).toBe(`The sandbox at ${url} (pid ${pid}) has stopped.\n`);
  expect(await ended).toEqual([null, 'SIGTERM']);
  expect(existsSync(path)).toBe(false);
});

test('answers JSON', async () => {
  const { url, pid, ended } = await startProcess();
  runFile({ url, pid });
  const { stdout } = await runBody('stop', { env, cwd: state, json: true });
  expect(JSON.parse(stdout)).toEqual({ stopped: true, url, pid, instance_id: 'instance-1' });
  await ended;
});

test('stops the one that was named', async () => {
  const { url, pid, ended } = await startProcess();
  const { stdout } = await runBody('stop', { env, cwd: state, options: { url } });
  expect(stdout).toContain(`(pid ${pid}) has stopped.`);
  expect(await ended).toEqual([null, 'SIGTERM']);
});

test('exits with 3 when none is running', async () => {
  const error = await rejectionOf(runBody('stop', { env, cwd: state }), CliError);
  expect(error.exitCode).toBe(EXIT.notRunning);
  await rejectionOf(
    runBody('stop', { env, cwd: state, options: { url: 'http://127.0.0.1:1' } }),
    NotReachableError,
  );
});

test('removes a run file that nobody stands behind', async () => {
  const path = runFile({ url: 'http://127.0.0.1:1', pid: process.pid });
  const error = await rejectionOf(runBody('stop', { env, cwd: state }), CliError);
  expect(error.exitCode).toBe(EXIT.notRunning);
  expect(error.message).toContain('is no longer running');
  expect(existsSync(path)).toBe(false);
});

test('stops the newest of two, says that there is another, and then stops that', async () => {
  const [first, second] = [await startProcess(), await startProcess('instance-2')];
  runFile({ ...first, started_at: '2026-01-31T12:00:00.000Z' });
  runFile({ ...second, instance_id: 'instance-2', started_at: '2026-01-31T12:00:01.000Z' });
  expect(await runBody('stop', { env, cwd: state })).toMatchObject({
    stdout: `The sandbox at ${second.url} (pid ${second.pid}) has stopped.\n`,
    stderr: `note This project has another sandbox at ${first.url} (pid ${first.pid}). \`npx sandbox stop\` stops it, too.\n`,
  });
  expect(await runBody('stop', { env, cwd: state })).toMatchObject({
    stdout: `The sandbox at ${first.url} (pid ${first.pid}) has stopped.\n`,
    stderr: '',
  });
  await Promise.all([first.ended, second.ended]);
});

test('passes over those that crashed, whose files it removes', async () => {
  const { url, pid, ended } = await startProcess();
  const stale = { url: 'http://127.0.0.1:1', pid: process.pid };
  const paths = [
    runFile({ url, pid }),
    runFile({ ...stale, instance_id: 'a', started_at: '2026-01-31T12:00:00.000Z' }),
    runFile({ ...stale, instance_id: 'b', pid: 2 ** 22 + 1, started_at: '2026-01-31T12:00:01.000Z' }),
  ];
  const { stdout } = await runBody('stop', { env, cwd: state });
  expect(stdout).toBe(`The sandbox at ${url} (pid ${pid}) has stopped.\n`);
  await ended;
  expect(paths.filter((path) => existsSync(path))).toEqual([]);
});

test('leaves another sandbox alone that took the address', async () => {
  const server = await startServer({ port: 0 });
  try {
    const path = runFile({ url: server.url, pid: process.pid, instance_id: 'earlier' });
    const error = await rejectionOf(runBody('stop', { env, cwd: state }), CliError);
    expect(error.exitCode).toBe(EXIT.notRunning);
    expect(error.message).toContain('A sandbox of another project');
    expect(error.hint).toContain(`--url ${server.url}`);
    expect(existsSync(path)).toBe(false);
  } finally {
    await server.close(0);
  }
});

test('kills nothing on the word of another machine', async () => {
  const url = 'http://sandbox.example:7490';
  const error = await rejectionOf(runBody('stop', { env, cwd: state, options: { url } }), CliError);
  expect(error.exitCode).toBe(EXIT.usage);
  expect(error.message).toContain('Only a sandbox on this machine can be stopped');
});

test('says so when the process is not there', async () => {
  const { url } = await startProcess();
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  runFile({ url, pid: gone.pid ?? 0 });
  const error = await rejectionOf(runBody('stop', { env, cwd: state }), CliError);
  expect(error.code).toBe('NOT_STOPPED');
  expect(error.message).toContain('is not on this machine');
});
