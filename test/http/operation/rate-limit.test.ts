import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from '../../../src/http/operation/rate-limit.js';

test('lets pass at most so many calls in any window, and whoever waits as told may come', () => {
  const waits = fc.array(fc.nat(700), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 5 }), (waitsMs, calls) => {
      const limiter = new RateLimiter({ calls, perMs: 1_000 });
      let now = 0;
      let [beganAt, count] = [-Infinity, 0];
      for (const waitMs of waitsMs) {
        now += waitMs;
        if (now >= beganAt + 1_000) [beganAt, count] = [now, 0];
        count += 1;
        const retryAfterS = limiter.count('one', now);
        expect(retryAfterS === undefined).toBe(count <= calls);
        if (retryAfterS === undefined) continue;
        expect(retryAfterS).toBe(1);
        expect(now + retryAfterS * 1_000).toBeGreaterThanOrEqual(beganAt + 1_000);
      }
    }),
  );
});
