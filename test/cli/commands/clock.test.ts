import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { SandboxError } from '../../../src/client/control.js';
import { CliError, EXIT_CODES } from '../../../src/cli/program/errors.js';
import { SANDBOX_HEADER } from '../../../src/text/control-api.js';
import { commandNamed, fakeIo, runBody } from '../../helpers/cli/cli-io.js';
import { cliSandbox, LOCAL, settleFor, START_INSTANT } from '../../helpers/cli/cli-sandbox.js';
import { answering, type Receiver } from '../../helpers/delivery/receivers.js';
import { startRawReceiver } from '../../helpers/delivery/receiver-server.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

test('advance shows its progress on a terminal', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  await using receiver = await answering(500).start();
  settleFor(sandbox, receiver.url);
  let nowMs = 0;
  const clockOfTheTerminal = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 400));
  try {
    const { stderr } = await sandbox.run('clock advance', { args: ['3h'], columns: 80 });
    expect(stderr).toMatch(/^… 2026-01-01T\d\d:\d\d:00Z, \d steps?$/m);
    const piped = await sandbox.run('clock advance', { args: ['45h'] });
    expect(piped.stderr).toBe('');
  } finally {
    clockOfTheTerminal.mockRestore();
  }
});

/** Answers every request with 500, but keeps the second one waiting until it is let go. */
async function holdingReceiver(): Promise<{ receiver: Receiver; held: Promise<void>; letGo: () => void }> {
  let letGo = () => {};
  let tellHeld = () => {};
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve;
  });
  const receiver = await startRawReceiver((socket, ordinal) => {
    const answer = () => socket.write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
    if (ordinal === 2) {
      letGo = answer;
      tellHeld();
    } else {
      answer();
    }
  });
  return { receiver, held, letGo: () => letGo() };
}

test('Ctrl-C stops an advance between two steps and prints the clock', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { receiver, held, letGo } = await holdingReceiver();
  await using _receiver = receiver;
  settleFor(sandbox, receiver.url);
  const { io, stdout, stderr, stop } = fakeIo({ env: { SANDBOX_URL: sandbox.server.url } });
  const advancing = (await commandNamed('clock advance')).invoke({ io, args: ['45h'], given: {} });
  await held;
  stop();
  // The sandbox learns of the broken connection before it answers what is asked over others later.
  for (let asked = 0; asked < 5; asked += 1) await sandbox.run('clock show');
  letGo();
  await advancing;
  expect(stdout().split('\n')[0]).toBe('2026-01-01T00:00:00Z → 2026-01-01T00:01:00Z (1m)');
  expect(stderr().split('\n')).toEqual([
    'Stopping after the current step; press Ctrl-C again to exit immediately.',
    'Stopped early: the clock is at 2026-01-01T00:01:00Z.',
    '',
  ]);
  expect(receiver.requests()).toBe(2);
});

test('rejects a second concurrent advance', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { receiver, held, letGo } = await holdingReceiver();
  await using _receiver = receiver;
  settleFor(sandbox, receiver.url);
  const first = sandbox.run('clock advance', { args: ['2m'] });
  await held;
  const error = await rejectionOf(sandbox.run('clock advance', { args: ['1m'] }), SandboxError);
  expect(error.body.code).toBe('CLOCK_BUSY');
  expect((await sandbox.run('clock show')).stdout).toContain('an advance is in progress');
  letGo();
  expect((await first).stdout).toContain('(2m), 1 step\n');
});

test('an advance ended by a reset fails', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { receiver, held } = await holdingReceiver();
  await using _receiver = receiver;
  settleFor(sandbox, receiver.url);
  const advancing = sandbox.run('clock advance', { args: ['45h'] });
  await held;
  sandbox.server.sandbox.reset();
  const { exitCode, stderr } = await advancing;
  expect(exitCode).toBe(EXIT_CODES.no);
  expect(stderr).toBe(
    'Stopped early because the sandbox was reset or stopped: the clock is at 2026-01-01T00:00:00Z.\n',
  );
});

test('an advance with a truncated response reports that the sandbox stopped', async () => {
  const dying = createServer((request, response) => {
    response.setHeader(SANDBOX_HEADER, '1');
    if (request.method === 'GET') {
      response.end(JSON.stringify({ now: START_INSTANT }));
      return;
    }
    response.write('{"type":"step","at":"2026-01-01T00:01:00.000Z","kind":"charge.expire","id":"a"}\n');
    response.end();
  });
  dying.listen(0, '127.0.0.1');
  await once(dying, 'listening');
  try {
    const env = { SANDBOX_URL: `http://127.0.0.1:${(dying.address() as AddressInfo).port}` };
    const error = await rejectionOf(runBody('clock advance', { args: ['45h'], env }), CliError);
    expect(error.exitCode).toBe(EXIT_CODES.notRunning);
    expect(error.message).toBe(`The sandbox at ${env.SANDBOX_URL} stopped during the advance.`);
  } finally {
    dying.closeAllConnections();
    dying.close();
  }
});

test('show prints the distance of sandbox time from real time, unless a frozen clock is behind', async () => {
  let real = Date.parse(START_INSTANT);
  await using sandbox = await cliSandbox({ realNow: () => real });
  const clock = async () => (await sandbox.run('clock show')).stdout.split('\n')[0];
  real += 60_000;
  expect(await clock()).toBe('clock     2026-01-01T00:00:00Z, frozen');
  await sandbox.run('clock reset');
  expect(await clock()).toBe('clock     2026-01-01T00:00:00Z, at real speed, 1m behind real time');
  await sandbox.run('clock advance', { args: ['45h'] });
  expect(await clock()).toBe('clock     2026-01-02T21:00:00Z, at real speed, 1d 20h ahead of real time');
});
