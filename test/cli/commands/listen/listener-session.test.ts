import { expect, test } from 'vitest';
import { Forwarder } from '../../../../src/cli/commands/listen/forwarder.js';
import type { SessionPlan } from '../../../../src/cli/commands/listen/listener-session.js';
import { ListenerSession } from '../../../../src/cli/commands/listen/listener-session.js';
import { createHttpSender } from '../../../../src/delivery/http-attempt.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { startRawReceiver } from '../../../helpers/delivery/receiver-server.js';

/** A session with a sandbox, what it told, and a promise for its being ready. */
function session({ server }: CliSandbox, target: string) {
  const { io, stop } = fakeIo({ env: { SANDBOX_URL: server.url }, json: true });
  const told: string[] = [];
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  const forwarder = new Forwarder({ io, target: new URL(target), sender, headers: {} });
  let tellReady = () => {};
  const ready = new Promise<void>((resolve) => {
    tellReady = resolve;
  });
  const plan: SessionPlan = {
    registration: { name: 'dev' },
    verifies: true,
    onReady: () => {
      told.push('ready');
      tellReady();
    },
    onSimulated: () => told.push('simulated'),
    onReset: () => told.push('reset'),
    onAway: () => told.push('away'),
    onLeft: (held) => told.push(`left ${held}`),
  };
  const invocation = { io, args: [], options: { url: undefined } };
  return { session: new ListenerSession(invocation, plan, forwarder), forwarder, told, ready, stop };
}

test('a session that leaves has ended, also when nobody asked the command to stop', async () => {
  await using sandbox = await cliSandbox();
  const { session: one, told, ready } = session(sandbox, 'http://127.0.0.1:1/');
  const run = one.run();
  await ready;
  await one.leave();
  await run;
  expect(told).toEqual(['ready', 'left 0']);
  const [endpoint] = sandbox.server.sandbox.world.endpoints.values();
  expect(endpoint).toMatchObject({ connected: false, status: 'ACTIVE' });
});

test('a session that leaves finishes what is in flight, reports it, and is then gone', async () => {
  await using sandbox = await cliSandbox();
  let answer = () => {};
  let tellAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    tellAsked = resolve;
  });
  await using receiver = await startRawReceiver((socket) => {
    answer = () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    tellAsked();
  });
  const { session: one, forwarder, told, ready, stop } = session(sandbox, receiver.url);
  const run = one.run();
  await ready;
  const { sandbox: world } = sandbox.server;
  world.dispatch({ type: 'trigger', event: 'pix.settled' });
  await asked;
  stop();
  const left = one.leave();
  while ([...world.world.endpoints.values()].some(({ connected }) => connected))
    await new Promise(setImmediate);
  world.dispatch({ type: 'trigger', event: 'pix.failed' });
  answer();
  await Promise.all([left, run]);
  expect(forwarder.accepted).toBe(1);
  expect(told).toEqual(['ready', 'left 0']);
  expect(world.world.deliveries.rows).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
});
