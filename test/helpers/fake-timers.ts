import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { onTestFinished, vi } from 'vitest';

/** Until the test ends, only `vi.advanceTimersByTime` makes time pass, also for timers from `node:timers`. */
export function fakeTimers(): void {
  const { setTimeout, clearTimeout } = timers;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  Object.assign(timers, { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(timers, { setTimeout, clearTimeout });
    syncBuiltinESMExports();
    vi.useRealTimers();
  });
}
