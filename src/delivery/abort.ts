import { isError } from '../text/errors.js';
import { setTimeout } from 'node:timers/promises';

/** Settles like `work`, or rejects as soon as the signal aborts. */
export function raceAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(isError(signal.reason) ? signal.reason : new Error('Aborted.'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Creates a signal that aborts after this much real time. Its listener prevents garbage collection while only
 * `AbortSignal.any` references the signal.
 */
export function createTimeout(ms: number): AbortSignal {
  const signal = AbortSignal.timeout(ms);
  signal.addEventListener('abort', () => undefined, { once: true });
  return signal;
}

/** Waits for this many milliseconds of real time. Rejects with the signal's reason on abort. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Processes items concurrently and returns the results in item order. */
export async function mapConcurrently<Item, Result>(
  concurrency: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const lane = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return results;
}
