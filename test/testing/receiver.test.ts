import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/index.js';
import { signWebhook } from '../../src/signing/index.js';
import { createReceiver } from '../../src/testing/index.js';
import { RawConnection } from '../helpers/http/http-raw.js';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another secret of 32 bytes .....').toString('base64')}`;

function signed(id: string, event: object, secret = SECRET): Request {
  const body = Buffer.from(JSON.stringify({ id, ...event }));
  const timestampS = Math.floor(Date.now() / 1000);
  const headers = signWebhook({ id, timestampS, body, secrets: secret });
  return new Request('http://receiver.localhost/', { method: 'POST', body, headers });
}

describe('a receiver', () => {
  test('accepts once what one of its secrets signed', async () => {
    const seen: string[] = [];
    const receiver = createReceiver({ secret: [SECRET, OTHER], onEvent: ({ id }) => seen.push(id) });
    const statuses = [];
    for (const secret of [SECRET, OTHER]) {
      statuses.push((await receiver.fetch(signed('evt_1', { type: 'pix.settled' }, secret))).status);
    }
    expect([statuses, seen]).toEqual([[200, 200], ['evt_1']]);
    expect(receiver.events).toMatchObject([{ id: 'evt_1', type: 'pix.settled' }]);
    expect(receiver.arrivals.map(({ duplicate }) => duplicate)).toEqual([false, true]);
    receiver.clear();
    expect([receiver.events, receiver.arrivals]).toEqual([[], []]);
  });

  test('rejects other signatures with a reason', async () => {
    const receiver = createReceiver({ secret: SECRET });
    const refused = await receiver.fetch(signed('evt_1', { type: 'pix.settled' }, OTHER));
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { message: expect.stringContaining('signature_mismatch') },
    ]);
    expect(receiver.events).toEqual([]);
    await expect(receiver.waitFor('pix.settled', { timeoutMs: 1 })).rejects.toThrow(
      /^Waited 1 ms for pix.settled. Received:\n {2}400 evt_1 signature_mismatch: /,
    );
  });

  test('handles a failed event again, and two concurrent ones once', async () => {
    let fails = 1;
    const receiver = createReceiver({
      secret: SECRET,
      onEvent: () => {
        fails -= 1;
        if (fails >= 0) throw new Error('the database is down');
      },
    });
    const first = await receiver.fetch(signed('evt_1', { type: 'pix.failed' }));
    expect([first.status, await first.json()]).toEqual([500, { message: 'the database is down' }]);
    const both = await Promise.all([1, 2].map(() => receiver.fetch(signed('evt_1', { type: 'pix.failed' }))));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect([receiver.events.length, fails]).toEqual([1, -1]);
  });

  test('waits for future events, of a type or of any kind', async () => {
    const receiver = createReceiver({ secret: SECRET });
    const settled = receiver.waitFor('pix.settled');
    const second = receiver.waitFor(({ id }) => id === 'evt_2');
    await receiver.fetch(signed('evt_1', { type: 'pix.settled' }));
    await receiver.fetch(signed('evt_2', { type: 'pix.failed' }));
    expect([(await settled).id, (await second).id]).toEqual(['evt_1', 'evt_2']);
    expect((await receiver.waitFor('pix.settled')).id).toBe('evt_1');
  });

  test('reports that nothing was received', async () => {
    const receiver = createReceiver({ secret: SECRET });
    await expect(receiver.waitFor('pix.settled', { timeoutMs: 1 })).rejects.toThrow('No requests received.');
  });

  test('rejects a malformed secret', () => {
    expect(() => createReceiver({ secret: 'whsec_' })).toThrow(/secret/);
  });

  test('accepts no more header lines than any server of ours', async () => {
    await using receiver = createReceiver({ secret: 'whsec_c2VjcmV0IG9mIGEgdGVzdA==' });
    await using connection = new RawConnection(Number(new URL(await receiver.listen()).port));
    const lines = Array.from({ length: 1_200 }, () => 'a: b');
    const answer = await connection.request(['GET / HTTP/1.1', 'Host: localhost', ...lines]).response();
    expect([answer.status, receiver.arrivals.length]).toEqual([431, 0]);
  });

  test('listens until it is closed', async () => {
    await using sandbox = await createSandbox({ port: false });
    const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET ?? '' });
    const url = await receiver.listen();
    sandbox.forwardTo(url, { retries: 'off' });
    await sandbox.trigger('withdrawal.settled');
    const { data } = await receiver.waitFor('withdrawal.settled');
    expect(data.object.destination.rail).toBe('PIX');
    await receiver.close();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
