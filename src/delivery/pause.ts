import { clearTimeout, setTimeout } from 'node:timers';
import { onAbort } from './abort-hooks.js';

/** Resolves after the given real time; rejects with the signal's reason when that aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(() => {
      release();
      resolve();
    }, ms);
    const release = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
