import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { onTestFinished, vi } from 'vitest';

const TIMEOUTS = ['setTimeout', 'clearTimeout'] as const;
export const INTERVALS = ['setInterval', 'clearInterval'] as const;

/** Until the test ends, only `vi.advanceTimersByTime` makes time pass for these timers, also for those from `node:timers`. */
export function fakeTimers(names: typeof TIMEOUTS | typeof INTERVALS = TIMEOUTS): void {
  const real = Object.fromEntries(names.map((name) => [name, timers[name]]));
  vi.useFakeTimers({ toFake: [...names] });
  Object.assign(timers, Object.fromEntries(names.map((name) => [name, globalThis[name]])));
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(timers, real);
    syncBuiltinESMExports();
    vi.useRealTimers();
  });
}
