import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort, waitForPort, RestartRunner, runShell } from '../src/child.js';
import { LIMITS } from '../src/contract/limits.js';

const NEVER = new Promise<never>(() => undefined);

/** An application on a port; `seen` resolves after so many connections. */
async function application(port = 0) {
  const server = createServer((socket) => void socket.on('error', () => undefined).destroy());
  await once(server.listen(port, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const seen = async (count: number) => {
    for (let left = count; left > 0; left -= 1) await once(server, 'connection');
  };
  return { url: urlOf((server.address() as AddressInfo).port), seen };
}

function urlOf(port: number): URL {
  return new URL(`http://127.0.0.1:${port}/webhooks`);
}

/** Whether it has been resolved, and a function that gives up. */
function waiting(url: URL, ended: Promise<unknown>) {
  const stopping = new AbortController();
  let isOver = false;
  const over = waitForPort(url, ended, stopping.signal).then(() => {
    isOver = true;
  });
  return { over, isOver: () => isOver, stop: () => stopping.abort() };
}

test('waits after the restart command until the application listens', async () => {
  const port = await findFreePort();
  const { over, isOver } = waiting(urlOf(port), Promise.resolve());
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect(isOver()).toBe(false);
  await application(port);
  await expect(over).resolves.toBeUndefined();
});

test('recognizes a continuing command as the application once it listens', async () => {
  const port = await findFreePort();
  const { over } = waiting(urlOf(port), NEVER);
  for (let turns = 0; turns < 10; turns += 1) await turn();
  await application(port);
  await expect(over).resolves.toBeUndefined();
});

test('ignores what listened before the restart while the command continues', async () => {
  const { url, seen } = await application();
  const { over, isOver, stop } = waiting(url, NEVER);
  await seen(4);
  expect(isOver()).toBe(false);
  stop();
  await expect(over).resolves.toBeUndefined();
});

test('throws if an application does not listen in time', async () => {
  const timeout = new AbortController();
  const original = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
    ms === LIMITS.restartMs ? timeout.signal : original(ms),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const port = await findFreePort();
  const { over } = waiting(urlOf(port), Promise.resolve());
  timeout.abort();
  await expect(over).rejects.toThrow(`Nothing is listening on 127.0.0.1:${port} 30 s after`);
});

test('a restart command that is the application listens when the restart is over', async () => {
  const port = await findFreePort();
  // A connection of another test may hold the port for a moment.
  const server = `const s = require('node:net').createServer((c) => c.destroy()); const listen = () => s.listen(${port}, '127.0.0.1'); s.on('error', () => setTimeout(listen, 50)); listen()`;
  await using restarts = new RestartRunner(`"${process.execPath}" -e "${server}"`, () => ({
    cwd: '/',
    env: process.env,
  }));
  await restarts.restart(new AbortController().signal, urlOf(port));
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await expect(once(socket, 'connect')).resolves.toEqual([]);
  socket.destroy();
});

test('kills a shell command that exceeds its time limit, and reports its output', async () => {
  const { signal } = new AbortController();
  const where = { cwd: '/', env: process.env };
  const ended = await runShell('echo $$; sleep 60 | cat', where, { signal, limitMs: 500 });
  expect(ended).toMatchObject({ code: null, stdout: expect.stringMatching(/^\d+\n$/) });
  await vi.waitFor(() => expect(() => process.kill(-Number(ended.stdout), 0)).toThrow('ESRCH'), 5_000);
  expect(await runShell('echo no >&2; exit 3', where, { signal, limitMs: 60_000 })).toEqual({
    code: 3,
    stdout: '',
    stderr: 'no\n',
  });
});
