import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptRequest, AttemptResult } from '../../src/delivery/http-attempt.js';
import type { AttemptJob } from '../../src/delivery/worker.js';
import { DeliveryWorker } from '../../src/delivery/worker.js';
import { attemptRequest, attemptResult, turns } from '../helpers/delivery/attempts.js';

/** A worker whose attempts end when the test says so. */
function workbench({
  inFlightPerEndpoint = 2,
  prepare = (): AttemptRequest | null => attemptRequest(),
} = {}) {
  const sent: { job: AttemptJob; end: (result: AttemptResult) => void }[] = [];
  const reported: AttemptJob[] = [];
  const worker = new DeliveryWorker({
    concurrencyOf: () => inFlightPerEndpoint,
    prepare,
    send: (job, _request, signal) =>
      new Promise((resolve, reject) => {
        sent.push({ job, end: resolve });
        if (signal.aborted) reject(signal.reason);
        setMaxListeners(Infinity, signal);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    report: (job) => reported.push(job),
    onBug: () => {},
  });
  const end = async (index: number) => {
    sent[index]?.end(attemptResult(200));
    await turns();
  };
  return { worker, sent, reported, end };
}

function job(number: number, endpointId = 'one'): AttemptJob {
  return { deliveryId: `delivery-${number}`, endpointId, number: 1, faults: [] };
}

/** Whether a promise is done, seen without waiting for it. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await turns();
  return done;
}

describe('the worker', () => {
  test('sends a limited number concurrently per endpoint, in order, and the next as one ends', async () => {
    const { worker, sent, reported, end } = workbench();
    const jobs = [1, 2, 3, 4].map((number) => job(number));
    for (const one of jobs) worker.add(one);
    expect(sent.map((attempt) => attempt.job)).toEqual(jobs.slice(0, 2));
    expect(worker.open).toBe(4);
    await end(1);
    expect(sent.map((attempt) => attempt.job)).toEqual(jobs.slice(0, 3));
    expect(reported).toEqual([jobs[1]]);
    expect(worker.open).toBe(3);
  });

  test('does not let a slow endpoint block others', () => {
    const { worker, sent } = workbench({ inFlightPerEndpoint: 1 });
    worker.add(job(1, 'slow'));
    worker.add(job(2, 'slow'));
    worker.add(job(3, 'quick'));
    expect(sent.map((attempt) => attempt.job.endpointId)).toEqual(['slow', 'quick']);
  });

  test('starts 16 attempts per turn of the event loop, in order, and none after a stop', async () => {
    const { worker, sent } = workbench({ inFlightPerEndpoint: 30 });
    const jobs = Array.from({ length: 100 }, (_, number) => job(number, `endpoint ${number % 2}`));
    for (const one of jobs) worker.add(one);
    const counts = [sent.length];
    for (let turn = 1; turn <= 2; turn += 1) {
      await setImmediate();
      counts.push(sent.length);
    }
    worker.stop();
    await setImmediate();
    counts.push(sent.length);
    expect(counts).toEqual([16, 32, 48, 48]);
    const toFirst = sent.map((one) => one.job).filter(({ endpointId }) => endpointId === 'endpoint 0');
    expect(toFirst).toEqual(jobs.filter((_, number) => number % 2 === 0).slice(0, toFirst.length));
  });

  test('settles exactly when nothing is open', async () => {
    const { worker, end } = workbench({ inFlightPerEndpoint: 1 });
    expect(await isDone(worker.settled())).toBe(true);
    worker.add(job(1));
    worker.add(job(2));
    const settled = worker.settled();
    await end(0);
    expect(await isDone(settled)).toBe(false);
    await end(1);
    expect(await isDone(settled)).toBe(true);
  });

  test('builds the request when it is sent', async () => {
    const prepared: AttemptJob[] = [];
    const sent: AttemptJob[] = [];
    const worker = new DeliveryWorker({
      concurrencyOf: () => 1,
      prepare: (one) => {
        prepared.push(one);
        return attemptRequest();
      },
      send: async (one) => {
        sent.push(one);
        return attemptResult(200);
      },
      report: () => {},
      onBug: () => {},
    });
    worker.add(job(1));
    worker.add(job(2));
    expect(prepared).toEqual([job(1)]);
    await worker.settled();
    expect(sent).toEqual(prepared);
  });

  test('drops an outdated job, and settles even if nothing was sent', async () => {
    const { worker, sent, reported } = workbench({ prepare: () => null });
    worker.add(job(1));
    expect(worker.open).toBe(0);
    expect(await isDone(worker.settled())).toBe(true);
    expect([sent, reported]).toEqual([[], []]);
  });

  test('reports nothing, sends nothing and settles once stopped', async () => {
    const { worker, sent, reported } = workbench({ inFlightPerEndpoint: 1 });
    worker.add(job(1));
    worker.add(job(2));
    const settled = worker.settled();
    sent[0]?.end(attemptResult(200));
    worker.stop();
    await settled;
    await turns();
    worker.add(job(3));
    expect(worker.open).toBe(0);
    expect(await isDone(worker.settled())).toBe(true);
    expect(sent).toHaveLength(1);
    expect(reported).toEqual([]);
  });
});

describe('a throwing port', () => {
  const PLACES = ['prepare', 'send', 'sending', 'report'] as const;
  type Place = (typeof PLACES)[number];

  /** Makes every job while some of them throw here and there; tells what was reported, and what was heard of. */
  async function run(throwing: readonly (Place | null)[], atATime: number) {
    const reported: { number: number; error: string | null; wasBuilt: boolean }[] = [];
    const bugs: string[] = [];
    const maybe = ({ number }: AttemptJob, place: Place) => {
      if (throwing[number] === place) throw new Error(`${place} of ${number}`);
    };
    const worker = new DeliveryWorker({
      concurrencyOf: () => atATime,
      prepare: (one) => {
        maybe(one, 'prepare');
        return attemptRequest();
      },
      send: (one) => {
        maybe(one, 'send');
        return Promise.resolve().then(() => {
          maybe(one, 'sending');
          return attemptResult(200);
        });
      },
      report: (one, request, { error }) => {
        if (error === null) maybe(one, 'report');
        reported.push({ number: one.number, error, wasBuilt: request !== null });
      },
      onBug: (error) => bugs.push(error instanceof Error ? error.message : 'no error'),
    });
    throwing.forEach((_place, number) => worker.add({ ...job(1, `endpoint-${number % 2}`), number }));
    await worker.settled();
    return { worker, reported, bugs };
  }

  test('fails only its own attempt, whichever it is, and blocks nothing', async () => {
    const anyPlaces = fc.array(fc.option(fc.constantFrom(...PLACES)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(anyPlaces, fc.integer({ min: 1, max: 3 }), async (throwing, atATime) => {
        const { worker, reported, bugs } = await run(throwing, atATime);
        expect(worker.open).toBe(0);
        expect(reported.sort((a, b) => a.number - b.number)).toEqual(
          throwing.map((place, number) => ({
            number,
            error: place === null ? null : 'SANDBOX_FAILED',
            wasBuilt: place !== 'prepare',
          })),
        );
        const thrown = throwing.flatMap((place, number) => (place === null ? [] : [`${place} of ${number}`]));
        expect(bugs.sort()).toEqual(thrown.sort());
      }),
    );
  });

  test('fails its attempt after the command that started it, with the reason', async () => {
    const results: AttemptResult[] = [];
    const worker = new DeliveryWorker({
      concurrencyOf: () => 1,
      prepare: () => {
        throw new RangeError('no such body');
      },
      send: () => Promise.reject(new Error('Expected nothing to send')),
      report: (_job, _request, result) => results.push(result),
      onBug: () => {},
    });
    worker.add(job(1));
    expect(results).toEqual([]);
    await worker.settled();
    expect(results).toEqual([
      {
        ...attemptResult(500),
        status: null,
        error: 'SANDBOX_FAILED',
        detail: 'no such body',
        latencyMs: 0,
        response: null,
      },
    ]);
  });

  test('leaves a worker stopped by its report unchanged', async () => {
    const stopped: DeliveryWorker = new DeliveryWorker({
      concurrencyOf: () => 1,
      prepare: () => attemptRequest(),
      send: () => Promise.resolve(attemptResult(200)),
      report: () => stopped.stop(),
      onBug: () => {},
    });
    stopped.add(job(1));
    await stopped.settled();
    await turns();
    expect(stopped.open).toBe(0);
  });
});
