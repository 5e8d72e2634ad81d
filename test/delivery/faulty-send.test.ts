import { describe, expect, test, vi } from 'vitest';
import type { DeliveryFaultAction } from '../../src/contract/fault-kinds.js';
import { DELIVERY_FAULTS } from '../../src/contract/fault-kinds.js';
import type { FiredFault } from '../../src/core/world.js';
import type { FaultPorts } from '../../src/delivery/faulty-send.js';
import { attemptWithFaults } from '../../src/delivery/faulty-send.js';
import type { AttemptRequest, AttemptResult } from '../../src/delivery/http-attempt.js';
import { attemptRequest, attemptResult, turns } from '../helpers/delivery/attempts.js';
import { fakeTimers } from '../helpers/fake-timers.js';

type Fired = FiredFault<DeliveryFaultAction>;

const REQUEST = attemptRequest({ timeoutMs: 200 });
const messageOf = (id: string) => attemptRequest({ headers: { 'webhook-id': id } });
const STALE = messageOf('stale-expiry');
const EXPIRY = messageOf('expiry');
const UNKNOWN = messageOf('unknown-type');
const AGES_MS = 3_600_000;

function fired(action: DeliveryFaultAction, details: Partial<Fired> = {}): Fired {
  return { id: action, action, status: null, delayMs: null, copies: null, ...details };
}

/** Sends under faults to a receiver that answers with these results, the last one ever again. */
function bench(
  faults: readonly Fired[],
  results: readonly AttemptResult[] = [attemptResult(200)],
  { isEndpointIdle = false, ...replaced }: Partial<FaultPorts> & { readonly isEndpointIdle?: boolean } = {},
) {
  const sent: AttemptRequest[] = [];
  const told: string[] = [];
  const stopping = new AbortController();
  let overtake = () => {};
  const overtaken = new Promise<void>((resolve) => {
    overtake = resolve;
  });
  const ports: FaultPorts = {
    send: async (request) => {
      sent.push(request);
      return results[sent.length - 1] ?? results.at(-1) ?? attemptResult(200);
    },
    sendExtraMessage: async (message) => void sent.push(messageOf(message)),
    allowOvertaking: () => ({
      overtaken,
      isEndpointIdle: () => isEndpointIdle,
      stopOvertaking: () => void told.push('back'),
    }),
    restart: async () => void told.push(`restarted after ${sent.length}`),
    signal: stopping.signal,
    ...replaced,
  };
  const result = attemptWithFaults(REQUEST, faults, ports);
  result.catch(() => {});
  return { sent, told, result, overtake, stop: () => stopping.abort(new Error('stopped')) };
}

describe('an attempt with faults', () => {
  test.each<[Fired, Partial<AttemptResult>]>([
    [fired('answer'), { status: 500, error: 'HTTP_STATUS', latencyMs: 0 }],
    [fired('answer', { status: 404 }), { status: 404, error: 'HTTP_STATUS' }],
    [fired('answer', { status: 302 }), { status: 302, error: 'REDIRECT' }],
    [fired('answer', { status: 204 }), { status: 204, error: null }],
    [fired('timeout'), { status: null, error: 'TIMEOUT', latencyMs: 200 }],
    [fired('drop'), { status: null, error: 'CONNECTION_RESET', latencyMs: 0 }],
  ])('never reaches the receiver under %j', async (fault, expected) => {
    const { sent, result } = bench([fault]);
    expect(await result).toMatchObject({ ...expected, detail: `fault ${fault.action}`, response: null });
    expect(sent).toEqual([]);
  });

  test('applies the first of several faults that replace the receiver', async () => {
    expect(await bench([fired('timeout'), fired('answer')]).result).toMatchObject({ error: 'TIMEOUT' });
    expect(await bench([fired('answer'), fired('timeout')]).result).toMatchObject({ status: 500 });
  });

  test('an attempt is received and fails after a dropped response, whatever its status', async () => {
    for (const answer of [attemptResult(200), attemptResult(500)]) {
      const { sent, result } = bench([fired('lose-answer')], [answer]);
      expect(await result).toMatchObject({ status: null, error: 'CONNECTION_RESET', latencyMs: 1 });
      expect(sent).toEqual([REQUEST]);
    }
  });

  test('an attempt is refused if it would be refused and its response dropped', async () => {
    const refused = { ...attemptResult(200), status: null, error: 'CONNECTION_REFUSED' } as const;
    expect(await bench([fired('lose-answer')], [refused]).result).toMatchObject(refused);
  });

  test.each([
    [undefined, 2],
    [1, 2],
    [3, 4],
  ])('an attempt with copies %s is sent %i times, with the same bytes each time', async (copies, times) => {
    const results = [attemptResult(500), attemptResult(200)];
    const { sent, result } = bench([fired('duplicate', { copies: copies ?? null })], results);
    expect(await result, 'decided by the first').toMatchObject({ status: 500 });
    expect(sent).toEqual(Array.from({ length: times }, () => REQUEST));
  });

  test('an attempt may be followed by a stale message, which has no effect', async () => {
    const { sent, result } = bench([fired('stale-expired')], [attemptResult(200), attemptResult(500)]);
    expect(await result).toMatchObject({ status: 200, error: null });
    expect(sent).toEqual([REQUEST, STALE]);
  });

  test('an attempt for a late payment follows its expiry, which has no effect', async () => {
    const { sent, result } = bench([fired('late-payment')], [attemptResult(200)]);
    expect(await result).toMatchObject({ status: 200, error: null });
    expect(sent).toEqual([EXPIRY, REQUEST]);
  });

  test('a rejected attempt is followed by no stale message', async () => {
    const { sent, result } = bench([fired('stale-expired')], [attemptResult(500)]);
    expect(await result).toMatchObject({ status: 500 });
    expect(sent).toEqual([REQUEST]);
  });

  test('a delayed attempt is sent after its delay', async () => {
    fakeTimers();
    const { sent, result } = bench([fired('delay', { delayMs: 30 })]);
    await vi.advanceTimersByTimeAsync(29);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toMatchObject({ status: 200 });
    expect(sent).toEqual([REQUEST]);
  });

  test('waits until another one has passed when it is reordered', async () => {
    const { sent, result, overtake } = bench([fired('reorder')]);
    await turns();
    expect(sent).toEqual([]);
    overtake();
    expect(await result).toMatchObject({ status: 200 });
    expect(sent).toEqual([REQUEST]);
  });

  test('a reordered attempt is sent without waiting when none is in flight', async () => {
    fakeTimers();
    const { sent, told, result } = bench([fired('reorder')], [attemptResult(200)], { isEndpointIdle: true });
    await vi.advanceTimersByTimeAsync(99);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toMatchObject({ status: 200 });
    expect(told).toEqual(['back']);
  });

  test('waits at most two seconds for an attempt in flight when it is reordered', async () => {
    fakeTimers();
    const { sent, told, result } = bench([fired('reorder')]);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toMatchObject({ status: 200 });
    expect([told, vi.getTimerCount()]).toEqual([['back'], 0]);
  });

  test('sends all its copies concurrently when it is duplicated in parallel', async () => {
    const open: ((result: AttemptResult) => void)[] = [];
    const send = () => new Promise<AttemptResult>((resolve) => open.push(resolve));
    const { result } = bench([fired('duplicate', { copies: 2, parallel: true })], [], { send });
    expect(open).toHaveLength(3);
    for (const [at, answer] of open.entries()) answer(attemptResult(at === 0 ? 503 : 200));
    expect(await result, 'decided by the original').toMatchObject({ status: 503 });
  });

  test.each(['answered', 'before', undefined] as const)(
    'restarts the application %s, once, even if a fault replaces it',
    async (when) => {
      const faults = [fired('restart', { when }), fired('duplicate')];
      const { sent, told, result } = bench(faults);
      expect(await result).toMatchObject({ status: 200 });
      expect([told, sent.length]).toEqual([[`restarted after ${when === 'before' ? 0 : 1}`], 2]);
      const dropped = bench([...faults, fired('drop')]);
      expect(await dropped.result).toMatchObject({ error: 'CONNECTION_RESET' });
      expect(dropped.told).toEqual(['restarted after 0']);
    },
  );

  test('fails with a reason when the application cannot be restarted', async () => {
    const restart = () => Promise.reject(new Error('no such file'));
    const { result } = bench([fired('restart')], [attemptResult(200)], { restart });
    expect(await result).toMatchObject({
      error: 'SANDBOX_FAILED',
      detail: 'The restart fault could not restart the application: no such file',
    });
  });

  test('an attempt may be followed by a message of an unknown type, whatever the response was', async () => {
    for (const status of [200, 500]) {
      const { sent, result } = bench([fired('unknown-type')], [attemptResult(status)]);
      expect(await result).toMatchObject({ status });
      expect(sent).toEqual([REQUEST, UNKNOWN]);
    }
  });

  test('takes the added time longer under a slow response', async () => {
    fakeTimers();
    const { result } = bench([fired('slow', { delayMs: 30 })]);
    await vi.advanceTimersByTimeAsync(30);
    expect(await result).toMatchObject({ status: 200, error: null, latencyMs: 31 });
  });

  test('an attempt has timed out if the slow response exceeds its limit', async () => {
    fakeTimers();
    const { sent, result } = bench([fired('slow', { delayMs: AGES_MS })]);
    await vi.advanceTimersByTimeAsync(REQUEST.timeoutMs);
    expect(await result).toMatchObject({ status: null, error: 'TIMEOUT', latencyMs: 200 });
    expect(sent).toEqual([REQUEST]);
  });

  test.each([fired('delay', { delayMs: AGES_MS }), fired('reorder'), fired('slow', { delayMs: AGES_MS })])(
    'rejects under $action when it is aborted',
    async (fault) => {
      const { result, stop } = bench([fault]);
      await turns();
      stop();
      await expect(result).rejects.toThrow('stopped');
    },
  );

  test('combines several faults: delayed, duplicated and with a dropped response', async () => {
    const { sent, result } = bench([
      fired('lose-answer'),
      fired('duplicate'),
      fired('delay', { delayMs: 1 }),
    ]);
    expect(await result).toMatchObject({ error: 'CONNECTION_RESET' });
    expect(sent).toEqual([REQUEST, REQUEST]);
  });
});

describe('delivery faults', () => {
  test.each(Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[])('%s ends in a result', async (action) => {
    const { result, overtake } = bench([fired(action, { delayMs: 1 })]);
    overtake();
    expect(await result).toHaveProperty('error');
  });
});
