import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../../src/contract/time.js';
import { advance, cliSandbox, faultsOf, trigger, worldOf } from '../../../helpers/cli/cli-sandbox.js';
import { Listening } from '../../../helpers/cli/listening.js';
import { startRawReceiver } from '../../../helpers/delivery/receiver-server.js';
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

  test('labels what a fault sent beside the attempt', async () => {
    await using sandbox = await cliSandbox();
    await using app = await startApp();
    const options = { forwardTo: [app.origin], duplicate: '1' };
    await using listening = new Listening(sandbox.server.url, options, { json: false });
    await listening.until(() => listening.notes.some((note) => note.includes('Ready.')));
    const labels = async (count: number) => {
      await listening.until(() => listening.lines.length >= count);
      await sandbox.server.sandbox.idle();
      return listening.lines.splice(0).map((text) => /(?:duplicate|stale): .*/.exec(text)?.[0]);
    };
    trigger(sandbox);
    expect(await labels(2)).toEqual([undefined, 'duplicate: a fault sent it twice']);
    for (const fault of [{ action: 'duplicate', copies: 2 }, { action: 'stale-expired' }]) {
      const [old] = worldOf(sandbox).faults.keys();
      const url = `${sandbox.server.url}/_sandbox/faults`;
      await fetch(`${url}/${old}`, { method: 'DELETE' });
      const headers = { 'content-type': 'application/json' };
      await fetch(url, { method: 'POST', headers, body: JSON.stringify(fault) });
      trigger(sandbox);
      expect(await labels('copies' in fault ? 3 : 2)).toEqual(
        'copies' in fault
          ? [undefined, 'duplicate: a fault sent it twice', 'duplicate: a fault sent it 3 times']
          : [undefined, 'stale: a fault sent this event after a newer one'],
      );
    }
  });

  test('takes no attempt for a duplicate after a reset that gives the same ids', async () => {
    await using sandbox = await cliSandbox();
    const answers: (() => void)[] = [];
    let tellAsked = () => {};
    const asked = new Promise<void>((resolve) => (tellAsked = resolve));
    await using app = await startRawReceiver((socket) => {
      answers.push(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
      if (answers.length > 1) answers.at(-1)?.();
      tellAsked();
    });
    await using listening = new Listening(sandbox.server.url, { forwardTo: [app.url] }, { json: false });
    await listening.until(() => listening.notes.some((note) => note.includes('Ready.')));
    trigger(sandbox);
    const [before] = worldOf(sandbox).deliveries.rows;
    await asked;
    sandbox.server.sandbox.reset();
    await listening.until(() => listening.notes.some((note) => note.includes('was reset')));
    trigger(sandbox);
    expect(worldOf(sandbox).deliveries.rows[0]?.id).toBe(before?.id);
    await listening.until(() => listening.lines.length > 0);
    answers[0]?.();
    await listening.until(() => listening.lines.length > 1);
    expect(listening.lines.join('\n')).not.toContain('a fault sent');
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
});
