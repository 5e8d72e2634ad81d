import { onTestFinished, describe, expect, test, vi } from 'vitest';
import { ControlClient, createFetchTransport } from '../../src/client/control.js';
import type { SandboxVerbs } from '../../src/index.js';
import { connectSandbox, createSandbox, SandboxError } from '../../src/index.js';
import { startServer } from '../../src/http/server/start.js';
import { connectWithClient } from '../../src/testing/connect-sandbox.js';
import { type CreateSandboxOptions, openSandbox } from '../../src/testing/create-sandbox.js';
import { createReceiver, matchers } from '../../src/testing/index.js';
import { TIMEOUT_DEFAULT_MS } from '../../src/testing/options.js';
import { isObject } from '../../src/schema/object.js';
import { parseListenerName } from '../../src/text/listener-name.js';
import { fakeTimers } from '../helpers/fake-timers.js';
import { freePort } from '../helpers/free-port.js';

/** A sandbox without a port, and two connections to it. */
async function stage(options: CreateSandboxOptions = {}) {
  const sandbox = await createSandbox({ port: false, ...options });
  const connect = () =>
    connectWithClient(
      new ControlClient(createFetchTransport(sandbox.url, (target, init) => sandbox.fetch(target, init))),
    );
  const [one, other] = [await connect(), await connect()];
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close()]);
    await sandbox.close();
  });
  return { sandbox, one, other };
}

/** A receiver that responds to its last attempt when it is told to. */
function slowReceiver() {
  let receive = () => {};
  let respond = (_response: Response) => {};
  const received = new Promise<void>((resolve) => {
    receive = resolve;
  });
  const fetch = () =>
    new Promise<Response>((resolve) => {
      respond = resolve;
      receive();
    });
  return { fetch, received, respond: (response: Response) => respond(response) };
}

function useEnvironment(values: Readonly<Record<string, string | undefined>>): void {
  const env = { SANDBOX_URL: undefined, SANDBOX_CONTROL_TOKEN: undefined, ...values };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('the API of a connected sandbox', () => {
  test('equals that of an in-process sandbox, without fetch', async () => {
    const { sandbox, one } = await stage();
    const { fetch: _fetch, ...verbs } = sandbox;
    const kinds = (object: object): object =>
      Object.fromEntries(
        Object.entries(object).map(([name, value]: [string, unknown]) => [
          name,
          isObject(value) ? kinds(value) : typeof value,
        ]),
      );
    expect(kinds(one)).toEqual(kinds(verbs));
    expect(one.env).toEqual(sandbox.env);
    expect(one.url).toBe(sandbox.url);
  });

  test('acts on the sandbox, like a helper for both kinds', async () => {
    const { sandbox, one } = await stage({ freezeAt: '2026-01-31T12:00:00Z' });
    const settle = async (verbs: SandboxVerbs, code: string) => {
      await verbs.charges.create({ code });
      await verbs.charges.settle(code);
      await verbs.clock.advance('1h');
      return [await verbs.clock.now(), await verbs.ledger.problems()];
    };
    expect(await settle(one, 'a')).toEqual([new Date('2026-01-31T13:00:00Z'), []]);
    expect(await settle(sandbox, 'b')).toEqual([new Date('2026-01-31T14:00:00Z'), []]);
    expect((await one.charges.list({ status: 'SETTLED' })).map(({ code }) => code)).toEqual(['b', 'a']);
    await expect(one.charges.get('c')).rejects.toThrow(SandboxError);
  });

  test('reports the problems of an unbalanced ledger', async () => {
    const { verbs, sandbox, control } = await openSandbox({ port: false });
    onTestFinished(verbs.close);
    const { ledger } = await connectWithClient(control);
    expect(await ledger.problems()).toEqual([]);
    const [account] = sandbox.world.accounts.values();
    if (account !== undefined) account.balanceCents = 1n;
    expect(await ledger.problems()).toEqual([expect.stringContaining('the balance is 0.01')]);
    expect(await ledger.problems()).toEqual(verbs.ledger.problems());
  });

  test('the API of a connected sandbox is accepted by the matchers', async () => {
    const { sandbox, one } = await stage();
    await one.forwardTo({ fetch: () => new Response('out of order', { status: 503 }) });
    await one.trigger('pix.settled', { with: { code: 'order-1' } });
    const undelivered = await matchers.toHaveDelivered(one, 'pix.settled', { code: 'order-1' });
    expect(undelivered.pass).toBe(false);
    expect(undelivered.message()).toMatch(/got 0 of 1 events\.\n.*HTTP_STATUS 503 out of order\n/);
    await sandbox.fetch('/api/public/v1/pix', { method: 'POST' });
    expect(await matchers.toHaveReceivedCall(one, { method: 'POST', status: 401 })).toMatchObject({
      pass: true,
    });
    await expect(matchers.toHaveDelivered({}, 'pix.settled')).rejects.toThrow('or connectSandbox');
  });
});

describe('forwardTo of a connected sandbox', () => {
  test('delivers to a receiver of this process, even after a reset', async () => {
    const { sandbox, one } = await stage();
    const receiver = createReceiver({ secret: one.env.SANDBOX_WEBHOOK_SECRET });
    await one.forwardTo(receiver, { events: ['pix.settled'], path: '/hooks' });
    await sandbox.trigger('pix.expired');
    await one.trigger('pix.settled', { with: { code: 'order-1' } });
    expect(await receiver.waitFor('pix.settled')).toMatchObject({ data: { object: { code: 'order-1' } } });
    const delivery = await one.deliveries.waitFor({ type: 'pix.settled', status: 'DELIVERED' });
    expect(delivery.attempt_log).toMatchObject([{ response: { body: '{"message":"Accepted."}' } }]);
    expect(receiver.arrivals).toHaveLength(1);
    await one.reset();
    receiver.clear();
    await one.trigger('pix.settled');
    await receiver.waitFor('pix.settled');
    expect(await matchers.toHaveDelivered(one, 'pix.settled', { times: 1 })).toMatchObject({ pass: true });
  });

  test('delivers to a URL', async () => {
    const { one } = await stage();
    await using receiver = createReceiver({ secret: one.env.SANDBOX_WEBHOOK_SECRET });
    await one.forwardTo(await receiver.listen());
    await one.trigger('withdrawal.settled');
    await one.idle();
    expect(receiver.events.map(({ type }) => type)).toEqual(['withdrawal.settled']);
  });

  test('gives concurrently connecting listeners different names', async () => {
    const { sandbox, one, other } = await stage();
    const target = { fetch: () => new Response() };
    sandbox.forwardTo(target);
    await Promise.all([one.forwardTo(target), other.forwardTo(target), one.forwardTo(target)]);
    const names = (await one.endpoints.list()).map(({ url }) => parseListenerName(url));
    expect(new Set(names)).toEqual(new Set(['receiver-1', 'receiver-2', 'receiver-3', 'receiver-4']));
    await expect(other.forwardTo(target, { name: 'receiver-1' })).rejects.toThrow('receiver-1 is connected');
    await expect(one.forwardTo('3000', { path: '/hooks' })).rejects.toThrow(TypeError);
    // @ts-expect-error There is no such option.
    await expect(one.forwardTo(target, { paths: '/hooks' })).rejects.toThrow('Did you mean path?');
  });

  test('reports errors of a receiver, and the start of a long response', async () => {
    const { one } = await stage();
    const responses = [new Response('x'.repeat(20_000), { status: 500 }), Response.error()];
    const fetch = () => Promise.resolve(responses.shift() ?? Promise.reject(new Error('a bug')));
    await one.forwardTo({ fetch });
    for (let count = 0; count < 3; count += 1) await one.trigger('pix.settled', { until: 'attempted' });
    const lines = await one.deliveries.list();
    const logs = await Promise.all(
      lines.map(async ({ id }) => (await one.deliveries.get(id)).attempt_log[0]),
    );
    expect(logs).toMatchObject([
      { error: 'CONNECTION_RESET', detail: 'a bug' },
      { error: 'CONNECTION_RESET', detail: 'The receiver returned Response.error().' },
      { error: 'HTTP_STATUS', response: { body: 'x'.repeat(16_384), truncated: true } },
    ]);
  });

  test('ends with its block, after the attempts in flight', async () => {
    const { one } = await stage();
    const receiver = slowReceiver();
    const forwarding = await one.forwardTo(receiver);
    await one.trigger('pix.settled');
    await receiver.received;
    const stopped = forwarding[Symbol.asyncDispose]();
    expect(forwarding.stop()).toBe(stopped);
    receiver.respond(new Response());
    await stopped;
    expect(await one.deliveries.list()).toMatchObject([{ status: 'DELIVERED' }]);
    expect(await one.endpoints.list()).toEqual([]);
  });

  test('does not wait for a hanging receiver', async () => {
    const { one } = await stage();
    const receiver = slowReceiver();
    const forwarding = await one.forwardTo(receiver);
    await one.trigger('pix.settled');
    await receiver.received;
    fakeTimers();
    const stopped = forwarding.stop();
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(TIMEOUT_DEFAULT_MS);
    await stopped;
    expect(await one.deliveries.list()).toMatchObject([{ status: 'FAILED', last_error: 'LISTENER_LEFT' }]);
  });
});

describe('connectSandbox', () => {
  test('connects to the sandbox of the environment, and leaves it running', async () => {
    await using sandbox = await createSandbox();
    useEnvironment({ SANDBOX_URL: `${sandbox.url}/` });
    {
      await using connected = await connectSandbox();
      expect([connected.url, connected.env]).toEqual([sandbox.url, sandbox.env]);
      const receiver = createReceiver({ secret: connected.env.SANDBOX_WEBHOOK_SECRET });
      await connected.forwardTo(receiver);
      await connected.trigger('pix.settled');
      await receiver.waitFor('pix.settled');
      await sandbox.idle();
    }
    expect(await sandbox.endpoints.list()).toEqual([]);
    expect(await sandbox.deliveries.list()).toMatchObject([{ status: 'DELIVERED' }]);
  });

  test('closes even after the sandbox has ended, which its methods report', async () => {
    const sandbox = await createSandbox();
    useEnvironment({ SANDBOX_URL: sandbox.url });
    const connected = await connectSandbox();
    await connected.forwardTo({ fetch: () => new Response() });
    await sandbox.close();
    await expect(connected.charges.list()).rejects.toThrow(`Nothing responds at ${sandbox.url}.`);
    await connected.close();
  });

  test('sends the control token of the environment', async () => {
    const server = await startServer({ port: 0, host: '0.0.0.0', controlToken: 'a-control-token' });
    onTestFinished(() => server.close());
    const url = `http://127.0.0.1:${new URL(server.url).port}`;
    useEnvironment({ SANDBOX_URL: url });
    await expect(connectSandbox()).rejects.toThrow('SANDBOX_CONTROL_TOKEN');
    useEnvironment({ SANDBOX_URL: url, SANDBOX_CONTROL_TOKEN: 'a-control-token' });
    await using connected = await connectSandbox();
    expect(await connected.charges.list()).toEqual([]);
  });

  test('connects to a URL with a token, and sends the token of the environment to no other URL', async () => {
    const server = await startServer({ port: 0, host: '0.0.0.0', controlToken: 'a-control-token' });
    onTestFinished(() => server.close());
    const url = `http://127.0.0.1:${new URL(server.url).port}`;
    useEnvironment({ SANDBOX_URL: 'http://127.0.0.1:1', SANDBOX_CONTROL_TOKEN: 'a-control-token' });
    await expect(connectSandbox({ url })).rejects.toThrow('SANDBOX_CONTROL_TOKEN');
    await using connected = await connectSandbox({ url, token: 'a-control-token' });
    expect(await connected.charges.list()).toEqual([]);
  });

  test('rejects an unknown option, and a URL where no sandbox can be', async () => {
    // @ts-expect-error There is no such option.
    await expect(connectSandbox({ ulr: 'http://127.0.0.1:7490' })).rejects.toThrow('Did you mean url?');
    await expect(connectSandbox({ url: '' })).rejects.toThrow('url must look like http://127.0.0.1:7490');
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(connectSandbox({ url })).rejects.toThrow(`No sandbox is running at ${url} (url).`);
  });

  test.each([
    [undefined, 'SANDBOX_URL is not set'],
    ['', 'SANDBOX_URL is not set'],
    ['http://user:secret@sandbox.example', 'must look like http://127.0.0.1:7490; got http://'],
    ['https://sandbox.example', 'must look like http://127.0.0.1:7490; got https://'],
    ['localhost:7490', 'must look like http://127.0.0.1:7490; got localhost:7490'],
  ])('states for SANDBOX_URL %j what to type', async (url, problem) => {
    useEnvironment({ SANDBOX_URL: url });
    const refused = connectSandbox();
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.toThrow('`npx sandbox exec -- npm test`');
    await expect(refused).rejects.not.toThrow('secret');
  });

  test('reports that no sandbox is running, and what to type', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    useEnvironment({ SANDBOX_URL: url });
    await expect(connectSandbox()).rejects.toThrow(
      `No sandbox is running at ${url} (SANDBOX_URL). Run the tests with \`npx sandbox exec -- npm test\``,
    );
  });
});
