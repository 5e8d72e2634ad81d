import { describe, expect, test, vi } from 'vitest';
import type { DeliveryFaultAction } from '../../src/contract/fault-kinds.js';
import { DELIVERY_FAULTS } from '../../src/contract/fault-kinds.js';
import type { FiredFault } from '../../src/core/webhooks/faults.js';
import type { FaultPorts } from '../../src/delivery/faulty-send.js';
import { forgeryOf, sendWithFaults } from '../../src/delivery/faulty-send.js';
import type { AttemptRequest, AttemptResult } from '../../src/delivery/http-attempt.js';
import { attemptRequest, attemptResult, turns } from '../helpers/delivery/attempts.js';
import { fakeTimers } from '../helpers/fake-timers.js';

type Fired = FiredFault<DeliveryFaultAction>;

const REQUEST = attemptRequest({ timeoutMs: 200 });
const STALE = attemptRequest({ headers: { 'webhook-id': 'evt_stale' } });
const AGES_MS = 3_600_000;

function fired(action: DeliveryFaultAction, details: Partial<Fired> = {}): Fired {
  return { id: action, action, status: null, delayMs: null, copies: null, ...details };
}

/** Sends under faults to a receiver that answers with these results, the last one ever again. */
function bench(faults: readonly Fired[], results: readonly AttemptResult[] = [attemptResult(200)]) {
  const sent: AttemptRequest[] = [];
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
    staleMessage: () => STALE,
    overtaken: () => overtaken,
    signal: stopping.signal,
  };
  const result = sendWithFaults(REQUEST, faults, ports);
  result.catch(() => {});
  return { sent, result, overtake, stop: () => stopping.abort(new Error('stopped')) };
}

describe('an attempt', () => {
  test.each<[Fired, Partial<AttemptResult>]>([
    [fired('answer'), { status: 500, error: 'HTTP_STATUS', latencyMs: 0 }],
    [fired('answer', { status: 404 }), { status: 404, error: 'HTTP_STATUS' }],
    [fired('answer', { status: 302 }), { status: 302, error: 'REDIRECT' }],
    [fired('answer', { status: 204 }), { status: 204, error: null }],
    [fired('timeout'), { status: null, error: 'TIMEOUT', latencyMs: 200 }],
    [fired('drop'), { status: null, error: 'CONNECTION_RESET', latencyMs: 0 }],
  ])('that meets %j never reaches the receiver', async (fault, expected) => {
    const { sent, result } = bench([fault]);
    expect(await result).toMatchObject({ ...expected, detail: `fault ${fault.action}`, response: null });
    expect(sent).toEqual([]);
  });

  test('meets the first of several that stand in the receiver’s place', async () => {
    expect(await bench([fired('timeout'), fired('answer')]).result).toMatchObject({ error: 'TIMEOUT' });
    expect(await bench([fired('answer'), fired('timeout')]).result).toMatchObject({ status: 500 });
  });

  test('whose answer is lost was received, and has failed whatever the answer was', async () => {
    for (const answer of [attemptResult(200), attemptResult(500)]) {
      const { sent, result } = bench([fired('lose-answer')], [answer]);
      expect(await result).toMatchObject({ status: null, error: 'CONNECTION_RESET', latencyMs: 1 });
      expect(sent).toEqual([REQUEST]);
    }
  });

  test.each([
    [undefined, 2],
    [1, 2],
    [3, 4],
  ])('that is duplicated with copies %s is sent %i times, the same each time', async (copies, times) => {
    const results = [attemptResult(500), attemptResult(200)];
    const { sent, result } = bench([fired('duplicate', { copies: copies ?? null })], results);
    expect(await result, 'decided by the first').toMatchObject({ status: 500 });
    expect(sent).toEqual(Array.from({ length: times }, () => REQUEST));
  });

  test('is followed by a stale message, which decides nothing', async () => {
    const { sent, result } = bench([fired('stale-expired')], [attemptResult(200), attemptResult(500)]);
    expect(await result).toMatchObject({ status: 200, error: null });
    expect(sent).toEqual([REQUEST, STALE]);
  });

  test('that the receiver did not take is followed by no stale message', async () => {
    const { sent, result } = bench([fired('stale-expired')], [attemptResult(500)]);
    expect(await result).toMatchObject({ status: 500 });
    expect(sent).toEqual([REQUEST]);
  });

  test('leaves after its delay', async () => {
    fakeTimers();
    const { sent, result } = bench([fired('delay', { delayMs: 30 })]);
    await vi.advanceTimersByTimeAsync(29);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toMatchObject({ status: 200 });
    expect(sent).toEqual([REQUEST]);
  });

  test('that is reordered waits until another one has passed', async () => {
    const { sent, result, overtake } = bench([fired('reorder')]);
    await turns();
    expect(sent).toEqual([]);
    overtake();
    expect(await result).toMatchObject({ status: 200 });
    expect(sent).toEqual([REQUEST]);
  });

  test('that was overtaken leaves no timer behind', async () => {
    fakeTimers();
    const { result, overtake } = bench([fired('reorder')]);
    overtake();
    await result;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is answered slowly takes so much longer', async () => {
    fakeTimers();
    const { result } = bench([fired('slow', { delayMs: 30 })]);
    await vi.advanceTimersByTimeAsync(30);
    expect(await result).toMatchObject({ status: 200, error: null, latencyMs: 31 });
  });

  test('that is answered slower than its limit has timed out by then', async () => {
    fakeTimers();
    const { sent, result } = bench([fired('slow', { delayMs: AGES_MS })]);
    await vi.advanceTimersByTimeAsync(REQUEST.timeoutMs);
    expect(await result).toMatchObject({ status: null, error: 'TIMEOUT', latencyMs: 200 });
    expect(sent).toEqual([REQUEST]);
  });

  test.each([fired('delay', { delayMs: AGES_MS }), fired('reorder'), fired('slow', { delayMs: AGES_MS })])(
    'under $action rejects when it is called off',
    async (fault) => {
      const { result, stop } = bench([fault]);
      await turns();
      stop();
      await expect(result).rejects.toThrow('stopped');
    },
  );

  test('meets several faults at once: late, twice, and its answer lost', async () => {
    const { sent, result } = bench([
      fired('lose-answer'),
      fired('duplicate'),
      fired('delay', { delayMs: 1 }),
    ]);
    expect(await result).toMatchObject({ error: 'CONNECTION_RESET' });
    expect(sent).toEqual([REQUEST, REQUEST]);
  });
});

describe('every fault of deliveries', () => {
  test.each(Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[])('%s ends in a result', async (action) => {
    const { result, overtake } = bench([fired(action, { delayMs: 1 })]);
    overtake();
    expect(await result).toHaveProperty('error');
  });
});

describe('a forgery', () => {
  test.each<[readonly Fired[], string | undefined]>([
    [[], undefined],
    [[fired('drop')], undefined],
    [[fired('drop'), fired('stale-timestamp')], 'stale-timestamp'],
    [[fired('two-signatures')], 'two-signatures'],
    [[fired('two-signatures'), fired('wrong-signature')], 'two-signatures'],
  ])('of %j is %s', (faults, expected) => {
    expect(forgeryOf(faults)).toBe(expected);
  });
});
