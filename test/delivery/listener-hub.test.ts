import { describe, expect, test } from 'vitest';
import type { ListenerAttempt } from '../../src/delivery/listener-hub.js';
import { ListenerHub } from '../../src/delivery/listener-hub.js';
import type { AttemptJob } from '../../src/delivery/worker.js';
import { attemptRequest, attemptResult } from '../helpers/delivery/attempts.js';

const JOB: AttemptJob = { deliveryId: 'delivery-1', endpointId: 'listener-1', number: 3, faults: [] };

function attached() {
  const hub = new ListenerHub();
  const received: ListenerAttempt[] = [];
  hub.attach(JOB.endpointId, (attempt) => received.push(attempt));
  const stopping = new AbortController();
  const deliver = () => hub.deliver(JOB, attemptRequest(), stopping.signal);
  const answer = (attempt: ListenerAttempt | undefined, status = 200, endpointId = JOB.endpointId) =>
    hub.reply(endpointId, attempt?.attempt_id ?? 'none', attemptResult(status));
  return { hub, received, stopping, deliver, answer };
}

describe('the hub of listeners', () => {
  test('sends an attempt with its headers, and its body in base64', async () => {
    const { received, deliver, answer } = attached();
    const result = deliver();
    expect(received).toEqual([
      {
        attempt_id: expect.any(String),
        delivery_id: 'delivery-1',
        attempt: 3,
        headers: { 'webhook-id': 'evt_1' },
        body: Buffer.from('{}').toString('base64'),
        timeout_ms: 10_000,
      },
    ]);
    expect(answer(received[0], 503)).toBe(true);
    expect(await result).toEqual(attemptResult(503));
  });

  test('accepts a result once, for an open attempt, from its own listener', async () => {
    const { received, deliver, answer } = attached();
    const result = deliver();
    expect(answer(undefined)).toBe(false);
    expect(answer(received[0], 200, 'listener-2')).toBe(false);
    expect(answer(received[0], 200)).toBe(true);
    expect(answer(received[0], 500)).toBe(false);
    expect((await result).status).toBe(200);
  });

  test('fails immediately without a connected listener', async () => {
    const { error } = await new ListenerHub().deliver(JOB, attemptRequest(), new AbortController().signal);
    expect(error).toBe('LISTENER_NOT_CONNECTED');
  });

  test('fails only the attempts in flight of a listener that disconnects', async () => {
    const { hub, deliver, received } = attached();
    const others: ListenerAttempt[] = [];
    hub.attach('listener-2', (attempt) => others.push(attempt));
    const other = hub.deliver(
      { ...JOB, endpointId: 'listener-2' },
      attemptRequest(),
      new AbortController().signal,
    );
    const result = deliver();
    hub.detach(JOB.endpointId);
    expect((await result).error).toBe('LISTENER_NOT_CONNECTED');
    expect([hub.has(JOB.endpointId), hub.has('listener-2')]).toEqual([false, true]);
    expect(received).toHaveLength(1);
    hub.reply('listener-2', others[0]?.attempt_id ?? '', attemptResult(200));
    expect((await other).status).toBe(200);
  });

  test('ends a binding without affecting its replacement', () => {
    const hub = new ListenerHub();
    const endFirst = hub.attach('listener-1', () => {});
    const endSecond = hub.attach('listener-1', () => {});
    endFirst();
    expect(hub.has('listener-1')).toBe(true);
    endSecond();
    expect(hub.has('listener-1')).toBe(false);
  });

  test('rejects an aborted attempt, and ignores its later result', async () => {
    const { received, stopping, deliver, answer } = attached();
    const result = deliver();
    stopping.abort(new Error('reset'));
    await expect(result).rejects.toThrow('reset');
    expect(answer(received[0])).toBe(false);
  });

  test('ignores the result of an attempt before a reset for the same attempt after it', async () => {
    const { hub, received, stopping, deliver, answer } = attached();
    const before = deliver();
    stopping.abort(new Error('reset'));
    await expect(before).rejects.toThrow('reset');
    const after = hub.deliver(JOB, attemptRequest(), new AbortController().signal);
    expect(answer(received[0], 500)).toBe(false);
    expect(answer(received[1], 200)).toBe(true);
    expect((await after).status).toBe(200);
  });

  test('rejects with the error of the connection, and stops waiting for a response', async () => {
    const hub = new ListenerHub();
    const sent: ListenerAttempt[] = [];
    hub.attach(JOB.endpointId, (attempt) => {
      sent.push(attempt);
      throw new Error('The stream is gone.');
    });
    const delivered = hub.deliver(JOB, attemptRequest(), new AbortController().signal);
    await expect(delivered).rejects.toThrow('The stream is gone.');
    expect(hub.reply(JOB.endpointId, sent[0]?.attempt_id ?? 'none', attemptResult(200))).toBe(false);
  });
});
