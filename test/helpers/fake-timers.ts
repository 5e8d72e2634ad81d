import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

const TIMEOUTS = ['setTimeout', 'clearTimeout'] as const;
export const INTERVALS = ['setInterval', 'clearInterval'] as const;

/**
 * Until the test ends, only `vi.advanceTimersByTime` makes time pass for these timers, also for those from `node:timers` and for
 * `setTimeout` from `node:timers/promises`.
 */
export function fakeTimers(names: typeof TIMEOUTS | typeof INTERVALS = TIMEOUTS): void {
  const real = Object.fromEntries(names.map((name) => [name, timers[name]]));
  const { setTimeout: realSleep } = promises;
  vi.useFakeTimers({ toFake: [...names] });
  Object.assign(timers, Object.fromEntries(names.map((name) => [name, globalThis[name]])));
  if (names === TIMEOUTS) promises.setTimeout = sleep;
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(timers, real);
    promises.setTimeout = realSleep;
    syncBuiltinESMExports();
    vi.useRealTimers();
  });
}

function sleep<Value>(ms?: number, value?: Value, { signal }: { signal?: AbortSignal } = {}): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(new DOMException('Aborted', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value as Value);
    }, ms);
    signal?.addEventListener('abort', abort);
  });
}
