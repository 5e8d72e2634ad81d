import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotReachableError, SandboxError } from '../../../src/client/control.js';
import { isRunning, getProcessIdentity } from '../../../src/client/is-running.js';
import { writeRunFile } from '../../../src/client/run-file.js';
import type { RunFile } from '../../../src/client/run-file.js';
import { CliError, EXIT_CODES } from '../../../src/cli/program/errors.js';
import { startServer } from '../../../src/http/server/start.js';
import { runBody } from '../../helpers/cli/cli-io.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

/** A process that responds as a sandbox does, and whose `stop` exits, closes the server only, or fails. */
const SANDBOX_PROCESS = `
  const [, id, onStop, pid] = process.argv;
  const json = { ready: true, live: true, version: '1', instance_id: id, pid: Number(pid ?? process.pid) };
  const server = require('node:http').createServer((request, response) => {
    const isStop = request.url === '/_sandbox/stop';
    response.setHeader('x-pix-sandbox', '1');
    response.setHeader('connection', 'close');
    response.statusCode = !isStop ? 200 : onStop === 'fail' ? 404 : 202;
    const error = { code: 'NOT_FOUND', message: 'There is no operation POST /_sandbox/stop.', request_id: '', details: [] };
    response.end(JSON.stringify(response.statusCode === 404 ? { error } : json));
    if (!isStop || onStop === 'fail') return;
    if (onStop === 'exit') server.close(() => process.exit(0));
    else server.close(() => setInterval(() => {}, 1000));
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

interface Started {
  readonly url: string;
  readonly pid: number;
  /** Its exit code and signal. */
  readonly ended: Promise<unknown[]>;
}

async function startProcess(
  id = 'instance-1',
  { onStop = 'exit', claimedPid }: { onStop?: 'exit' | 'close' | 'fail'; claimedPid?: number } = {},
): Promise<Started> {
  const args = [id, onStop, ...(claimedPid === undefined ? [] : [String(claimedPid)])];
  const child = spawn(process.execPath, ['-e', SANDBOX_PROCESS, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = once(child, 'exit');
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString()}`, pid: child.pid ?? 0, ended };
}

/** A process that nobody may signal. */
async function startBystander(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

function runFile(run: Pick<RunFile, 'url' | 'pid'> & Partial<RunFile>): string {
  return writeRunFile({ instance_id: 'instance-1', folder: state, version: '1', ...run }, env);
}

test('stops the sandbox of the project, and waits until its process has ended', async () => {
  const { url, pid, ended } = await startProcess();
  const path = runFile({ url, pid });
  const { stdout } = await runBody('stop', { env, cwd: state });
  expect(stdout).toBe(`The sandbox at ${url} (pid ${pid}) has stopped.\n`);
  expect(await ended).toEqual([0, null]);
  expect(existsSync(path)).toBe(false);
});

test.each(['--url', 'SANDBOX_URL'])('stops the one that %s names', async (way) => {
  const { url, pid, ended } = await startProcess();
  const named = way === '--url' ? { env, options: { url } } : { env: { ...env, SANDBOX_URL: url } };
  const { stdout } = await runBody('stop', { cwd: state, ...named });
  expect(stdout).toContain(`(pid ${pid}) has stopped.`);
  expect(await ended).toEqual([0, null]);
});

test('waits for the process of a named sandbox if a run file identifies it', async () => {
  const { url, pid, ended } = await startProcess();
  const path = runFile({ url, pid, folder: '/another/project' });
  await runBody('stop', { env, cwd: state, options: { url } });
  expect(await ended).toEqual([0, null]);
  expect(existsSync(path)).toBe(false);
});

test('exits with 3 without a running sandbox', async () => {
  const error = await rejectionOf(runBody('stop', { env, cwd: state }), CliError);
  expect(error.exitCode).toBe(EXIT_CODES.notRunning);
  await rejectionOf(
    runBody('stop', { env, cwd: state, options: { url: 'http://127.0.0.1:1' } }),
    NotReachableError,
  );
});

test('stops the newest of two, mentions the other, and then stops that', async () => {
  const [first, second] = [await startProcess(), await startProcess('instance-2')];
  runFile({ ...first, started_at: '2026-01-31T12:00:00.000Z' });
  runFile({ ...second, instance_id: 'instance-2', started_at: '2026-01-31T12:00:01.000Z' });
  expect(await runBody('stop', { env, cwd: state })).toMatchObject({
    stdout: `The sandbox at ${second.url} (pid ${second.pid}) has stopped.\n`,
    stderr: `note This project has another sandbox at ${first.url} (pid ${first.pid}). \`npx sandbox stop\` stops that sandbox.\n`,
  });
  expect(await runBody('stop', { env, cwd: state })).toMatchObject({
    stdout: `The sandbox at ${first.url} (pid ${first.pid}) has stopped.\n`,
    stderr: '',
  });
  await Promise.all([first.ended, second.ended]);
});

test('skips crashed ones, whose files it removes', async () => {
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

test('does not stop another sandbox at the same address', async () => {
  const server = await startServer({ port: 0 });
  try {
    const path = runFile({ url: server.url, pid: process.pid, instance_id: 'earlier' });
    const error = await rejectionOf(runBody('stop', { env, cwd: state }), CliError);
    expect(error.exitCode).toBe(EXIT_CODES.notRunning);
    expect(error.message).toContain('A sandbox of another project');
    expect(error.hint).toContain(`--url ${server.url}`);
    expect(existsSync(path)).toBe(false);
  } finally {
    await server.close(0);
  }
});

describe('stop signals', () => {
  test('stop signals are not sent to a process that a server names', async () => {
    const bystander = await startBystander();
    const { url, ended } = await startProcess('instance-1', { claimedPid: bystander });
    const { exitCode } = await runBody('stop', { env, cwd: state, options: { url } });
    expect(exitCode).toBe(0);
    expect(await ended).toEqual([0, null]);
    expect(isRunning({ pid: bystander })).toBe(true);
  });

  test.each([
    ['a recycled process id', 'boot/pid:[1]/1'],
    ['a run file without a process identity', undefined],
  ])('stop signals are not sent for %s when the request fails', async (_, identity) => {
    const bystander = await startBystander();
    const { url } = await startProcess('instance-1', { onStop: 'fail' });
    runFile({ url, pid: bystander, process_identity: identity });
    const error = await rejectionOf(runBody('stop', { env, cwd: state }), SandboxError);
    expect(error.code).toBe('NOT_FOUND');
    expect(isRunning({ pid: bystander })).toBe(true);
  });

  test.runIf(process.platform === 'linux')(
    'stop signals are sent to the process of a run file when the request fails',
    async () => {
      const { url, pid, ended } = await startProcess('instance-1', { onStop: 'fail' });
      const path = runFile({ url, pid, process_identity: getProcessIdentity(pid) });
      const { stdout } = await runBody('stop', { env, cwd: state });
      expect(stdout).toBe(`The sandbox at ${url} (pid ${pid}) has stopped.\n`);
      expect(await ended).toEqual([null, 'SIGTERM']);
      expect(existsSync(path)).toBe(false);
    },
  );

  test.runIf(process.platform === 'linux')(
    'stop signals are sent to the process of a run file when nothing responds',
    async () => {
      const { url, pid, ended } = await startProcess('instance-1', { onStop: 'close' });
      const response = await fetch(`${url}/_sandbox/stop`, { method: 'POST' });
      await response.text();
      runFile({ url, pid, process_identity: getProcessIdentity(pid) });
      expect((await runBody('stop', { env, cwd: state })).exitCode).toBe(0);
      expect(await ended).toEqual([null, 'SIGTERM']);
    },
  );
});
