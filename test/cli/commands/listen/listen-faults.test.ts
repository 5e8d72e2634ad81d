import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../../src/contract/time.js';
import { advance, cliSandbox, faultsOf, trigger, worldOf } from '../../../helpers/cli/cli-sandbox.js';
import { MessageReader } from '../../../helpers/http/http-events.js';
import { Listening } from '../../../helpers/cli/listening.js';
import { startApp } from '../../../helpers/e2e/test-app.js';

describe('listen under faults', () => {
  test('simulates what the attempts meet: 500, timeout, reset, lost, slow', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    const simulate = '500,timeout,reset,lost,slow:1ms';
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.origin], simulate });
    await listening.come('ready');
    trigger(sandbox);
    await advance(sandbox, 45 * HOUR_MS);
    const [delivery] = worldOf(sandbox).deliveries.rows;
    expect(delivery?.log.map(({ status, error }) => [status, error])).toEqual([
      [500, 'HTTP_STATUS'],
      [null, 'TIMEOUT'],
      [null, 'CONNECTION_RESET'],
      [null, 'CONNECTION_RESET'],
      [200, null],
    ]);
    expect(delivery?.status).toBe('DELIVERED');
    expect(app.received).toHaveLength(2);
    await listening.come('simulated', 5);
    expect(listening.of('simulated').map(({ action, attempt }) => [action, attempt])).toEqual([
      ['answer', 1],
      ['timeout', 2],
      ['drop', 3],
      ['lose-answer', 4],
      ['slow', 5],
    ]);
  });

  test('lets attempts through that are ok', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    await using listening = new Listening(sandbox.server.url, {
      forwardTo: [app.origin],
      simulate: '500,ok',
    });
    await listening.come('ready');
    trigger(sandbox);
    await advance(sandbox, HOUR_MS);
    expect(worldOf(sandbox).deliveries.rows).toMatchObject([{ status: 'DELIVERED', attempts: 2 }]);
    expect(app.received).toHaveLength(1);
  });

  test('sends duplicates that count as no attempt', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.origin], duplicate: '1' });
    await listening.come('ready');
    trigger(sandbox);
    await listening.come('attempt', 2);
    await sandbox.server.sandbox.idle();
    expect(app.received).toHaveLength(2);
    expect(app.received[0]?.headers['webhook-id']).toBe(app.received[1]?.headers['webhook-id']);
    expect(worldOf(sandbox).deliveries.rows).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
  });

  test('registers what was asked for, for its own endpoints alone', async () => {
    await using sandbox = await cliSandbox();
    const forwardTo = ['pix.*=localhost:1/', 'withdrawal.*=localhost:1/'];
    const options = { forwardTo, shuffle: '0.3', delay: '0.5:2ms', simulate: 'ok,lost' };
    await using listening = new Listening(sandbox.server.url, options);
    await listening.come('ready', 2);
    const ids = [...worldOf(sandbox).endpoints.keys()];
    for (const endpoint of ids) {
      expect(faultsOf(sandbox).filter((fault) => fault.endpoint === endpoint)).toEqual([
        { action: 'lose-answer', attempt: 2, endpoint, probability: 1 },
        { action: 'reorder', attempt: null, endpoint, probability: 0.3 },
        { action: 'delay', attempt: null, endpoint, probability: 0.5 },
      ]);
    }
    expect(faultsOf(sandbox)).toHaveLength(6);
  });

  test('of the same seed meets the same faults', async () => {
    const run = async () => {
      await using sandbox = await cliSandbox({ seed: 'again' });
      await using app = await startApp();
      const options = { forwardTo: [app.origin], duplicate: '0.5', simulate: '500' };
      await using listening = new Listening(sandbox.server.url, options);
      await listening.come('ready');
      for (let count = 0; count < 8; count += 1) trigger(sandbox);
      await advance(sandbox, HOUR_MS);
      const ids = worldOf(sandbox).events.rows.map(({ id }) => id);
      return ids.map((id) => app.received.filter(({ headers }) => headers['webhook-id'] === id).length);
    };
    const counts = await run();
    expect(new Set(counts)).toEqual(new Set([1, 2]));
    expect(await run()).toEqual(counts);
  });

  test('takes the place of what a listener of its name that died had asked for', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    const response = await sandbox.server.fetch(
      new Request('http://localhost/_sandbox/listeners', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"dev"}',
      }),
      {},
    );
    const dead = new MessageReader(response);
    const { listener } = await dead.nextOf('ready');
    const { id } = listener as { readonly id: string };
    for (const fault of [{ action: 'timeout', endpoint: id }, { action: 'drop' }]) {
      const body = JSON.stringify(fault);
      const headers = { 'content-type': 'application/json' };
      await fetch(`${sandbox.server.url}/_sandbox/faults`, { method: 'POST', body, headers });
    }
    trigger(sandbox);
    await dead.cancel();
    await setImmediate();
    const options = { forwardTo: [app.origin], name: 'dev', simulate: '503' };
    await using listening = new Listening(sandbox.server.url, options);
    const [ready] = await listening.come('ready');
    expect(ready).toMatchObject({ listener: { id } });
    expect(faultsOf(sandbox).map(({ action }) => action)).toEqual(['drop', 'answer']);
  });
});
