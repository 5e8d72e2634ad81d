import { describe, expect, onTestFinished, test } from 'vitest';
import { socketClient } from '../../../../src/client/socket.js';
import { type Burst, runBurst } from '../../../../src/cli/commands/trigger.js';
import { durationOf } from '../../../../src/cli/program/options.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { listenTo, settle, TestListener } from '../../../helpers/sandbox/sandbox.js';

/** A burst against a sandbox, and how far it said that it was. */
async function bench(wanted: Partial<Burst> = {}) {
  const sandbox = await cliSandbox();
  const client = socketClient({ url: sandbox.server.url });
  onTestFinished(async () => {
    client.close();
    await sandbox[Symbol.asyncDispose]();
  });
  const progress: number[] = [];
  const burst: Burst = {
    body: { type: 'pix.settled' },
    count: 1,
    rate: undefined,
    until: 'ended',
    timeout: durationOf('10s', 'timeout'),
    signal: new AbortController().signal,
    onProgress: (made) => progress.push(made),
    ...wanted,
  };
  return { sandbox: sandbox.server.sandbox, progress, run: () => runBurst(client, burst) };
}

describe('a burst', () => {
  test('at once makes them all in one request', async () => {
    const { sandbox, run } = await bench({ count: 40 });
    const listener = new TestListener(sandbox);
    const { reached, events, deliveries } = await run();
    expect(reached).toBe(true);
    expect([events.length, deliveries.length, listener.received.length]).toEqual([40, 40, 40]);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['DELIVERED']));
  });

  test('at a rate makes as many as asked for, none of them faster', async () => {
    const { sandbox, progress, run } = await bench({ count: 12, rate: 40 });
    listenTo(sandbox);
    const startedAt = performance.now();
    const { reached, events, deliveries } = await run();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual((11 / 40) * 1_000);
    expect([reached, events.length]).toEqual([true, 12]);
    expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'DELIVERED'));
    expect(progress.at(-1)).toBe(12);
    expect(progress.length).toBeGreaterThan(1);
  });

  test('at a rate counts triggers, of which a late one makes two events', async () => {
    const { sandbox, progress, run } = await bench({
      body: { type: 'pix.settled', late: true },
      count: 3,
      rate: 1_000,
    });
    const { events } = await run();
    expect(events).toHaveLength(6);
    expect(sandbox.world.charges.rows).toHaveLength(3);
    expect(progress.at(-1)).toBe(3);
  });

  test('at a rate waits for more deliveries than fit into one request', async () => {
    const { sandbox, run } = await bench({ count: 3_500, rate: 1_000_000, until: 'attempted' });
    for (const name of ['a', 'b', 'c']) {
      sandbox.listeners.detach(new TestListener(sandbox, { name, schedule: 'off' }).endpoint.id);
    }
    const { reached, deliveries } = await run();
    expect(reached).toBe(true);
    expect(deliveries).toHaveLength(10_500);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['FAILED']));
  });

  test.for([undefined, 100])('that does not end in time says so (rate %s)', async (rate) => {
    const { sandbox, run } = await bench({ count: 2, rate, timeout: durationOf('50ms', 'timeout') });
    listenTo(sandbox, { status: () => 500 });
    const { reached, deliveries } = await run();
    expect(reached).toBe(false);
    expect(deliveries).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }]);
  });

  test('waits for its own deliveries alone', async () => {
    const { sandbox, run } = await bench({ count: 2, rate: 100, until: 'attempted' });
    const silent = new TestListener(sandbox, { name: 'silent', status: () => undefined });
    settle(sandbox);
    sandbox.dispatch({ type: 'listener.lose', endpointId: silent.endpoint.id });
    expect((await run()).reached).toBe(true);
  });

  test('that is stopped rejects', async () => {
    const stopping = new AbortController();
    const { sandbox, run } = await bench({ count: 1_000, rate: 10, signal: stopping.signal });
    listenTo(sandbox);
    const work = run();
    stopping.abort();
    await expect(work).rejects.toThrow('abort');
    expect(sandbox.world.events.rows.length).toBeLessThan(10);
  });
});
