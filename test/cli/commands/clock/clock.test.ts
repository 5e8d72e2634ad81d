import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { SANDBOX_HEADER } from '../../../../src/text/control-api.js';
import { commandNamed, fakeIo, runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox, LOCAL, settleFor, START_INSTANT } from '../../../helpers/cli/cli-sandbox.js';
import { answering } from '../../../helpers/delivery/receivers.js';
import type { Receiver } from '../../../helpers/delivery/receivers.js';
import { startRawReceiver } from '../../../helpers/delivery/receiver-server.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

test('show says the instant, the rate and what is due next', async () => {
  await using sandbox = await cliSandbox();
  expect((await sandbox.run('clock show')).stdout).toBe(
    'clock     2026-01-01T00:00:00Z, frozen\ndue next  nothing\n',
  );
  const [app] = sandbox.server.sandbox.world.apps.rows;
  const { charge } = sandbox.server.sandbox.dispatch({
    type: 'charge.create',
    appId: app?.id ?? '',
    charge: {
      code: 'a',
      accountId: app?.accountId ?? '',
      amountCents: 100,
      payerName: null,
      payerDocument: null,
      metadata: {},
    },
  });
  expect((await sandbox.run('clock show')).stdout).toContain(
    `due next  expiry of charge ${charge.id} in 1d (2026-01-02T00:00:00Z)\n`,
  );
  expect(await sandbox.runJson('clock show')).toMatchObject({ now: START_INSTANT, frozen: true });
});

test('advance runs the whole retry schedule and says what it did', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  await using receiver = await answering(500).start();
  settleFor(sandbox, receiver.url);
  const { stdout, stderr } = await sandbox.run('clock advance', { args: ['45h'] });
  expect(stdout.split('\n')).toEqual([
    '2026-01-01T00:00:00Z → 2026-01-02T21:00:00Z (1d 21h), 7 steps',
    'clock     2026-01-02T21:00:00Z, frozen',
    'due next  nothing',
    '',
  ]);
  expect(stderr).toBe('');
  expect(receiver.requests()).toBe(8);
  const [delivery] = sandbox.server.sandbox.world.deliveries.rows;
  expect(delivery?.status).toBe('FAILED');
});

test('advance shows on a terminal how far it is', async () => {
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

test('advance answers JSON as the control API does', async () => {
  await using sandbox = await cliSandbox({ realNow: () => Date.parse(START_INSTANT) });
  expect(await sandbox.runJson('clock advance', { args: ['90s'] })).toEqual({
    from: START_INSTANT,
    to: '2026-01-01T00:01:30.000Z',
    steps: 0,
    finished: true,
    clock: {
      now: '2026-01-01T00:01:30.000Z',
      real_now: START_INSTANT,
      rate: 0,
      frozen: true,
      advancing: false,
      next_due: null,
    },
  });
});

test('advance refuses what is no duration, and an instant past the end of time', async () => {
  await using sandbox = await cliSandbox();
  const soon = await rejectionOf(sandbox.run('clock advance', { args: ['soon'] }), CliError);
  expect(soon.exitCode).toBe(EXIT.usage);
  expect(soon.message).toBe('The way to advance must be a duration; got soon.');
  const far = await rejectionOf(sandbox.run('clock advance', { args: ['2920000d'] }), SandboxError);
  expect(far.status).toBe(400);
  expect(far.body.details[0]?.field).toBe('by');
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

test('Ctrl-C stops an advance between two steps and says where the clock stands', async () => {
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
    'Stopping after the current step; Ctrl-C again exits at once.',
    'Stopped on the way: the clock is at 2026-01-01T00:01:00Z.',
    '',
  ]);
  expect(receiver.requests()).toBe(2);
});

test('a second advance meanwhile is refused', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { receiver, held, letGo } = await holdingReceiver();
  await using _receiver = receiver;
  settleFor(sandbox, receiver.url);
  const first = sandbox.run('clock advance', { args: ['2m'] });
  await held;
  const error = await rejectionOf(sandbox.run('clock advance', { args: ['1m'] }), SandboxError);
  expect(error.body.code).toBe('CLOCK_BUSY');
  expect((await sandbox.run('clock show')).stdout).toContain('an advance is under way');
  letGo();
  expect((await first).stdout).toContain('(2m), 1 step\n');
});

test('an advance that a reset ends did not do what it was asked for', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { receiver, held } = await holdingReceiver();
  await using _receiver = receiver;
  settleFor(sandbox, receiver.url);
  const advancing = sandbox.run('clock advance', { args: ['45h'] });
  await held;
  sandbox.server.sandbox.reset();
  const { exitCode, stderr } = await advancing;
  expect(exitCode).toBe(EXIT.no);
  expect(stderr).toBe(
    'Stopped on the way because the sandbox was reset or stopped: the clock is at 2026-01-01T00:00:00Z.\n',
  );
});

test('an advance whose answer ends early says that the sandbox stopped', async () => {
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
    expect(error.exitCode).toBe(EXIT.notRunning);
    expect(error.message).toBe(`The sandbox at ${env.SANDBOX_URL} stopped on the way.`);
  } finally {
    dying.closeAllConnections();
    dying.close();
  }
});

test('next does what is due next and prints the result', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  await using receiver = await answering(500).start();
  expect((await sandbox.run('clock next')).stdout).toMatch(/^Nothing is due\.\nclock /);
  settleFor(sandbox, receiver.url);
  const { stdout } = await sandbox.run('clock next');
  const [delivery] = sandbox.server.sandbox.world.deliveries.rows;
  expect(stdout.split('\n')).toEqual([
    `2026-01-01T00:01:00Z  attempt of delivery ${delivery?.id}: 500, PENDING, next in 5m`,
    'clock     2026-01-01T00:01:00Z, frozen',
    `due next  attempt of delivery ${delivery?.id} in 5m (2026-01-01T00:06:00Z)`,
    '',
  ]);
  expect(await sandbox.runJson('clock next')).toMatchObject({
    did: { kind: 'delivery.attempt', id: delivery?.id, at: '2026-01-01T00:06:00.000Z' },
    clock: { now: '2026-01-01T00:06:00.000Z' },
  });
});

test('freeze, speed and reset change how time passes', async () => {
  let real = Date.parse(START_INSTANT);
  await using sandbox = await cliSandbox({ freezeAt: undefined, realNow: () => real });
  expect((await sandbox.run('clock show')).stdout).toContain('clock     2026-01-01T00:00:00Z, real time\n');
  expect((await sandbox.run('clock speed', { args: ['60'] })).stdout).toContain(', 1m per real second\n');
  real += 2_000;
  expect((await sandbox.run('clock freeze')).stdout).toContain(
    'clock     2026-01-01T00:02:00Z, frozen, 1m 58s ahead of real time\n',
  );
  const later = await sandbox.run('clock freeze', { args: ['2026-01-01T12:00:00Z'] });
  expect(later.stdout).toContain('clock     2026-01-01T12:00:00Z, frozen, 11h 59m ahead of real time\n');
  expect(await sandbox.runJson('clock reset')).toMatchObject({ rate: 1, now: '2026-01-01T12:00:00.000Z' });
});

test('show says how far sandbox time is from real time, unless a frozen clock is behind', async () => {
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

test('freeze and speed refuse wrong values', async () => {
  await using sandbox = await cliSandbox();
  const fast = await rejectionOf(sandbox.run('clock speed', { args: ['fast'] }), CliError);
  expect(fast.message).toBe('The rate must be a number above 0; got fast.');
  const none = await rejectionOf(sandbox.run('clock speed', { args: ['0'] }), SandboxError);
  expect(none.status).toBe(400);
  const past = await rejectionOf(
    sandbox.run('clock freeze', { args: ['2020-01-01T00:00:00Z'] }),
    SandboxError,
  );
  expect(past.body.message).toContain('backwards');
});
