import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { startServer } from '../../../../src/http/server/start.js';
import { commandNamed, fakeIo, runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox, LOCAL, settleFor } from '../../../helpers/cli/cli-sandbox.js';
import { answering } from '../../../helpers/delivery/receivers.js';
import { startRawReceiver } from '../../../helpers/delivery/receiver-server.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const NOBODY = 'http://127.0.0.1:1';

/** The environment of a command whose time is up when it looks for the sandbox at `url` a second time. */
function lookingOnce(url: string) {
  const timeUp = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeUp.signal);
  onTestFinished(() => timeout.mockRestore());
  let looks = 0;
  return {
    get SANDBOX_URL() {
      looks += 1;
      if (looks === 2) timeUp.abort();
      return url;
    },
  };
}

test('without an argument, with an unknown one or a wrong time it is a usage error that names the choices', async () => {
  const none = await rejectionOf(runBody('wait'), CliError);
  expect(none.exitCode).toBe(EXIT.usage);
  expect(none.message).toBe('Wait for what? One of ready, idle, delivery.');
  const unknown = await rejectionOf(runBody('wait', { args: ['idel'] }), CliError);
  expect(unknown.message).toBe('There is no wait for idel.');
  expect(unknown.hint).toBe('Did you mean idle? Known: ready, idle, delivery.');
  const time = await rejectionOf(runBody('wait', { args: ['idle'], options: { timeout: '30' } }), CliError);
  expect(time.message).toBe('--timeout must be a duration; got 30.');
});

describe('ready', () => {
  test('answers as soon as the sandbox does', async () => {
    await using sandbox = await cliSandbox();
    const { stdout } = await sandbox.run('wait', { args: ['ready'] });
    expect(stdout).toMatch(
      new RegExp(`^The sandbox at ${sandbox.server.url} is ready \\(version \\S+\\)\\.\n$`),
    );
    expect(await sandbox.runJson('wait', { args: ['ready'] })).toMatchObject({
      ready: true,
      instance_id: sandbox.server.instanceId,
    });
  });

  test('waits for one that is started meanwhile', async () => {
    const before = await startServer({ port: 0 });
    const { port, url } = before;
    await before.close(0);
    const waiting = runBody('wait', { args: ['ready'], env: { SANDBOX_URL: url }, json: true });
    const server = await startServer({ port });
    try {
      expect(JSON.parse((await waiting).stdout)).toMatchObject({ instance_id: server.instanceId });
    } finally {
      await server.close(0);
    }
  });

  test('says what was missing when the time is up', async () => {
    const options = { timeout: '10ms' };
    const looking = runBody('wait', { args: ['ready'], options, env: lookingOnce(NOBODY) });
    const error = await rejectionOf(looking, CliError);
    expect(error.exitCode).toBe(EXIT.timedOut);
    expect(error.message).toBe(`No sandbox was ready within 10ms: Nothing answers at ${NOBODY}.`);
  });

  test('does not take another server for a sandbox', async () => {
    const other = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    try {
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const error = await rejectionOf(runBody('wait', { args: ['ready'], env: lookingOnce(url) }), CliError);
      expect(error.exitCode).toBe(EXIT.timedOut);
      expect(error.message).toContain('is not a sandbox');
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });
});

describe('idle', () => {
  test('answers when nothing is in flight', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    settleFor(sandbox, receiver.url);
    expect(await sandbox.runJson('wait', { args: ['idle'] })).toEqual({ idle: true });
    expect(receiver.requests()).toBe(1);
    expect((await sandbox.run('wait', { args: ['idle'] })).stdout).toMatch(/^The sandbox is idle/);
  });

  test('exits with 4 when the time is up first, and at once on Ctrl-C', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await startRawReceiver(() => {});
    settleFor(sandbox, receiver.url);
    const error = await rejectionOf(
      sandbox.run('wait', { args: ['idle'], options: { timeout: '10ms' } }),
      CliError,
    );
    expect(error.exitCode).toBe(EXIT.timedOut);
    expect(error.message).toBe('The sandbox was not idle within 10ms.');
    const { io, stop } = fakeIo({ env: { SANDBOX_URL: sandbox.server.url } });
    const command = await commandNamed('wait');
    const waiting = command.invoke({ io, args: ['idle'], given: { timeout: '1h' } });
    stop();
    await expect(waiting).rejects.toThrow('aborted');
  });
});

describe('delivery', () => {
  test('prints the deliveries that were waited for', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    settleFor(sandbox, receiver.url);
    const options = { type: 'pix.settled', status: 'DELIVERED' };
    const { stdout } = await sandbox.run('wait', { args: ['delivery'], options, columns: 80 });
    const [delivery] = sandbox.server.sandbox.world.deliveries.rows;
    expect(stdout).toMatch(new RegExp(`^${delivery?.id.slice(0, 8)}.*  pix.settled  DELIVERED  1/8`, 'm'));
    const event = delivery?.event.id;
    expect(await sandbox.runJson('wait', { args: ['delivery'], options: { event } })).toMatchObject({
      satisfied: true,
      deliveries: [{ id: delivery?.id }],
    });
  });

  test('exits with 4 and says what was waited for', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    settleFor(sandbox, receiver.url);
    await sandbox.server.sandbox.idle();
    const options = { status: 'DELIVERED', count: '2', timeout: '10ms' };
    const error = await rejectionOf(sandbox.run('wait', { args: ['delivery'], options }), CliError);
    expect(error.exitCode).toBe(EXIT.timedOut);
    expect(error.message).toBe('Waited 10ms for 2 deliveries with status DELIVERED; there is 1.');
  });

  test('refuses unknown names and counts', async () => {
    const refused = async (options: Record<string, string>) =>
      (await rejectionOf(runBody('wait', { args: ['delivery'], options }), CliError)).message;
    expect(await refused({ status: 'DONE' })).toBe('There is no delivery status DONE.');
    expect(await refused({ type: 'pix.setled' })).toBe('There is no event pix.setled.');
    expect(await refused({ count: 'two' })).toBe('--count must be a whole number from 1 on; got two.');
  });
});
