import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/contract/time.js';
import { RateLimiter } from '../../src/sandbox/rate-limiter.js';

const START_MS = Date.UTC(2026, 0, 1);
const ANY_LIMIT = fc.record({
  calls: fc.integer({ min: 1, max: 40 }),
  perMs: fc.integer({ min: 1, max: 90_000 }),
});
/** Clock moves: none, small, long jumps, and back as by a restored state. */
const ANY_MOVES = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.nat(200),
    fc.nat(60_000),
    fc.nat(90 * DAY_MS),
    fc.integer({ min: -DAY_MS, max: 0 }),
  ),
  { maxLength: 120 },
);

describe('a token bucket', () => {
  test('passes exactly the requests that its tokens allow under any clock moves', () => {
    fc.assert(
      fc.property(ANY_LIMIT, ANY_MOVES, (limit, moves) => {
        const limiter = new RateLimiter(limit);
        const [calls, perMs] = [BigInt(limit.calls), BigInt(limit.perMs)];
        const capacity = calls * perMs;
        let [now, tokens] = [START_MS, capacity];
        for (const move of moves) {
          now += move;
          if (move > 0) tokens += BigInt(move) * calls;
          if (tokens > capacity) tokens = capacity;
          // Rounded up: the whole seconds suffice, and one second less does not.
          const perSecond = 1_000n * calls;
          const afterS = tokens >= perMs ? undefined : Number((perMs - tokens + perSecond - 1n) / perSecond);
          expect(limiter.take('a', now), `${tokens} of ${capacity}`).toBe(afterS);
          if (afterS === undefined) tokens -= perMs;
        }
      }),
      { numRuns: 500 },
    );
  });

  test('never passes more than its capacity at one instant, whatever happened before', () => {
    fc.assert(
      fc.property(ANY_LIMIT, ANY_MOVES, (limit, moves) => {
        const limiter = new RateLimiter(limit);
        let now = START_MS;
        for (const move of moves) limiter.take('a', (now += move));
        const passed = Array.from({ length: 50 }, () => limiter.take('a', now)).filter(
          (s) => s === undefined,
        );
        expect(passed.length).toBeLessThanOrEqual(limit.calls);
        expect(limiter.take('b', now), 'buckets are separate').toBeUndefined();
      }),
    );
  });

  test('does not exist without a limit', () => {
    expect(new RateLimiter(undefined).take('a', 0)).toBeUndefined();
  });
});
