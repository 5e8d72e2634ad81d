import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { Listening, Starting } from '../../../helpers/cli/starting.js';
import { startApp } from '../../../helpers/e2e/test-app.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const NOWHERE = 'http://127.0.0.1:1/';

function settle(starting: Starting, code?: string) {
  const body = { type: 'pix.settled', until: 'attempted', ...(code === undefined ? {} : { with: { code } }) };
  return starting.control((client) => client.post('trigger', { body }));
}

describe('start --forward-to', () => {
  test('forwards like listen, and shows the same lines among the requests', async () => {
    await using app = await startApp((_, ordinal) => (ordinal === 1 ? 500 : 200));
    const given = {
      forwardTo: [`${app.origin}/hook`],
      retries: 'fast',
      header: ['X-Tenant: a'],
      simulate: 'ok',
    };
    await using starting = new Starting(given);
    await starting.come('ready');
    await settle(starting);
    const attempts = await starting.come('attempt', 2);
    expect(starting.all.map((line) => (JSON.parse(line) as { type: string }).type).slice(0, 2)).toEqual([
      'ready',
      'forwarding',
    ]);
    expect(starting.of('forwarding')).toMatchObject([{ forward_to: `${app.origin}/hook`, released: 0 }]);
    expect(attempts).toMatchObject([
      { attempt: 1, response_status: 500, verified: true, delivery: { status: 'PENDING' } },
      { attempt: 2, response_status: 200, verified: true, delivery: { status: 'DELIVERED' } },
    ]);
    expect(app.received[0]).toMatchObject({ url: '/hook', headers: { 'x-tenant': 'a' } });
  });

  test('shows its target, and each attempt', async () => {
    await using starting = new Starting({ forwardTo: [NOWHERE] }, { json: false });
    await starting.until(() => starting.all.includes(`Forwarding every event to ${NOWHERE}`));
    expect(starting.all.join('\n')).not.toContain('In another terminal');
    const url = /http:\S+/.exec(starting.all[0] ?? '')?.[0] ?? '';
    await fetch(`${url}/_sandbox/trigger`, {
      method: 'POST',
      body: '{"type":"pix.settled"}',
      headers: { 'content-type': 'application/json' },
    });
    await starting.until(() =>
      starting.all.some((line) => line.includes('Nothing is listening on 127.0.0.1:1')),
    );
    await starting.stop();
    expect(starting.all.slice(-3)).toEqual([
      'Lost, because this sandbox is in memory: 1 delivery. Use --data to keep deliveries across restarts.',
      '',
      '0 accepted, 1 failed.',
    ]);
  });

  test('shows no attempt with --quiet', async () => {
    await using app = await startApp();
    await using starting = new Starting({ forwardTo: [app.origin], quiet: true });
    const { deliveries } = await settle(starting);
    expect(deliveries).toMatchObject([{ status: 'DELIVERED' }]);
    await starting.stop();
    expect(starting.all).toHaveLength(1);
  });

  test('holds pending deliveries when it ends, and receives them after a restart with --data', async () => {
    using folder = tempFolder();
    await using app = await startApp((_, ordinal) => (ordinal === 1 ? 500 : 200));
    const given = { forwardTo: [app.origin], data: folder.path };
    const first = new Starting(given);
    await settle(first);
    await first.come('attempt');
    await first[Symbol.asyncDispose]();
    await using second = new Starting(given);
    await second.come('ready');
    expect(second.of('forwarding')).toMatchObject([{ released: 1, failed: 0 }]);
    const clock = await second.control((client) => client.post('clock/next'));
    expect(clock).toMatchObject({ did: { kind: 'delivery.attempt' } });
    expect(await second.come('attempt')).toMatchObject([{ attempt: 2, delivery: { status: 'DELIVERED' } }]);
  });

  test('reaches a sandbox whose control API requires its token', async () => {
    await using starting = new Starting({ forwardTo: [NOWHERE], host: '0.0.0.0' });
    expect(await starting.come('forwarding')).toMatchObject([{ forward_to: NOWHERE }]);
  });

  test('start --forward-to is named by a listen that forwards to the same place', async () => {
    await using starting = new Starting({ forwardTo: [NOWHERE] });
    const [ready] = await starting.come('ready');
    const url = String(ready?.['url']);
    const same = new Listening(url, { forwardTo: [NOWHERE] });
    await expect(same.work).rejects.toThrow(
      `A listener named 127-0-0-1-1 is connected (start → ${NOWHERE}).`,
    );
    await using other = new Listening(url, { forwardTo: [NOWHERE], name: 'other' });
    await other.come('ready');
    expect(other.notes[0]).toBe(
      `warning \`sandbox start\` already forwards to ${NOWHERE} (listener 127-0-0-1-1): events received by both arrive there twice.`,
    );
    await using named = new Listening(url, { forwardTo: ['localhost:1'], name: 'named' });
    await named.come('ready');
    expect(named.notes[0]).toContain('`sandbox start` already forwards to http://localhost:1/');
    await using third = new Listening(url, { forwardTo: [`withdrawal.*=${NOWHERE}other`] });
    await third.come('ready');
    expect(third.notes.join('\n')).not.toContain('twice');
  });

  test.each([
    [{ simulate: '500' }, '--simulate requires --forward-to.'],
    [{ events: 'pix.*' }, '--events requires --forward-to.'],
    [{ forwardTo: ['3000'], events: 'pix.setled' }, 'Unknown event pix.setled.'],
    [{ forwardTo: ['3000'], simulate: 'x' }, '--simulate must be a comma-separated list of 500, timeout,'],
    [{ forwardTo: ['ftp://x'] }, '--forward-to must be a port,'],
    [{ forwardTo: ['3000'], header: ['webhook-id: 1'] }, '--header cannot replace webhook-id'],
  ])('rejects %j before anything starts', async (options, message) => {
    using folder = tempFolder();
    await using starting = new Starting({ ...options, data: `${folder.path}/data` });
    expect((await rejectionOf(starting.work, CliError)).message).toContain(message);
    expect(() => folder.read('data/lock')).toThrow('ENOENT');
  });
});
